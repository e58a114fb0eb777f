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
from continuum.domain.digests import digest_batches
from continuum.domain.events import UNREADABLE, exact_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
        self._trusted = after
        self._head: tuple[int, str | None] = (after, prev_hash)

    @property
    def seen(self) -> int:
        """How many rows were looked at."""
        return self._archived + self._live

    def archive(self, rows: Iterable[EventRow]) -> None:
        """Walk archived rows by ascending sequence, before any live row."""
        _exhaust(self.archive_in_steps(rows))

    def live(self, rows: Iterable[EventRow]) -> None:
        """Walk live rows by ascending sequence."""
        _exhaust(self.live_in_steps(rows))

    def archive_in_steps(self, rows: Iterable[EventRow]) -> Iterator[None]:
        """Walk archived rows; give the caller a turn every hundred rows or so."""
        for batch, digests in digest_batches(rows):
            if self._fits(batch, digests):
                self._step_over(digests)
                self._archived += len(batch)
            else:
                for row, digest in zip(batch, digests, strict=True):
                    self._take_archived(row, digest)
            yield

    def live_in_steps(self, rows: Iterable[EventRow]) -> Iterator[None]:
        """Walk live rows; give the caller a turn every hundred rows or so."""
        if self._is_in_archive:
            self._leave_archive()
        for batch, digests in digest_batches(rows):
            if self._fits(batch, digests):
                self._step_over(digests)
                self._live += len(batch)
            else:
                for row, digest in zip(batch, digests, strict=True):
                    self._take_live(row, digest)
            self._head = (batch[-1].sequence, batch[-1].hash)
            yield
        self._mark_trusted()

    def is_sound_past(self, sequence: int) -> bool:
        """True when everything seen is healthy and this event is among it."""
        return not self._violations and self._expected > sequence

    def skip_to(self, sequence: int, digest: str) -> None:
        """Count live rows up to this event as walked: somebody else found them healthy."""
        self._live += sequence + 1 - self._expected
        self._expected, self._previous = sequence + 1, digest
        self._head = (sequence, digest)
        self._mark_trusted()

    def stands_at(self, sequence: int, digest: str) -> bool:
        """True when everything seen is healthy and this event is the last of it."""
        return not self._violations and (self._expected - 1, self._previous) == (sequence, digest)

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

    def _fits(self, batch: list[EventRow], digests: list[str | None]) -> bool:
        """Tell whether every row of a batch is as it should be."""
        if None in digests:
            return False
        expected = list(range(self._expected, self._expected + len(batch)))
        return (
            [row.hash for row in batch] == digests
            and [row.prev_hash for row in batch] == [self._previous, *digests[:-1]]
            and [row.sequence for row in batch] == expected
        )

    def _step_over(self, digests: list[str | None]) -> None:
        self._expected += len(digests)
        self._previous = digests[-1]

    def _take_archived(self, row: EventRow, digest: str | None) -> None:
        if self._fits([row], [digest]):
            self._step_over([digest])
        else:
            # The edge is the stored hash here, as in the reference client's walk.
            self._previous = None if self._check(row, "archived ") is None else row.hash
        self._archived += 1

    def _take_live(self, row: EventRow, digest: str | None) -> None:
        if self._fits([row], [digest]):
            self._step_over([digest])
        else:
            self._mark_trusted()
            self._previous = self._check(row, "")
        self._live += 1

    def _mark_trusted(self) -> None:
        if not self._violations and self._live:
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


def _exhaust(steps: Iterator[None]) -> None:
    for _ in steps:
        pass
