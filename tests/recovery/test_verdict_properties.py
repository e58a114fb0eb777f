"""What holds for every verdict, whatever comes together."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from continuum.domain.actions import UNRESOLVED, action_from_record
from continuum.domain.contract import contract_document, verify_contract
from continuum.domain.projection import ProjectionFailure
from continuum.recovery.facts import ChainFacts, Closed, Confirmations, Question
from continuum.recovery.modes import CAUTION, EXIT_OF_MODE, STATUS_OF_MODE
from continuum.recovery.verdict import judge
from tests.recovery.cases import RUN, STARTED, child, make_facts

if TYPE_CHECKING:
    from collections.abc import Callable

    from continuum.recovery.facts import Facts

SOUND = make_facts(STARTED)

PROBLEMS: dict[str, Callable[[Facts], Facts]] = {
    "chain": lambda facts: facts._replace(chain=ChainFacts(ok=False, broken_at=2, detail="x")),
    "completed": lambda facts: facts._replace(closed=Closed("completed", 5)),
    "row": lambda facts: facts._replace(row_disagreement="row and log differ"),
    "child": lambda facts: facts._replace(children=(*facts.children, child())),
    "fold": lambda facts: facts._replace(
        projection_failure=ProjectionFailure(4, "TASK_UPDATED", "too many")
    ),
    "started": lambda facts: with_action(facts, "started"),
    "unknown": lambda facts: with_action(facts, "unknown"),
    "escalated": lambda facts: with_action(facts, "requires_review"),
    "agent goal": lambda facts: with_self_report(facts, "goal"),
    "agent progress": lambda facts: with_self_report(facts, "progress"),
    "approval": lambda facts: with_state(facts, approvals=[revoked_approval()]),
    "assumptions": lambda facts: with_state(facts, model=model_with_assumption()),
}
TOLERATED_WHEN_LENIENT = frozenset({"assumptions"})


def with_state(facts: Facts, **members: Any) -> Facts:
    state: Any = {**facts.state, **members}
    return facts._replace(state=state)


def with_action(facts: Facts, status: str) -> Facts:
    record = {"action_id": f"a-{status}", "run_id": RUN, "action_type": "pay", "status": status}
    return facts._replace(uncertain=(*facts.uncertain, action_from_record(record)))


def with_self_report(facts: Facts, component: str, *, sequence: int = 3) -> Facts:
    part = dict(facts.state)[component]
    assert isinstance(part, dict)
    provenance = {**part["provenance"], "origin": "external_agent", "source_sequence": sequence}
    return with_state(facts, **{component: {**part, "provenance": provenance}})


def revoked_approval() -> dict[str, Any]:
    times = {"granted_at": None, "granted_by": None, "expires_at": None, "reason": None}
    return {"approval_id": "ap", "subject": "s", "status": "revoked", **times}


def model_with_assumption() -> dict[str, Any]:
    assumption = {"item_id": "m", "description": "d", "required_validation": "v"}
    named = {"model": "m-1", "provider": None, "fingerprint": None}
    return {**named, "model_specific_state": [assumption]}


def with_problems(names: frozenset[str], *, strict: bool = True) -> Facts:
    facts = SOUND._replace(question=Question(strict=strict))
    for name in sorted(names):
        facts = PROBLEMS[name](facts)
    return facts


some_problems = st.frozensets(st.sampled_from(sorted(PROBLEMS)))


@given(names=some_problems, strict=st.booleans())
def test_no_verdict_with_a_problem_is_safe(names, strict):
    verdict = judge(with_problems(names, strict=strict))

    counted = names if strict else names - TOLERATED_WHEN_LENIENT
    assert verdict.safe is (not counted)
    assert bool(verdict.findings) is bool(counted)


@given(names=some_problems, more=st.sampled_from(sorted(PROBLEMS)), strict=st.booleans())
def test_one_more_problem_never_makes_a_verdict_less_careful(names, more, strict):
    before = judge(with_problems(names, strict=strict))
    after = judge(with_problems(names | {more}, strict=strict))

    assert CAUTION[after.mode] >= CAUTION[before.mode]
    assert CAUTION[after.own_mode] >= CAUTION[before.own_mode]
    assert {one.code for one in before.findings} <= {one.code for one in after.findings}


@given(names=some_problems)
def test_a_lenient_question_is_never_answered_more_carefully(names):
    strict, lenient = judge(with_problems(names)), judge(with_problems(names, strict=False))

    assert CAUTION[lenient.mode] <= CAUTION[strict.mode]


@given(names=some_problems, strict=st.booleans())
def test_mode_exit_status_and_contract_tell_one_story(names, strict):
    verdict = judge(with_problems(names, strict=strict))

    assert (verdict.exit_status == 0) is verdict.safe
    assert verdict.exit_status == (EXIT_OF_MODE[verdict.mode] if verdict.chain.ok else 3)
    assert verdict.contract.recovery_status is STATUS_OF_MODE[verdict.mode]
    assert verdict.contract.required_actions == tuple(step.id for step in verdict.plan)
    assert verdict.contract.next_allowed_action == verdict.next_allowed_action
    assert verify_contract(json.loads(json.dumps(contract_document(verdict.contract))))


@given(names=some_problems)
def test_judging_changes_nothing_and_repeats_itself(names):
    facts = with_problems(names)
    before = json.dumps(facts.state)

    assert judge(facts) == judge(facts)
    assert json.dumps(facts.state) == before


@given(
    component=st.sampled_from(["goal", "progress"]),
    reported=st.integers(1, 50),
    covered=st.integers(0, 50),
)
def test_a_confirmation_covers_self_reports_up_to_itself_and_no_further(
    component, reported, covered
):
    facts = with_self_report(SOUND, component, sequence=reported)
    facts = facts._replace(confirmations=Confirmations(**{component: covered}))

    assert judge(facts).safe is (reported <= covered)


def test_unresolved_statuses_are_the_ones_tried_here():
    assert {"started", "unknown", "requires_review"} == UNRESOLVED


def test_every_pair_of_problems_adds_up():
    """Small enough to try all of it: nothing is left to chance here."""
    for one, other in combinations(sorted(PROBLEMS), 2):
        alone = [judge(with_problems(frozenset({name}))) for name in (one, other)]
        both = judge(with_problems(frozenset({one, other})))

        assert CAUTION[both.mode] == max(CAUTION[verdict.mode] for verdict in alone)
        assert {finding.code for finding in both.findings} == {
            finding.code for verdict in alone for finding in verdict.findings
        }
