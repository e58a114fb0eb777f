"""The plan: each step once, in the order in which it is to be done."""

from __future__ import annotations

from continuum.recovery.facts import ChainFacts, Question
from continuum.recovery.plan import make_plan
from continuum.recovery.validation import validate
from tests.recovery.cases import AGENT_STARTED, STARTED, action, make_facts

TOO_MANY = ("TASK_UPDATED", "human", {"completed": 9, "total": 5, "pending": 0})


def steps_of(*told, **overrides):
    facts = make_facts(*told, **overrides)
    return make_plan(facts, validate(facts))


def test_steps_are_sorted_by_kind_and_then_by_target():
    asked = ("APPROVAL_REQUESTED", "human", {"approval_id": "ap", "subject": "s"})

    plan = steps_of(
        AGENT_STARTED, asked, action("unknown", action_id="b"), action("unknown", action_id="a")
    )

    assert [step.id for step in plan] == [
        "reconcile_action:a",
        "reconcile_action:b",
        "human_review:goal",
        "renew_approval:ap",
    ]


def test_break_and_unfoldable_event_at_one_place_are_one_step():
    plan = steps_of(STARTED, TOO_MANY, chain=ChainFacts(ok=False, broken_at=2, detail="edited"))

    assert [step.id for step in plan] == ["repair_log:sequence_2"]
    assert "chain" in plan[0].reason


def test_repairs_of_the_log_always_need_a_person():
    lenient = Question(strict=False)

    plan = steps_of(STARTED, TOO_MANY, question=lenient, chain=ChainFacts(ok=False, broken_at=1))

    assert [step.target for step in plan] == ["sequence_1", "sequence_2"]
    assert all(step.requires_human and step.blocking for step in plan)


def test_lenient_question_leaves_only_escalated_actions_to_people():
    told = [STARTED, action("unknown", action_id="a"), action("requires_review", action_id="b")]

    plan = steps_of(*told, question=Question(strict=False))

    assert [(step.target, step.requires_human) for step in plan] == [("a", False), ("b", True)]
