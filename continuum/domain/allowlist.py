"""The allowlist: which caller may do what, and why a call is refused.

A caller is a program that writes: an agent over MCP, a gateway, a sidecar. Who
it is, is what it said when it connected; that is a claim unless it proves it
with a secret.

The rules here are pure. `services.callers` reads the rows and asks them.
"""

from __future__ import annotations

from enum import StrEnum
from fnmatch import fnmatchcase

from continuum.core.records import NamedTuple
from continuum.domain.callerrows import MAX_CALLER_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.domain.callerrows import Caller, SecretSeal


class Right(StrEnum):
    """What a tool needs."""

    READ = "read"
    WRITE = "write"
    CONFIRM = "confirm"


TOOLS = {
    "continuum_validate": Right.READ,
    "continuum_resume": Right.READ,
    "continuum_list_actions": Right.READ,
    "continuum_record_progress": Right.WRITE,
    "continuum_checkpoint": Right.WRITE,
    "continuum_record_summary": Right.WRITE,
    "continuum_record_plan": Right.WRITE,
    "continuum_intercept_action": Right.WRITE,
    "continuum_complete_action": Right.WRITE,
    "continuum_fail_action": Right.WRITE,
    "continuum_reconcile_action": Right.WRITE,
    "continuum_compensate_action": Right.WRITE,
    "continuum_confirm": Right.CONFIRM,
}
"""Every tool a caller can be allowed, and the right it needs."""


class CallerKind(StrEnum):
    """What sort of program a caller is. For people; no rule reads it."""

    AGENT = "agent"
    SERVICE = "service"
    PERSON = "person"


class DenialReason(StrEnum):
    """Why a call was refused. Counted by it."""

    UNIDENTIFIED = "unidentified"
    UNKNOWN = "unknown"
    NOT_REGISTERED = "not_registered"
    DISABLED = "disabled"
    EXPIRED = "expired"
    WRONG_SECRET = "wrong_secret"
    WRONG_TOOL = "wrong_tool"
    WRONG_RUN = "wrong_run"
    CONFIRM_UNCONFIGURED = "confirm_unconfigured"
    CONFIRM_CONFLICT = "confirm_conflict"
    SECOND_IDENTITY = "second_identity"


class Identity(NamedTuple):
    """Who calls, as presented at the first handshake of a connection.

    Attributes:
        name: compared exactly; None or empty is unidentified.
        secret: as presented; never stored, shown or logged.
        via: the door: `mcp`, `sidecar`, `gateway`.
    """

    name: str | None
    version: str | None = None
    secret: str | None = None
    via: str = "mcp"


class Grantee(NamedTuple):
    """Who was let in, and by which source: `table`, `environment`, `file` or `open`.

    `open` is a read-only tool, which nobody needs a right for; its caller may
    be unidentified, with an empty name.
    """

    name: str
    source: str


def storable_name(name: str | None) -> str:
    """Return a name as any store can hold it: no half characters, no NUL, not too long.

    A name that comes back changed is in no table.
    """
    plain = (name or "").encode("utf-8", "replace").decode("utf-8").replace("\0", "?")
    return plain[:MAX_CALLER_NAME]


def covers_run(caller: Caller, run_id: str) -> bool:
    """Return whether the caller's pattern covers a run."""
    return not caller.run_pattern or fnmatchcase(run_id, caller.run_pattern)


def is_expired(caller: Caller, now: str) -> bool:
    """Return whether the caller's time is over at the column time `now`."""
    return caller.expires_at is not None and caller.expires_at <= now


def valid_seals(caller: Caller, now: str) -> list[SecretSeal]:
    """Return the seals of the secrets that count at the column time `now`."""
    seals = (caller.secret, caller.old_secret)
    return [one for one in seals if one is not None and (one.until is None or now < one.until)]


def denial_by_row(
    caller: Caller, *, tool: str, right: Right, run_id: str | None, now: str
) -> DenialReason | None:
    """Return why a row, whose secret was checked before, refuses a write, or None.

    Without a run id a pattern cannot be told to fit, so it does not.
    """
    if not caller.enabled:
        return DenialReason.DISABLED
    if is_expired(caller, now):
        return DenialReason.EXPIRED
    if not caller.tools.allows(tool, right):
        return DenialReason.WRONG_TOOL
    if caller.run_pattern and (run_id is None or not covers_run(caller, run_id)):
        return DenialReason.WRONG_RUN
    return None


def denial_of_reading(caller: Caller, *, tool: str, run_id: str | None) -> DenialReason | None:
    """Return why a row refuses a read-only tool, or None.

    Reading is open to everybody, so only what a row limits on purpose counts:
    not that it is disabled or has expired. A call that names no run yet is
    asked for again when the run is known.
    """
    if not caller.tools.allows(tool, Right.READ):
        return DenialReason.WRONG_TOOL
    if run_id is not None and not covers_run(caller, run_id):
        return DenialReason.WRONG_RUN
    return None
