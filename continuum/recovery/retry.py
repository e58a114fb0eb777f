"""Informed retry: what earlier recoveries did and what to avoid, for the next one.

The block is context for an agent. It never changes a verdict, and it is kept
small: over `MAX_BYTES` of JSON it is shrunk in fixed stages (recovery.md 10).
"""

from __future__ import annotations

import json

from continuum.recovery.wording import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from continuum.recovery.facts import Facts
    from continuum.recovery.validation import Entry, Validation

MAX_BYTES = 4096
_STEPS, _EFFECTS, _FAILURES, _RULES, _RULES_SHRUNK = 8, 5, 8, 6, 4

_RULES_OF_COMPONENT = {
    "external_dependency": "state its real version before relying on results that came from it",
    "evidence": "derive it from its source again before citing it",
    "finding": "derive it from its source again before citing it",
    "goal": "state it again before working towards it",
    "model": "make sure which model resumes before relying on what holds for one only",
    "approval": "ask for a fresh one; the old one does not carry over",
}


def informed_retry(facts: Facts, validation: Validation) -> dict[str, Any] | None:
    """Return the block, or None when there is nothing to learn from."""
    failures = validation.not_valid
    uncertain = facts.scoped_uncertain
    if not (facts.retry.seen or failures or uncertain):
        return None
    retry = facts.retry
    rules = [_rule(entry) for entry in failures]
    rules += [
        f"{one_line(one.action_type)} ({one_line(one.action_id)}): "
        "may have happened already; settle it before trying again"
        for one in uncertain
    ]
    block: dict[str, Any] = {
        "attempts": retry.attempts,
        "completed_recoveries": retry.completed_recoveries,
        "blocked_recoveries": retry.blocked_recoveries,
        "compensations": retry.compensations,
        "last_attempt_mode": retry.last_attempt_mode,
        "last_attempt_steps": [*retry.last_attempt_steps[-_STEPS:]],
        "settled_effects": [{**effect} for effect in retry.settled_effects[-_EFFECTS:]],
        "current_failures": [_failure(entry) for entry in failures[-_FAILURES:]],
        "avoid": sorted(rules)[:_RULES],
    }
    return _shrunk(block)


def _failure(entry: Entry) -> dict[str, str]:
    return {
        "component": entry.component,
        "id": entry.component_id or "",
        "status": str(entry.status),
        "detail": entry.detail,
    }


def _rule(entry: Entry) -> str:
    rule = _RULES_OF_COMPONENT.get(entry.component, f"needs repair ({one_line(entry.detail)})")
    return f"{one_line(entry.name)}: {rule}"


def _shrunk(block: dict[str, Any]) -> dict[str, Any]:
    """Cut `block` in place, one small cut after the other, until it fits or nothing is left."""
    for cut in (_cut_rules, _cut_failure, _cut_effect, _cut_step, _blank_details):
        while _size(block) > MAX_BYTES and cut(block):
            pass
    return block


def _size(block: dict[str, Any]) -> int:
    return len(json.dumps(block, sort_keys=True).encode())


def _cut_rules(block: dict[str, Any]) -> bool:
    was = len(block["avoid"])
    del block["avoid"][_RULES_SHRUNK:]
    return len(block["avoid"]) < was


def _dropping_last(member: str) -> Callable[[dict[str, Any]], bool]:
    def cut(block: dict[str, Any]) -> bool:
        if len(block[member]) <= 1:
            return False
        block[member].pop()
        return True

    return cut


_cut_failure = _dropping_last("current_failures")
_cut_effect = _dropping_last("settled_effects")
_cut_step = _dropping_last("last_attempt_steps")


def _blank_details(block: dict[str, Any]) -> bool:
    had = any(failure["detail"] for failure in block["current_failures"])
    for failure in block["current_failures"]:
        failure["detail"] = ""
    return had
