"""Verifications in threads of this process, which outlive the request that started them.

Everything a page shows about them stands in the store, so a reload, another tab
and another server process see the same. When this process is killed its jobs
are seen as dead after `verifyjobs.DEAD_AFTER` and can be started again.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from continuum import open_store
from continuum.core.clock import utc_now
from continuum.core.errors import Conflict, ContinuumError
from continuum.services.verifyjobs import start_job, work

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.services.verifications import Order
    from continuum.services.verifyjobs import Job
    from continuum.store.base import Store

_log = logging.getLogger(__name__)

MOST_AT_ONCE = 2
_lock = threading.Lock()
_threads: set[threading.Thread] = set()


def start(store: Store, url: str, order: Order, *, at: datetime) -> None:
    """Start a verification as ordered and return at once.

    Raises:
        RunNotFound: no such run.
        Conflict: one of the same chain goes on, or too many go on here.
        StoreReadOnly: its result could not be kept.
    """
    with _lock:
        if len(_threads) >= MOST_AT_ONCE:
            raise Conflict(f"{len(_threads)} verifications go on here; wait for one, or stop it")
        job = start_job(store, order, at=at)
        thread = threading.Thread(
            target=_do, args=(url, job), name=f"verify {order.run_id or 'store'}", daemon=True
        )
        _threads.add(thread)
    thread.start()


def wait(seconds: float) -> None:
    """Wait for the jobs of this process, `seconds` for each at most."""
    with _lock:
        waiting = list(_threads)
    for thread in waiting:
        thread.join(seconds)


def _do(url: str, job: Job) -> None:
    try:
        with open_store(url, create=False) as store, open_store(url, create=False) as beats:
            work(store, beats, job, clock=utc_now)
    except ContinuumError as exc:
        _log.warning("a verification of %s ended: %s", job.order.run_id or "the store", exc)
    finally:
        with _lock:
            _threads.discard(threading.current_thread())
