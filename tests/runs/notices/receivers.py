"""A program on this machine that is called, as a webhook's receiver would be."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from continuum.services.actions import Settlement
from continuum.services.acts import Act
from continuum.services.decisions import settle
from tests.conftest import NOON

HOSTILE = (
    "x\r\nBcc: evil@evil.example\r\n\r\n<script>alert(1)</script> "
    "https://evil.example/a \x1b[2J\u202e"
)


class Call(NamedTuple):
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Keeps what it was sent; answers with the statuses it was given, the last one on and on."""

    def __init__(self, *statuses: int, location: str = "") -> None:
        self.calls: list[Call] = []
        self._statuses = list(statuses) or [204]
        self._location = location
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook?x=1"

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.calls.append(Call(self.path, dict(self.headers), body))
                statuses = receiver._statuses
                status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
                self.send_response(status)
                if receiver._location:
                    self.send_header("Location", receiver._location)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_GET(self) -> None:
                receiver.calls.append(Call(self.path, dict(self.headers), b""))
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        return Handler


def settled(console, run_id="run_a", key="INV-001"):
    settle(console, run_id, key, Act("ada", "cli", NOON, reason="seen"), Settlement(occurred=True))


def told(receiver):
    return [json.loads(call.body) for call in receiver.calls]
