"""The allowlist as JSON. No secret, salt or seal is in any of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.callerlog import HistoryReport
    from continuum.domain.callerrows import SecretSeal
    from continuum.domain.callersettings import CallerDiff
    from continuum.services.callerchanges import CallerChange
    from continuum.services.callerlists import Allowlist, ListedCaller, ListedEntry, Refusals

_DECIDED = (
    "name",
    "kind",
    "enabled",
    "run_pattern",
    "expires_at",
    "confirm_override",
    "note",
    "version",
    "entry_sequence",
    "added_by",
    "added_at",
    "changed_at",
    "last_seen_at",
    "last_seen_version",
)


def listed_caller(listed: ListedCaller) -> dict[str, Any]:
    """Return one caller with the refusals of the last 24 hours."""
    members = listed.caller._asdict()
    return {
        **{name: members[name] for name in _DECIDED},
        "tools": listed.caller.tools.document(),
        "secret": _secret(listed.caller.secret),
        "old_secret": _secret(listed.caller.old_secret),
        "expired": listed.is_expired,
        "refusals_24h": _refusals(listed.refusals),
    }


def allowlist(shown: Allowlist) -> dict[str, Any]:
    """Return the whole table and who was refused without being on it."""
    return {
        "table_decides": shown.decides,
        "may_write": list(shown.may_write),
        "callers": [listed_caller(one) for one in shown.callers],
        "refused_unlisted": [
            {"name": one.name, **_refusals(one.refusals)} for one in shown.suggestions
        ],
        "refused_unnamed": _refusals(shown.unnamed),
    }


def change(done: CallerChange) -> dict[str, Any]:
    """Return what a change wrote; `secret` is there only when a new one was made."""
    document = {
        "name": done.caller.name,
        "version": done.caller.version,
        "enabled": done.caller.enabled,
        "tools": done.caller.tools.document(),
        "entry": {
            "sequence": done.entry.sequence,
            "type": done.entry.type,
            "hash": done.entry.hash,
        },
    }
    if done.secret is not None:
        document["secret"] = done.secret
    return document


def listed_entry(listed: ListedEntry) -> dict[str, Any]:
    """Return one entry of the history; an unreadable one has no payload."""
    row = listed.row
    document: dict[str, Any] = {
        "sequence": row.sequence,
        "type": row.type,
        "caller": row.caller,
        "at": row.timestamp,
        "prev_hash": row.prev_hash,
        "hash": row.hash,
        "readable": listed.entry is not None,
    }
    if listed.entry is not None and listed.diff is not None:
        payload = listed.entry.payload
        document.update({name: payload.get(name) for name in ("by", "reason", "via")})
        document.update(difference(listed.diff))
    return document


def difference(diff: CallerDiff) -> dict[str, Any]:
    """Return what a change gives, takes and otherwise alters."""
    return {
        "gains": [{"right": right, "tool": tool} for right, tool in diff.gains],
        "loses": [{"right": right, "tool": tool} for right, tool in diff.loses],
        "changes": [one._asdict() for one in diff.changes],
    }


def verification(report: HistoryReport) -> dict[str, Any]:
    """Return what a walk over the history found."""
    return {
        "ok": report.ok,
        "checked": report.checked,
        "trusted_through": report.trusted_through,
        "head": {"sequence": report.head.sequence, "hash": report.head.hash},
        "violations": [{**one._asdict(), "kind": str(one.kind)} for one in report.flaws],
    }


def _secret(seal: SecretSeal | None) -> dict[str, Any] | None:
    if seal is None:
        return None
    return {"prefix": seal.prefix, "set_at": seal.set_at, "until": seal.until}


def _refusals(refusals: Refusals) -> dict[str, Any]:
    return {
        "times": refusals.times,
        "reasons": [
            {"reason": reason, "times": times, "last_at": last_at}
            for reason, times, last_at in refusals.reasons
        ],
        "last_at": refusals.last_at or None,
        "last_tool": refusals.last_tool or None,
        "last_via": refusals.last_via or None,
    }
