"""Serving over HTTP: streamable, and the older pair of an event stream and posts."""

from __future__ import annotations

import socket
from functools import partial

import anyio
import uvicorn
from mcp.server.sse import SseServerTransport
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from continuum.core.errors import ConfigurationError
from continuum.mcp.main import note
from continuum.mcp.settings import is_loopback
from continuum.mcp.sizes import SaysTooLarge
from continuum.mcp.stdio import MAX_MESSAGE_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcp.server import Server
    from starlette.types import ASGIApp, Receive, Scope, Send

    from continuum.mcp.settings import Settings

STREAMABLE_PATH = "/mcp"
SSE_PATH = "/sse"
_SSE_POSTS = "/messages/"
_SHUTDOWN_SECONDS = 3


def serve_network(server: Server[Any], settings: Settings) -> None:
    """Listen and serve until the process is stopped.

    Raises:
        ConfigurationError: the address cannot be listened on.
    """
    listener = _listen(settings.host, settings.port)
    streamable = settings.transport == "streamable-http"
    app = _streamable(server, settings.host) if streamable else _event_stream(server, settings.host)
    config = uvicorn.Config(
        SaysTooLarge(app),
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    port = listener.getsockname()[1]
    path = STREAMABLE_PATH if streamable else SSE_PATH
    note(f"continuum-mcp listens on http://{_in_url(settings.host)}:{port}{path}")
    anyio.run(partial(uvicorn.Server(config).serve, sockets=[listener]))


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as exc:
        raise ConfigurationError(
            f"{host}:{port} cannot be listened on: {exc.strerror or exc}; choose another --port"
        ) from exc


def _streamable(server: Server[Any], host: str) -> ASGIApp:
    return server.streamable_http_app(
        streamable_http_path=STREAMABLE_PATH,
        json_response=True,
        max_request_body_size=MAX_MESSAGE_BYTES,
        transport_security=_security(host),
    )


def _event_stream(server: Server[Any], host: str) -> ASGIApp:
    transport = SseServerTransport(
        _SSE_POSTS, security_settings=_security(host), max_request_body_size=MAX_MESSAGE_BYTES
    )

    return Starlette(
        routes=[
            Route(SSE_PATH, endpoint=_Stream(server, transport), methods=["GET"]),
            Mount(_SSE_POSTS, app=transport.handle_post_message),
        ]
    )


class _Stream:
    """The application behind the event stream: one connection, one client."""

    def __init__(self, server: Server[Any], transport: SseServerTransport) -> None:
        self._server = server
        self._transport = transport

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        options = self._server.create_initialization_options()
        async with self._transport.connect_sse(scope, receive, send) as (incoming, outgoing):
            await self._server.run(incoming, outgoing, options)


def _security(host: str) -> TransportSecuritySettings:
    """Keep web pages from talking to a server on this machine by rebinding a name."""
    if not is_loopback(host):
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = ("127.0.0.1", "localhost", "[::1]", _in_url(host))
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[f"{name}:*" for name in names],
        allowed_origins=[f"http://{name}:*" for name in names],
    )


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
