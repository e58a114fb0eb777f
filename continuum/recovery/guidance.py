"""Human steps: for each step of the plan, what a person does about it."""

from __future__ import annotations

from continuum.domain.plans import contradictions
from continuum.recovery.family import blocking_children
from continuum.recovery.modes import Mode
from continuum.recovery.plan import StepKind
from continuum.recovery.wording import argument, one_line, quoted, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from continuum.domain.actions import Action
    from continuum.recovery.facts import Facts
    from continuum.recovery.plan import Step

PROBE_REGISTRY = ".continuum/reconcilers.json"
GATE_REGISTRY = ".continuum/gate.json"

SELF_REPORT_NOTE = (
    "Nothing is known to be wrong: the goal, the progress or a plan rests on your own report, and "
    "only a person can confirm it. You may go on working, but check that work reported as done "
    "really is before you skip it."
)
"""For agents, when an unconfirmed self-report is the only thing in the way."""


def human_steps(facts: Facts, plan: tuple[Step, ...], mode: Mode) -> tuple[str, ...]:
    """Return what people have to do, in the order of the plan; empty when nothing."""
    if mode is Mode.RESUME and not plan:
        return ()
    lines = [*_step_lines(facts, plan), *_beyond_the_plan(facts)]
    if not lines and mode is not Mode.RESUME:
        lines.append("No command settles this; look at the findings and decide.")
    if facts.gate_active:
        lines.append(
            f"The gate is active ({GATE_REGISTRY}): claim every new side effect with "
            "continuum_intercept_action before performing it."
        )
    return tuple(lines)


def _step_lines(facts: Facts, plan: tuple[Step, ...]) -> Iterator[str]:
    actions = {action.action_id: action for action in facts.scoped_uncertain}
    contradicting = {f"plan:{plan.plan_id}" for plan in facts.plans if contradictions(plan)}
    for step in plan:
        if step.kind is StepKind.RECONCILE_ACTION:
            yield _reconcile_line(actions[step.target], facts)
        elif step.kind is StepKind.REPAIR_LOG:
            yield (
                f"Run `continuum verify {argument(facts.run_id)}` and look at event "
                f"{step.target.removeprefix('sequence_')}: {sentence(step.reason)} "
                "No command repairs a log; an operator has to decide."
            )
        elif step.kind is StepKind.HUMAN_REVIEW and step.target in contradicting:
            yield (
                f"Have {quoted(step.target)} recorded again so that it can be followed: "
                f"{sentence(step.reason)} No confirmation settles that."
            )
        elif step.kind in _LINES:
            yield _LINES[step.kind].format(
                target=quoted(step.target),
                argument=argument(step.target),
                run=argument(facts.run_id),
            )


_LINES = {
    StepKind.HUMAN_REVIEW: "Check {target} yourself, then run `continuum confirm {run}`.",
    StepKind.REVALIDATE_DEPENDENCY: (
        "Find out the real version of {target}, then run `continuum resume {run} "
        "--env {argument}=VERSION`."
    ),
    StepKind.REDERIVE_EVIDENCE: "Derive {target} from its source again, then assess again.",
    StepKind.REDERIVE_FINDING: "Derive {target} from its evidence again, then assess again.",
    StepKind.RENEW_APPROVAL: "Get a fresh approval for {target} and record it.",
    StepKind.REVALIDATE_MODEL_STATE: (
        "Decide which model resumes, then run `continuum resume {run} --model NAME`."
    ),
}


def _reconcile_line(action: Action, facts: Facts) -> str:
    name, run = quoted(action.action_type), one_line(facts.run_id)
    if action.action_type in facts.probes:
        command = f"continuum reconcile {argument(facts.run_id)}"
        return f"Run `{command}`: the probe for {name} can tell what happened."
    receipt = f" (receipt {quoted(action.external_id)})" if action.external_id else ""
    return (
        f"Find out whether {name}{receipt} happened, then call continuum_reconcile_action with "
        f"run_id={run}, action_key={one_line(action.action_id)} and occurred=true or false. "
        f"{PROBE_REGISTRY} has no probe for it."
    )


def _beyond_the_plan(facts: Facts) -> Iterator[str]:
    """What the interchange format has no step kind for."""
    run = argument(facts.run_id)
    for child in blocking_children(facts.children):
        yield f"Settle the child first: `continuum resume {argument(child.run_id)}` says why."
    if facts.row_disagreement:
        yield f"Run `continuum verify {run}` and find out who changed the run's row."
    if facts.closed:
        yield (
            f"The run is {facts.closed.status}; to carry on, start a fork of it: "
            f"`continuum fork {run} --reason TEXT`."
        )
