"""Recording how the work goes: counts, restore points, thoughts, plans."""

from __future__ import annotations

from continuum.domain.events import Origin
from continuum.mcp.calls import Tool
from continuum.mcp.descriptions import recording as prose
from continuum.mcp.schemas import answer, array, parameter, shape, text, whole
from continuum.mcp.tools.parameters import (
    ENVIRONMENT,
    MAX_COUNT,
    MAX_NEW_RUN_ID,
    MAX_PROSE,
    NEW_RUN,
    PINNING,
    RUN,
    RUN_ID_ANSWER,
)
from continuum.services.callers import Right
from continuum.services.checkpoints import take_checkpoint
from continuum.services.plans import (
    MAX_DEPENDENCIES,
    MAX_ID,
    MAX_TITLE,
    MAX_UNITS,
    PlanWrite,
    contradictions,
    record_plan,
    remaining,
)
from continuum.services.progress import Progress, report_progress
from continuum.services.reasoning import MAX_SUMMARY, Summary, record_summary
from continuum.services.runs import ensure_short_if_new
from continuum.wire import agents as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from continuum.mcp.calls import Call, Document

_DEFAULT_REASON = "asked for by the agent"
_UNIT_STATUSES = ["pending", "working", "done", "blocked"]


def _record_progress(
    call: Call,
    *,
    run_id: str,
    completed: int,
    total: int | None = None,
    goal: str | None = None,
    failed: int = 0,
) -> Document:
    ensure_short_if_new(call.store, run_id, limit=MAX_NEW_RUN_ID)
    counts = Progress(completed, failed, total, goal)
    done = report_progress(call.store, run_id, counts, at=call.at, caller=call.caller)
    return wire.progress(done)


def _checkpoint(
    call: Call,
    *,
    run_id: str,
    reason: str = "",
    env: Mapping[str, str | float] | None = None,
    model_id: str | None = None,
    provider: str | None = None,
) -> Document:
    call.begin(run_id)
    taken = take_checkpoint(
        call.store,
        run_id,
        at=call.at,
        versions={name: str(seen) for name, seen in env.items()} if env else None,
        reason=reason or _DEFAULT_REASON,
        model=model_id,
        provider=provider,
        source=Origin.EXTERNAL_AGENT,
        members=call.members,
    )
    return wire.checkpoint(taken)


def _record_summary(call: Call, *, run_id: str, **parts: Any) -> Document:
    call.begin(run_id)
    recorded = record_summary(
        call.store, run_id, Summary(**parts), at=call.at, members=call.members
    )
    return wire.summary(recorded)


def _record_plan(
    call: Call,
    *,
    run_id: str,
    plan_id: str,
    units: Sequence[Mapping[str, Any]],
    goal: str | None = None,
) -> Document:
    ensure_short_if_new(call.store, run_id, limit=MAX_NEW_RUN_ID)
    write = PlanWrite(plan_id, units, goal)
    recorded = record_plan(call.store, run_id, write, at=call.at, members=call.members)
    return wire.plan(
        recorded, remaining=remaining(recorded.plan), conflicts=contradictions(recorded.plan)
    )


_GOAL = parameter(
    "The task in one or two sentences. Needed to start a run; ignored, not updated, when the run "
    "exists.",
    text(most=MAX_PROSE),
    example="Send the November invoices",
    default=None,
)

RECORD_PROGRESS = Tool(
    name="continuum_record_progress",
    title="Record progress",
    description=prose.PROGRESS,
    right=Right.WRITE,
    parameters={
        "run_id": NEW_RUN,
        "completed": parameter(
            "How many units are finished altogether, as an absolute count.",
            whole(most=MAX_COUNT),
            example=3,
        ),
        "total": parameter(
            "How many units there are: the denominator of completed. Kept from earlier calls when "
            "left out; finished and failed units together may not exceed it.",
            whole(most=MAX_COUNT),
            example=12,
            default=None,
        ),
        "goal": _GOAL,
        "failed": parameter(
            "How many units failed for good altogether, as an absolute count.",
            whole(most=MAX_COUNT),
            example=0,
            default=0,
        ),
    },
    required=("run_id", "completed"),
    answer={
        "run_id": RUN_ID_ANSWER,
        "completed": answer("integer", "Units finished."),
        "pending": answer("integer", "Units left of the total; 0 without a total."),
        "failed": answer("integer", "Units that failed."),
        "total": answer(["integer", "null"], "Units altogether, if known."),
        "source_sequence": answer("integer", "The event that was written."),
        "regressed_from": answer("integer", "Only when completed went down: what it was before."),
    },
    run=_record_progress,
    idempotent=True,
)

