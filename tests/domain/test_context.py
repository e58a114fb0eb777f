"""The recovery context text."""

from __future__ import annotations

import pytest

from continuum.domain.context import estimate_tokens, recovery_context
from continuum.domain.projection import project
from tests.domain.logs import RUN, START, make_events
from tests.vectors import load_vectors

CASES = load_vectors("context")["cases"]
STATES = {
    f"projection case '{case['name']}'": case.get("state")
    for case in load_vectors("projection")["cases"]
}


@pytest.mark.parametrize("case", CASES)
def test_a_context_is_that_of_the_vector(case):
    context = recovery_context(STATES[case["state"]], **case["options"])

    assert context.text == case["text"]
    assert context.estimated_tokens == case["estimated_tokens"]
    assert list(context.dropped) == case["dropped"]
    assert context.truncated == case["truncated"]


def test_a_section_shows_ten_items_and_counts_the_rest():
    tasks = [("WORK_ADDED", {"task_id": f"t{i:02}", "description": "x"}) for i in range(12)]
    state = project(RUN, make_events(START, *tasks))

    text = recovery_context(state).text

    assert "  t09: x\n  … and 2 more" in text
    assert "t10" not in text


def test_goal_progress_and_warnings_survive_any_budget():
    entries = (
        ("DECISION_CREATED", {"decision_id": "d", "decision": "x"}),
        ("DECISION_INVALIDATED", {"decision_id": "d", "status": "conflicted"}),
        ("WORK_ADDED", {"task_id": "t", "description": "y"}),
    )
    state = project(RUN, make_events(START, *entries))

    context = recovery_context(state, token_budget=0)

    assert "[conflicted] decision d: x" in context.text
    assert context.dropped == ("PENDING TASKS",)


def test_lost_approvals_and_dependencies_are_warned_of():
    state = project(
        RUN,
        make_events(
            START,
            ("DEPENDENCY_DECLARED", {"resource": "api"}),
            ("APPROVAL_REVOKED", {"approval_id": "a", "subject": "pay"}),
        ),
    )
    state["external_dependencies"] = [{**state["external_dependencies"][0], "status": "stale"}]

    text = recovery_context(state).text

    assert "[stale] dependency api" in text
    assert "[revoked] approval a: pay" in text
    assert "EXTERNAL DEPENDENCIES" not in text


@pytest.mark.parametrize(("length", "tokens"), [(0, 0), (1, 1), (6, 2), (10, 2), (14, 4), (40, 10)])
def test_tokens_are_a_quarter_of_the_characters_rounded_half_to_even(length, tokens):
    assert estimate_tokens("x" * length) == tokens
