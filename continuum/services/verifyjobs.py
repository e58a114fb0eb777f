"""Walks that go on for a while: started once, watched from anywhere, given up by anybody.

They verify, or verify to sign; a chain may be walked for either at the same time.

The row of such a job stands among the kept verifications until it ends, so that
every page and every process sees the same progress. A worker renews the row; one
that was not renewed for a while is dead, and its place is free. Rows are replaced
and never updated, so that whoever runs jobs needs no right to change a result.
"""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from enum import StrEnum
from time import monotonic

from continuum.core.clock import column_time, parse_time
from continuum.core.errors import Conflict, ContinuumError
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple
from continuum.services.verifications import Order, run_job
from continuum.services.walks import Progress
from continuum.store.auditport import VerificationRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from datetime import datetime

    from continuum.services.verifications import Clock
    from continuum.store.base import ReadStore, Store, Writer

    Steps = Generator[Progress | VerificationRow, None, None]

DEAD_AFTER = timedelta(seconds=20)
"""A worker renews its row every `BEAT_SECONDS`; several missed in a row mean that it is gone."""

BEAT_SECONDS = 0.5
NO_SIGN_OF_LIFE = "it stopped without a result; its process was ended"


class Purpose(StrEnum):
    """What a chain is walked for."""

    VERIFY = "verification"
    ATTEST = "attestation"


class Job(NamedTuple):
    """A walk that has not ended.

    Attributes:
        done, total: steps of the run that is being walked, and how many there are.
        run_number, runs: which run of about how many.
        current: the run that is being walked; empty before the first step.
        seen_at: when its worker last gave a sign of life.
        stopped_by: who asked to give it up; empty when nobody did.
    """

    job_id: str
    order: Order
    started_at: str
    seen_at: str
    done: int = 0
    total: int = 0
    run_number: int = 1
    runs: int = 1
    current: str = ""
    stopped_by: str = ""
    purpose: Purpose = Purpose.VERIFY

    @property
    def per_cent(self) -> int:
        """How much is done, 0 to 100; the runs before the current one count as equal parts."""
        part = self.done / self.total if self.total else 0.0
        share = (self.run_number - 1 + part) / max(self.runs, 1)
        return max(0, min(100, int(100 * share)))

    def is_alive(self, now: datetime) -> bool:
        """Return whether its worker gave a sign of life lately."""
        return now - parse_time(self.seen_at) < DEAD_AFTER


def open_job(store: ReadStore, run_id: str | None, purpose: Purpose = Purpose.VERIFY) -> Job | None:
    """Return the job of a run, or of the whole store, that has not ended; it may be dead."""
    row = store.open_verification(run_id, kinds=_KINDS[purpose])
    return _job_of(row) if row else None


def start_job(
    store: Store, order: Order, *, at: datetime, purpose: Purpose = Purpose.VERIFY
) -> Job:
    """Enter a job, for a worker to `work` on; a dead one makes room and is kept as `failed`.

    Raises:
        RunNotFound: no such run.
        Conflict: one goes on already.
    """
    moment = column_time(at)
    job = Job(new_id(purpose), order, moment, moment, purpose=purpose)
    if order.run_id is not None:
        store.run_row(order.run_id)
    with store.writing() as writer:
        writer.hold_key(f"{purpose} of {order.run_id or 'the whole store'}")
        known = open_job(store, order.run_id, purpose)
        if known is not None and known.is_alive(at):
            raise Conflict(f"{known.order.by} started {_A[purpose]} already; it goes on")
        if known is not None:
            _end_as_failed(writer, known, NO_SIGN_OF_LIFE)
        writer.save_verification(_row_of(job))
    return job


def stop_job(
    store: Store,
    run_id: str | None,
    *,
    by: str,
    at: datetime,
    purpose: Purpose = Purpose.VERIFY,
) -> bool:
    """Ask a job to give up, which it does at its next step; False where none goes on.

    A dead one is ended at once.
    """
    with store.writing() as writer:
        job = open_job(store, run_id, purpose)
        if job is None:
            return False
        if not job.is_alive(at):
            _end_as_failed(writer, job, NO_SIGN_OF_LIFE)
        elif writer.drop_open_verification(job.job_id, stopping=False):
            writer.save_verification(_row_of(job._replace(stopped_by=by)))
    return True


