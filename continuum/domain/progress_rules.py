"""Goal and progress: what starts, task updates and finished work do to them.

As every rule, these check everything before they change anything.
"""

from __future__ import annotations

from continuum.core.clock import column_to_body
from continuum.core.errors import Unprojectable
from continuum.domain.conversions import optional_text, required_text, texts, whole
from continuum.domain.events import SELF_CERTIFIED
from continuum.domain.state import EXTRACTOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.components import Components
    from continuum.domain.events import Event
    from continuum.domain.state import Goal, Progress, Provenance

_COUNTERS = ("total", "completed", "pending", "failed")


def start_run(parts: Components, event: Event) -> None:
    """Set the goal, and the progress when a total is given; nothing else is reset."""
    payload = event.payload
    goal: Goal = {
        "description": required_text(payload, "goal"),
        "version": _goal_version(payload.get("goal_version", 1)),
        "constraints": texts(payload.get("constraints")),
        "provenance": provenance_of(event),
    }
    if payload.get("total") is not None:
        total = whole(payload["total"], "total")
        parts.progress = _progress(total, 0, total, 0, provenance_of(event))
    parts.goal = goal
    parts.created_at = column_to_body(event.timestamp)


def update_task(parts: Components, event: Event) -> None:
    """Change the goal, the counters, or both."""
    old, payload = parts.goal, event.payload
    if old is None:
        raise Unprojectable("the run was not started before")
    goal = old if payload.get("goal") is None else _changed_goal(old, event)
    if any(name in payload for name in _COUNTERS):
        parts.progress = _counted(parts.progress, event)
    parts.goal = goal


def _changed_goal(old: Goal, event: Event) -> Goal:
    payload = event.payload
    return {
        "description": required_text(payload, "goal"),
        "version": _goal_version(payload.get("goal_version", old["version"] + 1)),
        "constraints": texts(payload.get("constraints")) or old["constraints"],
        "provenance": provenance_of(event),
    }


def _goal_version(value: Any) -> int:
    version = whole(value, "goal_version")
    if version < 1:
        raise Unprojectable(f"`goal_version` is {version}; versions start at 1")
    return version


def _counted(old: Progress, event: Event) -> Progress:
    payload = event.payload
    total = old["total"]
    if "total" in payload:
        total = None if payload["total"] is None else whole(payload["total"], "total")
    completed = whole(payload.get("completed", old["completed"]), "completed")
    failed = whole(payload.get("failed", old["failed"]), "failed")
    if "pending" in payload or total is None:
        pending = whole(payload.get("pending", old["pending"]), "pending")
    else:
        pending = max(total - completed - failed, 0)
    return _progress(total, completed, pending, failed, _progress_provenance(old, event))


def complete_work(parts: Components, event: Event) -> None:
    """Count finished or failed work, and take the task off the list."""
    old, payload = parts.progress, event.payload
    count = whole(payload.get("count", 1), "count")
    failed = bool(payload.get("failed", False))
    task_id = optional_text(payload, "task_id")
    parts.progress = _progress(
        old["total"],
        old["completed"] + (0 if failed else count),
        max(old["pending"] - count, 0),
        old["failed"] + (count if failed else 0),
        _progress_provenance(old, event),
    )
    if task_id is not None:
        parts.pending_work.pop(task_id, None)


def _progress(
    total: int | None, completed: int, pending: int, failed: int, provenance: Provenance
) -> Progress:
    if min(completed, pending, failed, total or 0) < 0:
        raise Unprojectable(
            f"a counter is negative (total {total}, completed {completed}, "
            f"pending {pending}, failed {failed})"
        )
    if total is not None and completed + pending + failed > total:
        raise Unprojectable(
            f"{completed} completed, {pending} pending and {failed} failed exceed "
            f"the total of {total}"
        )
    return {
        "total": total,
        "completed": completed,
        "pending": pending,
        "failed": failed,
        "provenance": provenance,
    }


def provenance_of(event: Event) -> Provenance:
    """Return who asserts what `event` adds to the state."""
    return {
        "origin": str(event.source),
        "source_sequence": event.sequence,
        "source_event_id": event.event_id,
        "extractor": EXTRACTOR,
    }


def _progress_provenance(old: Progress, event: Event) -> Provenance:
    """A self-report marks the progress, and nothing but a new start clears the mark."""
    marks = event.source in SELF_CERTIFIED
    return {
        "origin": str(event.source) if marks else old["provenance"]["origin"],
        "source_sequence": event.sequence,
        "source_event_id": event.event_id,
        "extractor": EXTRACTOR,
    }
