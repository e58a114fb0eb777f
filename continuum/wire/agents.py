"""What agents are answered: one function per verb, shared by every door for agents.

Member names are those of mcp.md 4; the member sets are larger than the
reference client's where it leaves something out.
"""

from __future__ import annotations

from continuum.wire.reports import contract_text, report
from continuum.wire.verdicts import contract

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from continuum.domain.actions import Action, Slot
    from continuum.domain.checkpoints import Checkpoint
    from continuum.domain.plans import Plan
    from continuum.recovery.plan import Step
    from continuum.recovery.verdict import Verdict
    from continuum.services.actionpages import ActionPage
    from continuum.services.actions import ClaimAnswer
    from continuum.services.plans import RecordedPlan
    from continuum.services.progress import Appended
    from continuum.services.reasoning import RecordedSummary
    from continuum.services.recovery import Assessed


def progress(done: Appended) -> dict[str, Any]:
    """Return where a run stands after a report; `regressed_from` where it went back."""
    now = done.after["progress"]
    document = {
        "run_id": done.event.run_id,
        **{name: now[name] for name in ("completed", "pending", "failed", "total")},
        "source_sequence": done.event.sequence,
    }
    before = done.before["progress"]["completed"] if done.before else 0
    return {**document, "regressed_from": before} if now["completed"] < before else document


def checkpoint(taken: Checkpoint) -> dict[str, Any]:
    """Return what taking a checkpoint answers."""
    model = taken.state["model"]
    return {
        "checkpoint_id": taken.checkpoint_id,
        "run_id": taken.run_id,
        "version": taken.version,
        "trigger": taken.trigger,
        "integrity_hash": taken.integrity_hash,
        "model": model["model"] if model else None,
        "completed": taken.state["progress"]["completed"],
        "source_sequence": taken.state["source_sequence"],
    }


def summary(recorded: RecordedSummary) -> dict[str, Any]:
    """Return what recording a summary answers; `bytes` counts characters."""
    return {
        "run_id": recorded.event.run_id,
        "sequence": recorded.event.sequence,
        "recorded": True,
        "bytes": recorded.size,
    }


def plan(recorded: RecordedPlan, *, remaining: list[str], conflicts: list[str]) -> dict[str, Any]:
    """Return the plan after a write; `conflicts` only where it contradicts itself."""
    document = {
        "run_id": recorded.event.run_id,
        "plan_id": recorded.plan.plan_id,
        "sequence": recorded.event.sequence,
        "recorded": len(recorded.event.payload["units"]),
        "units": [unit.document() for unit in recorded.plan.units],
        "remaining": remaining,
    }
    return {**document, "conflicts": conflicts} if conflicts else document


def validation(verdict: Verdict) -> dict[str, Any]:
    """Return what judging the state of a run answers, part by part."""
    return {
        "run_id": verdict.run_id,
        "safe": verdict.safe,
        "mode": str(verdict.mode),
        "checkpoint_version": verdict.checkpoint_version,
        "reason": verdict.validation.reason,
        "components": [
            {**entry._asdict(), "status": str(entry.status)} for entry in verdict.validation.entries
        ],
        "environment_changes": [
            f"{delta.resource}: {delta.before} -> {delta.after}"
            for delta in verdict.validation.deltas
            if delta.change in ("changed", "removed", "added")
        ],
        **_beyond(verdict),
    }


def resumption(assessed: Assessed, *, guidance: str) -> dict[str, Any]:
    """Return what asking to resume a run answers.

    Args:
        guidance: added where an unconfirmed self-report is all that is in the way.
    """
    verdict = assessed.verdict
    now = verdict.state["progress"]
    document = {
        "run_id": verdict.run_id,
        "goal": verdict.state["goal"]["description"],
        "mode": str(verdict.mode),
        "safe": verdict.safe,
        "next_allowed_action": verdict.next_allowed_action,
        "human_steps": list(verdict.human_steps),
        "rationale": list(verdict.rationale),
        "repairs": [_repair(step) for step in verdict.plan],
        "uncertain_actions": _uncertain(assessed),
        "open_claims": _open_claims(assessed),
        "progress": {name: now[name] for name in ("completed", "pending", "failed", "total")},
        "tail_evidence": _tail_evidence(verdict),
        "informed_retry": verdict.informed_retry,
        "contract": contract(verdict),
        "contract_text": contract_text(verdict.contract),
        "report": report(verdict),
        **_beyond(verdict),
    }
    if assessed.facts.plans:
        document["plan"] = planned(assessed.facts.plans.values())
    if verdict.self_report_only:
        document["self_report_guidance"] = guidance
    return document