def work(store: Store, beats: Store, job: Job, *, clock: Clock) -> VerificationRow | None:
    """Do a job that was started; return its result, or None when it was given up.

    Args:
        store: is read by the walk, and keeps the result.
        beats: another connection to the same store, which takes the progress
            while the first one holds its snapshot.

    Raises:
        ContinuumError: it could not go on; that is kept as `failed`.
    """
    result = None
    for step in steps_of_job(store, beats, job, clock=clock):
        if isinstance(step, VerificationRow):
            result = step
    return result


def steps_of_job(
    store: Store, beats: Store, job: Job, *, clock: Clock, steps: Steps | None = None
) -> Iterator[Progress | VerificationRow]:
    """Do a job in steps, for a worker that has other things to do; else as `work`.

    Closing it before its end gives the job up.

    Args:
        steps: what to do, where it is no verification; its last step is the row to keep.
    """
    if steps is None:
        steps = run_job(store, job.order, clock=clock)
    try:
        yield from _steps(steps, beats, job, clock)
    except GeneratorExit:
        raise
    except BaseException as exc:
        reason = str(exc) if isinstance(exc, ContinuumError) else type(exc).__name__
        with beats.writing() as writer:
            _end_as_failed(writer, job._replace(seen_at=column_time(clock())), reason)
        raise
    finally:
        with beats.writing() as writer:
            writer.drop_open_verification(job.job_id, stopping=True)


def _steps(
    given: Steps, beats: Store, job: Job, clock: Clock
) -> Iterator[Progress | VerificationRow]:
    next_beat = monotonic()
    with closing(given) as steps:
        for step in steps:
            if isinstance(step, Progress) and monotonic() >= next_beat:
                if not _beat(beats, _advanced(job, step), clock()):
                    return
                next_beat = monotonic() + BEAT_SECONDS
            yield step


def _beat(beats: Store, job: Job, at: datetime) -> bool:
    """Renew the row of a job; False when it was asked to stop, or has lost its place."""
    with beats.writing() as writer:
        if not writer.drop_open_verification(job.job_id, stopping=False):
            return False
        writer.save_verification(_row_of(job._replace(seen_at=column_time(at))))
    return True


def _advanced(job: Job, step: Progress) -> Job:
    return job._replace(
        done=step.done,
        total=step.total,
        run_number=step.run_number,
        runs=step.runs,
        current=step.run_id,
    )


def ended_row(job: Job, outcome: str, *, at: str, detail: str = "") -> VerificationRow:
    """Return the row that is kept of a job which ended, without its progress."""
    return _row_of(job)._replace(
        outcome=outcome,
        detail=detail,
        finished_at=at,
        bad_run_id=None,
        head_sequence=0,
        events=0,
        runs=0,
        broken_runs=0,
    )


def _end_as_failed(writer: Writer, job: Job, reason: str) -> None:
    if writer.drop_open_verification(job.job_id, stopping=True):
        writer.save_verification(ended_row(job, "failed", at=job.seen_at, detail=reason))


def _row_of(job: Job) -> VerificationRow:
    """Return a job as its row: columns of results hold the progress until there is one."""
    return VerificationRow(
        verification_id=job.job_id,
        run_id=job.order.run_id,
        kind=_kind(job),
        outcome="stopping" if job.stopped_by else "running",
        head_sequence=job.total,
        head_hash=None,
        row_digest=None,
        events=job.done,
        runs=job.runs,
        broken_runs=job.run_number,
        bad_run_id=job.current or None,
        bad_sequence=None,
        bad_kind=None,
        detail=job.stopped_by,
        by_name=job.order.by,
        via=job.order.via,
        started_at=job.started_at,
        finished_at=job.seen_at,
    )


def _job_of(row: VerificationRow) -> Job:
    return Job(
        job_id=row.verification_id,
        order=Order(row.run_id, row.by_name, row.via),
        started_at=row.started_at,
        seen_at=row.finished_at,
        done=row.events,
        total=row.head_sequence,
        run_number=row.broken_runs,
        runs=row.runs,
        current=row.bad_run_id or "",
        stopped_by=row.detail,
        purpose=Purpose.ATTEST if row.kind == Purpose.ATTEST else Purpose.VERIFY,
    )


def _kind(job: Job) -> str:
    if job.purpose is Purpose.ATTEST:
        return job.purpose
    return "store" if job.order.run_id is None else "run"


_A = {Purpose.VERIFY: "a verification", Purpose.ATTEST: "an attestation"}
_KINDS = {Purpose.VERIFY: ("run", "store"), Purpose.ATTEST: (str(Purpose.ATTEST),)}
