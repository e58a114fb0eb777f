"""Verifications whose results are kept.

`run_job` walks chains, and is for a worker; what its results are worth
afterwards is told by `standings`, which walks none.
"""

from __future__ import annotations

from continuum.core.clock import column_time, parse_time
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple
from continuum.domain.chain import Violation
from continuum.domain.events import Head
from continuum.services.chain import (
    VerifyReport,
    untouched_since,
)
from continuum.services.walks import (
    Progress,
    StoreReport,
    verify_store_with_progress,
    verify_with_progress,
)
from continuum.store.auditport import VerificationRow as VerificationRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from datetime import datetime

    from continuum.store.base import ReadStore, Store, Writer

    Clock = Callable[[], datetime]
    Times = tuple[datetime, datetime]
    Steps = Generator[Progress | VerifyReport | StoreReport, None, None]

REPORTS_A_TRANSACTION = 100
PART_OF_STORE = "as part of the whole store"
ON_SCHEDULE = "on schedule"
SCHEDULE = "schedule"
UNPROJECTABLE = "UNPROJECTABLE"
"""What is wrong where every hash fits and an event does not fold."""


class Order(NamedTuple):
    """A verification somebody asked for.

    Attributes:
        run_id: None for the whole store.
        by: a person's name, or the name of a schedule.
        via: the surface: `cli`, `console`, `schedule`.
    """

    run_id: str | None
    by: str
    via: str


def run_job(
    store: Store, order: Order, *, clock: Clock
) -> Generator[Progress | VerificationRow, None, None]:
    """Verify as ordered and keep the result, which comes last; closing it keeps `cancelled`.

    Args:
        clock: gives the times of beginning and end.

    Raises:
        RunNotFound: no such run.
        StoreReadOnly: the result could not be kept.
    """
    keeper = Keeper(store, order, clock=clock)
    steps = keeper.steps()
    try:
        for step in steps:
            if isinstance(step, Progress):
                yield step
    finally:
        steps.close()
    yield keeper.row()


def steps_of(store: ReadStore, order: Order) -> Steps:
    """Verify as ordered without keeping anything; the report comes last.

    Raises:
        RunNotFound: no such run.
    """
    if order.run_id is None:
        yield from verify_store_with_progress(store)
    else:
        yield from verify_with_progress(store, order.run_id)


def keep_report(
    store: Store, report: VerifyReport, order: Order, *, times: Times
) -> VerificationRow:
    """Keep what a verification of a run has found; a healthy one moves the run's mark.

    Args:
        times: when it began and ended.
    """
    row = _row_of_run(report, order, times)
    with store.writing() as writer:
        if order.via == SCHEDULE and report.ok:  # one is enough, whatever the schedule
            row = row._replace(detail=ON_SCHEDULE)
            writer.drop_verified(row.run_id or "", ON_SCHEDULE)
        _save(store, writer, report, row)
    return row


def blank_row(order: Order, kind: str, times: Times) -> VerificationRow:
    """Return a result that says nothing yet but who asked, for what, and when."""
    return VerificationRow(
        verification_id=new_id("verification"),
        run_id=order.run_id,
        kind=kind,
        outcome="",
        head_sequence=0,
        head_hash=None,
        row_digest=None,
        events=0,
        runs=0,
        broken_runs=0,
        bad_run_id=None,
        bad_sequence=None,
        bad_kind=None,
        detail="",
        by_name=order.by,
        via=order.via,
        started_at=column_time(times[0]),
        finished_at=column_time(times[1]),
    )


