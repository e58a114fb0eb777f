"""The console's background loop: judges runs again as soon as anybody wrote to them.

Between its rounds it verifies chains on schedule, a short piece at a time; a run
that is too long to be judged for a page is verified first, and judged then.
Pages refresh a bounded number of stale runs themselves, so nothing depends on
this loop; it keeps the lists current while nobody looks and works off a
backlog. One worker process holds the lock and does it; when it ends, another
takes over.
"""

from __future__ import annotations

import fcntl
import logging
import threading
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from continuum import open_store
from continuum.core.clock import utc_now
from continuum.core.errors import ContinuumError, RunNotFound
from continuum.services import search
from continuum.services.summaries import catch_up_at_once, catch_up_run
from runs.notices.postman import Postman
from runs.schedule import Schedule

if TYPE_CHECKING:
    from datetime import timedelta
    from pathlib import Path

    from continuum.store.base import Store

_log = logging.getLogger(__name__)

_RUNS_PER_ROUND = 20
_PAUSE_SECONDS = 1.0
_BREATH_SECONDS = 0.05
_LONGEST_PAUSE_SECONDS = 60.0


class Keeper(threading.Thread):
    """Keeps the read model of one store current until `stop` is called.

    Args:
        verify_every: how old the verification of a chain may become.
    """

    def __init__(self, url: str, lock_file: Path, verify_every: timedelta | None = None) -> None:
        super().__init__(name="continuum-keeper", daemon=True)
        self._url = url
        self._lock_file = lock_file
        self._verify_every = verify_every
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End the loop after the round it is in."""
        self._stopping.set()

    def run(self) -> None:
        """Wait for the lock, then work; back off while the store cannot be used."""
        with self._lock_file.open("w") as lock:
            while not _take(lock.fileno()):
                if self._stopping.wait(_LONGEST_PAUSE_SECONDS):
                    return
            Postman(self._url, self._stopping).start()
            pause = _PAUSE_SECONDS
            while not self._stopping.wait(pause):
                pause = self._work_off(pause)

    def judge(self, store: Store, schedule: Schedule) -> int:
        """Judge what is short, and what was long once its chain has been walked."""
        caught = catch_up_at_once(store, limit=_RUNS_PER_ROUND, at=utc_now())
        schedule.want(caught.unread)
        walked = schedule.ended()
        for run_id in walked:
            with suppress(RunNotFound):
                catch_up_run(store, run_id, at=utc_now())
        return caught.refreshed + len(walked)

    def _work_off(self, pause: float) -> float:
        """Do rounds until nothing is stale; return how long to wait before the next."""
        try:
            with open_store(self._url, create=False) as store:
                self._watch(store)
        except ContinuumError as exc:
            _log.warning("the lists cannot be refreshed: %s", exc)
            return min(pause * 2, _LONGEST_PAUSE_SECONDS)
        return _PAUSE_SECONDS

    def _watch(self, store: Store) -> None:
        with closing(Schedule(self._url, self._verify_every)) as schedule:
            while not self._stopping.is_set():
                done = self.judge(store, schedule)
                done += search.catch_up(store)
                schedule.step(store)
                is_busy = done or schedule.is_wanted
                if self._stopping.wait(_BREATH_SECONDS if is_busy else _PAUSE_SECONDS):
                    return


def _take(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
