"""Rules of the verdict that the reference client does not have, one deviation each."""

from __future__ import annotations

import pytest

from continuum.domain.contract import contract_document, verify_contract
from continuum.recovery.facts import ChainFacts, Question
from continuum.recovery.modes import EXIT_OF_MODE, Mode, exit_status_of
from continuum.recovery.verdict import FindingCode, judge, needs_person, permits
from tests.recovery.cases import (
    AGENT_STARTED,
    STARTED,
    Told,
    action,
    agent_progress,
    child,
    confirmed,
    make_facts,
)

BROKEN = ChainFacts(ok=False, broken_at=2, detail="content does not hash to the stored value")
COMPLETED: Told = ("RUN_COMPLETED", "human", {"closed_by": "cli"})
TOO_MANY: Told = ("TASK_UPDATED", "human", {"completed": 9, "total": 5, "pending": 0})
ABORTED: Told = ("RUN_ABORTED", "deterministic", {})


# D-01: the chain is audited


def test_broken_chain_asks_for_a_person_and_exits_as_corrupted():
    verdict = judge(make_facts(STARTED, chain=BROKEN))

    assert (verdict.mode, verdict.safe, verdict.exit_status) == (Mode.REQUEST_HUMAN, False, 3)
    assert verdict.contract.recovery_status == "requires_human"
    assert needs_person(verdict)


def test_broken_chain_is_the_first_finding_and_names_the_event():
    facts = make_facts(AGENT_STARTED, action("unknown"), chain=BROKEN)

    first = judge(facts).findings[0]

    assert (first.code, first.status, first.sequence) == (FindingCode.CHAIN_BROKEN, "broken", 2)
    assert "event 2" in first.text


def test_broken_chain_allows_no_step_but_the_repair_of_its_first_event():
    verdict = judge(make_facts(AGENT_STARTED, action("unknown"), chain=BROKEN))

    assert verdict.contract.required_actions[0] == "repair_log:sequence_2"
    assert permits(verdict, "repair_log:sequence_2")
    assert not permits(verdict, "continue")


def test_break_without_a_place_is_put_behind_what_was_checked():
    shortened = ChainFacts(ok=False, detail="events are missing at the end", checked_through=7)

    verdict = judge(make_facts(STARTED, chain=shortened))

    assert verdict.next_allowed_action == "repair_log:sequence_8"


def test_broken_chain_verifies_nothing():
    contract = judge(make_facts(STARTED, chain=BROKEN)).contract

    assert contract.verified == ()
    assert "chain (invalid)" in contract.invalidated
    assert verify_contract(contract_document(contract))


# D-02: a confirmation covers what a person had seen


def test_self_report_behind_the_confirmation_asks_again():
    verdict = judge(make_facts(AGENT_STARTED, agent_progress(3), confirmed(), agent_progress(9)))

    assert verdict.mode is Mode.REQUEST_HUMAN
    assert verdict.next_allowed_action == "human_review:progress"
    assert [finding.code for finding in verdict.findings] == [FindingCode.PROGRESS_UNCONFIRMED]
    assert verdict.findings[0].sequence == 4
    assert "up to event 3" in verdict.findings[0].text


def test_confirmation_reaches_only_what_its_author_had_seen():
    verdict = judge(
        make_facts(AGENT_STARTED, agent_progress(3), agent_progress(9), confirmed(seen_sequence=2))
    )

    assert verdict.next_allowed_action == "human_review:progress"


def test_confirmation_of_one_part_leaves_the_other():
    verdict = judge(make_facts(AGENT_STARTED, agent_progress(3), confirmed("progress")))

    assert [entry.name for entry in verdict.validation.not_valid] == ["goal"]


def test_agents_cannot_confirm_themselves():
    verdict = judge(make_facts(AGENT_STARTED, confirmed(source="external_agent")))

    assert not verdict.safe


