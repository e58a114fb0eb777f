"""Decisions of people as JSON."""

from __future__ import annotations

from continuum.wire.verdicts import outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.services.decisions import Decision


def completion(decision: Decision, summary: str) -> dict[str, Any]:
    """Return what closing a run answers; a run that was closed before says so."""
    if decision.repeated:
        return {"run_id": decision.run_id, "status": "completed", "summary": "", "repeated": True}
    return {"run_id": decision.run_id, "status": "completed", "summary": summary}


def written(decision: Decision) -> dict[str, Any]:
    """Return a decision, the events it wrote, and how the run stands now."""
    return {
        **outcome(decision.verdict),
        "verb": decision.verb,
        "repeated": decision.repeated,
        "events": [
            {"sequence": one.sequence, "type": str(one.type), "event_id": one.event_id,
             "hash": one.hash}
            for one in decision.events
        ],
    }  # fmt: skip
