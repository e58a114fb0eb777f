"""What has to be done to people's data from time to time, by the one process that keeps house."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import DatabaseError, close_old_connections

from runs.notices import watching
from runs.trust import history, limits, sessions

_log = logging.getLogger(__name__)

_EVERY = timedelta(hours=1)


class Chores:
    """Drops what has run out or is older than is kept, once an hour."""

    def __init__(self) -> None:
        self._next: datetime | None = None

    def step(self, now: datetime) -> None:
        """Do the chores if it is time; a people's database in trouble is left for later."""
        if self._next is not None and now < self._next:
            return
        self._next = now + _EVERY
        close_old_connections()
        try:
            sessions.drop_expired(now)
            history.drop_old(now)
            limits.drop_old(now)
            watching.drop_old(now)
        except DatabaseError as exc:
            _log.warning("old sessions and entries could not be dropped: %s", exc)
        finally:
            close_old_connections()