def test_covered_self_reports_resume():
    verdict = judge(make_facts(AGENT_STARTED, agent_progress(3), confirmed()))

    assert (verdict.mode, verdict.safe, verdict.findings) == (Mode.RESUME, True, ())
    assert permits(verdict, "anything")


# D-03: a closed run is not resumed


@pytest.mark.parametrize(("closing", "word"), [(COMPLETED, "completed"), (ABORTED, "aborted")])
def test_closed_run_is_never_safe(closing, word):
    verdict = judge(make_facts(STARTED, closing))

    assert (verdict.mode, verdict.safe, verdict.exit_status) == (Mode.ABORT, False, 30)
    assert verdict.contract.recovery_status == "unsafe"
    assert f"{word} at event 2" in verdict.contract.reason
    assert verdict.findings[0].code is FindingCode.RUN_CLOSED
    assert not permits(verdict, "continue")
    assert not needs_person(verdict)


def test_closed_run_keeps_its_plan_and_needs_a_person_while_an_effect_is_in_doubt():
    verdict = judge(make_facts(STARTED, action("started"), COMPLETED))

    assert verdict.mode is Mode.ABORT
    assert verdict.contract.required_actions == ("reconcile_action:action_1",)
    assert needs_person(verdict)


def test_closed_run_with_a_broken_chain_needs_a_person_and_says_both():
    verdict = judge(make_facts(STARTED, COMPLETED, chain=BROKEN))

    assert (verdict.mode, verdict.exit_status) == (Mode.ABORT, 3)
    assert len(verdict.rationale) == 2
    assert needs_person(verdict)


# D-04: a blocked family blocks on every door


def test_blocked_child_changes_the_presented_verdict_and_the_contract():
    verdict = judge(make_facts(STARTED, children=(child("c-1"),)))

    assert (verdict.own_mode, verdict.mode) == (Mode.RESUME, Mode.REQUEST_HUMAN)
    assert (verdict.safe, verdict.exit_status) == (False, 20)
    assert verdict.contract.recovery_status == "requires_human"
    assert "`c-1`" in verdict.contract.reason
    assert not permits(verdict, "continue")
    assert needs_person(verdict)


def test_blocked_child_is_named_with_its_open_actions():
    verdict = judge(make_facts(STARTED, children=(child("c-1", uncertain_actions=2),)))

    assert len(verdict.family_rationale) == 1
    assert "2 actions with unknown outcome" in verdict.family_rationale[0]
    assert verdict.findings[0].target == "c-1"


def test_child_that_cannot_be_judged_blocks():
    lost = child("c-1", mode="error: unreadable", error="event 3 is unreadable")

    verdict = judge(make_facts(STARTED, children=(lost,)))

    assert not verdict.safe
    assert "event 3 is unreadable" in verdict.family_rationale[0]


def test_child_that_claims_to_be_safe_in_another_mode_blocks():
    odd = child(mode="wait", safe=True, uncertain_actions=0)

    assert not judge(make_facts(STARTED, children=(odd,))).safe


def test_closed_parent_of_a_blocked_child_stays_closed():
    verdict = judge(make_facts(STARTED, COMPLETED, children=(child(),)))

    assert (verdict.mode, verdict.exit_status) == (Mode.ABORT, 30)
    assert verdict.rationale[1:] == verdict.family_rationale


def test_safe_children_change_nothing():
    safe = child(mode="resume", safe=True, uncertain_actions=0)

    assert judge(make_facts(STARTED, children=(safe,))).safe


def test_blocked_child_raises_a_mode_below_a_persons():
    moved = ("DECISION_CREATED", "human", {"decision_id": "d", "decision": "x", "evidence": ["?"]})

    alone = judge(make_facts(STARTED, moved))
    parent = judge(make_facts(STARTED, moved, children=(child(),)))

    assert alone.mode is Mode.REPAIR_AND_RESUME
    assert (parent.own_mode, parent.mode) == (Mode.REPAIR_AND_RESUME, Mode.REQUEST_HUMAN)


