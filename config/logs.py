"""How log lines look, and what never gets into them."""

import re
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

SECRET_KEYS = frozenset(
    {
        "authorization", "cookie", "cookies", "set-cookie", "csrftoken", "sessionid", "device",
        "token", "tokens", "password", "secret", "secret_key", "code", "key",
        "transfer_code", "recovery_key", "idempotency_key",
        "seed", "seeds", "shoe", "hole_card",
        "database_url", "redis_url",
    }
)  # fmt: skip
"""Names under which no value is ever logged, whoever binds it."""

_MASK = "***"
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+\S+")
_URL_PASSWORD = re.compile(r"(://[^\s:/@]*:)[^\s@/]+@")
_QUERY = re.compile(r"\?\S*")


def hide_secrets(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Mask the values under secret names, credentials inside texts, and queries of requests."""
    for key, value in event.items():
        if key.lower() in SECRET_KEYS and not (key == "code" and isinstance(value, int)):
            event[key] = _MASK
        elif key == "request" and isinstance(value, str):
            event[key] = _QUERY.sub("", value)
        elif isinstance(value, str):
            event[key] = _URL_PASSWORD.sub(rf"\1{_MASK}@", _BEARER.sub(rf"\1 {_MASK}", value))
        elif isinstance(value, dict):
            event[key] = hide_secrets(_, __, dict(value))
    return event


_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.PositionalArgumentsFormatter(),
    structlog.stdlib.ExtraAdder(allow=()),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


def logging_settings(*, json: bool, level: str) -> dict[str, Any]:
    """Configure structlog and return the `LOGGING` setting that sends every library the same way.

    `json`: one JSON object a line, for collectors; otherwise one short line for people.
    """
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    endings: list[Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        hide_secrets,
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if json
        else structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0),
    ]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": endings,
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "propagate": True},
            # django-structlog writes one line a request, with its id; these would write another.
            "django.request": {"level": "ERROR"},
            "django.server": {"handlers": [], "propagate": True},
            "uvicorn.access": {"level": "CRITICAL"},
        },
    }
