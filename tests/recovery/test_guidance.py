"""What people are told to do."""

from __future__ import annotations

from continuum.recovery.facts import Question
from continuum.recovery.guidance import human_steps
from continuum.recovery.modes import Mode
from continuum.recovery.plan import Step, StepKind
from continuum.recovery.verdict import judge
from tests.recovery.cases import AGENT_STARTED, RUN, STARTED, action, child, make_facts

CITES_NOTHING = (
    "DECISION_CREATED",
    "human",
    {"decision_id": "d", "decision": "x", "evidence": ["gone"]},
)


def test_nothing_is_asked_for_a_clean_run_even_beside_a_gate():
    assert judge(make_facts(STARTED, gate_active=True)).human_steps == ()


def test_action_without_a_probe_names_the_call_that_settles_it():
    [line] = judge(make_facts(STARTED, action("unknown", external_id="P-9"))).human_steps

    assert "`pay` (receipt `P-9`)" in line
    assert f"run_id={RUN}, action_key=action_1 and occurred=true or false" in line
    assert ".continuum/reconcilers.json" in line


def test_action_with_a_probe_names_the_command():
    facts = make_facts(STARTED, action("unknown"), probes=frozenset({"pay"}))

    [line] = judge(facts).human_steps

    assert f"`continuum reconcile {RUN}`" in line


def test_gate_is_named_last_also_for_a_tolerated_plan():
    lenient = Question(strict=False)

    verdict = judge(make_facts(STARTED, CITES_NOTHING, question=lenient, gate_active=True))

    assert verdict.safe
    assert len(verdict.human_steps) == 2
    assert ".continuum/gate.json" in verdict.human_steps[-1]


def test_review_names_the_command_that_confirms():
    [line] = judge(make_facts(AGENT_STARTED)).human_steps

    assert line == f"Check `goal` yourself, then run `continuum confirm {RUN}`."


def test_blocked_child_is_to_be_settled_first():
    [line] = judge(make_facts(STARTED, children=(child("it's"),))).human_steps

    assert """`continuum resume 'it'"'"'s'`""" in line


def test_closed_run_points_to_a_fork():
    [line] = judge(make_facts(STARTED, ("RUN_COMPLETED", "human", {}))).human_steps

    assert f"`continuum fork {RUN} --reason TEXT`" in line


def test_plan_without_any_command_says_so():
    plan = (Step(StepKind.REVIEW_DECISION, "d-1", "rests on what is no longer current"),)

    [line] = human_steps(make_facts(STARTED), plan, Mode.REPAIR_AND_RESUME)

    assert line == "No command settles this; look at the findings and decide."


def test_stretch_the_log_does_not_fold_is_for_an_operator():
    too_many = ("TASK_UPDATED", "human", {"completed": 9, "total": 5, "pending": 0})

    [line] = judge(make_facts(STARTED, too_many)).human_steps

    assert line.startswith(f"Run `continuum verify {RUN}` and look at event 2: ")
