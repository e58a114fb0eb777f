"""What became of effects on the outside world: done, failed, found out, undone."""

from __future__ import annotations

from continuum.core.errors import InvalidInput
from continuum.domain.events import Origin
from continuum.mcp.calls import Tool
from continuum.mcp.descriptions import acting as prose
from continuum.mcp.schemas import answer, parameter, text
from continuum.mcp.tools.parameters import (
    ACTION,
    ACTION_STATUS_ANSWER,
    CONSUMED_INPUTS,
    EXTERNAL_ID,
    EXTERNAL_ID_ANSWER,
    MAX_PROSE,
    RESULT,
    RUN,
    RUN_ID_ANSWER,
    UNCERTAIN_ANSWER,
)
from continuum.services.actions import (
    compensate_action,
    complete_action,
    fail_action,
    find_slot,
    settle_action,
)
from continuum.services.callers import Right
from continuum.wire import agents as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.mcp.calls import Call, Document

_AGENT = Origin.EXTERNAL_AGENT
_SETTLED = {
    "run_id": RUN_ID_ANSWER,
    "action_id": answer("string", "The action."),
    "action_type": answer("string", "The kind of effect."),
    "status": ACTION_STATUS_ANSWER,
    "external_id": EXTERNAL_ID_ANSWER,
}


def _complete(
    call: Call,
    *,
    run_id: str,
    action_key: str,
    external_id: str | None = None,
    result: dict[str, Any] | None = None,
    consumed_inputs: dict[str, Any] | None = None,
) -> Document:
    done = complete_action(
        call.store,
        run_id,
        action_key,
        external_id=external_id,
        result=result,
        holder=call.holder,
        members=_with_inputs(call, consumed_inputs),
        source=_AGENT,
        at=call.at,
    )
    return wire.settled(done.action, "action_type", "status", "external_id")


def _fail(
    call: Call, *, run_id: str, action_key: str, error: str, certain: bool = False
) -> Document:
    done = fail_action(
        call.store,
        run_id,
        action_key,
        error=error,
        certain=certain,
        members=call.members,
        source=_AGENT,
        at=call.at,
    )
    return wire.settled(done.action, "status", "side_effect_uncertain")


def _reconcile(
    call: Call,
    *,
    run_id: str,
    action_key: str,
    occurred: bool,
    external_id: str | None = None,
    result: dict[str, Any] | None = None,
    note: str = "",
    consumed_inputs: dict[str, Any] | None = None,
) -> Document:
    if not (note.strip() or external_id or result is not None):
        raise InvalidInput(
            "say what you found: a note, an external_id or a result is needed as evidence",
            field="note",
        )
    before = find_slot(call.store, run_id, action_key).action.status
    done = settle_action(
        call.store,
        run_id,
        action_key,
        occurred=occurred,
        external_id=external_id,
        result=result,
        note=note,
        correction=True,
        members=_with_inputs(call, consumed_inputs),
        source=_AGENT,
        at=call.at,
    )
    members = ("status", "external_id", "result", "side_effect_uncertain")
    return {**wire.settled(done.action, *members), "previous_status": str(before)}


def _compensate(
    call: Call, *, run_id: str, action_key: str, note: str = "", by: str = ""
) -> Document:
    done = compensate_action(
        call.store,
        run_id,
        action_key,
        note=note,
        by=by,
        members=call.members,
        source=_AGENT,
        at=call.at,
    )
    return wire.settled(done.action, "action_type", "status", "external_id", "compensated_by")


def _with_inputs(call: Call, consumed_inputs: dict[str, Any] | None) -> dict[str, Any]:
    if not consumed_inputs:
        return call.members
    return {**call.members, "consumed_inputs": consumed_inputs}


COMPLETE = Tool(
    name="continuum_complete_action",
    title="Record an effect as done",
    description=prose.COMPLETE,
    right=Right.WRITE,
    parameters={
        "run_id": RUN,
        "action_key": ACTION,
        "external_id": EXTERNAL_ID,
        "result": RESULT,
        "consumed_inputs": CONSUMED_INPUTS,
    },
    required=("run_id", "action_key"),
    answer=_SETTLED,
    run=_complete,
    idempotent=True,
)

FAIL = Tool(
    name="continuum_fail_action",
    title="Record a failed attempt",
    description=prose.FAIL,
    right=Right.WRITE,
    parameters={
        "run_id": RUN,
        "action_key": ACTION,
        "error": parameter(
            "What went wrong, in one or two sentences or the error text itself, without secrets.",
            text(most=MAX_PROSE),
            example="SMTP 550: mailbox unavailable",
        ),
        "certain": parameter(
            "True only when the effect surely did not happen.",
            {"type": "boolean"},
            example=True,
            default=False,
        ),
    },
    required=("run_id", "action_key", "error"),
    answer={
        "run_id": RUN_ID_ANSWER,
        "action_id": answer("string", "The action."),
        "status": ACTION_STATUS_ANSWER,
        "side_effect_uncertain": UNCERTAIN_ANSWER,
    },
    run=_fail,
    idempotent=True,
)

RECONCILE = Tool(
    name="continuum_reconcile_action",
    title="Settle what happened to an effect",
    description=prose.RECONCILE,
    right=Right.WRITE,
    parameters={
        "run_id": RUN,
        "action_key": ACTION,
        "occurred": parameter(
            "Whether the effect really happened.", {"type": "boolean"}, example=True
        ),
        "external_id": EXTERNAL_ID,
        "result": RESULT,
        "note": parameter(
            "Where you looked and what you saw; needed when there is no receipt and no result.",
            text(least=0, most=MAX_PROSE),
            example="found in the sent folder, 14:02 UTC",
            default="",
        ),
        "consumed_inputs": CONSUMED_INPUTS,
    },
    required=("run_id", "action_key", "occurred"),
    answer={
        "run_id": RUN_ID_ANSWER,
        "action_id": answer("string", "The action."),
        "status": ACTION_STATUS_ANSWER,
        "previous_status": {**ACTION_STATUS_ANSWER, "description": "What it was before."},
        "external_id": EXTERNAL_ID_ANSWER,
        "result": answer(["object", "null"], "The recorded result."),
        "side_effect_uncertain": UNCERTAIN_ANSWER,
    },
    run=_reconcile,
    destructive=True,
)

COMPENSATE = Tool(
    name="continuum_compensate_action",
    title="Record an effect as undone",
    description=prose.COMPENSATE,
    right=Right.WRITE,
    parameters={
        "run_id": RUN,
        "action_key": ACTION,
        "note": parameter(
            "How it was undone.",
            text(least=0, most=MAX_PROSE),
            example="refunded in full, reference RF-118",
            default="",
        ),
        "by": parameter(
            "Who or what undid it: a person's name, or the action_id of the counter-effect.",
            text(least=0, most=200),
            example="action_0f3c2b7d9e8a4c5f8d1e2a3b4c5d6e7f",
            default=None,
        ),
    },
    required=("run_id", "action_key"),
    answer={
        **_SETTLED,
        "compensated_by": answer("array", "Who or what undid it, oldest first."),
    },
    run=_compensate,
    destructive=True,
    idempotent=True,
)

TOOLS = (COMPLETE, FAIL, RECONCILE, COMPENSATE)
