"""Looking at a log from afar: samples, bounded counts, pages, and what they may cost."""

from __future__ import annotations

import pytest

from continuum.domain.actions import ActionStatus
from continuum.domain.events import EventType, Origin
from continuum.services.checkpoints import take_checkpoint
from tests.conftest import NOON
from tests.store.test_ledger import action, write_around
from tests.stores import action_event, claimed_action, progressed


@pytest.fixture
def log(store, make_run):
    """A run of ten events, the first four of them archived."""
    make_run(progress=9)
    with store.writing("run_a") as writer:
        writer.archive("run_a", 4)
    return store


def test_events_of_some_numbers_come_in_order_from_both_tables(log):
    stubs = log.event_stubs("run_a", [9, 1, 5, 99])

    assert [stub.sequence for stub in stubs] == [1, 5, 9]
    assert stubs[0].type == "RUN_STARTED"
    assert [stub.source for stub in stubs] == ["human", "external_agent", "external_agent"]


def test_types_are_counted_up_to_a_limit(log):
    assert log.count_types("run_a", [EventType.TASK_UPDATED], most=100) == 9
    assert log.count_types("run_a", [EventType.TASK_UPDATED], most=3) == 3
    assert log.count_types("run_a", [EventType.RUN_STARTED, EventType.RUN_ABORTED], most=9) == 1


def test_a_page_can_be_kept_from_looking_further(log):
    rows = log.event_page("run_a", before=8, after=3, origins=[Origin.EXTERNAL_AGENT])

    assert [one.row.sequence for one in rows] == [7, 6, 5, 4]


@pytest.mark.parametrize("sparse", [True, False])
def test_a_page_of_a_type_is_the_same_from_its_index_and_in_order(log, sparse):
    rows = log.event_page("run_a", types=[EventType.TASK_UPDATED], limit=7, sparse=sparse)

    assert [one.row.sequence for one in rows] == [10, 9, 8, 7, 6, 5, 4]


def test_checkpoints_and_versions_are_listed_without_their_bodies(log):
    take_checkpoint(log, "run_a", at=NOON, trigger="nightly")
    log.append("run_a", [progressed(42, at=NOON)])
    take_checkpoint(log, "run_a", at=NOON, reason="before the move")

    checkpoints = log.checkpoint_stubs("run_a", limit=9)
    versions = log.version_stubs("run_a", limit=9)

    assert [(one.version, one.trigger) for one in checkpoints] == [(1, "manual"), (0, "nightly")]
    assert [(one.version, one.reason) for one in versions] == [
        (1, "before the move"),
        (0, "nightly"),
    ]
    assert log.version_stubs("run_a", limit=1) == versions[:1]


def test_actions_come_in_pages_newest_first(store, make_run):
    make_run(claimed=["a", "b", "c"])
    store.append("run_a", [action_event("a", action("a", status=ActionStatus.FAILED), at=NOON)])

    first = store.slot_page("run_a", limit=2)
    rest = store.slot_page("run_a", before=first[-1].first_sequence, limit=2)

    assert [slot.key for slot in [*first, *rest]] == ["c", "b", "a"]


def test_actions_are_counted_up_to_a_limit_whoever_wrote_them(store, store_url, make_run):
    make_run(claimed=["a", "b"])
    assert store.count_slots("run_a", most=9) == 2
    assert store.count_slots("run_a", most=1) == 1

    write_around(store, store_url, "run_a", claimed_action("run_a", "c", at=NOON))

    assert store.count_slots("run_a", most=9) == 3
    assert store.count_slots("run_a", most=2) == 2


def test_pages_of_actions_hold_what_another_client_wrote(store, store_url, make_run):
    make_run(claimed=["a", "b"])
    write_around(store, store_url, "run_a", claimed_action("run_a", "c", at=NOON))

    assert [slot.key for slot in store.slot_page("run_a", limit=2)] == ["c", "b"]
    assert [slot.key for slot in store.slot_page("run_a", before=3, limit=2)] == ["a"]
