"""The desk: taking items, giving them to somebody, and what people say about them."""

from __future__ import annotations

import pytest

from continuum import open_store
from continuum.core.errors import AlreadyDecided, InvalidInput, ItemHeld, NotAllowed, NotFound
from continuum.services import desk
from continuum.services.actions import Settlement
from continuum.services.acts import MAX_REASON, Act
from continuum.services.decisions import settle
from continuum.services.inbox import get_item, item_id_of, open_items
from continuum.services.summaries import catch_up
from continuum.store.modelport import ItemQuery
from tests.outsiders import execute
from tests.services.acting import LATER, NOON, by_ada, claimed, started


def by(name, reason=""):
    return Act(name, "console", LATER, reason)


@pytest.fixture
def item(store):
    """The item of an action nobody knows the outcome of."""
    claimed(store, started(store))
    catch_up(store, limit=10, at=LATER)
    (one,) = open_items(store, ItemQuery())
    return one


def told(store, item):
    """Return what was noted, oldest first, in short."""
    notes = reversed(desk.notes_on(store, item.item_id))
    return [(note.author, note.kind, note.subject, note.text) for note in notes]


def test_a_comment_is_kept_with_who_and_when(store, item):
    left = desk.comment(store, item.item_id, by("ada", "  asked the bank  "))

    (note,) = desk.notes_on(store, item.item_id)
    assert (note.author, note.text, note.via) == ("ada", "asked the bank", "console")
    assert note.at.startswith("2026-06-01T13:00:00")
    assert (left.comments, left.claimed_by) == (1, None)
    assert desk.notes_of_run(store, item.run_id) == [note]


def test_a_comment_that_is_sent_twice_is_kept_once(store, item):
    for _ in range(2):
        desk.comment(store, item.item_id, by("ada", "asked the bank"))
    desk.comment(store, item.item_id, by("bob", "asked the bank"))

    assert [one[0] for one in told(store, item)] == ["ada", "bob"]


@pytest.mark.parametrize("text", ["", "  \n ", "x" * (MAX_REASON + 1)])
def test_a_comment_says_something_and_not_too_much(store, item, text):
    with pytest.raises(InvalidInput):
        desk.comment(store, item.item_id, by("ada", text))

    assert desk.notes_on(store, item.item_id) == []


def test_a_comment_needs_an_item(store):
    with pytest.raises(NotFound):
        desk.comment(store, "nonsense", by("ada", "hello"))


def test_an_action_can_be_commented_on_before_it_is_listed(store):
    run_id = started(store)
    key = claimed(store, run_id)

    desk.comment_on_action(store, run_id, key, by("ada", "bank is closed"))
    catch_up(store, limit=10, at=LATER)

    (item,) = open_items(store, ItemQuery())
    assert item.item_id == item_id_of(run_id, "action", key)
    assert item.comments == 1


def test_claiming_and_giving_back_leave_a_trace(store, item):
    desk.claim(store, item.item_id, by("ada"))
    desk.claim(store, item.item_id, by("ada"))
    desk.release(store, item.item_id, by("ada"))
    desk.release(store, item.item_id, by("ada"))

    assert told(store, item) == [("ada", "claimed", None, ""), ("ada", "released", None, "")]


def test_who_holds_an_item_is_not_overrun(store, item):
    desk.claim(store, item.item_id, by("ada"))

    with pytest.raises(AlreadyDecided, match="ada"):
        desk.claim(store, item.item_id, by("bob"))
    with pytest.raises(NotAllowed, match="ada"):
        desk.release(store, item.item_id, by("bob"))

    assert get_item(store, item.item_id).claimed_by == "ada"


def test_an_assigned_item_is_held_by_the_person_and_binds_decisions(store, item):
    given = desk.assign(store, item.item_id, "bob", by("ada", "you know the bank"))

    assert (given.claimed_by, given.handled_by) == ("bob", "ada")
    assert told(store, item) == [("ada", "assigned", "bob", "you know the bank")]
    with pytest.raises(ItemHeld, match="bob"):
        settle(store, item.run_id, item.target, by_ada(), Settlement(True))


def test_an_item_is_taken_from_somebody_only_with_a_reason(store, item):
    desk.claim(store, item.item_id, by("bob"))

    with pytest.raises(InvalidInput, match="reason"):
        desk.assign(store, item.item_id, "ada", by("ada"))
    desk.assign(store, item.item_id, "ada", by("ada", "bob is on leave"))

    assert get_item(store, item.item_id).claimed_by == "ada"
    assert told(store, item)[-1] == ("ada", "assigned", "ada", "bob is on leave")


def test_a_settled_item_is_neither_claimed_nor_assigned_but_commented(store, item):
    settle(store, item.run_id, item.target, by_ada(), Settlement(True))

    with pytest.raises(AlreadyDecided):
        desk.claim(store, item.item_id, by("ada"))
    with pytest.raises(AlreadyDecided):
        desk.assign(store, item.item_id, "bob", by("ada"))
    desk.comment(store, item.item_id, by("ada", "the bank confirmed it"))

    assert [one[1] for one in told(store, item)] == ["comment"]


def test_several_are_taken_at_once_and_no_others(store):
    for number in range(4):
        claimed(store, started(store, f"run-{number}"), key=f"k-{number}")
    catch_up(store, limit=10, at=LATER)
    first, second, third, _ = open_items(store, ItemQuery())
    desk.claim(store, second.item_id, by("bob"))

    handled = desk.claim_all(
        store, [first.item_id, second.item_id, third.item_id, first.item_id, "gone"], by("ada")
    )

    assert handled.done == (first.item_id, third.item_id)
    assert [one for one, _ in handled.refused] == [second.item_id, "gone"]
    assert "bob" in handled.refused[0][1]
    assert [one.claimed_by for one in open_items(store, ItemQuery())] == ["ada", "bob", "ada", None]


def test_several_are_given_to_somebody_at_once(store, item):
    handled = desk.assign_all(store, [item.item_id], "bob", by("ada"))

    assert handled == ((item.item_id,), ())
    assert get_item(store, item.item_id).claimed_by == "bob"


@pytest.mark.parametrize("ids", [[], [f"i{number}" for number in range(201)]])
def test_none_or_too_many_at_once_are_refused(store, ids):
    with pytest.raises(InvalidInput):
        desk.claim_all(store, ids, by("ada"))


def test_notes_go_with_their_run(store_url, store):
    run_id = started(store)
    desk.comment_on_action(store, run_id, "k", by("ada", "hello"))

    execute(store_url, "DELETE FROM events")
    execute(store_url, "DELETE FROM runs")

    assert desk.notes_of_run(store, run_id) == []


def test_a_store_without_the_table_is_read_as_before(store_url, store, item):
    execute(store_url, "DROP TABLE cx_notes")
    execute(store_url, "UPDATE cx_meta SET value = '4' WHERE key = 'schema_version'")

    with open_store(store_url, read_only=True) as older:
        assert [one.item_id for one in open_items(older, ItemQuery())] == [item.item_id]
        assert get_item(older, item.item_id).comments == 0
        assert desk.notes_of_run(older, item.run_id) == []


def test_times_of_a_claim_are_those_of_the_act(store, item):
    desk.claim(store, item.item_id, Act("ada", "cli", NOON))

    assert (get_item(store, item.item_id).claimed_at or "").startswith("2026-06-01T12:00")