def test_family_lines_never_replace_the_runs_own_reasons():
    facts = make_facts(STARTED, action("unknown"))

    alone = judge(facts)
    parent = judge(facts._replace(children=(child(),)))

    assert parent.rationale == (*alone.rationale, *parent.family_rationale)


# D-05: the run row is no second truth


def test_row_that_contradicts_its_log_is_not_safe():
    said = "the row says completed, but no event closed the run"

    verdict = judge(make_facts(STARTED, row_disagreement=said))

    assert (verdict.mode, verdict.exit_status) == (Mode.REQUEST_HUMAN, 20)
    assert verdict.findings[-1].code is FindingCode.ROW_DISAGREES
    assert said in verdict.findings[-1].text
    assert any("continuum verify" in line for line in verdict.human_steps)


# What people read


def test_unresolved_action_is_told_in_words_with_its_event():
    verdict = judge(make_facts(STARTED, action("started", kind="send_email")))

    finding = verdict.findings[0]
    assert finding.text == (
        "`send_email` was started and never settled: it may or may not have happened."
    )
    assert (finding.target, finding.sequence, finding.status) == ("action_1", 2, "started")


def test_findings_come_worst_first():
    facts = make_facts(
        AGENT_STARTED,
        agent_progress(3),
        ("APPROVAL_REQUESTED", "deterministic", {"approval_id": "ap", "subject": "s"}),
        action("unknown"),
        chain=BROKEN,
        children=(child(),),
        row_disagreement="the goal is another one",
    )

    codes = [finding.code for finding in judge(facts).findings]

    assert codes == [
        FindingCode.CHAIN_BROKEN,
        FindingCode.ACTION_UNRESOLVED,
        FindingCode.GOAL_UNCONFIRMED,
        FindingCode.PROGRESS_UNCONFIRMED,
        FindingCode.APPROVAL_MISSING,
        FindingCode.CHILD_BLOCKED,
        FindingCode.ROW_DISAGREES,
    ]


def test_unconfirmed_stretch_names_its_first_and_last_event():
    verdict = judge(make_facts(STARTED, agent_progress(1), agent_progress(2), agent_progress(3)))

    assert (verdict.findings[0].sequence, verdict.findings[0].sequence_to) == (2, 4)


def test_tolerated_doubts_are_no_findings():
    cites_nothing = (
        "DECISION_CREATED",
        "human",
        {
            "decision_id": "d",
            "decision": "x",
            "evidence": ["gone"],
        },
    )

    verdict = judge(make_facts(STARTED, cites_nothing, question=Question(strict=False)))

    assert verdict.safe
    assert verdict.findings == ()
    assert verdict.plan


def test_names_from_agents_stay_on_one_line_and_are_cut():
    kind = "pay\n\n" + "x" * 1000

    verdict = judge(make_facts(STARTED, action("unknown", kind=kind)))

    assert "\n" not in verdict.findings[0].text
    assert len(verdict.findings[0].text) < 400


def test_self_report_alone_is_told_apart_from_anything_wrong():
    assert judge(make_facts(AGENT_STARTED)).self_report_only
    assert not judge(make_facts(AGENT_STARTED, chain=BROKEN)).self_report_only
    assert not judge(make_facts(AGENT_STARTED, COMPLETED)).self_report_only
    assert not judge(make_facts(AGENT_STARTED, children=(child(),))).self_report_only
    assert not judge(make_facts(AGENT_STARTED, row_disagreement="x")).self_report_only
    assert not judge(make_facts(AGENT_STARTED, TOO_MANY)).self_report_only


# Exit statuses


@pytest.mark.parametrize("mode", list(Mode))
def test_every_mode_has_its_exit_status(mode):
    assert exit_status_of(str(mode)) == EXIT_OF_MODE[mode]
    assert (EXIT_OF_MODE[mode] == 0) is (mode is Mode.RESUME)


def test_unclassified_mode_exits_as_blocked():
    assert exit_status_of("something_new") == 30
