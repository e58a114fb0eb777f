"""Verification of a run's hash chain, as a walk that does no I/O.

Rules, in the order they are checked for every row (store.md 5):

1. A row that cannot be read is reported; the link after it cannot be checked.
2. `SEQUENCE_GAP`: the sequence is not the one expected.
3. `TAMPERED_CONTENT`: the stored hash is not the hash of the values.
4. `BROKEN_CHAIN`: the stored link is not the predecessor's hash.

The archive is walked first and hands its edge to the live rows. A later fact
that proves that there once was more gives `MISSING_TAIL`, a row that denies
its own log gives `ROW_MISMATCH`, and a touched row that the head marks saw
gives `ROW_TOUCHED`; the reference client knows none of these three.

The fast digest strips blanks from the stored text instead of parsing it. A
match proves the content, since SHA-256 was taken over exactly that text; only
a mismatch is recomputed from the parsed values.
"""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

from continuum.core.canonical import compact, quote
from continuum.domain.events import EventRow, exact_digest, unreadable_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_VIOLATIONS = 1000


class ViolationKind(StrEnum):
    """What can be wrong with a chain."""

    SEQUENCE_GAP = "SEQUENCE_GAP"
    TAMPERED_CONTENT = "TAMPERED_CONTENT"
    BROKEN_CHAIN = "BROKEN_CHAIN"
    UNREADABLE_RECORD = "UNREADABLE_RECORD"
    MISSING_TAIL = "MISSING_TAIL"
    ROW_MISMATCH = "ROW_MISMATCH"
    ROW_TOUCHED = "ROW_TOUCHED"


class Violation(NamedTuple):
    """One thing that is wrong, and where."""

    kind: ViolationKind
    run_id: str
    sequence: int
    event_id: str | None
    detail: str


class Verification(NamedTuple):
    """The outcome of one walk.

    Attributes:
        checked: live rows seen, unreadable ones included.
        archived: archived rows seen.
        violations: in the order found, at most `MAX_VIOLATIONS`.
        trusted_through: sequence of the last event of the healthy prefix.
        head_sequence, head_hash: the newest live row as stored.
        truncated: something later proves that events are missing at the end.
    """

    run_id: str
    checked: int
    archived: int
    violations: tuple[Violation, ...]
    trusted_through: int
    head_sequence: int
    head_hash: str | None
    truncated: bool = False

    @property
    def ok(self) -> bool:
        """True when nothing is wrong."""
        return not self.violations

    @property
    def broken_at(self) -> int | None:
        """The first sequence that is not to be trusted, or None."""
        return self.violations[0].sequence if self.violations else None

    def with_more(self, extra: Iterable[Violation]) -> Verification:
        """Return this outcome with violations found outside the walk."""
        added = tuple(extra)
        missing = any(one.kind is ViolationKind.MISSING_TAIL for one in added)
        return self._replace(
            violations=(self.violations + added)[:MAX_VIOLATIONS],
            truncated=self.truncated or missing,
        )


class ChainWalk:
    """Checks rows one at a time; feed the archive first, then the live rows.

    A walk can start behind a verified mark: give `after` and `prev_hash`.
    """

    def __init__(self, run_id: str, *, after: int = 0, prev_hash: str | None = None) -> None:
        self._run_id = run_id
        self._expected = after + 1
        self._previous = prev_hash
        self._violations: list[Violation] = []
        self._archived = 0
        self._live = 0
        self._trusted = after
        self._head: tuple[int, str | None] = (after, prev_hash)

    def archive(self, rows: Iterable[EventRow]) -> None:
        """Walk archived rows by ascending sequence."""
        for row in rows:
            self._archived += 1
            digest = self._check(row, "archived ")
            # The edge is the stored hash here, as in the reference client's walk.
            self._previous = row.hash if digest is not None else None
        if self._violations:
            lost_edge = self._previous is None
            self._expected = 1 if lost_edge else self._expected
        else:
            self._trusted = max(self._trusted, self._expected - 1)

    def live(self, rows: Iterable[EventRow]) -> None:
        """Walk live rows by ascending sequence."""
        previous, expected, head = self._previous, self._expected, self._head
        count = 0
        for row in rows:
            count += 1
            digest = fast_digest(row)
            if digest == row.hash and row.prev_hash == previous and row.sequence == expected:
                previous = digest
                expected += 1
                head = (row.sequence, digest)
                continue
            self._mark_trusted(expected)
            self._previous, self._expected = previous, expected
            previous = self._check(row, "")
            expected = self._expected
            head = (row.sequence, row.hash)
        self._mark_trusted(expected)
        self._previous, self._expected, self._head = previous, expected, head
        self._live += count

    def result(self) -> Verification:
        """Return what was found so far."""
        trusted = 0 if self._archive_is_bad() else self._trusted
        return Verification(
            run_id=self._run_id,
            checked=self._live,
            archived=self._archived,
            violations=tuple(self._violations[:MAX_VIOLATIONS]),
            trusted_through=trusted if self._live else 0,
            head_sequence=self._head[0],
            head_hash=self._head[1],
        )

    def _archive_is_bad(self) -> bool:
        return any(one.detail.startswith("archived") for one in self._violations)

    def _mark_trusted(self, expected: int) -> None:
        if not self._violations:
            self._trusted = expected - 1

    def _check(self, row: EventRow, prefix: str) -> str | None:
        """Report what is wrong with `row`; return its digest, or None if unreadable."""
        reason = unreadable_reason(row)
        if reason:
            self._report(ViolationKind.UNREADABLE_RECORD, row, f"{prefix}row is unreadable: {reason}")
            self._expected += 1
            return None
        digest = exact_digest(row)
        if row.sequence != self._expected:
            detail = f"{prefix}sequence {row.sequence} where {self._expected} was expected"
            self._report(ViolationKind.SEQUENCE_GAP, row, detail)
        if row.hash != digest:
            detail = f"{prefix}content does not hash to the stored value"
            self._report(ViolationKind.TAMPERED_CONTENT, row, detail)
        if row.prev_hash != self._previous:
            detail = (
                f"{prefix}link {row.prev_hash!r} is not the hash of the event before, "
                f"{self._previous!r}"
            )
            self._report(ViolationKind.BROKEN_CHAIN, row, detail)
        self._expected = row.sequence + 1
        return digest

    def _report(self, kind: ViolationKind, row: EventRow, detail: str) -> None:
        self._violations.append(Violation(kind, self._run_id, row.sequence, row.event_id, detail))


def fast_digest(row: EventRow) -> str | None:
    """Return the hash of a row's text without parsing it, or None if unsure."""
    payload = compact(row.payload)
    if payload is None:
        return None
    causer = "null" if row.causer_event_id is None else quote(row.causer_event_id)
    previous = "null" if row.prev_hash is None else f'"{row.prev_hash}"'
    text = (
        f'{{"causer_event_id":{causer},"event_id":{quote(row.event_id)},"payload":{payload},'
        f'"prev_hash":{previous},"run_id":{quote(row.run_id)},"sequence":{row.sequence},'
        f'"source":"{row.source}","timestamp":"{row.timestamp}","type":"{row.type}"}}'
    )
    if not text.isascii():
        return None
    return sha256(text.encode("ascii")).hexdigest()