CHECKPOINT = Tool(
    name="continuum_checkpoint",
    title="Take a checkpoint",
    description=prose.CHECKPOINT,
    right=Right.WRITE,
    parameters={
        "run_id": RUN,
        "reason": parameter(
            "Why now, for people who read the history.",
            text(least=0, most=MAX_PROSE),
            example="all invoices rendered, before sending",
            default="",
        ),
        "env": ENVIRONMENT,
        "model_id": parameter(
            "The id of the model that does the work: your own.",
            text(most=256),
            example="model-large-2",
            default=None,
        ),
        "provider": parameter(
            "Who provides that model. Kept from earlier when left out.",
            text(most=256),
            example="example-ai",
            default=None,
        ),
    },
    required=("run_id",),
    answer={
        "checkpoint_id": answer("string", "The new checkpoint."),
        "run_id": RUN_ID_ANSWER,
        "version": answer("integer", "State version it holds; equal states share one."),
        "trigger": answer("string", "Always manual here."),
        "integrity_hash": answer("string", "Its seal, 64 hex digits."),
        "model": answer(["string", "null"], "The recorded model."),
        "completed": answer("integer", "Units finished in it."),
        "source_sequence": answer("integer", "The last event it covers."),
    },
    run=_checkpoint,
)

RECORD_SUMMARY = Tool(
    name="continuum_record_summary",
    title="Record a reasoning summary",
    description=prose.SUMMARY,
    right=Right.WRITE,
    parameters={
        "run_id": RUN,
        "plan_stack": parameter(
            "The steps you are in and those that follow, the current one first.",
            array(text(most=MAX_SUMMARY), most=100),
            example=["render invoice 7", "send the batch"],
            default=[],
        ),
        "decisions": parameter(
            "What you decided and why: objects of the texts what and why.",
            array(
                shape(
                    {
                        "what": {**text(most=MAX_SUMMARY), "description": "The decision."},
                        "why": {**text(least=0, most=MAX_SUMMARY), "description": "Its reason."},
                    }
                ),
                most=100,
            ),
            example=[{"what": "skip customer 12", "why": "address is missing"}],
            default=[],
        ),
        "open_questions": parameter(
            "What you do not know yet.",
            array(text(most=MAX_SUMMARY), most=100),
            example=["which template do credit notes use?"],
            default=[],
        ),
        "working_set": parameter(
            "Files and ids you have in use.",
            array(text(most=MAX_SUMMARY), most=200),
            example=["invoices/2026-11.csv"],
            default=[],
        ),
        "note": parameter(
            "Anything else your successor needs.",
            text(least=0, most=MAX_SUMMARY),
            example="the PDF service is slow in the mornings",
            default="",
        ),
        "pinning": PINNING,
    },
    required=("run_id",),
    answer={
        "run_id": RUN_ID_ANSWER,
        "sequence": answer("integer", "The event that was written."),
        "recorded": answer("boolean", "Always true."),
        "bytes": answer("integer", f"Characters of the summary as JSON, of at most {MAX_SUMMARY}."),
    },
    run=_record_summary,
)

_UNIT = shape(
    {
        "id": {**text(most=MAX_ID), "description": "Names the unit within its plan."},
        "title": {
            **text(most=MAX_TITLE),
            "description": "What is to be done; needed when the unit is new.",
        },
        "status": {
            "type": "string",
            "enum": _UNIT_STATUSES,
            "description": "Where it stands; a new unit is pending unless said otherwise.",
        },
        "depends_on": {
            **array(text(most=MAX_ID), most=MAX_DEPENDENCIES),
            "description": "Ids of units of the same plan that come first.",
        },
    },
    required=("id",),
)

RECORD_PLAN = Tool(
    name="continuum_record_plan",
    title="Record a plan",
    description=prose.PLAN,
    right=Right.WRITE,
    parameters={
        "run_id": NEW_RUN,
        "plan_id": parameter(
            "Names the plan within the run; use one per run unless you keep several apart.",
            text(most=MAX_ID),
            example="main",
        ),
        "units": parameter(
            f"The units to add or change, each id once, at most {MAX_UNITS} in a call.",
            array(_UNIT, least=1, most=MAX_UNITS),
            example=[
                {"id": "render", "title": "Render the invoices", "status": "working"},
                {"id": "send", "title": "Send them", "depends_on": ["render"]},
            ],
        ),
        "goal": parameter(
            "The task in one or two sentences, used only when this call starts the run; without "
            "it the run is called after the plan.",
            text(most=MAX_PROSE),
            example="Send the November invoices",
            default=None,
        ),
    },
    required=("run_id", "plan_id", "units"),
    answer={
        "run_id": RUN_ID_ANSWER,
        "plan_id": answer("string", "The plan."),
        "sequence": answer("integer", "The event that was written."),
        "recorded": answer("integer", "Units written by this call."),
        "units": answer("array", "The whole plan: id, title, status, depends_on."),
        "remaining": answer("array", "Ids of units that are not done, dependencies first."),
        "conflicts": answer("array", "Only when the plan contradicts itself: one text each."),
    },
    run=_record_plan,
    idempotent=True,
)

TOOLS = (RECORD_PROGRESS, CHECKPOINT, RECORD_SUMMARY, RECORD_PLAN)
