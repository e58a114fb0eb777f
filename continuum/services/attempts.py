"""Recovery attempts: the record that somebody set out to follow a plan."""

from __future__ import annotations

from continuum.core.errors import InvalidInput
from continuum.domain.events import Draft, EventType, Origin
from continuum.services.progress import append_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from continuum.domain.events import Event
    from continuum.recovery.verdict import Verdict
    from continuum.store.base import Store


def record_attempt(store: Store, verdict: Verdict, *, at: datetime) -> Event:
    """Append RECOVERY_STARTED with the verdict's plan; return the event.

    Raises:
        InvalidInput: the plan is empty, so there is nothing to set out for.
        Refused: the run is closed.
    """
    if not verdict.plan:
        raise InvalidInput(f"run {verdict.run_id!r} has no plan to record")
    plan = [{**step._asdict(), "kind": str(step.kind)} for step in verdict.plan]
    payload = {"mode": str(verdict.mode), "plan": plan}
    draft = Draft(EventType.RECOVERY_STARTED, payload, Origin.DETERMINISTIC, at)
    return append_event(store, verdict.run_id, draft)
