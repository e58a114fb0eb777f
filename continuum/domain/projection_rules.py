"""What each event type does to the state (state.md 2.3).

A rule checks everything before it changes anything, so that an event that
cannot be folded leaves the parts as they were. A rule raises `Unprojectable`
with one sentence about the payload; the fold adds which event it was.
"""

from __future__ import annotations

from datetime import datetime

from continuum.core.clock import column_to_body
from continuum.core.errors import Unprojectable
from continuum.domain.conversions import (
    decimal,
    filled_text,
    optional_text,
    required_text,
    shown,
    text_or,
    texts,
    zoned_text,
)
from continuum.domain.events import EventType
from continuum.domain.progress_rules import complete_work, provenance_of, start_run, update_task
from continuum.domain.state import REVALIDATION, ApprovalStatus, StateStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from continuum.domain.components import Components
    from continuum.domain.events import Event
    from continuum.domain.state import Approval

    Rule = Callable[[Components, Event], None]

_STATUSES = frozenset(map(str, StateStatus))
_HEX = "0123456789abcdef"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_IN_CONSTRAINT_ID = f"{_LETTERS}{_LETTERS.upper()}0123456789._:-"
_MAX_CONSTRAINT_ID = 128


def keep_request(parts: Components, event: Event) -> None:
    """Record an unknown approval as asked for, when its decision could not be folded.

    The reference client shows such a degraded state: one approval more that
    waits for a person.
    """
    if event.type not in _APPROVAL_DECISIONS or event.payload.get("approval_id") is None:
        return
    approval = _requested(event)
    parts.approvals.setdefault(approval["approval_id"], approval)


# -- decisions, findings, evidence, work


def _add_work(parts: Components, event: Event) -> None:
    task_id = required_text(event.payload, "task_id")
    parts.pending_work[task_id] = {
        "task_id": task_id,
        "description": required_text(event.payload, "description"),
        "prerequisite": texts(event.payload.get("prerequisite")),
        "status": "valid",
        "created_at": column_to_body(event.timestamp),
        "provenance": provenance_of(event),
    }


def _create_decision(parts: Components, event: Event) -> None:
    decision_id = required_text(event.payload, "decision_id")
    parts.decisions[decision_id] = {
        "decision_id": decision_id,
        "decision": required_text(event.payload, "decision"),
        "reason": text_or(event.payload, "reason", ""),
        "evidence": texts(event.payload.get("evidence")),
        "status": "valid",
        "created_at": column_to_body(event.timestamp),
        "invalidated_at": None,
        "invalidated_reason": None,
        "provenance": provenance_of(event),
    }


def _invalidate_decision(parts: Components, event: Event) -> None:
    decision_id = required_text(event.payload, "decision_id")
    old = parts.decisions.get(decision_id)
    if old is None:
        raise Unprojectable(f"decision {shown(decision_id)} was never made")
    parts.decisions[decision_id] = {
        **old,
        "status": _status(event.payload),
        "invalidated_at": column_to_body(event.timestamp),
        "invalidated_reason": text_or(event.payload, "reason", "") or None,
    }


def _add_evidence(parts: Components, event: Event) -> None:
    evidence_id = required_text(event.payload, "evidence_id")
    parts.evidence[evidence_id] = {
        "evidence_id": evidence_id,
        "summary": text_or(event.payload, "summary", ""),
        "source": optional_text(event.payload, "source"),
        "checksum": optional_text(event.payload, "checksum"),
        "status": "valid",
        "added_at": column_to_body(event.timestamp),
        "provenance": provenance_of(event),
    }


def _add_finding(parts: Components, event: Event) -> None:
    finding_id = required_text(event.payload, "finding_id")
    confidence = decimal(event.payload.get("confidence", 1.0), "confidence")
    if not 0.0 <= confidence <= 1.0:
        raise Unprojectable(f"`confidence` is {confidence}, not between 0 and 1")
    parts.findings[finding_id] = {
        "finding_id": finding_id,
        "claim": required_text(event.payload, "claim"),
        "evidence": texts(event.payload.get("evidence")),
        "confidence": confidence,
        "status": "valid",
        "created_at": column_to_body(event.timestamp),
        "provenance": provenance_of(event),
    }


def _invalidate_finding(parts: Components, event: Event) -> None:
    finding_id = required_text(event.payload, "finding_id")
    old = parts.findings.get(finding_id)
    if old is None:
        raise Unprojectable(f"finding {shown(finding_id)} was never recorded")
    parts.findings[finding_id] = {**old, "status": _status(event.payload)}


def _status(payload: dict[str, Any]) -> str:
    status = payload.get("status", "invalid")
    if not isinstance(status, str) or status not in _STATUSES:
        raise Unprojectable(f"`status` is {shown(status)}, not one of {', '.join(StateStatus)}")
    return status


# -- dependencies, approvals, model, pins


def _declare_dependency(parts: Components, event: Event) -> None:
    resource = required_text(event.payload, "resource")
    parts.dependencies[resource] = {
        "resource": resource,
        "kind": text_or(event.payload, "kind", "resource"),
        "version": optional_text(event.payload, "version"),
        "checksum": optional_text(event.payload, "checksum"),
        "status": "valid",
        "metadata": {},
        "last_verified_at": column_to_body(event.timestamp),
        "provenance": provenance_of(event),
    }


