"""The thread that looks at the inbox and works off the outbox, in the process that keeps house.

It has a connection of its own to the store, for reading, and waits for nobody
but those it calls; the lists are kept current by another thread meanwhile.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from django.db import DatabaseError, close_old_connections, connections
from django.utils import timezone

from continuum import open_store
from continuum.core.errors import ContinuumError
from runs.chores import Chores
from runs.notices.sending import send_due
from runs.notices.watching import look

if TYPE_CHECKING:
    from continuum.store.base import ReadStore

_log = logging.getLogger(__name__)

PAUSE_SECONDS = 3.0
_LONGEST_PAUSE_SECONDS = 60.0


class Postman(threading.Thread):
    """Tells people and programs what changed, until `stopping` is set."""

    def __init__(
        self, url: str, stopping: threading.Event, pause_seconds: float = PAUSE_SECONDS
    ) -> None:
        super().__init__(name="continuum-postman", daemon=True)
        self._url = url
        self._stopping = stopping
        self._pause = pause_seconds
        self._chores = Chores()

    def run(self) -> None:
        """Do rounds; back off while the store or people's database cannot be used."""
        pause = self._pause
        while not self._stopping.wait(pause):
            pause = self._rounds(pause)
        connections.close_all()

    def _rounds(self, pause: float) -> float:
        try:
            with open_store(self._url, read_only=True, create=False) as store:
                while not self._stopping.is_set():
                    self.round(store)
                    self._stopping.wait(self._pause)
        except (ContinuumError, DatabaseError) as exc:
            _log.warning("nobody can be told what changed: %s", exc)
            return min(pause * 2, _LONGEST_PAUSE_SECONDS)
        return self._pause

    def round(self, store: ReadStore) -> None:
        """Look once, and send what is due."""
        close_old_connections()
        now = timezone.now()
        look(store, self._url, now)
        send_due(now)
        self._chores.step(now)
