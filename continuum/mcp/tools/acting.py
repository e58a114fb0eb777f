"""Effects on the outside world: claiming the right to perform one, and listing them."""

from __future__ import annotations

from continuum.core.errors import (
    ClaimHeld,
    ConfigurationError,
    GrantSpent,
    OutcomeUnknown,
)
from continuum.domain.actions import ActionStatus
from continuum.domain.events import Origin
from continuum.host.budgets import read_budgets
from continuum.mcp.calls import Tool
from continuum.mcp.descriptions import acting as prose
from continuum.mcp.schemas import answer, array, free_object, parameter, shape, text, whole
from continuum.mcp.tools.parameters import (
    ACTION_STATUS_ANSWER,
    EXTERNAL_ID_ANSWER,
    PINNING,
    RUN,
    RUN_ID_ANSWER,
)
from continuum.services.actionpages import action_page
from continuum.services.actions import (
    Claim,
    claim_action,
)
from continuum.services.callers import Right
from continuum.wire import agents as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from continuum.mcp.calls import Call, Document

DEFAULT_PAGE = 200
MAX_PAGE = 500
_STATUSES = ACTION_STATUS_ANSWER["enum"]
_AGENT = Origin.EXTERNAL_AGENT

_GO = (
    "Perform the effect now, once, then call continuum_complete_action with this action_key, or "
    "continuum_fail_action if it does not succeed."
)
_DONE = "It was done before: use the result here and do not perform it again."
_WAIT = (
    "Another client is performing it: do not. Ask again later; if it stays open, it becomes "
    "uncertain and somebody has to find out."
)
_FIND_OUT = (
    "Do not perform it. Find out whether the effect happened, then call continuum_reconcile_action "
    "with what you found; if you cannot tell, leave it to a person."
)
_ASK = "Do not perform it. Ask whoever gave the grant for a new one."


def _intercept(
    call: Call,
    *,
    run_id: str,
    action_type: str,
    arguments: Mapping[str, Any] | None = None,
    key: str | None = None,
    scoped_to_run: bool = True,
    pinning: Mapping[str, Any] | None = None,
    grant: Mapping[str, Any] | None = None,
) -> Document:
    asked = {"run_id": run_id, "action_type": action_type, "proceed": False}
    call.begin(run_id)
    try:
        budgets = read_budgets()
        claim = Claim(
            action_type=action_type,
            arguments=arguments,
            key=key,
            scoped_to_run=scoped_to_run,
            pinning=pinning,
            grant=grant,
            budgets=budgets,
            caller=dict(call.caller),
            holder=call.holder,
        )
        done = claim_action(call.store, run_id, claim, source=_AGENT, at=call.at)
    except ConfigurationError as exc:
        return {**asked, "reason": str(exc)}
    except ClaimHeld as exc:
        return {**asked, **_in_flight(exc)}
    except OutcomeUnknown as exc:
        return {**asked, **_unknown(exc)}
    except GrantSpent as exc:
        grant_id = (grant or {}).get("id")
        denied = {"reason_code": exc.code, "grant_id": grant_id, "reason": str(exc)}
        return {**asked, **denied, "guidance": _ASK}
    return wire.claim(run_id, done, guidance=_GO if done.proceed else _DONE)


def _in_flight(held: ClaimHeld) -> Document:
    return {
        "status": "started",
        "in_flight": True,
        "action_key": held.key,
        "action_id": held.action_id,
        "started_at": held.started_at,
        "reason": str(held),
        "guidance": _WAIT,
    }


def _unknown(open_attempt: OutcomeUnknown) -> Document:
    return {
        "status": "unknown",
        "action_key": open_attempt.key,
        "action_id": open_attempt.action_id,
        "reason": str(open_attempt),
        "guidance": _FIND_OUT,
    }


def _list(
    call: Call,
    *,
    run_id: str,
    status: Sequence[str] | None = None,
    limit: int = DEFAULT_PAGE,
    after: str | None = None,
) -> Document:
    statuses = None if status is None else [ActionStatus(one) for one in status]
    page = action_page(call.store, run_id, statuses=statuses, after=after, limit=limit)
    return wire.actions(run_id, page)


