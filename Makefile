# The two commands: `make run` and `make test`. Both make .venv first where it is missing or old.
# Variables, here or in the environment: PORT, HOST, DATA_DIR, and those of .env.example.

.PHONY: setup setup-dev run demo test lint

setup:
	@sh deploy/setup.sh requirements.txt

setup-dev:
	@sh deploy/setup.sh requirements-dev.txt

run: setup
	@exec .venv/bin/python manage.py run --end-with-parent

# As `run`, in a data folder of its own that is filled with demo players and matches.
demo: setup
	@DATA_DIR=$${DATA_DIR:-.data-demo} exec .venv/bin/python manage.py run --end-with-parent --demo

test: setup-dev
	@exec .venv/bin/python -m pytest -n 2 $(ARGS)

# What .ci/run checks before the tests, fastest first.
lint: setup-dev
	@exec bash .ci/checks
