"""Who calls, in both eras of the protocol.

With a handshake, name and secret are those of `initialize`, for as long as the
connection lives; what later requests say about themselves is not looked at.
Without one, every request carries its own identity in `_meta`.
"""

from __future__ import annotations

from hashlib import sha256

from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from continuum.core.ids import new_id
from continuum.services.callers import Identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mcp.server import ServerRequestContext

SECRET_MEMBER = "authToken"
STATELESS = "stateless"
"""The connection of callers that have none: each request stands alone."""

_SESSION_HEADER = "mcp-session-id"
_SESSION_PARAMETER = "session_id"


def identity_of(context: ServerRequestContext[Any, Any]) -> Identity:
    """Return who makes a request."""
    params = context.session.client_params
    meta: Mapping[str, Any] | None = context.meta
    if not is_modern(context):
        meta = params.meta if params else None
    info = params.client_info if params else None
    return Identity(
        name=info.name if info else None,
        version=info.version if info else None,
        secret=_secret(meta),
    )


def newcomer(params: Mapping[str, Any] | None) -> Identity:
    """Return who a further `initialize` on an open connection says it is."""
    info = (params or {}).get("clientInfo")
    name = info.get("name") if isinstance(info, dict) else None
    return Identity(name=name if isinstance(name, str) else None)


def is_modern(context: ServerRequestContext[Any, Any]) -> bool:
    """Return whether the request comes without a handshake."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


class Connections:
    """Names connections, so that the claims of one client on two can be told apart.

    The name is stored with a claim, so it is no session id: whoever knows
    that could go on with the session.
    """

    def __init__(self) -> None:
        self._only = new_id("connection")

    def name_of(self, context: ServerRequestContext[Any, Any]) -> str:
        """Return the name of the connection a request came on."""
        request = context.request
        if request is None:
            return self._only
        session = request.headers.get(_SESSION_HEADER) or request.query_params.get(
            _SESSION_PARAMETER
        )
        if not session or is_modern(context):
            return STATELESS
        return f"connection_{sha256(session.encode()).hexdigest()[:32]}"


def _secret(meta: Mapping[str, Any] | None) -> str | None:
    secret = (meta or {}).get(SECRET_MEMBER)
    return secret if isinstance(secret, str) else None
