"""The ledger's rows: as a fold of the log, whoever wrote it."""

from __future__ import annotations

import pytest

from continuum.core.canonical import canonical_text
from continuum.core.errors import UnreadableRecord
from continuum.domain.actions import Action, ActionStatus
from continuum.domain.events import Draft, EventType, Origin, seal
from continuum.domain.slots import fold_slots
from tests.conftest import NOON
from tests.outsiders import execute
from tests.stores import action_event, claimed_action, progressed

COLUMNS = (
    "run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash, hash"
)


def action(key, **members):
    """Return an action of `run_a`."""
    return Action(
        action_id=f"action_{key}",
        run_id="run_a",
        action_type="send_invoice",
        arguments={"invoice": f"INV-{key}"},
        created_at="2026-12-01T12:00:00Z",
    )._replace(**members)


def write_around(store, store_url, run_id, *drafts):
    """Append as another client does, which keeps none of our tables."""
    for draft in drafts:
        row = seal(draft, run_id=run_id, head=store.head(run_id))
        marks = ", ".join("?" * len(row))
        execute(store_url, f"INSERT INTO events ({COLUMNS}) VALUES ({marks})", tuple(row))


def test_slots_are_in_order_of_first_appearance(store, make_run):
    run_id = make_run(claimed=["b", "a"])
    store.append(run_id, [action_event("b", action("b", status=ActionStatus.FAILED), at=NOON)])
    store.append(run_id, [claimed_action(run_id, "c", at=NOON)])

    slots = store.slots(run_id)

    assert [slot.key for slot in slots] == ["b", "a", "c"]
    assert (slots[0].first_sequence, slots[0].last_sequence) == (2, 4)
    assert {slot.key: slot for slot in slots} == fold_slots(store.events(run_id))
    assert store.action_count(run_id) == 3


def test_slots_are_found_by_status_key_and_id(store, make_run):
    run_id = make_run(claimed=["a", "b"])
    store.append(run_id, [action_event("b", action("b", status=ActionStatus.COMPLETED), at=NOON)])

    assert [slot.key for slot in store.slots(run_id, statuses=[ActionStatus.STARTED])] == ["a"]
    assert store.slots(run_id, statuses=[]) == []
    assert store.slot(run_id, "b").action.status is ActionStatus.COMPLETED
    assert store.slot(run_id, "z") is None
    assert store.slot_by_action_id(run_id, "action_a").key == "a"
    assert store.slot_by_action_id("other", "action_a") is None


@pytest.mark.parametrize("then_write", [False, True])
def test_events_another_client_wrote_are_seen_at_once(store, store_url, make_run, then_write):
    run_id = make_run(claimed=["a", "b"])
    write_around(
        store,
        store_url,
        run_id,
        progressed(1, at=NOON),
        action_event("a", action("a", status=ActionStatus.COMPLETED), at=NOON),
        claimed_action(run_id, "c", at=NOON),
    )
    if then_write:
        store.append(run_id, [claimed_action(run_id, "d", at=NOON)])

    assert {slot.key: slot for slot in store.slots(run_id)} == fold_slots(store.events(run_id))
    assert store.slot(run_id, "a").action.status is ActionStatus.COMPLETED
    assert store.slot(run_id, "a").first_sequence == 2
    assert store.slot_by_action_id(run_id, "action_c").first_sequence == 6
    assert store.action_count(run_id) == (4 if then_write else 3)
    found = store.slots_sharing(run_id, "send_invoice", ["INV-c"])
    assert [slot.key for slot in found] == ["c"]


def test_a_changed_ledger_event_makes_the_rows_anew(store, store_url, make_run):
    run_id = make_run(claimed=["a", "b"])
    forged = canonical_text({"key": "a", "action": action("a", external_id="forged").record()})
    execute(
        store_url,
        "UPDATE events SET payload = ? WHERE run_id = ? AND sequence = 2",
        (forged, run_id),
    )

    assert store.slot(run_id, "a").action.external_id == "forged"

    store.append(run_id, [claimed_action(run_id, "c", at=NOON)])
    assert store.slot(run_id, "a").action.external_id == "forged"
    assert {slot.key: slot for slot in store.slots(run_id)} == fold_slots(store.events(run_id))


