"""Plans in the verdict: reviewed like other reports, stopped where they contradict themselves."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.core.clock import body_time
from continuum.domain.leases import lease_of
from continuum.recovery.modes import Mode
from continuum.recovery.verdict import FindingCode, judge
from tests.recovery.cases import (
    AGENT_STARTED,
    NOON,
    STARTED,
    action,
    agent_progress,
    confirmed,
    make_facts,
    planned,
    unit,
)


def test_a_plan_an_agent_reported_waits_for_review():
    verdict = judge(make_facts(STARTED, planned(unit("a", status="done"), unit("b", "a"))))

    assert verdict.mode is Mode.REQUEST_HUMAN
    assert [one.code for one in verdict.findings] == [FindingCode.PLAN_UNCONFIRMED]
    assert verdict.findings[0].sequence == 2
    assert "1 of 2 units done" in verdict.findings[0].text
    assert verdict.next_allowed_action == "human_review:plan:main"
    assert verdict.self_report_only


def test_confirming_the_progress_covers_the_plan_as_it_was_then():
    told = [AGENT_STARTED, planned(unit("a"), unit("b", "a")), agent_progress(1), confirmed()]

    assert judge(make_facts(*told)).safe
    later = judge(make_facts(*told, planned(unit("a", status="done"))))
    assert [one.code for one in later.findings] == [FindingCode.PLAN_UNCONFIRMED]
    assert judge(make_facts(STARTED, told[1], confirmed("progress"))).safe
    assert not judge(make_facts(STARTED, told[1], confirmed("goal"))).safe


@pytest.mark.parametrize(
    "units",
    [(unit("a", "nowhere"),), (unit("a", "b"), unit("b", "a")), (unit("a", "a"),)],
    ids=["unknown dependency", "cycle", "waits for itself"],
)
def test_a_plan_that_contradicts_itself_is_conflicted_whoever_confirms_it(units):
    verdict = judge(make_facts(STARTED, planned(*units), confirmed()))

    assert verdict.mode is Mode.REQUEST_HUMAN
    (entry,) = [one for one in verdict.validation.entries if one.component == "plan"]
    assert (entry.name, entry.status) == ("plan:main", "conflicted")
    assert [one.code for one in verdict.findings] == [FindingCode.PLAN_CONTRADICTS_ITSELF]
    assert not verdict.self_report_only
    assert "recorded again" in verdict.human_steps[0]


def test_a_plan_that_was_put_right_and_confirmed_is_no_obstacle():
    wrong, right = planned(unit("a", "b"), unit("b", "a")), planned(unit("a"))

    assert judge(make_facts(STARTED, wrong, right, confirmed())).safe


def test_every_plan_of_a_run_counts():
    first, second = planned(unit("a")), planned(unit("a", "b"), plan_id="goal")

    verdict = judge(make_facts(STARTED, first, second))

    assert [step.id for step in verdict.plan] == [
        "human_review:plan:goal",
        "human_review:plan:main",
    ]


def test_a_plan_of_a_trusted_source_is_checked_and_not_reviewed():
    assert judge(make_facts(STARTED, planned(unit("a"), source="human"))).safe
    assert not judge(make_facts(STARTED, planned(unit("a", "a"), source="human"))).safe


def test_a_live_claim_is_told_as_work_in_progress_and_still_stops_the_run():
    kind, source, payload = action("started")
    lease = {"client": "probe", "connection": "c", "until": body_time(NOON + timedelta(minutes=1))}
    # The log of these tests is months older than the lease, which nobody gives out that long.
    facts = make_facts(STARTED, (kind, source, {**payload, "lease": lease}))
    assert facts.leases == {}

    held = judge(facts._replace(leases={"action_1": _lease(lease)}))

    assert held.mode is judge(facts).mode is Mode.REQUEST_HUMAN
    assert "is being performed by" in held.findings[0].text
    assert "never settled" in judge(facts).findings[0].text


def _lease(member):
    return lease_of({"lease": member})
