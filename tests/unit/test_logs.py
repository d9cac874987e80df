"""What never gets into a log line."""

import io
import json
import logging
import logging.config

import pytest
import structlog
from django.conf import settings

from config.logs import logging_settings


@pytest.fixture
def lines():
    output = io.StringIO()
    config = logging_settings(json=True, level="INFO")
    config["handlers"]["stderr"]["stream"] = output
    logging.config.dictConfig(config)
    yield lambda: [json.loads(line) for line in output.getvalue().splitlines()]
    logging.config.dictConfig(settings.LOGGING)


@pytest.mark.parametrize(
    "name", ["token", "Authorization", "cookie", "code", "seed", "hole_card", "idempotency_key"]
)
def test_values_under_secret_names_are_masked(lines, name: str) -> None:
    structlog.get_logger("taku").info("something", **{name: "s3cret"}, deeper={name: "s3cret"})
    assert lines()[0][name] == "***"
    assert lines()[0]["deeper"][name] == "***"


def test_status_codes_stay(lines) -> None:
    structlog.get_logger("taku").info("request_finished", code=404)
    assert lines()[0]["code"] == 404


def test_queries_of_requests_are_cut(lines) -> None:
    structlog.get_logger("taku").info("request_finished", request="GET /p/?token=s3cret")
    assert lines()[0]["request"] == "GET /p/"


@pytest.mark.parametrize(
    "text", ["sent Bearer s3cret", "postgres://taku:s3cret@db/taku", "Authorization: basic s3cret"]
)
def test_credentials_inside_texts_are_masked(lines, text: str) -> None:
    logging.getLogger("some.library").warning("%s", text)
    assert "s3cret" not in json.dumps(lines())
    assert lines()[0]["logger"] == "some.library"


def test_credentials_inside_tracebacks_are_masked(lines) -> None:
    try:
        raise ValueError("postgres://taku:s3cret@db/taku")
    except ValueError:
        structlog.get_logger("taku").exception("failed")
    assert "s3cret" not in json.dumps(lines())
    assert "ValueError" in lines()[0]["exception"]
