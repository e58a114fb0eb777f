"""Assessing: one verdict, from facts that are read once."""

from __future__ import annotations

import pytest

from continuum.core.errors import NoEvents, RunNotFound
from continuum.domain.events import EventType, Origin
from continuum.services.acts import Act
from continuum.services.checkpoints import observed_environment, take_checkpoint
from continuum.services.decisions import complete, confirm
from continuum.services.facts import fold_facts, load_facts
from continuum.services.recovery import Question, assess
from continuum.services.summaries import catch_up
from tests.services.acting import (
    LATER,
    NOON,
    by_ada,
    claimed,
    completed,
    recorded,
    reported,
    started,
)


def test_a_run_started_by_a_person_is_safe_to_resume(store):
    verdict = assess(store, started(store), at=LATER)

    assert (verdict.mode, verdict.safe, verdict.exit_status) == ("resume", True, 0)


def test_a_run_that_does_not_exist_is_not_found(store):
    with pytest.raises(RunNotFound, match="ghost"):
        assess(store, "ghost", at=LATER)


def test_o07_no_reader_calls_a_damaged_chain_safe(store, damage):
    run_id = started(store)
    reported(store, run_id, 1, 10)
    catch_up(store, limit=10, at=NOON)
    damage(run_id, 1, payload='{"goal": "Process the invoices!"}')

    shown, acted_on = assess(store, run_id, at=LATER), assess(store, run_id, at=LATER, audit=True)

    for verdict in (shown, acted_on):
        assert not verdict.safe
        assert verdict.exit_status == 3
        assert verdict.chain.broken_at == 1


def test_o08_the_row_is_not_a_second_truth(store, damage_row):
    run_id = started(store)
    damage_row(run_id, goal="EVIL", status="completed")

    verdict = assess(store, run_id, at=LATER)

    assert verdict.closed is None
    assert verdict.state["goal"]["description"] == "Process the invoices"
    assert not verdict.safe


def test_o11_drift_is_seen_through_the_command_line_path(store):
    run_id = started(store)
    take_checkpoint(store, run_id, at=NOON, versions={"dataset": "v3"})

    def exit_of(versions):
        environment = observed_environment(store, run_id, versions, at=LATER)
        return assess(store, run_id, Question(environment=environment), at=LATER).exit_status

    assert exit_of({"dataset": "v3"}) == 0
    assert exit_of({"dataset": "v4"}) == 10
    assert exit_of(None) == 20
    assert exit_of({"other": "1"}) == 20


def test_o12_a_confirmation_covers_what_was_seen(store):
    run_id = started(store, agent=True)
    reported(store, run_id, 0, 1)
    confirm(store, run_id, by_ada(seen_sequence=2))
    assert assess(store, run_id, at=LATER).safe

    reported(store, run_id, 9999, 10000)

    assert assess(store, run_id, at=LATER).mode == "request_human"


def test_o13_an_unsafe_child_makes_the_family_unsafe_everywhere(store):
    parent = started(store, "parent")
    claimed(store, started(store, "child", parent=parent))

    verdict = assess(store, parent, at=LATER, audit=True)

    assert (verdict.mode, verdict.safe, verdict.exit_status) == ("request_human", False, 20)
    assert verdict.own_mode == "resume"


def test_a_grandchild_counts_and_a_cycle_of_parents_ends(store, damage_row):
    started(store, "root")
    started(store, "middle", parent="root")
    claimed(store, started(store, "leaf", parent="middle"))
    damage_row("root", parent_run_id="leaf")

    assert not assess(store, "root", at=LATER).safe
    catch_up(store, limit=50, at=LATER)
    assert not assess(store, "root", at=LATER).safe


def test_a_completed_run_is_never_safe_to_resume(store):
    run_id = started(store)
    complete(store, run_id, by_ada())

    verdict = assess(store, run_id, at=LATER)

    assert (verdict.mode, verdict.safe, verdict.exit_status) == ("abort", False, 30)


def test_a_completed_child_blocks_only_for_what_it_left_open(store):
    parent = started(store, "parent")
    complete(store, started(store, "done", parent=parent), by_ada())
    assert assess(store, parent, at=LATER).safe

    left = started(store, "left", parent=parent)
    claimed(store, left)
    complete(store, left, by_ada(), over_open_items=True)

    assert not assess(store, parent, at=LATER).safe


def test_a_row_without_events_has_nothing_to_judge(store, insert_bare_run):
    insert_bare_run("bare")

    with pytest.raises(NoEvents, match="bare"):
        assess(store, "bare", at=LATER)


def test_a_confirmation_written_by_an_agent_confirms_nothing(store):
    run_id = started(store, agent=True)

    recorded(
        store,
        run_id,
        EventType.REVIEW_CONFIRMED,
        {"components": ["goal", "progress"]},
        Origin.EXTERNAL_AGENT,
    )

    assert assess(store, run_id, at=LATER).mode == "request_human"


def test_snapshot_and_tail_say_what_the_whole_log_says(store):
    run_id = started(store, agent=True)
    completed(store, run_id)
    catch_up(store, limit=10, at=NOON)
    reported(store, run_id, 4, 10)
    claimed(store, run_id, "invoice:2")
    confirm(store, run_id, Act(by="bob", via="library", at=LATER))

    assert load_facts(store, run_id).snapshot() == fold_facts(store, run_id).snapshot()


def test_assessing_appends_nothing(store):
    run_id = started(store, agent=True)
    head = store.head(run_id)

    for audit in (True, False):
        assess(store, run_id, at=LATER, audit=audit)

    assert store.head(run_id) == head
