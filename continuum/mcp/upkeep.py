"""What is done behind an answer: keeping runs quick to read, and checkpoints.

It never delays or changes an answer. What fails here is logged and left, since
the call it follows is done.
"""

from __future__ import annotations

import logging

from continuum.core.clock import utc_now
from continuum.core.errors import ContinuumError
from continuum.domain.events import Origin
from continuum.services.callers import Right
from continuum.services.checkpoints import take_checkpoint
from continuum.services.summaries import events_since_checkpoint, refresh_if_behind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from continuum.mcp.calls import Tool
    from continuum.mcp.door import Answer
    from continuum.store.base import Store

REFRESH_EVERY = 16
"""Events that every call folds again before the run's snapshot is renewed: half a ms at most."""

CHECKPOINT_EVERY = 25
"""Events after which a progress report is worth a checkpoint, where they are automatic."""

_SETTLING = frozenset(
    {
        "continuum_complete_action",
        "continuum_fail_action",
        "continuum_reconcile_action",
        "continuum_compensate_action",
    }
)
_PROGRESS = "continuum_record_progress"

_log = logging.getLogger(__name__)


class Upkeep:
    """Looks after the runs that calls wrote to."""

    def __init__(
        self,
        store: Store,
        tools: Sequence[Tool],
        *,
        auto_checkpoint: bool = False,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._store = store
        self._writing = {tool.name for tool in tools if tool.right is not Right.READ}
        self._auto_checkpoint = auto_checkpoint
        self._clock = clock

    def after(self, tool: str, answer: Answer) -> None:
        """Do what is due behind the answer to a call of `tool`."""
        if answer.document is None or tool not in self._writing:
            return
        run_id = str(answer.document["run_id"])
        try:
            if self._auto_checkpoint:
                self._checkpoint(tool, run_id)
            refresh_if_behind(self._store, run_id, by=REFRESH_EVERY, at=self._clock())
        except ContinuumError as exc:
            _log.warning("upkeep of run %r behind %s: %s", run_id, tool, exc)

    def _checkpoint(self, tool: str, run_id: str) -> None:
        if tool in _SETTLING:
            trigger = "external_side_effect"
        elif tool == _PROGRESS and events_since_checkpoint(self._store, run_id) >= CHECKPOINT_EVERY:
            trigger = "interval"
        else:
            return
        take_checkpoint(
            self._store,
            run_id,
            at=self._clock(),
            trigger=trigger,
            reason=f"automatic, behind {tool}",
            source=Origin.EXTERNAL_AGENT,
            members={"via": "mcp"},
        )
