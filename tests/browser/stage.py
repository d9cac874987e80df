"""A developer's stage: real stylesheet and elements around a made-up view, no backend."""

from __future__ import annotations

import json
import mimetypes
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.browser.phases import PHASES

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LAUNCH = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "api" / "static"
HARNESS = Path(__file__).parent / "harness"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
PAGE = """<!doctype html>
<html lang="{lang}" data-theme="{theme}" data-motion="{motion}" data-suits="{suits}">
<head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>Taku</title>
<link rel="icon" href="/static/taku/img/favicon.svg">
<link rel="stylesheet" href="/static/taku/css/tokens.css">
<link rel="stylesheet" href="/static/taku/css/taku.css">
<script type="application/json" id="taku-page">{page}</script>
<script type="module" src="/static/taku/js/texts/{lang}.js"></script>
<script type="module" src="/harness/harness.js"></script>
</head><body class="at-table"><main></main></body></html>
"""


class Handler(BaseHTTPRequestHandler):
    """`/` a phase by query, `/static/` the project's, `/harness/` beside this file."""

    def log_message(self, *_: object) -> None:
        """Nothing to say."""

    def do_GET(self) -> None:
        """Answer one request."""
        split = urlsplit(self.path)
        for prefix, folder in (("/static/", STATIC), ("/harness/", HARNESS)):
            if split.path.startswith(prefix):
                file = (folder / split.path.removeprefix(prefix)).resolve()
                if file.is_file() and file.is_relative_to(folder):
                    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                    self.answer(200, kind, file.read_bytes())
                else:
                    self.answer(404, "text/plain", b"")
                return
        query = {key: values[0] for key, values in parse_qs(split.query).items()}
        lang = query.get("lang", "ja")
        view = PHASES[query.get("phase", "playing")](lang)
        page = {"sprite": "/static/taku/img/sprite.svg", "lang": lang, "view": view}
        html = PAGE.format(
            lang=lang,
            theme=query.get("theme", "light"),
            motion=query.get("motion", "none"),
            suits=query.get("suits", "2"),
            page=json.dumps(page).replace("<", "\\u003c"),
        )
        self.answer(200, "text/html; charset=utf-8", html.encode())

    def answer(self, status: int, kind: str, body: bytes) -> None:
        """One whole answer."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", CSP)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def stage() -> Iterator[str]:
    """The stage's address for as long as the context lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
