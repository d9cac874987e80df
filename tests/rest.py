"""A program that uses the API over HTTP in process, for tests."""

import json
from typing import Any

from django.test import Client


class Program:
    """A client with a bearer token, or a guest without one."""

    def __init__(self, token: str | None = None, player: str | None = None) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.headers = {"HTTP_AUTHORIZATION": f"Bearer {token}"} if token else {}
        self.id = player

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send JSON (or raw bytes) to a path under `/api/v1/`."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.client.generic(
            method,
            f"/api/v1/{path}",
            data=b"" if body is None else content,
            content_type="application/json",
            **self.headers,
            **{f"HTTP_{name.upper()}": value for name, value in headers.items()},
        )

    def get(self, path: str, **headers: str) -> Any:
        """GET."""
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """POST; without a body, an empty object."""
        return self.send("POST", path, {} if body is None else body, **headers)


def new_program(**body: object) -> Program:
    """A program with an account of its own."""
    made = Program().post("players/", body)
    assert made.status_code == 201, made.content
    return Program(made.json()["token"], made.json()["player"]["id"])
