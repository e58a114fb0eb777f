"""Runs and families as JSON."""

from __future__ import annotations

from continuum.wire.times import listed_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from continuum.domain.runs import Run
    from continuum.services.runs import ListedRun


def listed_run(listed: ListedRun) -> dict[str, Any]:
    """Return one row of the list of runs."""
    return {
        "run_id": listed.run.run_id,
        "status": str(listed.run.status),
        "events": listed.last_sequence,
        "goal": listed.run.goal,
        "created_at": listed_time(listed.run.created_at),
    }


def started_run(run: Run) -> dict[str, Any]:
    """Return what starting a run answers."""
    return {"run_id": run.run_id, "goal": run.goal}


def family(parent: str, children: Iterable[Run]) -> dict[str, Any]:
    """Return a run and its direct children, newest first, by what their rows say."""
    return {
        "parent": parent,
        "children": [{"run_id": one.run_id, "status": str(one.status)} for one in children],
    }
