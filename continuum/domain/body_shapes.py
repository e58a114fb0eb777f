"""Shapes of stored bodies: states, environments, checkpoints (state.md 2.1 and 6.1).

Members are in stored order; a second element is the default of a member that
may be left out.
"""

from __future__ import annotations

from continuum.domain.bodies import (
    count,
    count_or_null,
    instant,
    instant_or_null,
    json_object,
    mapping,
    objects,
    one,
    one_or_null,
    read_shape,
    text,
    text_or_null,
    texts,
    whole,
    word,
)
from continuum.domain.conversions import shown
from continuum.domain.events import Origin
from continuum.domain.state import ApprovalStatus, StateStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.bodies import Reader, Shape
    from continuum.domain.state import SemanticState


def read_state(document: Any) -> SemanticState:
    """Return a stored state in full, bookkeeping included.

    Raises:
        ValueError: a member is unknown, missing or of a wrong kind.
    """
    state: SemanticState = read_shape(STATE, document)
    return state


def _version_number(value: Any) -> int:
    if whole(value) < 1:
        raise ValueError(f"{value} is below 1")
    return int(value)


def _confidence(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError(f"{shown(value)} is not a number from 0 to 1")
    return float(value)


def _only(expected: object) -> Reader:
    """Return a reader for bookkeeping, which a stored state holds at its default or not at all."""

    def read(value: Any) -> Any:
        if value != expected:
            raise ValueError(f"{shown(value)} marks a state that must not be stored")
        return value

    return read


def _progress(value: Any) -> Any:
    progress = read_shape(_PROGRESS, value)
    used = progress["completed"] + progress["pending"] + progress["failed"]
    if progress["total"] is not None and used > progress["total"]:
        raise ValueError(f"{used} units of work exceed the total of {progress['total']}")
    return progress


_state_status = word(StateStatus)

_PROVENANCE: Shape = {
    "origin": (word(Origin), "deterministic"),
    "source_sequence": (count_or_null, None),
    "source_event_id": (text_or_null, None),
    "extractor": (text_or_null, None),
}

_ITEM: Shape = {"status": (_state_status, "valid"), "created_at": (instant,)}
_FROM: Shape = {"provenance": (one(_PROVENANCE), {})}

_GOAL: Shape = {
    "description": (text,),
    "version": (_version_number, 1),
    "constraints": (texts, []),
    **_FROM,
}

_PROGRESS: Shape = {
    "total": (count_or_null, None),
    "completed": (count, 0),
    "pending": (count, 0),
    "failed": (count, 0),
    **_FROM,
}

_PLAN_STEP: Shape = {
    "step_id": (text,),
    "description": (text,),
    "status": (word(("pending", "in_progress", "blocked", "verified", "completed")), "pending"),
    "depends_on": (texts, []),
    "evidence": (texts, []),
    **_FROM,
}

_DECISION: Shape = {
    "decision_id": (text,),
    "decision": (text,),
    "reason": (text, ""),
    "evidence": (texts, []),
    **_ITEM,
    "invalidated_at": (instant_or_null, None),
    "invalidated_reason": (text_or_null, None),
    **_FROM,
}

_FINDING: Shape = {
    "finding_id": (text,),
    "claim": (text,),
    "evidence": (texts, []),
    "confidence": (_confidence, 1.0),
    **_ITEM,
    **_FROM,
}

_EVIDENCE: Shape = {
    "evidence_id": (text,),
    "summary": (text, ""),
    "source": (text_or_null, None),
    "checksum": (text_or_null, None),
    "status": (_state_status, "valid"),
    "added_at": (instant,),
    **_FROM,
}

_PENDING_WORK: Shape = {
    "task_id": (text,),
    "description": (text,),
    "prerequisite": (texts, []),
    **_ITEM,
    **_FROM,
}

_APPROVAL: Shape = {
    "approval_id": (text,),
    "subject": (text,),
    "status": (word(ApprovalStatus), "pending"),
    "granted_at": (instant_or_null, None),
    "granted_by": (text_or_null, None),
    "expires_at": (instant_or_null, None),
    "reason": (text_or_null, None),
}

_DEPENDENCY: Shape = {
    "resource": (text,),
    "kind": (text, "resource"),
    "version": (text_or_null, None),
    "checksum": (text_or_null, None),
    "status": (_state_status, "valid"),
    "metadata": (json_object, {}),
    "last_verified_at": (instant_or_null, None),
    **_FROM,
}

_PIN: Shape = {
    "constraint_id": (text,),
    "sha256": (text,),
    "status": (word(("active",)), "active"),
    **_FROM,
    "pinned_at": (instant,),
}

_ASSUMPTION: Shape = {
    "item_id": (text,),
    "description": (text,),
    "required_validation": (text,),
}

_MODEL: Shape = {
    "model": (text_or_null, None),
    "provider": (text_or_null, None),
    "fingerprint": (text_or_null, None),
    "model_specific_state": (objects(_ASSUMPTION), []),
}

STATE: Shape = {
    "run_id": (text,),
    "goal": (one(_GOAL),),
    "progress": (_progress, {}),
    "plan": (objects(_PLAN_STEP), []),
    "decisions": (objects(_DECISION), []),
    "findings": (objects(_FINDING), []),
    "evidence": (objects(_EVIDENCE), []),
    "pending_work": (objects(_PENDING_WORK), []),
    "approvals": (objects(_APPROVAL), []),
    "external_dependencies": (objects(_DEPENDENCY), []),
    "pins": (mapping(_PIN), {}),
    "unmatched_pin_retractions": (texts, []),
    "model": (one_or_null(_MODEL), None),
    "version": (count, 0),
    "source_sequence": (count, 0),
    "status": (_only("valid"), "valid"),
    "unprojectable_at_sequence": (_only(None), None),
    "unprojectable_event_type": (_only(None), None),
    "unprojectable_reason": (_only(None), None),
    "created_at": (instant,),
    "updated_at": (instant,),
}

_RESOURCE: Shape = {
    "name": (text,),
    "kind": (text, "resource"),
    "version": (text_or_null, None),
    "checksum": (text_or_null, None),
    "metadata": (json_object, {}),
}

_ENVIRONMENT: Shape = {
    "env_id": (text,),
    "run_id": (text,),
    "captured_at": (instant,),
    "resources": (mapping(_RESOURCE), {}),
    "integrity_hash": (text, ""),
}

CHECKPOINT: Shape = {
    "checkpoint_id": (text,),
    "run_id": (text,),
    "version": (count, 0),
    "trigger": (text, "manual"),
    "reason": (text, ""),
    "state": (one(STATE),),
    "environment": (one_or_null(_ENVIRONMENT), None),
    "created_at": (instant,),
    "integrity_hash": (text,),
}
