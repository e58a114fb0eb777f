"""Verifying every chain now and then, whoever looks or not: the longest unchecked one first.

The keeper calls `step` between its rounds. A step is short, so that lists stay
current while a long chain is walked; the walk goes on at the next one. Runs that
are too long to be judged for a page go first, also where there is no schedule.
"""

from __future__ import annotations

import logging
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING

from continuum import open_store
from continuum.core.clock import column_time, utc_now
from continuum.core.errors import Conflict, ContinuumError, RunNotFound
from continuum.services.verifications import SCHEDULE, Order
from continuum.services.verifyjobs import start_job, steps_of_job

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from datetime import datetime, timedelta

    from continuum.store.base import Store

_log = logging.getLogger(__name__)

BY = "schedule"
STEP_SECONDS = 0.25
_RUNS_A_LOOK = 500
_REST_SECONDS = 30.0
"""Between two looks, once one has found all there was."""


class Schedule:
    """Walks what is due of one store, a piece at a time.

    Args:
        every: how old a verification may become; None for no schedule.
    """

    def __init__(self, url: str, every: timedelta | None) -> None:
        self._url = url
        self._every = every
        self._due: deque[str] = deque()
        self._wanted: dict[str, bool] = {}
        self._walk: Generator[None, None, None] | None = None
        self._rest_until = 0.0
        self._place = ""

    def want(self, run_ids: Iterable[str]) -> None:
        """Verify runs out of turn, each once, so that pages can judge them."""
        for run_id in run_ids:
            self._wanted.setdefault(run_id, False)

    @property
    def is_wanted(self) -> bool:
        """True while somebody waits for a run that is to be verified out of turn."""
        return bool(self._wanted)

    def ended(self) -> list[str]:
        """Hand out the wanted runs whose walk has ended since this was asked, whatever it found."""
        ended = [run_id for run_id, is_over in self._wanted.items() if is_over]
        for run_id in ended:
            del self._wanted[run_id]
        return ended

    def step(self, store: Store) -> None:
        """Go on for `STEP_SECONDS`, or end at once where nothing is due.

        Args:
            store: takes the progress; the walk has a connection of its own.
        """
        if store.read_only:
            return
        deadline = monotonic() + STEP_SECONDS
        while monotonic() < deadline:
            if self._walk is None:
                run_id = self._next(store, utc_now())
                if run_id is None:
                    return
                self._walk = self._verify(store, run_id)
            if not self._go_on(deadline):
                self._walk = None

    def close(self) -> None:
        """Give up the walk that goes on."""
        if self._walk is not None:
            self._walk.close()
            self._walk = None

    def _go_on(self, deadline: float) -> bool:
        """Take steps of the walk; False when it has ended before the deadline."""
        return any(monotonic() >= deadline for _ in self._walk or ())

    def _next(self, store: Store, now: datetime) -> str | None:
        for run_id, is_over in self._wanted.items():
            if not is_over:
                return run_id
        if not self._due and self._every is not None and monotonic() >= self._rest_until:
            self._look(store, now, self._every)
        return self._due.popleft() if self._due else None

    def _look(self, store: Store, now: datetime, every: timedelta) -> None:
        """Find what is due, and that among some of the runs that triggers know nothing of."""
        until = column_time(now - every)
        due = store.longest_unchecked(until=until, now=column_time(now), limit=_RUNS_A_LOOK)
        unmarked, self._place = store.unmarked_runs(after=self._place, limit=_RUNS_A_LOOK)
        self._due.extend(due)
        self._due.extend(run_id for run_id in unmarked if _is_due(store, run_id, until))
        if len(due) < _RUNS_A_LOOK:
            self._rest_until = monotonic() + _REST_SECONDS

    def _verify(self, store: Store, run_id: str) -> Generator[None, None, None]:
        try:
            job = start_job(store, Order(run_id, BY, SCHEDULE), at=utc_now())
            with open_store(self._url, create=False) as walked:
                for _ in steps_of_job(walked, store, job, clock=utc_now):
                    yield
        except (Conflict, RunNotFound):
            pass  # somebody verifies it already, or it is gone
        except ContinuumError as exc:
            _log.warning("run %r was not verified on schedule: %s", run_id, exc)
        if run_id in self._wanted:
            self._wanted[run_id] = True


def _is_due(store: Store, run_id: str, until: str) -> bool:
    row = store.newest_verification(run_id)
    return row is None or row.finished_at < until
