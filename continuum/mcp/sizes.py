"""An answer to requests over HTTP whose body is too large, in the protocol's own words.

The SDK refuses such a body with a status and a line of text. A client that
reads JSON-RPC needs an error it can parse, so that answer is replaced; the
status stays 413.
"""

from __future__ import annotations

import json

import mcp_types as types

from continuum.mcp.stdio import MAX_MESSAGE_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TOO_LARGE = 413
_ANSWER = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": types.INVALID_REQUEST,
            "message": (
                f"a message may have {MAX_MESSAGE_BYTES} bytes; this one has more and was not "
                "read. Nothing was recorded; shorten it and call again."
            ),
            "data": {"code": "too_large", "max_bytes": MAX_MESSAGE_BYTES},
        },
    }
).encode()
_HEADERS = [
    (b"content-type", b"application/json"),
    (b"content-length", str(len(_ANSWER)).encode()),
    (b"connection", b"close"),
]


class SaysTooLarge:
    """Passes everything through but the application's own answers of status 413."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        replaced = False

        async def spoken(message: Message) -> None:
            nonlocal replaced
            if message["type"] == "http.response.start" and message["status"] == _TOO_LARGE:
                replaced = True
                await send({**message, "headers": _HEADERS})
                await send({"type": "http.response.body", "body": _ANSWER})
            elif not replaced:
                await send(message)

        await self._app(scope, receive, spoken)
