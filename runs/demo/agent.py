"""A scripted agent: it reports, claims and forgets like a real one.

Each agent is a process of its own and writes through the library alone. Its
clock starts in the past, so that the inbox shows something that has waited.
"""

from __future__ import annotations

import os
import signal
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from continuum.core.clock import utc_now
from continuum.domain.events import Draft, EventType, Origin
from continuum.services.actions import Claim, claim_action, complete_action, fail_action
from continuum.services.checkpoints import take_checkpoint
from continuum.services.progress import Progress, append_event, record_progress
from continuum.services.runs import NewRun, start_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from continuum.store.base import Store

STEP_SECONDS = 7


class Agent:
    """One agent at work on one run."""

    def __init__(self, store: Store, run_id: str, *, name: str, minutes_ago: float = 0) -> None:
        self.store = store
        self.run_id = run_id
        self.name = name
        self._at = utc_now() - timedelta(minutes=minutes_ago)

    def tick(self) -> datetime:
        """Return the agent's time, a step later than the last, never in the future."""
        self._at = min(self._at + timedelta(seconds=STEP_SECONDS), utc_now())
        return self._at

    def start(self, goal: str, *, source: Origin = Origin.EXTERNAL_AGENT, **more: Any) -> None:
        """Start the run, as an agent unless a person does."""
        members = {"caller": self.name} if source is Origin.EXTERNAL_AGENT else {}
        new = NewRun(self.run_id, goal, source=source, members=members, **more)
        start_run(self.store, new, at=self.tick())

    def progress(self, completed: int, total: int, *, failed: int = 0) -> None:
        """Report how far the agent believes it is."""
        record_progress(
            self.store,
            self.run_id,
            Progress(completed, failed, total),
            at=self.tick(),
            caller=self.name,
        )

    def record(
        self,
        kind: EventType,
        payload: Mapping[str, Any],
        source: Origin = Origin.DETERMINISTIC,
    ) -> None:
        """Append one event that folds."""
        append_event(self.store, self.run_id, Draft(kind, payload, source, self.tick()))

    def tools(self, count: int, tool: str = "read_file", folder: str = "data") -> None:
        """Record `count` finished tool calls in one transaction."""
        drafts = [
            Draft(
                EventType.TOOL_COMPLETED,
                {"tool": tool, "path": f"{folder}/part-{index:05}.json", "caller": self.name},
                Origin.EXTERNAL_AGENT,
                self.tick(),
            )
            for index in range(1, count + 1)
        ]
        self.store.append(self.run_id, drafts)

    def claim(self, action_type: str, key: str, arguments: Mapping[str, Any]) -> str:
        """Claim the right to perform a side effect; return the ledger key."""
        claim = Claim(action_type, dict(arguments), key=key, caller=self.name)
        return claim_action(self.store, self.run_id, claim, at=self.tick()).key

    def perform(
        self, action_type: str, key: str, arguments: Mapping[str, Any], receipt: str
    ) -> str:
        """Claim a side effect, do it, and record the receipt; return the ledger key."""
        ledger_key = self.claim(action_type, key, arguments)
        complete_action(self.store, self.run_id, ledger_key, external_id=receipt, at=self.tick())
        return ledger_key

    def fail(self, ledger_key: str, error: str) -> None:
        """Record that an attempt certainly had no effect."""
        fail_action(self.store, self.run_id, ledger_key, error=error, certain=True, at=self.tick())

    def checkpoint(self, reason: str, versions: Mapping[str, str] | None = None) -> None:
        """Seal the state."""
        take_checkpoint(
            self.store,
            self.run_id,
            at=self.tick(),
            versions=versions,
            reason=reason,
            source=Origin.EXTERNAL_AGENT,
        )

    def work_off(self, steps: Iterable[int], total: int) -> None:
        """Report progress step by step."""
        for completed in steps:
            self.progress(completed, total)

    def crash(self) -> None:
        """Die as a machine dies: nothing is flushed, nothing is said."""
        os.kill(os.getpid(), signal.SIGKILL)
