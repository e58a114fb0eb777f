"""Plans over the service: what is written, and what is refused without a trace."""

from __future__ import annotations

import pytest

from continuum.core.errors import InvalidInput, Refused, TooLarge
from continuum.domain.events import EventType, Origin
from continuum.services.chain import verify_run
from continuum.services.decisions import complete
from continuum.services.plans import MAX_PLANS, PlanWrite, list_plans, record_plan
from tests.services.acting import NOON, by_ada, started


def unit(unit_id, **members):
    return {"id": unit_id, "title": f"Do {unit_id}", **members}


def plan(store, *units, plan_id="p", run_id="run-a", **more):
    return record_plan(store, run_id, PlanWrite(plan_id, units, **more), at=NOON)


def test_a_plan_is_one_event_of_a_type_every_client_knows(store):
    started(store)

    answer = plan(store, unit("b", depends_on=["a"]), unit("a"))

    assert answer.event.type is EventType.TOOL_CALLED
    assert answer.event.source is Origin.EXTERNAL_AGENT
    assert answer.event.payload == {
        "tool": "continuum_record_plan",
        "extension": "PLAN_UPSERT",
        "plan_id": "p",
        "units": [
            {"id": "a", "title": "Do a", "status": "pending", "depends_on": []},
            {"id": "b", "title": "Do b", "status": "pending", "depends_on": ["a"]},
        ],
    }
    assert verify_run(store, "run-a").ok


def test_a_change_of_status_keeps_title_and_dependencies(store):
    started(store)
    plan(store, unit("a"), unit("b", depends_on=["a"]))

    answer = plan(store, {"id": "b", "status": "working"})

    assert answer.plan.units[1] == ("b", "Do b", "working", ("a",))
    assert list_plans(store, "run-a") == [answer.plan]


@pytest.mark.parametrize(("goal", "expected"), [(None, "plan p"), ("Ship it", "Ship it")])
def test_a_plan_starts_the_run_if_need_be(store, goal, expected):
    plan(store, unit("a"), goal=goal)

    assert store.run("run-a").goal == expected
    assert [str(one.type) for one in store.events("run-a")] == ["RUN_STARTED", "TOOL_CALLED"]


@pytest.mark.parametrize(
    "units",
    [
        [],
        [unit("a"), unit("a")],
        [{"id": "a"}],
        [{"id": "a", "title": "  "}],
        [unit("a", status="finished")],
        [unit("a", depends_on=[" "])],
        [{"title": "no id"}],
        [unit("x" * 121)],
        [unit("a", title="x" * 501)],
        [unit("a", depends_on=[f"d{n}" for n in range(51)])],
        [unit(f"u{n}") for n in range(201)],
    ],
    ids=[
        "none", "twice", "new without title", "blank title", "unknown status",
        "blank dependency", "no id", "long id", "long title", "many dependencies", "many units",
    ],
)  # fmt: skip
def test_a_plan_that_says_something_else_is_refused_and_nothing_is_written(store, units):
    with pytest.raises(InvalidInput):
        plan(store, *units)

    assert store.find_run("run-a") is None


def test_the_number_of_plans_is_bounded(store):
    for number in range(MAX_PLANS):
        plan(store, unit("a"), plan_id=f"p{number}")

    with pytest.raises(TooLarge):
        plan(store, unit("a"), plan_id="one more")

    assert len(list_plans(store, "run-a")) == MAX_PLANS


def test_a_closed_run_takes_no_plan(store):
    started(store)
    complete(store, "run-a", by_ada())
    head = store.head("run-a")

    with pytest.raises(Refused, match="completed"):
        plan(store, unit("a"))

    assert store.head("run-a") == head
