"""Appending: order, links, refusals, and many writers at once."""

from __future__ import annotations

import pytest

from continuum import open_store
from continuum.core.errors import InvalidInput, RunExists, RunNotFound, StaleHead
from continuum.domain.chain import ChainWalk
from continuum.domain.events import NO_HEAD, Draft, EventType, Head, Origin
from tests.conftest import NOON
from tests.store.writers import append_in_processes
from tests.stores import claimed_action, progressed


def walk(store, run_id):
    chain = ChainWalk(run_id)
    chain.archive(store.event_rows(run_id, archived=True))
    chain.live(store.event_rows(run_id, archived=False))
    return chain.result()


def test_events_follow_each_other_and_verify(store, make_run):
    run_id = make_run(progress=3)

    event = store.append(run_id, [progressed(4, at=NOON)])[0]

    assert [one.sequence for one in store.events(run_id)] == [1, 2, 3, 4, 5]
    assert store.head(run_id) == Head(5, event.hash)
    assert walk(store, run_id).ok


def test_what_is_returned_equals_what_is_read_back(store, make_run):
    run_id = make_run()
    payload = {"tuple": (1, 2), "text": "é", "none": None, "nested": {"a": [True, 1.0]}}
    draft = Draft(EventType.TOOL_COMPLETED, payload, Origin.EXTERNAL_AGENT, NOON)

    events = store.append(run_id, [draft, progressed(1, at=NOON)])

    assert events == list(store.events(run_id, after=1))
    assert events[0].payload["tuple"] == [1, 2]


def test_append_to_a_run_without_a_row_is_refused(store):
    with pytest.raises(RunNotFound):
        store.append("nobody", [progressed(1, at=NOON)])

    assert store.head("nobody") == NO_HEAD


def test_expected_head_that_is_elsewhere_is_refused_and_writes_nothing(store, make_run):
    run_id = make_run(progress=1)

    for expected in (0, 1, 3):
        with pytest.raises(StaleHead):
            store.append(run_id, [progressed(2, at=NOON)], expected=expected)

    assert store.head(run_id).sequence == 2


def test_expected_head_that_is_right_is_appended_to(store, make_run):
    run_id = make_run()

    store.append(run_id, [progressed(1, at=NOON)], expected=1)
    store.append(run_id, [progressed(2, at=NOON)], expected=2)

    assert store.head(run_id).sequence == 3


def test_payload_that_json_cannot_say_is_refused_and_writes_nothing(store, make_run):
    run_id = make_run()

    payloads: list[dict] = [{"a": float("nan")}, {"a": b"x"}, {1: "a"}]
    for payload in payloads:
        draft = Draft(EventType.TOOL_CALLED, payload, Origin.EXTERNAL_AGENT, NOON)
        with pytest.raises(InvalidInput):
            store.append(run_id, [progressed(1, at=NOON), draft])

    assert store.head(run_id).sequence == 1


def test_an_exception_inside_a_transaction_undoes_everything(store, make_run):
    run_id = make_run()

    with pytest.raises(ZeroDivisionError), store.writing(run_id) as writer:
        writer.append(run_id, [claimed_action(run_id, "k", at=NOON)])
        raise ZeroDivisionError

    assert store.head(run_id).sequence == 1
    assert store.slots(run_id) == []
    assert store.index_drift() == 0


def test_a_second_run_of_the_same_id_is_refused(store, make_run):
    run_id = make_run()

    with pytest.raises(RunExists):
        make_run(run_id, goal="another")

    assert store.run(run_id).goal == "Process 3 invoices"


def test_a_child_of_nobody_is_refused(store, make_run):
    with pytest.raises(RunNotFound):
        make_run("child", parent="nobody")

    assert store.find_run("child") is None


def test_another_writer_in_between_is_noticed(store, store_url, make_run):
    run_id = make_run()
    store.append(run_id, [progressed(1, at=NOON)])
    with open_store(store_url) as other:
        other.append(run_id, [progressed(2, at=NOON)])

    store.append(run_id, [progressed(3, at=NOON)])

    assert [one.payload.get("completed") for one in store.events(run_id)] == [None, 1, 2, 3]
    assert walk(store, run_id).ok


def test_four_processes_appending_to_one_run_lose_nothing(store, store_url, make_run):
    run_id = make_run()

    written = append_in_processes(store_url, run_id, processes=4, events=50)

    assert len(set(written)) == 200
    assert {one.event_id for one in store.events(run_id, after=1)} == set(written)
    assert walk(store, run_id).ok
    assert store.head_mark(run_id).sequence == 201
