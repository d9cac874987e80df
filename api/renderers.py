"""JSON as the API writes and reads it."""

import json
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.utils.encoders import JSONEncoder


def dump(value: object) -> str:
    """Write JSON for a client: times in UTC ending `Z`, identifiers as text."""
    return json.dumps(value, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"))


def canonical(value: object) -> str:
    """Write equal JSON values as equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), cls=JSONEncoder)


class Json(JSONRenderer):
    """Answers in JSON."""

    charset = None


class JsonBody(JSONParser):
    """Reads JSON, however it is nested, without ever failing in another way than `ParseError`."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Any = None
    ) -> dict[str, Any]:
        """Read the body. Raises `ParseError`."""
        try:
            text = stream.read().decode()
            body: dict[str, Any] = json.loads(text, parse_constant=_refuse_constant)
            if "\\u" in text:  # half of a surrogate pair cannot be written again
                dump(body).encode()
        except (ValueError, RecursionError) as unreadable:
            raise ParseError from unreadable
        return body


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


class Svg(BaseRenderer):
    """Pictures as SVG; a problem instead of one is still JSON."""

    media_type = "image/svg+xml"
    format = "svg"
    charset = None
    render_style = "binary"

    def render(
        self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None
    ) -> bytes:
        """Give the picture's bytes."""
        return data if isinstance(data, bytes) else dump(data).encode()
