"""Verdicts and contracts as JSON."""

from __future__ import annotations

from continuum.domain.contract import contract_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from continuum.recovery.facts import ChildVerdict
    from continuum.recovery.verdict import Verdict


def validation(verdict: Verdict) -> dict[str, Any]:
    """Return what judging a run's state answers."""
    return {
        "run_id": verdict.run_id,
        "mode": str(verdict.mode),
        "safe": verdict.safe,
        "rationale": list(verdict.rationale),
        "repairs": _steps(verdict),
        "human_steps": list(verdict.human_steps),
        "contract": contract(verdict),
        **_beyond(verdict),
    }


def resumption(verdict: Verdict, *, pinning_drift: Sequence[str] = ()) -> dict[str, Any]:
    """Return what asking to resume a run answers: the verdict and its context."""
    progress = verdict.state["progress"]
    return {
        "run_id": verdict.run_id,
        "goal": verdict.state["goal"]["description"],
        "mode": str(verdict.mode),
        "safe": verdict.safe,
        "next_allowed_action": verdict.next_allowed_action,
        "human_steps": list(verdict.human_steps),
        "family_rationale": list(verdict.family_rationale),
        "children": [child(one) for one in verdict.children],
        "pinning_drift": list(pinning_drift),
        "informed_retry": verdict.informed_retry,
        "contract": contract(verdict),
        "repairs": _steps(verdict),
        "progress": {
            "completed": progress["completed"],
            "pending": progress["pending"],
            "failed": progress["failed"],
        },
        **_beyond(verdict),
    }


def outcome(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict in brief, as it is after a decision."""
    return {
        "run_id": verdict.run_id,
        "mode": str(verdict.mode),
        "safe": verdict.safe,
        "next_allowed_action": verdict.next_allowed_action,
        **_beyond(verdict),
    }


def contract(verdict: Verdict) -> dict[str, Any]:
    """Return the sealed contract."""
    return contract_document(verdict.contract)


def child(judged: ChildVerdict) -> dict[str, Any]:
    """Return how one child of the run was judged."""
    return {
        "run_id": judged.run_id,
        "status": judged.status,
        "mode": judged.mode,
        "safe": judged.safe,
        "uncertain_actions": judged.uncertain_actions,
    }


def _steps(verdict: Verdict) -> list[str]:
    return [step.id for step in verdict.plan]


def _beyond(verdict: Verdict) -> dict[str, Any]:
    """What the reference client does not look at: a broken chain, a closed run."""
    members: dict[str, Any] = {}
    if not verdict.chain.ok:
        members["chain"] = {
            "ok": False,
            "broken_at": verdict.chain.broken_at,
            "checked_through": verdict.chain.checked_through,
            "detail": verdict.chain.detail,
        }
    if verdict.closed is not None:
        members["closed"] = verdict.closed._asdict()
    return members
