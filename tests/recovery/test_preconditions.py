"""What an edit of the log has to account for."""

from __future__ import annotations

import pytest

from continuum.core.errors import InvalidInput
from continuum.recovery.preconditions import find_preconditions
from tests.recovery.cases import STARTED, Told, action, make_events
from tests.vectors import load_vectors

VECTORS = load_vectors("preconditions")
EVENTS = make_events([(op["type"], op["source"], op["payload"]) for op in VECTORS["events"]])


@pytest.mark.parametrize(
    "case",
    VECTORS["cases"],
    ids=lambda one: f"{one['anchor_sequence']}-{one['candidate_sequence']}",
)
def test_preconditions_equal_the_reference_client(case):
    anchor, candidate = case["anchor_sequence"], case["candidate_sequence"]

    found = find_preconditions(EVENTS, anchor=anchor, candidate=candidate)

    assert {name: list(rows) for name, rows in found._asdict().items()} == {
        name: case[name]
        for name in ("unsettled_authorizations", "depended_results", "uncertain_slots")
    }


def test_revoked_approval_asks_for_nothing():
    events = make_events(
        [
            STARTED,
            ("APPROVAL_GRANTED", "human", {"approval_id": "ap"}),
            ("APPROVAL_REVOKED", "human", {"approval_id": "ap"}),
        ]
    )

    assert not find_preconditions(events, anchor=0, candidate=3).unsettled_authorizations
    assert find_preconditions(events, anchor=0, candidate=2).unsettled_authorizations


def test_events_of_the_same_action_do_not_depend_on_it():
    events = make_events([STARTED, action("completed"), action("compensated")])

    assert not find_preconditions(events, anchor=0, candidate=3).depended_results


def test_names_count_as_whole_values_at_any_depth_and_never_as_member_names():
    def depended(payload):
        told = [STARTED, action("completed"), ("TOOL_CALLED", "llm", payload)]
        return find_preconditions(make_events(told), anchor=0, candidate=3).depended_results

    assert depended({"in": [{"deep": "action_1"}]})
    assert not depended({"in": "about action_1"})
    assert not depended({"action_1": 1})


def test_names_that_came_before_the_result_do_not_rest_on_it():
    told: list[Told] = [STARTED, ("TOOL_CALLED", "llm", {"in": "action_1"}), action("completed")]

    assert not find_preconditions(make_events(told), anchor=0, candidate=3).depended_results


def test_anchor_behind_the_candidate_is_refused():
    with pytest.raises(InvalidInput):
        find_preconditions([], anchor=2, candidate=1)
