"""Verifications and attestations in threads of this process; they outlive their request.

Everything a page shows about them stands in the store, so a reload, another tab
and another server process see the same. When this process is killed its jobs
are seen as dead after `verifyjobs.DEAD_AFTER` and can be started again.
"""

from __future__ import annotations

import logging
from threading import Lock, Thread, current_thread
from typing import TYPE_CHECKING

from continuum import open_store
from continuum.core.clock import utc_now
from continuum.core.errors import Conflict, ContinuumError
from continuum.services.attestjobs import attest, start_attesting
from continuum.services.verifyjobs import start_job, work

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from continuum.services.attestations import Signature
    from continuum.services.verifications import Order
    from continuum.services.verifyjobs import Job
    from continuum.store.base import Store

_log = logging.getLogger(__name__)

MOST_AT_ONCE = 2
PATIENCE_SECONDS = 1.0
"""Somebody who wants a short chain signed finds the document on the next page."""

_lock = Lock()
_threads: set[Thread] = set()


def start(store: Store, url: str, order: Order, *, at: datetime) -> None:
    """Start a verification as ordered and return at once.

    Raises:
        RunNotFound: no such run.
        Conflict: one of the same chain goes on, or too many go on here.
        StoreReadOnly: its result could not be kept.
    """

    def verify(store: Store, beats: Store, job: Job) -> None:
        work(store, beats, job, clock=utc_now)

    _start(lambda: start_job(store, order, at=at), url, verify)


def start_signing(
    store: Store, url: str, order: Order, signature: Signature, *, at: datetime
) -> None:
    """Start an attestation as ordered; return when it has ended, or after `PATIENCE_SECONDS`.

    Raises:
        RunNotFound: no such run.
        Refused: it has no events.
        Conflict: one of the same chain goes on, or too many go on here.
        StoreReadOnly: the document could not be kept.
    """

    def sign(store: Store, beats: Store, job: Job) -> None:
        attest(store, beats, job, signature, clock=utc_now)

    thread = _start(lambda: start_attesting(store, order, at=at), url, sign)
    thread.join(PATIENCE_SECONDS)


def _start(enter: Callable[[], Job], url: str, do: Callable[[Store, Store, Job], None]) -> Thread:
    with _lock:
        if len(_threads) >= MOST_AT_ONCE:
            raise Conflict(f"{len(_threads)} chains are walked here already; wait, or stop one")
        job = enter()
        name = f"{job.purpose} of {job.order.run_id or 'the store'}"
        thread = Thread(target=_do, args=(url, job, do), name=name, daemon=True)
        _threads.add(thread)
    thread.start()
    return thread


def wait(seconds: float) -> None:
    """Wait for the jobs of this process, `seconds` for each at most."""
    with _lock:
        waiting = list(_threads)
    for thread in waiting:
        thread.join(seconds)


def _do(url: str, job: Job, do: Callable[[Store, Store, Job], None]) -> None:
    try:
        with open_store(url, create=False) as store, open_store(url, create=False) as beats:
            do(store, beats, job)
    except ContinuumError as exc:
        _log.warning("%s of %s ended: %s", job.purpose, job.order.run_id or "the store", exc)
    finally:
        with _lock:
            _threads.discard(current_thread())
