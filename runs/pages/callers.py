"""The callers' pages: who may write, what a change would do, and what was changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from continuum.core.errors import NotFound
from continuum.domain.callersettings import grants_in_words
from continuum.services.callerlists import (
    HistoryReport,
    ListedEntry,
    list_entries,
    verify_history,
)

if TYPE_CHECKING:
    from continuum.domain.callersettings import CallerDiff
    from continuum.services.callerpreviews import Preview
    from continuum.store.base import Store

ENTRIES_A_PAGE = 50
MOST_SEQUENCE = 2**63 - 1
_FIELD_NAMES = {
    "kind": "Kind",
    "enabled": "Enabled",
    "secret": "Secret",
    "old_secret": "Old secret",
    "run_pattern": "Runs",
    "expires_at": "Expires",
    "confirm_override": "Confirms its own work because",
    "note": "Note",
}
_TYPES = {
    "CALLER_ADDED": "Added",
    "CALLER_ALLOWED": "Tools allowed",
    "CALLER_DENIED": "Tools taken away",
    "CALLER_EDITED": "Edited",
    "CALLER_SECRET_SET": "New secret",
    "CALLER_DISABLED": "Disabled",
    "CALLER_ENABLED": "Enabled",
}


class ShownDiff(NamedTuple):
    """A change in words.

    Attributes:
        gains, loses: `(right, words)`.
        changes: `(field, before, after)`.
    """

    gains: list[tuple[str, str]]
    loses: list[tuple[str, str]]
    changes: list[tuple[str, str, str]]

    @property
    def is_empty(self) -> bool:
        """True when nothing changes."""
        return not (self.gains or self.loses or self.changes)


class ShownEntry(NamedTuple):
    """One line of the history."""

    listed: ListedEntry
    title: str
    by: str
    reason: str
    via: str
    diff: ShownDiff | None


class History(NamedTuple):
    """One page of the history, and whether all of it is true."""

    entries: list[ShownEntry]
    report: HistoryReport
    caller: str
    older: int | None


def history(store: Store, *, caller: str, before: int | None) -> History:
    """Return a page of the history; the whole of it is walked now."""
    with store.reading():
        report = verify_history(store)
        listed = list_entries(store, limit=ENTRIES_A_PAGE + 1, before=before, caller=caller or None)
    shown = listed[:ENTRIES_A_PAGE]
    older = shown[-1].row.sequence if len(listed) > ENTRIES_A_PAGE else None
    return History([entry_shown(one) for one in shown], report, caller, older)


def entry(store: Store, sequence: int) -> ShownEntry:
    """Return one entry.

    Raises:
        NotFound: the history has none of that number.
    """
    newest = list_entries(store, limit=1, before=sequence + 1) if sequence < MOST_SEQUENCE else []
    if not newest or newest[0].row.sequence != sequence:
        raise NotFound(f"the callers' history has no entry {sequence}")
    return entry_shown(newest[0])


def changed_since(store: Store, caller: str, version: int) -> list[ShownEntry]:
    """Return what was written about a caller since a version of it was shown."""
    newest = list_entries(store, limit=10, caller=caller)
    return [entry_shown(one) for one in newest if _version(one) > version]


def entry_shown(listed: ListedEntry) -> ShownEntry:
    """Return an entry in words; an unreadable one has none of its own."""
    payload = listed.entry.payload if listed.entry else {}
    return ShownEntry(
        listed,
        _TYPES.get(listed.row.type, listed.row.type),
        str(payload.get("by") or ""),
        str(payload.get("reason") or ""),
        str(payload.get("via") or ""),
        diff_shown(listed.diff) if listed.diff else None,
    )


def preview_shown(preview: Preview) -> ShownDiff:
    """Return what a change would do, in words."""
    return diff_shown(preview.diff)


def diff_shown(diff: CallerDiff) -> ShownDiff:
    """Return a difference in words."""
    return ShownDiff(
        grants_in_words(diff.gains),
        grants_in_words(diff.loses),
        [(_FIELD_NAMES.get(one.field, one.field), one.before, one.after) for one in diff.changes],
    )


def _version(listed: ListedEntry) -> int:
    after = listed.entry.payload.get("after") if listed.entry else None
    version = after.get("version") if isinstance(after, dict) else None
    return version if isinstance(version, int) else 0
