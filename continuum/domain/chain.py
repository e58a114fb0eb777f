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

Digests are made for many rows at a time (`domain.digests`); a row that gets
none there, or another than the stored one, is looked at by itself.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.records import NamedTuple
from continuum.domain.digests import with_digests
from continuum.domain.events import UNREADABLE, exact_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from continuum.domain.events import EventRow

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
        violations: in the order found; of the walk at most `MAX_VIOLATIONS`.
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
        return self.first.sequence if self.first else None

    @property
    def first(self) -> Violation | None:
        """What is wrong at the lowest sequence, of several the one found first."""
        return min(self.violations, key=lambda one: one.sequence, default=None)

    def with_more(self, extra: Iterable[Violation]) -> Verification:
        """Return this outcome with violations found outside the walk."""
        added = tuple(extra)
        missing = any(one.kind is ViolationKind.MISSING_TAIL for one in added)
        touched = (one.sequence for one in added if one.kind is ViolationKind.ROW_TOUCHED)
        below = min(touched, default=self.trusted_through + 1) - 1
        return self._replace(
            violations=self.violations + added,
            trusted_through=min(self.trusted_through, below),
            truncated=self.truncated or missing,
        )


class ChainWalk:
    """Checks rows in order: first the archive, then the live rows, each at once or in parts.

    A walk can start behind a verified mark: give `after` and `prev_hash`.
    """

    def __init__(self, run_id: str, *, after: int = 0, prev_hash: str | None = None) -> None:
        self._run_id = run_id
        self._expected = after + 1
        self._previous = prev_hash
        self._violations: list[Violation] = []
        self._archived = 0
        self._is_in_archive = True
        self._live = 0
        self._seen = 0
        self._trusted = after
        self._head: tuple[int, str | None] = (after, prev_hash)

    def archive(self, rows: Iterable[EventRow]) -> None:
        """Walk archived rows by ascending sequence, before any live row."""
        self._walk(rows, self._check_archived)
        self._archived += self._seen

    def live(self, rows: Iterable[EventRow]) -> None:
        """Walk live rows by ascending sequence."""
        if self._is_in_archive:
            self._leave_archive()
        last = self._walk(rows, self._check_live)
        self._live += self._seen
        self._mark_trusted()
        if last is not None:
            self._head = (last.sequence, last.hash)

    def result(self) -> Verification:
        """Return what was found so far."""
        return Verification(
            run_id=self._run_id,
            checked=self._live,
            archived=self._archived,
            violations=tuple(self._violations),
            trusted_through=self._trusted,
            head_sequence=self._head[0],
            head_hash=self._head[1],
        )

    def _leave_archive(self) -> None:
        self._is_in_archive = False
        if self._violations and self._previous is None:
            self._expected = 1

    def _walk(self, rows: Iterable[EventRow], check: Callable[[EventRow], None]) -> EventRow | None:
        """Step over rows that are as they should be, `check` the others; return the last."""
        row, seen = None, 0
        expected, previous = self._expected, self._previous
        for seen, (row, digest) in enumerate(with_digests(rows), 1):
            fits = digest == row.hash and row.prev_hash == previous and row.sequence == expected
            if fits and digest is not None:
                expected, previous = expected + 1, digest
                continue
            self._seen, self._expected, self._previous = seen, expected, previous
            check(row)
            expected, previous = self._expected, self._previous
        self._seen, self._expected, self._previous = seen, expected, previous
        return row

    def _check_archived(self, row: EventRow) -> None:
        digest = self._check(row, "archived ")
        # The edge is the stored hash here, as in the reference client's walk.
        self._previous = None if digest is None else row.hash

    def _check_live(self, row: EventRow) -> None:
        if self._live + self._seen > 1:
            self._mark_trusted()
        self._previous = self._check(row, "")

    def _mark_trusted(self) -> None:
        if not self._violations and self._live + self._seen:
            self._trusted = self._expected - 1

    def _check(self, row: EventRow, prefix: str) -> str | None:
        """Report what is wrong with `row`; return its digest, or None if unreadable."""
        try:
            digest = exact_digest(row)
        except UNREADABLE as exc:
            self._report(ViolationKind.UNREADABLE_RECORD, row, f"{prefix}row is unreadable: {exc}")
            self._expected += 1
            return None
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
        if len(self._violations) < MAX_VIOLATIONS:
            # SQLite keeps any text in a column of numbers.
            place = row.sequence if type(row.sequence) is int else self._expected
            self._violations.append(Violation(kind, self._run_id, place, row.event_id, detail))
