"""What is refused says so, says what to do next, and leaves no trace."""

from __future__ import annotations

import pytest

from continuum.domain.events import Draft, EventType, Origin
from continuum.domain.runs import Run, RunStatus
from continuum.services.actions import escalate_action
from continuum.services.acts import Act
from continuum.services.decisions import complete
from continuum.services.foureyes import actions_of, require_two
from tests.conftest import NOON
from tests.mcp.talking import ARGUMENTS, READING, WRITING, Caller, written

STARTING = ("continuum_record_progress", "continuum_record_plan")
"""Tools that start a run which is not there."""


@pytest.fixture
def agent(store):
    return Caller(store)


def begun(agent, key="k"):
    """Start a run and claim an action in it; return its key."""
    agent.data("record_progress", run_id="run-a", completed=0, total=3, goal="demo")
    claimed = agent.data("intercept_action", run_id="run-a", action_type="pay", key=key)
    action_key: str = claimed["action_key"]
    return action_key


@pytest.mark.parametrize("tool", [one for one in [*READING, *WRITING] if one not in STARTING])
def test_every_tool_names_an_unknown_run_and_what_to_do(store, agent, tool):
    answer = agent.call(tool, {"run_id": "ghost", **ARGUMENTS[tool]})

    assert answer.refusal is not None
    assert answer.refusal.code == "run_not_found"
    assert "ghost" in answer.text and "continuum_record_progress" in answer.text
    assert written(store) == []


def test_progress_of_an_unknown_run_needs_a_goal(store, agent):
    refusal = agent.refusal("record_progress", run_id="ghost", completed=1)

    assert refusal["code"] == "not_found"
    assert "goal" in refusal["text"]
    assert written(store) == []


def test_an_unknown_tool_is_answered_with_those_there_are(agent):
    refusal = agent.refusal("nothing")

    assert refusal["code"] == "unknown_tool"
    assert "continuum_resume" in refusal["text"]


@pytest.mark.parametrize(
    "counts",
    [
        {"completed": 99},
        {"completed": 2, "failed": 2, "total": 3},
        {"completed": 2, "total": 1},
        {"completed": True},
        {"completed": "3"},
        {"completed": 3.5},
        {"completed": -5},
        {"completed": 2**70},
    ],
)
def test_o10_impossible_counters_write_nothing(store, agent, counts):
    agent.data("record_progress", run_id="run-a", completed=1, total=6, goal="demo")
    before = written(store)

    known = agent.refusal("record_progress", run_id="run-a", **counts)
    fresh = agent.call(
        "continuum_record_progress", {"run_id": "new", "goal": "demo", "total": 6, **counts}
    )

    assert known["code"] == "invalid_input"
    assert fresh.refusal is not None or counts == {"completed": 99}
    assert written(store)[-1] == before[-1]
    assert agent.data("record_progress", run_id="run-a", completed=2)["source_sequence"] == 3


def test_a_lower_count_is_taken_and_said(agent):
    agent.data("record_progress", run_id="run-a", completed=3, total=6, goal="demo")

    answer = agent.data("record_progress", run_id="run-a", completed=2)

    assert answer["regressed_from"] == 3


@pytest.mark.parametrize("run_id", ["", "  ", " r", "a\nb", "x" * 201])
def test_a_new_run_needs_an_id_that_can_be_typed(store, agent, run_id):
    refusal = agent.refusal("record_progress", run_id=run_id, completed=0, goal="demo")

    assert refusal["code"] in ("invalid_input", "too_large")
    assert written(store) == []


def test_settling_needs_evidence(store, agent):
    key = begun(agent)
    before = written(store)

    refusal = agent.refusal("reconcile_action", run_id="run-a", action_key=key, occurred=False)
    blank = agent.refusal(
        "reconcile_action", run_id="run-a", action_key=key, occurred=True, note="  "
    )

    assert (refusal["field"], blank["field"]) == ("note", "note")
    assert written(store) == before
    done = agent.data(
        "reconcile_action", run_id="run-a", action_key=key, occurred=False, note="not there"
    )
    assert (done["previous_status"], done["status"]) == ("started", "failed")


def test_a_completed_action_does_not_fail_any_more(store, agent):
    key = begun(agent)
    agent.data("complete_action", run_id="run-a", action_key=key, external_id="x-1")
    before = written(store)

    refusal = agent.refusal(
        "fail_action", run_id="run-a", action_key=key, error="late", certain=True
    )

    assert refusal["code"] == "already_decided"
    assert "continuum_reconcile_action" in refusal["next"]
    assert written(store) == before
    overturned = agent.data(
        "reconcile_action", run_id="run-a", action_key=key, occurred=False, note="bounced"
    )
    assert (overturned["previous_status"], overturned["external_id"]) == ("completed", None)


def test_an_uncertain_failure_is_repeated_but_not_made_certain(store, agent):
    key = begun(agent)
    failure = {"run_id": "run-a", "action_key": key, "error": "timeout"}
    first = agent.data("fail_action", **failure)
    before = written(store)

    assert agent.data("fail_action", **failure) == first
    assert agent.refusal("fail_action", **failure, certain=True)["code"] == "outcome_unknown"

    assert written(store) == before


def test_compensation_is_for_what_was_done_and_is_written_once(store, agent):
    key = begun(agent)
    undone = {"run_id": "run-a", "action_key": key, "note": "refunded", "by": "ada"}
    assert agent.refusal("compensate_action", **undone)["code"] == "refused"
    agent.data("complete_action", run_id="run-a", action_key=key, external_id="x-1")

    first = agent.data("compensate_action", **undone)
    before = written(store)

    assert first["status"] == "compensated"
    assert first["compensated_by"] == ["ada"]
    assert agent.data("compensate_action", **undone) == first
    assert written(store) == before
    again = agent.data("intercept_action", run_id="run-a", action_type="pay", key="k")
    assert (again["proceed"], again["attempt"]) == (True, 2)