def _request_approval(parts: Components, event: Event) -> None:
    required_text(event.payload, "subject")
    approval = _requested(event)
    parts.approvals[approval["approval_id"]] = approval


def _requested(event: Event) -> Approval:
    return {
        "approval_id": required_text(event.payload, "approval_id"),
        "subject": text_or(event.payload, "subject", ""),
        "status": ApprovalStatus.PENDING.value,
        "granted_at": None,
        "granted_by": None,
        "expires_at": None,
        "reason": None,
    }


def _decide_approval(parts: Components, event: Event) -> None:
    approval_id = required_text(event.payload, "approval_id")
    known = parts.approvals.get(approval_id) or _requested(event)
    granted = event.type == EventType.APPROVAL_GRANTED
    parts.approvals[approval_id] = {
        "approval_id": approval_id,
        "subject": known["subject"],
        "status": (ApprovalStatus.GRANTED if granted else ApprovalStatus.REVOKED).value,
        "granted_at": column_to_body(event.timestamp) if granted else None,
        "granted_by": optional_text(event.payload, "granted_by"),
        "expires_at": _expiry(event.payload),
        "reason": optional_text(event.payload, "reason"),
    }


def _expiry(payload: dict[str, Any]) -> str | None:
    text = filled_text(payload, "expires_at")
    if text is None:
        return None
    try:
        return zoned_text(datetime.fromisoformat(text))
    except ValueError as exc:
        raise Unprojectable(f"`expires_at` is {shown(text)}, not an ISO 8601 time") from exc


def _change_model(parts: Components, event: Event) -> None:
    parts.model = {
        "model": filled_text(event.payload, "model"),
        "provider": filled_text(event.payload, "provider"),
        "fingerprint": filled_text(event.payload, "fingerprint"),
        "model_specific_state": [],
    }


def _record_assumption(parts: Components, event: Event) -> None:
    item_id = required_text(event.payload, "item_id")
    description = required_text(event.payload, "description")
    if parts.model is None:
        parts.model = {
            "model": None,
            "provider": None,
            "fingerprint": None,
            "model_specific_state": [],
        }
    # A repeated assumption moves to the end, unlike every other item.
    parts.assumptions.pop(item_id, None)
    parts.assumptions[item_id] = {
        "item_id": item_id,
        "description": description,
        "required_validation": REVALIDATION,
    }


def _pin_constraint(parts: Components, event: Event) -> None:
    _ensure_members(event.payload, {"constraint_id", "sha256"})
    constraint_id = _constraint_id(event.payload)
    digest = event.payload["sha256"]
    if not isinstance(digest, str) or len(digest) != 64 or digest.strip(_HEX):
        raise Unprojectable("`sha256` is not 64 lowercase hex digits")
    parts.pins[constraint_id] = {
        "constraint_id": constraint_id,
        "sha256": digest,
        "status": "active",
        "provenance": provenance_of(event),
        "pinned_at": column_to_body(event.timestamp),
    }


def _retract_constraint(parts: Components, event: Event) -> None:
    _ensure_members(event.payload, {"constraint_id"})
    constraint_id = _constraint_id(event.payload)
    if parts.pins.pop(constraint_id, None) is None:
        parts.unmatched[constraint_id] = None


def _ensure_members(payload: dict[str, Any], names: set[str]) -> None:
    if payload.keys() != names:
        wrong = ", ".join(f"`{name}`" for name in sorted(payload.keys() ^ names))
        raise Unprojectable(f"a constraint event with missing or surplus members: {wrong}")


def _constraint_id(payload: dict[str, Any]) -> str:
    value = payload["constraint_id"]
    if isinstance(value, str) and 0 < len(value) <= _MAX_CONSTRAINT_ID:
        text: str = value
        if not text.strip(_IN_CONSTRAINT_ID):
            return text
    raise Unprojectable(
        f"`constraint_id` is {shown(value)}; use 1 to 128 letters, digits and . _ : -"
    )


_APPROVAL_DECISIONS = frozenset({EventType.APPROVAL_GRANTED, EventType.APPROVAL_REVOKED})

RULES: dict[str, Rule] = {
    EventType.RUN_STARTED: start_run,
    EventType.TASK_UPDATED: update_task,
    EventType.WORK_COMPLETED: complete_work,
    EventType.WORK_ADDED: _add_work,
    EventType.DECISION_CREATED: _create_decision,
    EventType.DECISION_INVALIDATED: _invalidate_decision,
    EventType.EVIDENCE_ADDED: _add_evidence,
    EventType.FINDING_ADDED: _add_finding,
    EventType.FINDING_INVALIDATED: _invalidate_finding,
    EventType.DEPENDENCY_DECLARED: _declare_dependency,
    EventType.APPROVAL_REQUESTED: _request_approval,
    EventType.APPROVAL_GRANTED: _decide_approval,
    EventType.APPROVAL_REVOKED: _decide_approval,
    EventType.MODEL_CHANGED: _change_model,
    EventType.MODEL_ASSUMPTION_RECORDED: _record_assumption,
    EventType.CONSTRAINT_PINNED: _pin_constraint,
    EventType.CONSTRAINT_RETRACTED: _retract_constraint,
}
"""Every type that changes the state; the others only move `source_sequence`."""
