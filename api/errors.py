"""How every error leaves: as an RFC 9457 problem with a code of the one catalogue.

Services raise their own error types, each with a `code`; nothing has to be caught in a view.
An error may also have

- `members`: a mapping of further members of the problem (`until`, `view`, ...);
- `retry_after`: seconds, sent as `Retry-After`;
- `errors`: items with `field` (or `key`), `code` and perhaps `detail`, for input at fault.

`problem_of` gives the same for a socket's `error` message, `response_of` for a plain Django view.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import HttpResponse, UnreadablePostError
from django.utils.translation import gettext
from drf_standardized_errors.formatter import flatten_errors
from drf_standardized_errors.handler import ExceptionHandler
from rest_framework import exceptions
from rest_framework.response import Response

from accounts.names import NameRefused
from accounts.preferences import PreferencesRefused
from api.catalogue import CATALOGUE, FIELD_TEXTS, Entry
from api.renderers import dump
from api.rule_texts import fault_text
from tables.blackjack.ruleset import RulesetError

CONTENT_TYPE: Final = "application/problem+json"
TYPE_PREFIX: Final = "/api/v1/problems/"
_OURS: Final = frozenset({"accounts", "ratings", "tables", "api"})
_DRF_CODES: Final = {
    "authentication_failed": "invalid_token",
    "error": "internal_error",
}


class Banned(exceptions.PermissionDenied):
    """The account is banned, until a time or (None) until the ban is lifted."""

    code = "banned"

    def __init__(self, *, until: datetime | None, reason: str) -> None:
        super().__init__()
        self.members = {"until": until, "reason": reason}


class BadIdempotencyKey(ValueError):
    """The Idempotency-Key is too short, too long or not visible text."""

    code = "bad_idempotency_key"


class UnknownAddress(LookupError):
    """Nothing is served at this address."""

    code = "not_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What went wrong, in the present language."""

    code: str
    status: int
    title: str
    detail: str
    errors: tuple[Mapping[str, str | None], ...] = ()
    members: Mapping[str, Any] = field(default_factory=dict)
    retry_after: int | None = None

    def body(self) -> dict[str, Any]:
        """The members of the RFC 9457 document."""
        return {
            **self.members,
            "type": f"{TYPE_PREFIX}{self.code}/",
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            **({"errors": list(self.errors)} if self.errors else {}),
        }


def is_known(error: BaseException) -> bool:
    """Tell whether an error is a refusal of ours and not a fault of the program."""
    return isinstance(error, exceptions.APIException) or _code_of(error) is not None


def problem_of(error: BaseException) -> Problem:
    """Say what went wrong; what is not in the catalogue is an internal error and says no more."""
    code = _code_of(error)
    if code is not None:
        return _named(
            code,
            errors=tuple(_faults_of(error)),
            members=getattr(error, "members", {}),
            wait=getattr(error, "retry_after", None),
        )
    if isinstance(error, RequestDataTooBig):
        return _named("payload_too_large")
    if isinstance(error, SuspiciousOperation | UnreadablePostError):
        return _named("bad_request")
    if isinstance(error, exceptions.ValidationError):
        return _named("invalid", errors=tuple(_drf_faults(error)))
    if isinstance(error, exceptions.APIException):
        codes = error.get_codes()
        drf_code = codes if isinstance(codes, str) else "invalid"
        drf_code = _DRF_CODES.get(drf_code, drf_code)
        if drf_code in CATALOGUE:
            return _named(drf_code, wait=getattr(error, "wait", None))
        return _named(_of_status(error.status_code))
    return _named("internal_error")


def entry_as_mapping(code: str) -> dict[str, Any]:
    """Describe a code of the catalogue as the problem that it makes."""
    return _named(code).body()


def response_of(error: BaseException) -> HttpResponse:
    """Answer a plain Django request with the problem."""
    problem = problem_of(error)
    response = HttpResponse(dump(problem.body()), status=problem.status, content_type=CONTENT_TYPE)
    for name, value in _headers(problem).items():
        response[name] = value
    return response


