"""Recognition of the same action under other argument spellings."""

from __future__ import annotations

import pytest

from continuum.domain.actions import Action, ActionStatus, Slot
from continuum.domain.tokens import run_tokens, token_signature
from continuum.ledger.tokens import (
    identity_tokens,
    is_derived_superset,
    leaf_tokens,
    location_tokens,
    match,
    same_location,
)
from tests.ledger.test_identity import at_home
from tests.vectors import load_vectors

TOKENS = load_vectors("identity_tokens")["cases"]
SUPERSETS = load_vectors("superset_derivation")["cases"]
PLACES = load_vectors("same_location")["cases"]
MORE = load_vectors("idempotency")


def slot_of(arguments, *, status=ActionStatus.COMPLETED, action_type="xfer", key="k"):
    action = Action("action_1", "run-a", action_type, arguments=arguments, status=status)
    return Slot(key, action, 2, 3)


def matched(call, recorded, **members):
    return match("run-a", "xfer", call, [slot_of(recorded, **members)]) is not None


@pytest.mark.parametrize("case", TOKENS)
def test_tokens_are_those_of_the_vectors(case):
    tokens = identity_tokens(
        case["arguments"], external_id=case["external_id"], volatile=case["volatile"]
    )

    assert sorted(tokens) == case["tokens"]
    assert sorted(leaf_tokens(tokens)) == case["leaf_tokens"]
    assert sorted(location_tokens(tokens)) == case["location_tokens"]


@pytest.mark.parametrize("case", MORE["tokens"])
def test_tokens_agree_with_the_second_set_of_vectors(case):
    tokens = identity_tokens(case["arguments"])

    assert sorted(tokens) == case["tokens"]
    assert sorted(leaf_tokens(tokens)) == case["leaf"]
    assert sorted(location_tokens(tokens)) == case["location"]


@pytest.mark.parametrize("case", SUPERSETS)
def test_derived_supersets_are_those_of_the_vectors(case):
    assert is_derived_superset(case["subset"], case["superset"]) is case["derived"]


@pytest.mark.parametrize("case", PLACES)
def test_same_locations_are_those_of_the_vectors(case):
    found = same_location(case["left"], case["right"], expand_home=at_home("/home/agent"))

    assert found is case["same_location"]


@pytest.mark.parametrize("case", MORE["locations"])
def test_locations_agree_with_the_second_set_of_vectors(case):
    assert same_location(case["left"], case["right"]) is case["same"]


@pytest.mark.parametrize(
    ("recorded", "call"),
    [
        ({"from": "acc-1", "to": "acc-2"}, {"from": "acc-2", "to": "acc-1"}),
        ({"src": "/a/x.csv", "dst": "/b/x.csv"}, {"src": "/b/x.csv", "dst": "/a/x.csv"}),
        ({"src": "r.csv", "dst": "r.json"}, {"src": "r.json", "dst": "r.csv"}),
        ({"src": "inv", "dst": "inv.pdf"}, {"src": "inv.pdf", "dst": "inv"}),
        ({"src": "/d/a.csv", "dst": "/d/b.csv"}, {"src": "d/b.csv", "dst": "d/a.csv"}),
        ({"ref": "INV-7", "from": 1, "to": 2}, {"ref": "INV-7", "from": 2, "to": 1}),
        ({"leg": {"from": "acc-1", "to": "acc-2"}}, {"leg": {"from": "acc-2", "to": "acc-1"}}),
        ({"a": "one", "b": "two1", "c": "six"}, {"a": "two1", "b": "six", "c": "one"}),
        ({"from": "acc-1", "to": "acc-2"}, {"from": "acc-2", "target": "acc-1"}),
        ({"from": "ab", "to": "acc-2"}, {"from": "acc-2", "to": "ab"}),
    ],
)
def test_the_opposite_direction_is_another_action(recorded, call):
    assert not matched(call, recorded)
    assert matched(recorded, recorded)


@pytest.mark.parametrize(
    ("recorded", "call"),
    [
        ({"from": "acc-1", "to": "acc-2"}, {"source": "acc-1", "target": "acc-2"}),
        ({"id": "INV-1"}, {"id": "INV-1.pdf"}),
        ({"id": "INV-1", "n": 1.5}, {"id": "INV-1", "n": 2.5}),
        ({"to": ["ann-1", "bob-2"]}, {"to": ["bob-2", "ann-1"]}),
        ({"file": "/data/INV-5.pdf"}, {"file": "data/INV-5.pdf"}),
    ],
)
def test_other_names_and_renderings_are_still_recognised(recorded, call):
    assert matched(call, recorded)


def test_tokens_of_the_run_identify_nothing():
    assert run_tokens("run-a") == {"run-a"}
    assert not matched({"r": "run-a"}, {"run": "run-a"})


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [({"id": "INV-1"}, {"x": "INV-1.sent"}), ({"f": "/d/INV-5.pdf"}, {"g": "INV-5.PDF"})],
)
def test_actions_that_can_match_share_a_signature(ours, theirs):
    first, second = identity_tokens(ours), identity_tokens(theirs)

    assert token_signature("run-a", first) == token_signature("run-a", second) != frozenset()
