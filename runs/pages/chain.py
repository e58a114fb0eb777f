"""The chain page: walk one run's whole chain now, and say what was found."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from continuum.services import chain

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.services.chain import VerifyReport
    from continuum.store.base import Store

_VIOLATIONS_SHOWN = 50


class ChainScreen(NamedTuple):
    """What a verification found; `report` is None before one was asked for."""

    run_id: str
    report: VerifyReport | None
    command: str
    at: datetime | None


def verify(store: Store, run_id: str, *, now: datetime) -> ChainScreen:
    """Walk the whole chain of `run_id`; a healthy one moves its verified mark.

    Raises:
        RunNotFound: no such run.
    """
    report = chain.verify_run(store, run_id)
    if not store.read_only:
        chain.mark_verified(store, report, at=now)
    command = shlex.join(["continuum", "verify", run_id])
    return ChainScreen(run_id, report, command, now)


def unasked(run_id: str = "") -> ChainScreen:
    """Return the page before a verification."""
    return ChainScreen(run_id, None, "", None)
