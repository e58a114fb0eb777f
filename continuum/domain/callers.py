"""Callers: the programs that write, as events name them.

An event caused by a caller carries `caller` as an extra payload member: an
object `{client, version, via}`, or the bare name in short. It says what the
caller called itself, and by which door it came.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_VERSION = 100


def caller_member(client: str, version: str | None, via: str) -> dict[str, str]:
    """Return the payload member that names a caller; its version is cut to 100 characters."""
    member = {"client": client, "via": via}
    return {**member, "version": version[:MAX_VERSION]} if version else member


def caller_name(payload: Mapping[str, Any]) -> str | None:
    """Return the name of the caller an event's payload names, or None."""
    caller = payload.get("caller")
    name = caller.get("client") if isinstance(caller, dict) else caller
    return name if isinstance(name, str) and name else None