def planned(plans: Iterable[Plan]) -> list[dict[str, Any]]:
    """Return the units of every plan of a run, in order."""
    return [{"plan_id": one.plan_id, **unit.document()} for one in plans for unit in one.units]


def no_active_run(message: str) -> dict[str, Any]:
    """Return what asking for the active run answers when none is open."""
    return {"run_id": None, "mode": "no_active_run", "safe": False, "message": message}


def confirmation(verdict: Verdict) -> dict[str, Any]:
    """Return how a run stands after a confirmation."""
    return {
        "run_id": verdict.run_id,
        "mode": str(verdict.mode),
        "safe": verdict.safe,
        "next_allowed_action": verdict.next_allowed_action,
        "report": report(verdict),
        **_beyond(verdict),
    }


def claim(run_id: str, answer: ClaimAnswer, *, guidance: str) -> dict[str, Any]:
    """Return what a claim that was not refused answers."""
    document = {
        "run_id": run_id,
        "action_type": answer.action.action_type,
        "proceed": answer.proceed,
        "action_key": answer.key,
        "status": str(answer.action.status),
        "guidance": guidance,
    }
    if answer.proceed:
        document.update(attempt=answer.attempt, attempts_remaining=answer.attempts_left)
        if answer.drift:
            document["pinning_drift"] = list(answer.drift)
        return document
    return {
        **document,
        "external_id": answer.action.external_id,
        "previous_result": answer.action.result,
    }


def settled(action: Action, *members: str) -> dict[str, Any]:
    """Return how an action stands: run, id, and the named members of its record."""
    record = action.record()
    return {name: record[name] for name in ("run_id", "action_id", *members)}


def actions(run_id: str, page: ActionPage) -> dict[str, Any]:
    """Return one page of a run's ledger, first seen first."""
    document = {
        "run_id": run_id,
        "actions": [_row(slot, attempts) for slot, attempts in page.rows],
        "unresolved": page.unresolved,
    }
    return {**document, "next": page.next} if page.next else document


def _row(slot: Slot, attempts: int) -> dict[str, Any]:
    action = slot.action
    return {
        "action_id": action.action_id,
        "action_key": slot.key,
        "action_type": action.action_type,
        "status": str(action.status),
        "external_id": action.external_id,
        "side_effect_uncertain": action.side_effect_uncertain,
        "outcome_unresolved": action.is_unresolved,
        "attempts": attempts,
        "started_at": action.started_at,
        "completed_at": action.completed_at,
    }


def _repair(step: Step) -> dict[str, Any]:
    return {
        "action": step.id,
        "kind": str(step.kind),
        "target": step.target,
        "reason": step.reason,
        "requires_human": step.requires_human,
    }


def _uncertain(assessed: Assessed) -> list[dict[str, Any]]:
    asked = {action.action_id for action in assessed.verdict.uncertain}
    return [
        {
            "action_id": one.action.action_id,
            "action_key": one.key,
            "action_type": one.action.action_type,
            "status": str(one.action.status),
        }
        for one in assessed.facts.open_actions
        if one.action.action_id in asked
    ]


def _open_claims(assessed: Assessed) -> list[dict[str, Any]]:
    return [
        {
            "action_key": one.key,
            "action_type": one.action.action_type,
            "started_at": one.action.started_at,
        }
        for one in assessed.facts.open_actions
        if one.action.status == "started"
    ]


def _tail_evidence(verdict: Verdict) -> str | None:
    """The newest line that a hook read off the end of a watched file, if any."""
    tails = [
        one["summary"]
        for one in verdict.state["evidence"]
        if one["evidence_id"].startswith("tail_")
    ]
    return tails[-1] if tails else None


def _beyond(verdict: Verdict) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if not verdict.chain.ok:
        members["chain"] = {"ok": False, "broken_at": verdict.chain.broken_at}
    if verdict.closed is not None:
        members["closed"] = verdict.closed._asdict()
    if verdict.family_rationale:
        members["family_rationale"] = list(verdict.family_rationale)
    return members
