"""Decisions of people as JSON."""

from __future__ import annotations

import json

from continuum.wire.verdicts import outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.services.decisions import Decision
    from continuum.services.foureyes import PolicyRow
    from continuum.services.proposals import ProposalRow


def completion(decision: Decision, summary: str) -> dict[str, Any]:
    """Return what closing a run answers; a run that was closed before says so."""
    if decision.repeated:
        return {"run_id": decision.run_id, "status": "completed", "summary": "", "repeated": True}
    return {"run_id": decision.run_id, "status": "completed", "summary": summary}


def proposed(decision: Decision) -> dict[str, Any]:
    """Return what waits for a second person; nothing was written."""
    row = decision.proposal
    return {
        **outcome(decision.verdict),
        "verb": decision.verb,
        "proposed": True,
        "repeated": decision.repeated,
        "proposal": listed_proposal(row) if row else None,
    }


def listed_proposal(row: ProposalRow) -> dict[str, Any]:
    """Return a proposal with its answer, and how it ended."""
    members = row._asdict()
    del members["question"], members["request_id"]
    return {**members, "answer": json.loads(row.answer)}


def listed_rule(row: PolicyRow) -> dict[str, Any]:
    """Return a rule, or a change of one."""
    members = row._asdict()
    del members["number"]
    return members


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