class Keeper:
    """A verification whose reports are written as they come, several runs a transaction.

    Args:
        clock: gives the times of beginning and end.
    """

    def __init__(self, store: Store, order: Order, *, clock: Clock) -> None:
        self._store = store
        self._order = order
        self._clock = clock
        self._started = clock()
        self._waiting: list[VerifyReport] = []
        self._row: VerificationRow | None = None

    def steps(self) -> Steps:
        """Verify as `steps_of`; closing it before its end keeps `cancelled`."""
        steps = steps_of(self._store, self._order)
        try:
            for step in steps:
                if not isinstance(step, Progress):
                    self._take(step)
                yield step
        except GeneratorExit:
            steps.close()
            if self._row is None:
                self._save_cancelled()
            raise

    def _take(self, report: VerifyReport | StoreReport) -> None:
        """Keep one report, at once or with the next ones."""
        if isinstance(report, StoreReport):
            self._flush()
            self._row = _row_of_store(report, self._order, self._times())
            with self._store.writing() as writer:
                writer.save_verification(self._row)
        elif self._order.run_id is not None:
            self._row = keep_report(self._store, report, self._order, times=self._times())
        else:
            self._waiting.append(report)
            if len(self._waiting) >= REPORTS_A_TRANSACTION:
                self._flush()

    def row(self) -> VerificationRow:
        """Return what was kept as the result of the job."""
        if self._row is None:
            raise RuntimeError("a verification ended without a report")
        return self._row

    def _save_cancelled(self) -> None:
        """Keep that the job was given up, and what it has found until then."""
        self._flush()
        kind = "store" if self._order.run_id is None else "run"
        row = blank_row(self._order, kind, self._times())
        with self._store.writing() as writer:
            writer.save_verification(row._replace(outcome="cancelled", detail="given up"))

    def _flush(self) -> None:
        times = self._times()
        with self._store.writing() as writer:
            for report in self._waiting:
                row = _row_of_run(report, self._order, times)._replace(detail=PART_OF_STORE)
                writer.drop_verified(report.verification.run_id, PART_OF_STORE)
                _save(self._store, writer, report, row)
        self._waiting.clear()

    def _times(self) -> Times:
        return self._started, self._clock()


def _save(store: ReadStore, writer: Writer, report: VerifyReport, row: VerificationRow) -> None:
    walked = report.verification
    whole = walked.ok and walked.head_sequence
    if whole and untouched_since(store, walked.run_id, report.mark):
        head = Head(walked.head_sequence, walked.head_hash)
        writer.save_verified(walked.run_id, head, parse_time(row.finished_at))
    elif not walked.ok:
        writer.void_verified(walked.run_id)
        writer.mark_stale(walked.run_id)
    writer.save_verification(row)


def _row_of_run(report: VerifyReport, order: Order, times: Times) -> VerificationRow:
    walked, first = report.verification, report.verification.first
    row = blank_row(order, "run", times)._replace(
        run_id=walked.run_id,
        outcome="verified" if report.ok else "broken",
        head_sequence=walked.head_sequence,
        head_hash=walked.head_hash,
        row_digest=report.row_digest,
        events=walked.checked + walked.archived,
        runs=1,
        broken_runs=int(not report.ok),
    )
    if first is not None:
        return _with_first(row, first)
    if report.failure is None:
        return row
    return row._replace(
        bad_run_id=walked.run_id,
        bad_sequence=report.failure.sequence,
        bad_kind=UNPROJECTABLE,
        detail=report.failure.reason,
    )


def _row_of_store(report: StoreReport, order: Order, times: Times) -> VerificationRow:
    row = blank_row(order, "store", times)._replace(
        outcome="verified" if report.ok else "broken",
        events=report.events,
        runs=report.runs,
        broken_runs=report.broken_runs + len(report.without_row),
    )
    if report.broken:
        found = _row_of_run(report.broken[0], order, times)
        return row._replace(
            bad_run_id=report.broken[0].verification.run_id,
            bad_sequence=found.bad_sequence,
            bad_kind=found.bad_kind,
            detail=found.detail,
        )
    if report.without_row:
        lost = report.without_row[0]
        detail = f"run {lost!r} has or had events, and no row"
        return row._replace(bad_run_id=lost, bad_kind="MISSING_RUN", detail=detail)
    return row


def _with_first(row: VerificationRow, first: Violation) -> VerificationRow:
    return row._replace(
        bad_run_id=first.run_id,
        bad_sequence=first.sequence,
        bad_kind=str(first.kind),
        detail=first.detail,
    )
