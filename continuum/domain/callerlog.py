"""The callers' own history: entries sealed and chained like events.

Every change of the allowlist is an entry: which caller, who changed it, why,
and the row before and after. The digest is SHA-256 over the canonical JSON of
seven members, everything but the hash itself, so that it verifies like a run.

No entry holds a secret. A secret is named by its prefix, the time it was set,
and a digest over what is stored of it, so that a row that was given another
secret behind the history's back is noticed.
"""

from __future__ import annotations

import json
from enum import StrEnum

from continuum.core.canonical import canonical_payload, canonical_text, digest_text, stable_hash
from continuum.core.clock import column_time
from continuum.core.errors import UnreadableRecord
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple
from continuum.domain.callerrows import EntryRow
from continuum.domain.events import NO_HEAD, UNREADABLE, Head, normal_timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from typing import Any

    from continuum.domain.callerrows import Caller, SecretSeal

MAX_FLAWS = 1000


class EntryType(StrEnum):
    """What was done to a caller."""

    ADDED = "CALLER_ADDED"
    ALLOWED = "CALLER_ALLOWED"
    DENIED = "CALLER_DENIED"
    EDITED = "CALLER_EDITED"
    SECRET_SET = "CALLER_SECRET_SET"
    DISABLED = "CALLER_DISABLED"
    ENABLED = "CALLER_ENABLED"


class EntryDraft(NamedTuple):
    """An entry before it has a place in the chain."""

    type: EntryType
    caller: str
    payload: Mapping[str, Any]
    at: datetime


class Entry(NamedTuple):
    """One sealed link of the history.

    Attributes:
        payload: `before` and `after` (documents of the row, None where there
            was none), and who, why and through which surface.
    """

    sequence: int
    entry_id: str
    type: str
    caller: str
    timestamp: str
    payload: dict[str, Any]
    prev_hash: str | None
    hash: str


class FlawKind(StrEnum):
    """What can be wrong with the history."""

    SEQUENCE_GAP = "SEQUENCE_GAP"
    TAMPERED_CONTENT = "TAMPERED_CONTENT"
    BROKEN_CHAIN = "BROKEN_CHAIN"
    UNREADABLE_RECORD = "UNREADABLE_RECORD"
    MISSING_TAIL = "MISSING_TAIL"
    ROW_MISMATCH = "ROW_MISMATCH"


class Flaw(NamedTuple):
    """One thing that is wrong, where, and about whom."""

    kind: FlawKind
    sequence: int
    caller: str
    detail: str


class HistoryReport(NamedTuple):
    """The outcome of walking the history and comparing the table with it.

    Attributes:
        checked: entries seen.
        head: the last entry as stored.
        trusted_through: sequence of the last entry of the healthy beginning.
    """

    checked: int
    head: Head
    trusted_through: int
    flaws: tuple[Flaw, ...]

    @property
    def ok(self) -> bool:
        """True when nothing is wrong."""
        return not self.flaws


def seal_entry(draft: EntryDraft, head: Head) -> EntryRow:
    """Return `draft` as the row that follows `head`."""
    row = EntryRow(
        sequence=head.sequence + 1,
        entry_id=new_id("entry"),
        type=draft.type,
        caller=draft.caller,
        timestamp=column_time(draft.at),
        payload=canonical_payload(draft.payload),
        prev_hash=head.hash,
        hash="",
    )
    return row._replace(hash=_digest(row, row.timestamp, draft.payload))


def entry_from_row(row: EntryRow) -> Entry:
    """Return the entry a row holds.

    Raises:
        UnreadableRecord: broken JSON, a payload that is no object, or no time.
    """
    try:
        payload = _payload(row)
        return Entry(**{**row._asdict(), "payload": payload})
    except UNREADABLE as exc:
        raise UnreadableRecord(
            f"entry {row.sequence} of the callers' history is unreadable: {exc}; "
            "`continuum callers verify` shows the extent"
        ) from exc


