"""The project's settings for tests: real servers in a folder of the test run, no waiting."""

import os
import tempfile
from pathlib import Path

from config.assets import compile_messages
from config.layout import layout_of

if "TEST_DATA_DIR" not in os.environ:  # xdist workers inherit the controller's
    folder = tempfile.mkdtemp(prefix="taku-test-")
    Path(folder).chmod(0o711)  # PostgreSQL's account must pass when root runs the tests
    os.environ["TEST_DATA_DIR"] = folder
_worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
for _name in ("DATABASE_URL", "REDIS_URL", "PRODUCTION", "DEBUG", "PROCESS", "LOG_LEVEL"):
    os.environ.pop(_name, None)
os.environ.update(
    DATA_DIR=os.environ["TEST_DATA_DIR"],
    REDIS_URL=layout_of(os.environ["TEST_DATA_DIR"]).redis_url.replace(
        "db=0", f"db={int(_worker.removeprefix('gw')) % 16}"
    ),
    SECRET_KEY="tests-only-" + "x" * 50,
    REDIS_PREFIX=f"taku-{_worker}:",
    LOG_LEVEL="WARNING",
    RATE_ACCOUNTS="1000",  # all tests share one address
    RATE_ACCOUNTS_BURST="100000",
    RATE_TRANSFERS="1000",
    RATE_TRANSFERS_BURST="100000",
)

from config.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

compile_messages(BASE_DIR / "config" / "locale")  # noqa: F405  # as a start of the service does