INTERCEPT = Tool(
    name="continuum_intercept_action",
    title="Claim an effect before performing it",
    description=prose.INTERCEPT,
    right=Right.WRITE,
    parameters={
        "run_id": RUN,
        "action_type": parameter(
            "The kind of effect, the same word every time: budgets, probes and gate rules go by "
            "it.",
            text(most=200),
            example="send_mail",
        ),
        "arguments": parameter(
            "What the effect is performed with. Recorded as given, so leave secrets out; without "
            "key it is the identity of the operation.",
            free_object(),
            example={"to": "billing@example.org", "invoice": "INV-7"},
            default={},
        ),
        "key": parameter(
            "Names the operation, so that a retry with slightly other arguments is recognised; a "
            "key stands for one set of arguments.",
            text(most=512),
            example="invoice:INV-7",
            default=None,
        ),
        "scoped_to_run": parameter(
            "False makes the identity hold across all runs of the store, for effects that may "
            "happen only once whoever asks.",
            {"type": "boolean"},
            example=True,
            default=True,
        ),
        "pinning": PINNING,
        "grant": parameter(
            "A single-use authority somebody gave you: its id and what it is good for. The first "
            "outcome uses it up.",
            shape(
                {
                    "id": {**text(most=256), "description": "The grant's id."},
                    "scope": {**text(most=256), "description": "What it allows."},
                },
                required=("id", "scope"),
            ),
            example={"id": "grant-81", "scope": "delete:staging"},
            default=None,
        ),
    },
    required=("run_id", "action_type"),
    answer={
        "run_id": RUN_ID_ANSWER,
        "action_type": answer("string", "The kind of effect."),
        "proceed": answer("boolean", "Perform the effect only when this is true."),
        "action_key": answer(["string", "null"], "64 hex digits; settle the action under it."),
        "action_id": answer(["string", "null"], "The open attempt that stands in the way."),
        "status": ACTION_STATUS_ANSWER,
        "guidance": answer("string", "What to do now."),
        "attempt": answer("integer", "Number of the attempt that begins, from 1."),
        "attempts_remaining": answer("integer", "How many more may follow it."),
        "in_flight": answer("boolean", "Another client's claim is live; wait."),
        "started_at": answer(["string", "null"], "Since when it is, UTC."),
        "external_id": EXTERNAL_ID_ANSWER,
        "previous_result": answer(["object", "null"], "What it returned when it was done."),
        "reason_code": answer("string", "grant_denied: the authority is used up."),
        "grant_id": answer(["string", "null"], "The grant that was refused."),
        "reason": answer("string", "Why not to proceed."),
        "pinning_drift": answer("array", "Pins that moved since the run's last claim."),
    },
    run=_intercept,
)

LIST = Tool(
    name="continuum_list_actions",
    title="List the effects of a run",
    description=prose.LIST,
    right=Right.READ,
    parameters={
        "run_id": RUN,
        "status": parameter(
            "Only actions that stand so; all when left out.",
            array({"type": "string", "enum": _STATUSES}, least=1, most=len(_STATUSES)),
            example=["started", "unknown"],
            default=None,
        ),
        "limit": parameter(
            "How many to return at most.",
            whole(least=1, most=MAX_PAGE),
            example=50,
            default=DEFAULT_PAGE,
        ),
        "after": parameter(
            "Go on behind this action_id: the next of the answer before.",
            text(most=512),
            example="action_0f3c2b7d9e8a4c5f8d1e2a3b4c5d6e7f",
            default=None,
        ),
    },
    required=("run_id",),
    answer={
        "run_id": RUN_ID_ANSWER,
        "actions": answer(
            "array",
            "Each with action_id, action_key, action_type, status, external_id, "
            "side_effect_uncertain, outcome_unresolved, attempts, started_at, completed_at.",
        ),
        "unresolved": answer("integer", "Actions of the whole run with an unknown outcome."),
        "next": answer("string", "Only when there are more: pass it as after."),
    },
    run=_list,
    idempotent=True,
)
