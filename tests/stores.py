"""Runs for tests: what a test does not say about a run gets a plain default."""

from __future__ import annotations

from continuum.core.clock import column_time
from continuum.core.ids import new_id
from continuum.domain.actions import Action, ActionStatus
from continuum.domain.events import Draft, EventType, Origin
from continuum.domain.runs import Run, RunStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from typing import Any

    from continuum.store.base import Store


class RunMaker:
    """Makes runs in a store: `make_run("r", claimed=["invoice"], progress=2)`."""

    def __init__(self, store: Store, *, at: datetime) -> None:
        self._store = store
        self._at = at

    def __call__(
        self,
        run_id: str = "run_a",
        *,
        goal: str = "Process 3 invoices",
        parent: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        claimed: Iterable[str] = (),
        progress: int = 0,
    ) -> str:
        """Return the id of a run that has started.

        Args:
            claimed: keys of actions whose outcome is open.
            progress: how many further events there are.
        """
        moment = column_time(self._at)
        row = Run(run_id, goal, RunStatus.STARTED, moment, moment, dict(metadata or {}), parent)
        drafts = [
            started(goal, at=self._at),
            *(claimed_action(run_id, key, at=self._at) for key in claimed),
            *(progressed(number + 1, at=self._at) for number in range(progress)),
        ]
        with self._store.writing() as writer:
            writer.insert_run(row)
            writer.append(run_id, drafts)
        return run_id


def started(goal: str, *, at: datetime) -> Draft:
    """Return a start."""
    return Draft(EventType.RUN_STARTED, {"goal": goal}, Origin.HUMAN, at)


def progressed(completed: int, *, at: datetime) -> Draft:
    """Return a progress report of an agent."""
    payload = {"completed": completed, "failed": 0}
    return Draft(EventType.TASK_UPDATED, payload, Origin.EXTERNAL_AGENT, at)


def claimed_action(run_id: str, key: str, *, at: datetime, **members: Any) -> Draft:
    """Return a ledger event of a fresh claim; `members` replace those of the record."""
    return action_event(
        key,
        Action(
            action_id=f"action_{key}",
            run_id=run_id,
            action_type="send_invoice",
            arguments={"invoice": f"INV-{key}"},
            status=ActionStatus.STARTED,
            created_at="2026-12-01T12:00:00Z",
        )._replace(**members),
        at=at,
    )


def action_event(
    key: str, action: Action, *, at: datetime, type: EventType = EventType.ACTION_RECORDED
) -> Draft:
    """Return the ledger event that carries `action` under `key`."""
    payload = {
        "key": key,
        "action_id": action.action_id,
        "action_type": action.action_type,
        "status": str(action.status),
        "external_id": action.external_id,
        "action": action.record(),
    }
    return Draft(type, payload, Origin.DETERMINISTIC, at, event_id=new_id("event"))
