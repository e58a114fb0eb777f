"""Plans folded from events: what is kept, in which order, and what contradicts itself."""

from __future__ import annotations

import pytest

from continuum.domain.events import event_from_row
from continuum.domain.plans import contradictions, fold_upsert, is_upsert, remaining
from continuum.domain.runfacts import RunFacts
from tests.domain.logs import RUN, START, make_rows


def upsert(*units, plan_id="p", **more):
    payload = {"tool": "t", "extension": "PLAN_UPSERT", "plan_id": plan_id, "units": [*units]}
    return ("TOOL_CALLED", payload | more, "external_agent")


def events(*entries):
    return [event_from_row(row) for row in make_rows(START, *entries)]


def folded(*upserts):
    plan = None
    for event in events(*upserts)[1:]:
        plan = fold_upsert(plan, event)
    return plan


def unit(unit_id, *depends_on, status="pending", title="Do it"):
    return {"id": unit_id, "title": title, "status": status, "depends_on": [*depends_on]}


def plan(*units):
    return folded(upsert(*units))


def test_the_newest_write_of_a_unit_wins_and_the_others_stay():
    after = folded(upsert(unit("a"), unit("b", "a")), upsert({"id": "a", "status": "done"}))

    assert [(one.id, one.title, one.status) for one in after.units] == [
        ("a", "Do it", "done"),
        ("b", "Do it", "pending"),
    ]
    assert after.units[1].depends_on == ("a",)
    assert after.sequence == 3


@pytest.mark.parametrize(
    "broken",
    [
        None,
        {},
        {"id": ""},
        {"id": 3, "title": "x"},
        {"id": "a", "title": "x", "status": "later"},
        {"id": "a", "title": 7},
        {"id": "a", "title": "x", "depends_on": "b"},
        {"id": "a", "title": "x", "depends_on": [1]},
        {"id": "a", "title": "x", "status": ["done"]},
    ],
)
def test_a_unit_that_cannot_be_read_is_skipped(broken):
    assert [one.id for one in plan(broken, unit("b")).units] == ["b"]


@pytest.mark.parametrize(
    "payload",
    [{"extension": "OTHER"}, {"plan_id": 3}, {"units": {}}, {"units": None}],
)
def test_other_calls_of_tools_carry_no_plan(payload):
    assert is_upsert(events(upsert(unit("a")))[-1])
    assert not is_upsert(events(upsert(unit("a"), **payload))[-1])


def test_what_remains_stands_behind_what_it_waits_for():
    whole = plan(unit("c", "b"), unit("b", "a"), unit("a"), unit("d", status="done"))

    assert remaining(whole) == ["a", "b", "c"]
    assert contradictions(whole) == []


def test_a_plan_that_contradicts_itself_is_kept_and_says_how():
    whole = plan(unit("a", "b"), unit("b", "a"), unit("c", "missing"), unit("d", "d"))

    assert remaining(whole) == ["c", "a", "b", "d"]
    assert contradictions(whole) == [
        "unit 'c' waits for 'missing', which the plan does not have",
        "units 'a', 'b', 'd' wait for each other",
    ]


def test_facts_keep_plans_over_a_snapshot():
    log = events(
        upsert(unit("a")),
        upsert(unit("x"), plan_id="q"),
        upsert({"id": "a", "status": "working"}),
    )
    facts = RunFacts(RUN).apply_all(log[:3])

    restored = RunFacts.restore(RUN, facts.snapshot())
    assert restored is not None
    restored.apply(log[3])

    assert list(restored.plans) == ["p", "q"]
    assert restored.plans["p"].units[0].status == "working"
    assert restored.plans["q"] == facts.plans["q"]