def test_a_closed_run_takes_no_work_but_is_still_settled(store, agent):
    key = begun(agent)
    act = Act(by="ada", via="test", at=NOON, reason="done")
    complete(store, "run-a", act, over_open_items=True)
    before = written(store)

    for tool in ("record_progress", "record_plan", "record_summary", "intercept_action"):
        arguments = {"run_id": "run-a", **ARGUMENTS[f"continuum_{tool}"]}
        refusal = agent.refusal(tool, **arguments)
        assert refusal["code"] == "refused"
        assert "completed" in refusal["text"]

    assert written(store) == before
    settled = agent.data(
        "reconcile_action", run_id="run-a", action_key=key, occurred=True, note="seen"
    )
    assert settled["status"] == "completed"


def test_an_action_under_review_is_not_completed_but_settled(store, agent):
    key = begun(agent)
    escalate_action(store, "run-a", key, reason="odd", at=NOON)

    refusal = agent.refusal("complete_action", run_id="run-a", action_key=key)

    assert refusal["code"] == "outcome_unknown"


def test_a_key_stands_for_one_call(store, agent):
    begun(agent)
    agent.data(
        "intercept_action", run_id="run-a", action_type="pay", key="p", arguments={"amount": 1}
    )
    before = written(store)

    refusal = agent.refusal(
        "intercept_action", run_id="run-a", action_type="pay", key="p", arguments={"amount": 5}
    )

    assert refusal["code"] == "key_reused"
    assert written(store) == before


def test_a_fault_is_opaque_and_has_an_id_that_is_in_the_log(agent, monkeypatch, caplog):
    broken = Caller(agent._door._store)
    monkeypatch.setattr(type(agent._door._store), "find_run", None)

    refusal = broken.refusal("list_actions", run_id="run-a")

    assert refusal["code"] == "internal_error"
    assert "NoneType" not in refusal["text"]
    fault_id = next(word for word in refusal["text"].split() if word.startswith("fault_"))
    assert fault_id.rstrip(".") in caplog.text


def test_pages_of_actions_go_on_where_they_ended(agent):
    for number in range(5):
        begun(agent, f"k{number}")

    first = agent.data("list_actions", run_id="run-a", limit=2)
    second = agent.data("list_actions", run_id="run-a", limit=2, after=first["next"])
    third = agent.data("list_actions", run_id="run-a", limit=2, after=second["next"])

    rows = [*first["actions"], *second["actions"], *third["actions"]]
    assert len({row["action_key"] for row in rows}) == 5
    assert "next" not in third
    assert first["unresolved"] == 5
    assert {row["attempts"] for row in rows} == {1}
    assert agent.data("list_actions", run_id="run-a", status=["completed"])["actions"] == []
    assert (
        agent.refusal("list_actions", run_id="run-a", after="ghost")["code"] == "action_not_found"
    )


def test_what_an_effect_consumed_stands_beside_the_action(store, agent):
    key = begun(agent)
    consumed = {"checkpoint_seq": 1, "event_positions": [2]}

    agent.data("complete_action", run_id="run-a", action_key=key, consumed_inputs=consumed)

    payload = list(store.events("run-a"))[-1].payload
    assert payload["consumed_inputs"] == consumed
    assert "consumed_inputs" not in payload["action"]


@pytest.mark.parametrize(
    "tool", ["record_progress", "checkpoint", "record_summary", "record_plan", "intercept_action"]
)
def test_a_run_with_a_row_and_no_event_gets_its_start_on_first_use(store, agent, tool):
    with store.writing() as writer:
        writer.insert_run(Run("run-a", "From the row", RunStatus.STARTED, "", "", {}, None))

    agent.data(tool, run_id="run-a", **ARGUMENTS[f"continuum_{tool}"])

    first = next(iter(store.events("run-a")))
    assert (str(first.type), first.payload["goal"]) == ("RUN_STARTED", "From the row")
    assert first.payload["caller"]["client"] == "probe"


@pytest.mark.parametrize(
    "tool", ["record_progress", "checkpoint", "record_summary", "record_plan", "intercept_action"]
)
def test_a_log_that_begins_with_anything_else_is_not_repaired(store, agent, tool):
    with store.writing() as writer:
        writer.insert_run(Run("run-a", "g", RunStatus.STARTED, "", "", {}, None))
        draft = Draft(EventType.TOOL_CALLED, {}, Origin.EXTERNAL_AGENT, NOON)
        writer.append("run-a", [draft])
    before = written(store)

    refusal = agent.refusal(tool, run_id="run-a", **ARGUMENTS[f"continuum_{tool}"])

    assert refusal["code"] in ("conflict", "invalid_input")
    assert written(store) == before


@pytest.mark.parametrize("tool", ["reconcile_action", "compensate_action"])
def test_what_takes_two_people_is_left_to_them(store, agent, tool):
    key = begun(agent)
    if tool == "compensate_action":
        agent.data("complete_action", run_id="run-a", action_key=key, external_id="tx-1")
    require_two(store, actions_of("pay"), Act("ada", "test", NOON, reason="money"))
    before = written(store)
    settlement = {"occurred": True, "note": "seen"} if tool == "reconcile_action" else {}

    refusal = agent.refusal(tool, run_id="run-a", action_key=key, **settlement)

    assert refusal["code"] == "second_person_needed"
    assert "two people" in refusal["text"]
    assert refusal["next"].startswith("Nothing was recorded; leave it to the people")
    assert written(store) == before
