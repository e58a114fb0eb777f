"""Interchange envelopes: states, contracts and decisions carried between clients.

An envelope says what it holds and in which version; readers refuse everything
they do not know inside `data` and tolerate extra members around it. Reading
does not check a contract's seal: `verify_contract` does.
"""

from __future__ import annotations

import json
from enum import StrEnum

from continuum.core.clock import body_time, column_time
from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple
from continuum.domain.bodies import (
    count,
    instant,
    json_object,
    one,
    read_shape,
    text,
    text_or_null,
    texts,
)
from continuum.domain.body_shapes import read_state
from continuum.domain.contract import Contract, RecoveryStatus, contract_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import Any

    from continuum.domain.bodies import Shape
    from continuum.domain.state import SemanticState
    from continuum.recovery.validation import Entry
    from continuum.recovery.verdict import Verdict

SCHEMA = "continuum.interchange/v1"
VERSION = 1


class Kind(StrEnum):
    """What an envelope holds."""

    SEMANTIC_STATE = "semantic_state"
    RECOVERY_CONTRACT = "recovery_contract"
    RECOVERY_DECISION = "recovery_decision"


class Restored(NamedTuple):
    """How the judged state was reached; a decision carries it.

    Attributes:
        checkpoint: body of the checkpoint that was started from, or None.
        pending_events: sequences folded on top of it.
        replayed: how many events that were.
    """

    checkpoint: dict[str, Any] | None
    pending_events: tuple[Any, ...]
    replayed: int


def _recovery_status(value: Any) -> RecoveryStatus:
    return RecoveryStatus(text(value))


def _json_objects(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise ValueError(f"a {type(value).__name__} is not a list")
    return [json_object(item) for item in value]


_CONTRACT: Shape = {
    "run_id": (text,),
    "checkpoint_version": (count,),
    "recovery_status": (_recovery_status,),
    "verified": (texts, []),
    "invalidated": (texts, []),
    "required_actions": (texts, []),
    "next_allowed_action": (text_or_null, None),
    "evidence": (texts, []),
    "reason": (text, ""),
    "post_checkpoint_observations": (_json_objects, []),
    "created_at": (instant,),
    "integrity_hash": (text_or_null, None),
}
_DECISION: Shape = {
    "run_id": (text,),
    "mode": (text,),
    "contract": (one(_CONTRACT),),
    "plan": (json_object, {}),
    "validation": (json_object, {}),
    "restored": (json_object, {}),
    "uncertain_actions": (_json_objects, []),
    "rationale": (texts, []),
}
_NAMED_LISTS = {
    "external_dependency": ("external_dependencies", "resource"),
    "evidence": ("evidence", "evidence_id"),
    "finding": ("findings", "finding_id"),
    "decision": ("decisions", "decision_id"),
}


def make_envelope(kind: Kind, data: Mapping[str, Any], *, at: datetime) -> dict[str, Any]:
    """Return `data` in its envelope."""
    return {
        "schema": SCHEMA,
        "kind": str(kind),
        "version": VERSION,
        "generated_at": column_time(at),
        "data": {**data},
    }


def envelope_text(envelope: Mapping[str, Any]) -> str:
    """Return the text of an envelope's file: two-space indent, sorted members."""
    return json.dumps(envelope, indent=2, sort_keys=True)


def open_envelope(envelope: Any, kind: Kind) -> dict[str, Any]:
    """Return the data of an envelope that holds `kind`.

    Raises:
        InvalidInput: not such an envelope, or data with unknown or missing members.
    """
    if not isinstance(envelope, dict):
        raise InvalidInput(f"an envelope is a JSON object, not a {type(envelope).__name__}")
    for member, wanted in (("schema", SCHEMA), ("kind", str(kind)), ("version", VERSION)):
        found = envelope.get(member)
        if type(found) is not type(wanted) or found != wanted:
            raise InvalidInput(f"the envelope's {member} is {found!r}; only {wanted!r} is read")
    data = envelope.get("data")
    if not isinstance(data, dict):
        raise InvalidInput("the envelope holds no data")
    try:
        _READERS[kind](data)
    except (ValueError, InvalidInput) as exc:
        raise InvalidInput(f"the {kind} in the envelope cannot be read: {exc}") from exc
    return data


def contract_from_data(data: Mapping[str, Any]) -> Contract:
    """Return the contract that the data of an envelope says.

    Raises:
        InvalidInput: an unknown or missing member, or a value of a wrong kind.
    """
    try:
        members = read_shape(_CONTRACT, data)
    except ValueError as exc:
        raise InvalidInput(f"the contract cannot be read: {exc}") from exc
    lists = {name: tuple(one) for name, one in members.items() if isinstance(one, list)}
    return Contract(**{**members, **lists})


def decision_data(verdict: Verdict, restored: Restored) -> dict[str, Any]:
    """Return a verdict as the data of a `recovery_decision` envelope.

    The findings, the family and the informed retry have no place in this
    format and are left out.
    """
    return {
        "run_id": verdict.run_id,
        "mode": str(verdict.mode),
        "contract": contract_document(verdict.contract),
        "plan": {"steps": [{**step._asdict(), "kind": str(step.kind)} for step in verdict.plan]},
        "validation": _validation_data(verdict),
        "restored": {
            "run_id": verdict.run_id,
            "state": verdict.state,
            "checkpoint": restored.checkpoint,
            "pending_events": [*restored.pending_events],
            "replayed": restored.replayed,
        },
        "uncertain_actions": [action.record() for action in verdict.uncertain],
        "rationale": [*verdict.rationale],
    }


def marked_state(state: SemanticState, entries: tuple[Entry, ...]) -> dict[str, Any]:
    """Return `state` with the status of each entry on the item it is about."""
    marked: dict[str, Any] = {**state}
    for component, (member, id_name) in _NAMED_LISTS.items():
        status_of = {one.component_id: one.status for one in entries if one.component == component}
        marked[member] = [
            {**item, "status": str(status_of.get(item[id_name], item["status"]))}
            for item in marked[member]
        ]
    return marked


def _validation_data(verdict: Verdict) -> dict[str, Any]:
    validation = verdict.validation
    return {
        "state": marked_state(verdict.state, validation.entries),
        "report": {
            "run_id": verdict.run_id,
            "checkpoint_version": verdict.checkpoint_version,
            "statuses": [
                {**entry._asdict(), "status": str(entry.status)} for entry in validation.entries
            ],
            "safe_to_resume": validation.safe_to_resume,
            "recovery_mode": None,
            "reason": validation.reason,
            "validated_at": body_time(verdict.at),
        },
        "environment_diff": {"deltas": [delta._asdict() for delta in validation.deltas]},
    }


_READERS: Mapping[Kind, Callable[[Any], Any]] = {
    Kind.SEMANTIC_STATE: read_state,
    Kind.RECOVERY_CONTRACT: one(_CONTRACT),
    Kind.RECOVERY_DECISION: one(_DECISION),
}
