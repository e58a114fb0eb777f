"""Attestations that take a while: walked as a job, signed at its end, and kept to be fetched."""

from __future__ import annotations

import json

from continuum.core.clock import column_time
from continuum.core.errors import Refused
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple
from continuum.services.attestations import attest_store, attest_walked
from continuum.services.verifications import keep_report
from continuum.services.verifyjobs import (
    Purpose,
    ended_row,
    open_job,
    start_job,
    steps_of_job,
    stop_job,
)
from continuum.services.walks import Progress, VerifyReport, verify_with_progress
from continuum.store.attestport import AttestationRow
from continuum.store.auditport import VerificationRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from datetime import datetime
    from typing import Any

    from continuum.services.attestations import Signature
    from continuum.services.verifications import Clock, Order
    from continuum.services.verifyjobs import Job
    from continuum.store.base import ReadStore, Store

KEPT = 20
"""Documents of a run, or over the whole store; older ones go."""


class Attesting(NamedTuple):
    """What is known about attestations of a run, or of the whole store.

    Attributes:
        job: one that goes on, or that its process left behind.
        trouble: how the last attempt ended, where nothing came of it.
        made: documents to fetch, newest first.
    """

    job: Job | None
    trouble: VerificationRow | None
    made: tuple[AttestationRow, ...]


def attesting(store: ReadStore, run_id: str | None) -> Attesting:
    """Return what goes on and what was made; walks nothing."""
    with store.reading():
        last = store.newest_attesting(run_id)
        trouble = last if last is not None and last.outcome != "signed" else None
        made = store.attestations(run_id, limit=KEPT)
        return Attesting(open_job(store, run_id, Purpose.ATTEST), trouble, tuple(made))


def start_attesting(store: Store, order: Order, *, at: datetime) -> Job:
    """Enter a job, for a worker to `attest`.

    Raises:
        RunNotFound: no such run.
        Conflict: one goes on already.
        Refused: the run has no events, so there is nothing to attest.
    """
    if order.run_id is not None:
        store.run_row(order.run_id)
        if not store.head(order.run_id).sequence:
            raise Refused(f"run {order.run_id!r} has no events, so there is nothing to attest")
    return start_job(store, order, at=at, purpose=Purpose.ATTEST)


def stop_attesting(store: Store, run_id: str | None, *, by: str, at: datetime) -> bool:
    """Ask a job to give up; False where none goes on."""
    return stop_job(store, run_id, by=by, at=at, purpose=Purpose.ATTEST)


def attest(store: Store, beats: Store, job: Job, signature: Signature, *, clock: Clock) -> None:
    """Do a job that was started: verify, sign and keep the document.

    Args:
        store, beats: as for `verifyjobs.work`.

    Raises:
        Corrupted: a chain is broken; that nothing was signed is kept.
        ContinuumError: it could not go on; that is kept as well.
    """
    steps = _attested(store, job, signature, clock=clock)
    for _ in steps_of_job(store, beats, job, clock=clock, steps=steps):
        pass


def _attested(
    store: Store, job: Job, signature: Signature, *, clock: Clock
) -> Generator[Progress | VerificationRow, None, None]:
    document: dict[str, Any] = {}
    steps = _documents(store, job, signature, clock=clock)
    try:
        for step in steps:
            if isinstance(step, Progress):
                yield step
            else:
                document = step
    except GeneratorExit:
        steps.close()  # gives up its snapshot
        row = _ended(job, "cancelled", clock, detail="given up")
        with store.writing() as writer:
            writer.save_verification(row)
        raise
    row = _ended(job, "signed", clock)
    kept = _kept(job, row, document)
    row = row._replace(head_sequence=kept.head_sequence, runs=kept.runs)
    with store.writing() as writer:
        writer.save_verification(row)
        writer.save_attestation(kept, json.dumps(document, indent=2, sort_keys=True))
        writer.drop_old_attestations(kept.run_id, kept=KEPT)
    yield row


def _ended(job: Job, outcome: str, clock: Clock, *, detail: str = "") -> VerificationRow:
    """Return the row to keep; that of the job itself goes with it, so this one has its own id."""
    row = ended_row(job, outcome, at=column_time(clock()), detail=detail)
    return row._replace(verification_id=new_id(Purpose.ATTEST))


def _documents(
    store: Store, job: Job, signature: Signature, *, clock: Clock
) -> Generator[Progress | dict[str, Any], None, None]:
    """Walk what is to be signed; the document comes last."""
    order = job.order
    if order.run_id is None:
        yield from attest_store(store, signature)
        return
    started = clock()
    report = None
    for step in verify_with_progress(store, order.run_id):
        if isinstance(step, VerifyReport):
            report = step
        else:
            yield step
    if report is None:
        raise RuntimeError("a walk ended without a report")
    keep_report(store, report, order, times=(started, clock()))
    yield attest_walked(report.verification, signature)


def _kept(job: Job, row: VerificationRow, document: dict[str, Any]) -> AttestationRow:
    """Return what is told about a document without reading it."""
    statement = document.get("statement", document)
    return AttestationRow(
        attestation_id=row.verification_id,
        run_id=job.order.run_id,
        by_name=job.order.by,
        signer=statement["signer"] or "",
        made_at=statement["timestamp"],
        head_sequence=statement.get("trusted_through_seq", 0),
        runs=statement.get("tree_size", 1),
    )