class ProblemHandler(ExceptionHandler):
    """drf-standardized-errors' handler, answering with problems."""

    def convert_known_exceptions(self, exc: Exception) -> Exception:
        """Keep our own errors; turn the reader's faults into those of a request."""
        known = super().convert_known_exceptions(exc)
        problem = problem_of(known)
        if isinstance(known, exceptions.APIException) or problem.code == "internal_error":
            return known
        translated = exceptions.APIException(problem.detail, problem.code)
        translated.status_code = problem.status
        return translated

    def should_not_handle(self, exc: Exception) -> bool:
        """Answer with a problem also where `DEBUG` is on; the traceback is in the log."""
        return False

    def format_exception(self, exc: exceptions.APIException) -> dict[str, Any]:
        """The body."""
        return self._problem(exc).body()

    def get_headers(self, exc: exceptions.APIException) -> dict[str, str]:
        """The headers that belong to the status."""
        headers = _headers(self._problem(exc))
        if challenge := getattr(exc, "auth_header", None):
            headers["WWW-Authenticate"] = challenge
        return headers

    def get_response(self, exc: exceptions.APIException, data: dict[str, Any]) -> Response:
        """The body as `application/problem+json`."""
        return Response(
            data,
            status=data["status"],
            headers=self.get_headers(exc),
            content_type=CONTENT_TYPE,
        )

    def _problem(self, exc: exceptions.APIException) -> Problem:
        """The original says more than what it was converted to, unless it is Django's own."""
        problem = problem_of(self.exc)
        return problem if problem.code != "internal_error" else problem_of(exc)


def exception_handler(exc: Exception, context: Any) -> Response | None:
    """DRF's `EXCEPTION_HANDLER`."""
    return ProblemHandler(exc, context).run()


def _named(
    code: str,
    *,
    errors: tuple[Mapping[str, str | None], ...] = (),
    members: Mapping[str, Any] | None = None,
    wait: float | None = None,
) -> Problem:
    entry: Entry = CATALOGUE[code]
    return Problem(
        code=code,
        status=entry.status,
        title=str(entry.title),
        detail=str(entry.detail),
        errors=errors,
        members=members or {},
        retry_after=None if wait is None else max(1, math.ceil(wait)),
    )


def _code_of(error: BaseException) -> str | None:
    """The code of an error type of ours; other libraries have a `code` with other meanings."""
    code = getattr(error, "code", None)
    ours = type(error).__module__.partition(".")[0] in _OURS
    return code if ours and isinstance(code, str) and code in CATALOGUE else None


def _faults_of(error: BaseException) -> Iterator[Mapping[str, str | None]]:
    if isinstance(error, NameRefused):
        yield _fault("display_name", error.fault)
    elif isinstance(error, PreferencesRefused):
        for key, fault in error.faults.items():
            yield _fault(f"settings.{key}", fault)
    elif isinstance(error, RulesetError):
        for rule in error.errors:
            detail = fault_text(rule.key, rule.code) or rule.detail
            yield {"field": f"rules.{rule.key}", "code": rule.code.value, "detail": detail}
    else:
        found: Iterable[Any] = getattr(error, "errors", ())
        for item in found:
            name = getattr(item, "field", None) or getattr(item, "key", None)
            yield _fault(name, item.code, getattr(item, "detail", None))


def _drf_faults(error: exceptions.ValidationError) -> Iterator[Mapping[str, str | None]]:
    for item in flatten_errors(error.detail):
        name = item.attr if item.attr != "non_field_errors" else None
        yield {"field": name, "code": item.code, "detail": item.detail}


def _fault(name: str | None, code: str, detail: str | None = None) -> Mapping[str, str | None]:
    text = FIELD_TEXTS.get(code, detail or gettext("This value cannot be used."))
    return {"field": name, "code": str(code), "detail": str(text)}


def _of_status(status: int) -> str:
    by_status = {entry.status: code for code, entry in reversed(CATALOGUE.items())}
    return by_status.get(status, "bad_request" if status < 500 else "internal_error")


def _headers(problem: Problem) -> dict[str, str]:
    return {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