def test_a_deleted_ledger_event_takes_its_slot_along(store, store_url, make_run):
    run_id = make_run(claimed=["a", "b"])

    execute(store_url, "DELETE FROM events WHERE run_id = ? AND sequence = 2", (run_id,))

    assert [slot.key for slot in store.slots(run_id)] == ["b"]


def test_archived_actions_stay_in_the_ledger(store, make_run):
    run_id = make_run(claimed=["a", "b"], progress=1)

    with store.writing(run_id) as writer:
        writer.archive(run_id, 3)

    assert [slot.key for slot in store.slots(run_id)] == ["a", "b"]
    store.append(run_id, [claimed_action(run_id, "c", at=NOON)])
    assert [slot.key for slot in store.slots(run_id)] == ["a", "b", "c"]


def test_events_without_a_key_are_no_actions(store, make_run):
    run_id = make_run()
    payloads: list[dict] = [{}, {"key": ""}, {"key": 7}, {"action": action("x").record()}]
    drafts = [
        Draft(EventType.ACTION_RECORDED, payload, Origin.DETERMINISTIC, NOON)
        for payload in payloads
    ]

    store.append(run_id, drafts)

    assert store.slots(run_id) == []
    assert store.index_drift() == 0


@pytest.mark.parametrize("record", [None, [], {"action_id": "x"}, {**action("k").record(), "x": 1}])
def test_a_malformed_record_makes_its_key_unreadable_for_good(store, store_url, make_run, record):
    run_id = make_run(claimed=["a"])
    bad = Draft(
        EventType.ACTION_RECORDED, {"key": "k", "action": record}, Origin.DETERMINISTIC, NOON
    )
    write_around(store, store_url, run_id, bad, action_event("k", action("k"), at=NOON))

    for _ in range(2):
        with pytest.raises(UnreadableRecord):
            store.slots(run_id)
        with pytest.raises(UnreadableRecord):
            store.slots(run_id, statuses=[ActionStatus.STARTED])
        assert store.slot(run_id, "a").key == "a"
        store.append(run_id, [claimed_action(run_id, "b", at=NOON)])


def test_only_actions_of_the_same_signature_are_candidates(store, make_run):
    run_id = make_run(claimed=["001", "002"])

    same = store.slots_sharing(run_id, "send_invoice", ["INV-001", "INV-001.pdf"])

    assert [slot.key for slot in same] == ["001"]
    assert store.slots_sharing(run_id, "send_invoice", ["INV-001", "INV-003"]) == []
    assert store.slots_sharing(run_id, "send_invoice", []) == []
    assert store.slots_sharing(run_id, "refund", ["INV-001"]) == []


def test_the_index_tells_of_the_newest_record_in_another_run(store, make_run):
    make_run("run_a", claimed=["shared"])
    make_run("run_b")

    assert store.foreign_action("shared", "run_b").run_id == "run_a"
    assert store.foreign_action("shared", "run_a") is None
    assert store.foreign_action("other", "run_b") is None

    store.append("run_b", [claimed_action("run_b", "shared", at=NOON)])
    assert store.foreign_action("shared", "run_a").run_id == "run_b"
    assert store.index_drift() == 0


def test_drift_of_the_index_is_counted_and_repaired(store, store_url, make_run):
    make_run(claimed=["a", "b", "c"])
    execute(store_url, "DELETE FROM action_index WHERE key = ?", ("a",))
    execute(store_url, "UPDATE action_index SET status = ? WHERE key = ?", ("failed", "b"))
    execute(
        store_url,
        "INSERT INTO action_index (key, run_id, action_id, status, updated_seq, action_json) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        ("extra", "run_a", "x", "started", 99, "{}"),
    )

    assert store.index_drift() == 3

    with store.writing() as writer:
        assert writer.rebuild_index() == 3
    assert store.index_drift() == 0
