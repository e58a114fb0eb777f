"""The page on which chains are attested: what goes on, what was signed, what came to nothing."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from continuum.services.attestjobs import attesting
from runs.pages.chain import ShownJob, shown_job

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.store.attestport import AttestationRow
    from continuum.store.auditport import VerificationRow
    from continuum.store.base import ReadStore


class AttestScreen(NamedTuple):
    """The page of a run, or of the whole store.

    Attributes:
        trouble: how the last attempt ended, where nothing came of it.
        made: documents to fetch, newest first.
        may_keep: whether a document could be kept, and so made.
    """

    job: ShownJob | None
    trouble: VerificationRow | None
    made: tuple[AttestationRow, ...]
    command: str
    may_keep: bool


def build(store: ReadStore, run_id: str | None, *, now: datetime) -> AttestScreen:
    """Return it, from a few look-ups.

    Raises:
        RunNotFound: no such run.
    """
    if run_id is not None:
        store.run_row(run_id)
    known = attesting(store, run_id)
    return AttestScreen(
        job=shown_job(known.job, now),
        trouble=known.trouble,
        made=known.made,
        command=shlex.join(["continuum", "attest", run_id or "--all", "--key", "FILE"]),
        may_keep=store.has_attestations and not store.read_only,
    )
