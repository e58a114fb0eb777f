"""Judging a run, and passing on a person's word about it."""

from __future__ import annotations

from continuum.core.errors import NoActiveRun
from continuum.domain.runfacts import CONFIRMABLE
from continuum.host.registries import read_host
from continuum.mcp.calls import Tool
from continuum.mcp.descriptions import judging as prose
from continuum.mcp.descriptions.instructions import NO_ACTIVE_RUN, self_report_guidance
from continuum.mcp.schemas import answer, array, parameter, text
from continuum.mcp.tools.parameters import (
    ENVIRONMENT,
    EXPECTED_MODEL,
    MODE_ANSWER,
    NEXT_ACTION_ANSWER,
    REPORT_ANSWER,
    RUN,
    RUN_ID_ANSWER,
    SAFE_ANSWER,
)
from continuum.services.acts import Act
from continuum.services.callers import Right
from continuum.services.checkpoints import observed_environment
from continuum.services.decisions import confirm
from continuum.services.recovery import Question, assess_run
from continuum.services.runs import pick_run
from continuum.wire import agents as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from continuum.mcp.calls import Call, Document
    from continuum.services.recovery import Assessed

    Versions = Mapping[str, str | float]


def _validate(
    call: Call, *, run_id: str, env: Versions | None = None, expected_model: str | None = None
) -> Document:
    return wire.validation(_judged(call, run_id, env, expected_model).verdict)


def _resume(
    call: Call,
    *,
    run_id: str | None = None,
    env: Versions | None = None,
    expected_model: str | None = None,
) -> Document:
    try:
        run = pick_run(call.store, run_id or None)
    except NoActiveRun:
        return wire.no_active_run(NO_ACTIVE_RUN)
    call.allow(run.run_id)
    assessed = _judged(call, run.run_id, env, expected_model)
    return wire.resumption(assessed, guidance=self_report_guidance(run.run_id))


def _confirm(
    call: Call,
    *,
    run_id: str,
    expected_model: str | None = None,
    scope: Sequence[str] = CONFIRMABLE,
) -> Document:
    act = Act(by=call.caller["client"], via=call.caller["via"], at=call.at, caller=call.caller)
    question = Question(expected_model=expected_model)
    return wire.confirmation(
        confirm(call.store, run_id, act, scope=scope, question=question).verdict
    )


def _judged(call: Call, run_id: str, env: Versions | None, expected_model: str | None) -> Assessed:
    """The whole chain is walked first: an agent acts on this answer."""
    versions = None if env is None else {name: str(seen) for name, seen in env.items()}
    with call.store.reading():
        question = Question(
            environment=observed_environment(call.store, run_id, versions, at=call.at),
            expected_model=expected_model,
        )
        return assess_run(call.store, run_id, question, at=call.at, audit=True, host=read_host())


VALIDATE = Tool(
    name="continuum_validate",
    title="Validate the state",
    description=prose.VALIDATE,
    right=Right.READ,
    parameters={"run_id": RUN, "env": ENVIRONMENT, "expected_model": EXPECTED_MODEL},
    required=("run_id",),
    answer={
        "run_id": RUN_ID_ANSWER,
        "safe": SAFE_ANSWER,
        "mode": MODE_ANSWER,
        "checkpoint_version": answer("integer", "Version of the newest checkpoint, 0 without one."),
        "reason": answer("string", "What stands in the way, in short."),
        "components": answer("array", "Every part: component, component_id, status, detail."),
        "environment_changes": answer("array", "What moved, as NAME: OLD -> NEW."),
    },
    run=_validate,
    idempotent=True,
)

RESUME = Tool(
    name="continuum_resume",
    title="Ask whether to go on",
    description=prose.RESUME,
    right=Right.READ,
    parameters={
        "run_id": parameter(
            "The run's id; leave it out, or empty, for the open run that was touched last.",
            text(least=0, most=4000),
            example="invoices-2026-11",
            default=None,
        ),
        "env": ENVIRONMENT,
        "expected_model": EXPECTED_MODEL,
    },
    required=(),
    answer={
        "run_id": answer(["string", "null"], "The run; null when none is open."),
        "goal": answer("string", "What the run is for."),
        "mode": MODE_ANSWER,
        "safe": SAFE_ANSWER,
        "message": answer("string", "Only with mode no_active_run: how to start."),
        "next_allowed_action": NEXT_ACTION_ANSWER,
        "human_steps": answer("array", "What people have to do, in order."),
        "rationale": answer("array", "Why this mode."),
        "repairs": answer("array", "Steps in order: action, kind, target, reason, requires_human."),
        "uncertain_actions": answer("array", "Effects that may or may not have happened."),
        "open_claims": answer("array", "Effects that were begun and not settled."),
        "progress": answer("object", "completed, pending, failed, total."),
        "plan": answer("array", "The recorded plan's units, when there is one."),
        "tail_evidence": answer(["string", "null"], "The newest line of a watched file, if any."),
        "informed_retry": answer(["object", "null"], "What earlier attempts came to."),
        "contract": answer("object", "The sealed next step."),
        "contract_text": answer("string", "The contract in words."),
        "report": REPORT_ANSWER,
        "self_report_guidance": answer(
            "string", "Only when nothing but a person's confirmation is missing."
        ),
    },
    run=_resume,
    idempotent=True,
)

CONFIRM = Tool(
    name="continuum_confirm",
    title="Pass on a person's confirmation",
    description=prose.CONFIRM,
    right=Right.CONFIRM,
    parameters={
        "run_id": RUN,
        "expected_model": EXPECTED_MODEL,
        "scope": parameter(
            "Which parts the person checked; both when left out.",
            array({"type": "string", "enum": [*CONFIRMABLE]}, least=1, most=2),
            example=["goal"],
            default=None,
        ),
    },
    required=("run_id",),
    answer={
        "run_id": RUN_ID_ANSWER,
        "mode": MODE_ANSWER,
        "safe": SAFE_ANSWER,
        "next_allowed_action": NEXT_ACTION_ANSWER,
        "report": REPORT_ANSWER,
    },
    run=_confirm,
    idempotent=True,
)

TOOLS = (VALIDATE, RESUME, CONFIRM)