def caller_document(caller: Caller) -> dict[str, Any]:
    """Return what the history keeps of a row: everything an admin decides, no secret."""
    return {
        "name": caller.name,
        "kind": caller.kind,
        "enabled": caller.enabled,
        "tools": caller.tools.document(),
        "secret": _seal_document(caller.secret),
        "old_secret": _seal_document(caller.old_secret),
        "run_pattern": caller.run_pattern,
        "expires_at": caller.expires_at,
        "confirm_override": caller.confirm_override,
        "note": caller.note,
        "version": caller.version,
    }


def verify_entries(rows: Iterable[EntryRow], callers: Iterable[Caller]) -> HistoryReport:
    """Walk the whole history, then compare the table's rows with what it says.

    Args:
        rows: all entries by ascending sequence.
        callers: all rows of the table.
    """
    walk = _Walk()
    for row in rows:
        walk.step(row)
    walk.compare(callers)
    return walk.report()


class _Walk:
    """Checks entries one at a time and remembers how each caller stood last."""

    def __init__(self) -> None:
        self._head = NO_HEAD
        self._previous: str | None = None
        self._checked = 0
        self._trusted = 0
        self._flaws: list[Flaw] = []
        self._latest: dict[str, tuple[int, Any]] = {}

    def step(self, row: EntryRow) -> None:
        """Check one row against the one before."""
        self._checked += 1
        expected = self._head.sequence + 1
        try:
            payload = _payload(row)
            digest = _digest(row, normal_timestamp(row.timestamp), payload)
        except UNREADABLE as exc:
            self._report(FlawKind.UNREADABLE_RECORD, row, f"the entry is unreadable: {exc}")
            self._head, self._previous = Head(expected, row.hash), None
            return
        if row.sequence != expected:
            detail = f"sequence {row.sequence} where {expected} was expected"
            self._report(FlawKind.SEQUENCE_GAP, row, detail)
        if row.hash != digest:
            self._report(
                FlawKind.TAMPERED_CONTENT, row, "content does not hash to the stored value"
            )
        if row.prev_hash != self._previous:
            self._report(FlawKind.BROKEN_CHAIN, row, "the link is not the hash of the entry before")
        self._head, self._previous = Head(row.sequence, row.hash), digest
        self._latest[row.caller] = (row.sequence, payload.get("after"))
        if not self._flaws:
            self._trusted = row.sequence

    def compare(self, callers: Iterable[Caller]) -> None:
        """Report rows that the history does not explain."""
        for caller in callers:
            sequence, after = self._latest.pop(caller.name, (0, None))
            if caller.entry_sequence > self._head.sequence:
                detail = f"its row was written by entry {caller.entry_sequence}, which is missing"
                self._add(FlawKind.MISSING_TAIL, caller.entry_sequence, caller.name, detail)
            elif after != caller_document(caller):
                detail = "the row is not what the history says; it was changed behind its back"
                self._add(FlawKind.ROW_MISMATCH, sequence, caller.name, detail)
        for name, (sequence, _) in self._latest.items():
            detail = "the history knows this caller, but its row is gone"
            self._add(FlawKind.ROW_MISMATCH, sequence, name, detail)

    def report(self) -> HistoryReport:
        """Return what was found."""
        return HistoryReport(self._checked, self._head, self._trusted, tuple(self._flaws))

    def _report(self, kind: FlawKind, row: EntryRow, detail: str) -> None:
        self._add(kind, row.sequence, row.caller, detail)

    def _add(self, kind: FlawKind, sequence: int, caller: str, detail: str) -> None:
        if len(self._flaws) < MAX_FLAWS:
            self._flaws.append(Flaw(kind, sequence, caller, detail))


def _digest(row: EntryRow, timestamp: str, payload: Mapping[str, Any]) -> str:
    members = row._asdict()
    del members["hash"]
    return digest_text(canonical_text({**members, "timestamp": timestamp, "payload": payload}))


def _payload(row: EntryRow) -> dict[str, Any]:
    payload = json.loads(row.payload)
    if not isinstance(payload, dict):
        raise TypeError(f"payload is a {type(payload).__name__}, not an object")
    return payload


def _seal_document(seal: SecretSeal | None) -> dict[str, Any] | None:
    if seal is None:
        return None
    return {
        "prefix": seal.prefix,
        "set_at": seal.set_at,
        "until": seal.until,
        "seal": stable_hash([seal.salt, seal.digest]),
    }
