"""Walking chains in steps: for progress bars, and for work that can be given up.

A walk is a generator. It yields `Progress` every few thousand rows and its
result last; whoever wants to stop closes it. Memory is bounded whatever the
length of a run, and every row is read in one snapshot of the store.
"""

from __future__ import annotations

from itertools import chain, islice

from continuum.core.errors import Corrupted, Unprojectable
from continuum.core.records import NamedTuple
from continuum.domain.chain import ChainWalk, Verification, Violation, ViolationKind
from continuum.services.chain import (
    Fold,
    later_facts,
    report_of,
    run_row_digest,
    walk_in_steps,
)
from continuum.services.chain import VerifyReport as VerifyReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    from continuum.domain.events import Event
    from continuum.store.base import ReadStore

    Outcome = TypeVar("Outcome")

STEP_TURNS = 32
"""Turns of a walk between two reports: of a hundred rows or so, or of a million characters."""

STEP_ROWS = 256
"""Events that are folded between two reports; each may hold a mebibyte."""

_RUNS_A_PAGE = 500
BROKEN_KEPT = 1000


class Progress(NamedTuple):
    """How far a walk has come.

    Attributes:
        done, total: events of this run that were read, and how many there are.
            A verification reads every event twice: for its hash, then to fold it.
        run_number, runs: which run of about how many.
    """

    run_id: str
    done: int
    total: int
    run_number: int = 1
    runs: int = 1


class StoreReport(NamedTuple):
    """What walking every chain of a store has found.

    Attributes:
        broken: the first `BROKEN_KEPT` reports that are not fine.
        without_row: runs whose events are or were here and whose row is gone.
    """

    runs: int
    events: int
    broken_runs: int
    broken: tuple[VerifyReport, ...]
    without_row: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """True when every chain is healthy and no run is missing."""
        return not self.broken_runs and not self.without_row


def walk_with_progress(store: ReadStore, run_id: str) -> Iterator[Progress | Verification]:
    """Walk the whole chain of a run in one snapshot; the outcome comes last.

    Raises:
        RunNotFound: no such run.
    """
    outcome = None
    with store.reading():
        store.run_row(run_id)
        for step in _walk(store, run_id, store.head(run_id).sequence):
            if isinstance(step, Verification):
                outcome = step
            else:
                yield step
    yield _some(outcome)


def verify_with_progress(store: ReadStore, run_id: str) -> Iterator[Progress | VerifyReport]:
    """Walk the chain of a run and fold its log, as `chain.verify_run`; the report comes last.

    Raises:
        RunNotFound: no such run.
        UnreadableRecord: the run's row cannot be read.
    """
    report = None
    with store.reading():
        mark, digest = store.head_mark(run_id), run_row_digest(store, run_id)
        for step in _verify(store, run_id):
            if isinstance(step, VerifyReport):
                report = step._replace(mark=mark, row_digest=digest)
            else:
                yield step
    yield _some(report)


def verify_store_with_progress(
    store: ReadStore,
) -> Iterator[Progress | VerifyReport | StoreReport]:
    """Verify every run; yields each run's report too, and that of the store last.

    Every run is read in a snapshot of its own, so that a long walk does not
    keep one open for hours.
    """
    runs = max(store.run_estimate(), 1)
    number = events = broken_runs = 0
    broken: list[VerifyReport] = []
    for number, run_id in enumerate(all_run_ids(store), 1):
        for step in _verify_anyhow(store, run_id):
            if isinstance(step, Progress):
                yield step._replace(run_number=number, runs=max(runs, number))
                continue
            yield step
            events += step.verification.checked + step.verification.archived
            broken_runs += not step.ok
            if not step.ok and len(broken) < BROKEN_KEPT:
                broken.append(step)
    without_row = tuple(store.runs_without_row(limit=BROKEN_KEPT))
    yield StoreReport(number, events, broken_runs, tuple(broken), without_row)


def _verify(store: ReadStore, run_id: str) -> Iterator[Progress | VerifyReport]:
    run, length = store.run(run_id), store.head(run_id).sequence
    walked = None
    for step in _walk(store, run_id, 2 * length):
        if isinstance(step, Verification):
            walked = step
        else:
            yield step
    verification = _some(walked)
    if not verification.ok:
        yield VerifyReport(verification, None, None)
        return
    fold = Fold(run_id)
    for part in _parts(store.events(run_id)):
        fold.read(part)
        yield Progress(run_id, length + fold.facts.events, 2 * length)
    yield report_of(run, verification, fold)


def _walk(store: ReadStore, run_id: str, total: int) -> Iterator[Progress | Verification]:
    walk = ChainWalk(run_id)
    for turn, done in enumerate(walk_in_steps(store, walk, run_id)):
        if turn % STEP_TURNS == 0:
            yield Progress(run_id, done, total)
    result = walk.result()
    yield result.with_more(later_facts(store, run_id, result))


def _parts(items: Iterator[Event]) -> Iterator[Iterable[Event]]:
    for first in items:
        yield chain((first,), islice(items, STEP_ROWS - 1))


def all_run_ids(store: ReadStore) -> Iterator[str]:
    """Yield the id of every run, ascending by code point."""
    after = ""
    while page := store.run_ids(after=after, limit=_RUNS_A_PAGE):
        yield from page
        after = page[-1]


def _verify_anyhow(store: ReadStore, run_id: str) -> Iterator[Progress | VerifyReport]:
    """Verify a run; what cannot be read at all is a violation like any other."""
    try:
        yield from verify_with_progress(store, run_id)
    except (Corrupted, Unprojectable) as exc:
        walked = ChainWalk(run_id).result()
        unreadable = Violation(ViolationKind.UNREADABLE_RECORD, run_id, 0, None, str(exc))
        yield VerifyReport(walked.with_more([unreadable]), None, None)


def _some(outcome: Outcome | None) -> Outcome:
    if outcome is None:
        raise RuntimeError("a walk ended without an outcome")
    return outcome
