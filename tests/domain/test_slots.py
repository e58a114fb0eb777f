"""Folding the ledger out of a log."""

from __future__ import annotations

import pytest

from continuum.core.errors import UnreadableRecord
from continuum.domain.actions import Action, ActionStatus
from continuum.domain.slots import fold_slots
from tests.domain.logs import RUN, START, make_events


def recorded(key, status="started", kind="ACTION_RECORDED"):
    action = Action(f"action_{key}", RUN, "send", status=ActionStatus(status), created_at="x")
    return kind, {"key": key, "action": action.record()}


def test_the_newest_record_counts_and_the_first_keeps_the_place():
    events = make_events(
        START,
        recorded("b"),
        recorded("a"),
        recorded("b", "completed"),
        recorded("a", "compensated", "ACTION_COMPENSATED"),
    )

    slots = fold_slots(events)

    assert list(slots) == ["b", "a"]
    assert slots["b"].action.status == "completed"
    assert (slots["b"].first_sequence, slots["b"].last_sequence) == (2, 4)
    assert (slots["a"].first_sequence, slots["a"].last_sequence) == (3, 5)


@pytest.mark.parametrize("key", [None, "", 5])
def test_a_record_without_a_key_is_skipped(key):
    assert fold_slots(make_events(("ACTION_RECORDED", {"key": key, "action": "?"}))) == {}


def test_events_of_other_types_are_skipped():
    assert fold_slots(make_events(START, ("GRANT_DENIED", {"key": "k"}))) == {}


@pytest.mark.parametrize("action", [None, [], {}, {"status": "started"}, {"extra": 1}])
def test_a_malformed_record_is_unreadable_and_names_the_event(action):
    events = make_events(START, ("ACTION_RECORDED", {"key": "k", "action": action}))

    with pytest.raises(UnreadableRecord, match="event 2 of run 'run-1'"):
        fold_slots(events)
