"""Budgets, pins, grants, probe output, similarity and authorization by the vectors."""

from __future__ import annotations

import pytest

from continuum.core.errors import ConfigurationError, InvalidInput
from continuum.domain.actions import Action, ActionStatus
from continuum.domain.events import Event, EventType, Origin
from continuum.ledger.authorization import authorization_id
from continuum.ledger.budgets import (
    Budgets,
    attempts_by_key,
    backoff_seconds,
    budget_table,
    budgets_from_registry,
    tally_attempts,
)
from continuum.ledger.grants import normalise_grant
from continuum.ledger.pinning import drift_lines, normalise_pinning
from continuum.ledger.probes import Probe, probes_from_registry, reading_of_output
from continuum.ledger.registries import registry_from_bytes
from continuum.ledger.similarity import (
    classify,
    embedding_similarity,
    exact_similarity,
    fuzzy_similarity,
)
from tests.vectors import load_vectors

BUDGETS = load_vectors("budgets")["cases"]
PINNING = load_vectors("pinning")["cases"]
GRANTS = load_vectors("grants")["cases"]
PROBES = load_vectors("probe_verdicts")["cases"]
SIMILARITY = load_vectors("replay_similarity")["cases"]
AUTHORIZATION = load_vectors("authorization_ids")["cases"]

SIMILARITIES = {"exact": exact_similarity, "fuzzy": fuzzy_similarity}
SETTLED_BY_RECONCILIATION = 5
"""Deviation budget-counts-settlements: this vector's operation is known as done."""


def logged(number, event):
    return Event(
        "run-a", number, f"event_{number}", EventType(event["type"]), "", event["payload"], None,
        Origin.DETERMINISTIC, None, "",
    )  # fmt: skip


def tallies_of(events):
    return tally_attempts(logged(number, one) for number, one in enumerate(events, 1))


@pytest.mark.parametrize("number", range(len(BUDGETS)))
def test_budgets_are_counted_as_in_the_vectors(number):
    case = BUDGETS[number]
    tallies, budgets = tallies_of(case["events"]), budgets_from_registry(case["config"], "/b")

    by_key = attempts_by_key(tallies, case["action_type"])

    limit = budgets.limit(case["action_type"])
    assert limit == case["max_attempts"]
    if number == SETTLED_BY_RECONCILIATION:
        assert by_key == {}
        return
    assert by_key == case["attempts_by_key"]
    assert max(by_key.values(), default=0) == case["attempts"]
    assert (case["attempts"] < limit) is case["allowed"]


def test_the_budget_table_lists_used_and_limited_types_by_name():
    events = [
        {
            "type": "ACTION_RECORDED",
            "payload": {"key": "a", "action": {"action_type": "pay", "status": "started"}},
        }
    ]

    rows = budget_table(tallies_of(events), Budgets({"mail": 2, "pay": 1}))

    assert [tuple(row) for row in rows] == [("mail", 0, 2, 2, False), ("pay", 1, 1, 0, True)]


@pytest.mark.parametrize(
    "document",
    [
        {"action_types": {"pay": True}},
        {"action_types": {"pay": 0}},
        {"action_types": {"pay": {"max": 3}}},
        {"action_types": []},
        {"default_max_attempts": "3"},
        {"authorization_bound": {"pay": {"authz": {"counter": -1, "max_attempts": 5}}}},
    ],
)
def test_a_malformed_budget_is_refused_with_its_path(document):
    with pytest.raises(ConfigurationError, match=r"^/w/budgets\.json"):
        budgets_from_registry(document, "/w/budgets.json")


def test_waiting_doubles_up_to_a_minute():
    waits = [backoff_seconds(attempt) for attempt in (1, 2, 3, 7, 2000)]

    assert waits == [1.0, 2.0, 4.0, 60.0, 60.0]


@pytest.mark.parametrize("case", PINNING)
def test_pins_and_drift_are_those_of_the_vectors(case):
    if case["op"] == "drift":
        assert drift_lines(case["recorded"], case["current"]) == case["expected"]
    elif "expected_error" in case:
        with pytest.raises(InvalidInput):
            normalise_pinning(case["input"])
    else:
        assert normalise_pinning(case["input"]) == case["expected"]


@pytest.mark.parametrize("case", GRANTS)
def test_grants_are_normalised_as_in_the_vectors(case):
    if "expected_error" in case:
        with pytest.raises(InvalidInput):
            normalise_grant(case["input"])
        return

    grant = normalise_grant(case["input"])

    assert (grant and grant._asdict()) == case["expected"]


@pytest.mark.parametrize("case", PROBES)
def test_probe_output_means_what_the_vectors_say(case):
    expected = None if case["expected"] == "unknown" else case["expected"]

    reading = reading_of_output(case["output"])

    assert reading.occurred is expected
    assert bool(reading.detail) is (expected is None)


def test_a_probe_may_hand_over_a_receipt():
    reading = reading_of_output(
        '{"occurred": true, "external_id": "x-1", "result": {"n": 1}, "note": "seen"}'
    )

    assert (reading.external_id, reading.result, reading.note) == ("x-1", {"n": 1}, "seen")


def test_probes_are_read_with_their_time_limit():
    document = {"probes": {"pay": {"command": "./p", "timeout": 20}, "mail": {"command": ["m"]}}}

    probes = probes_from_registry(document, "/p")

    assert probes == {"pay": Probe("./p", 20.0), "mail": Probe(("m",), 10.0)}


@pytest.mark.parametrize(
    "document",
    [
        {"pay": {"command": "./p"}},
        {"probes": []},
        {"probes": {"pay": "./p"}},
        {"probes": {"pay": {}}},
        {"probes": {"pay": {"command": " "}}},
        {"probes": {"pay": {"command": "./p", "timeout": 0}}},
        {"probes": {"pay": {"command": "./p", "timeout": True}}},
        {"probes": {"pay": {"comand": "./p", "command": "./p"}}},
    ],
)
def test_a_malformed_probe_registry_is_refused_with_its_path(document):
    with pytest.raises(ConfigurationError, match=r"^/w/reconcilers\.json"):
        probes_from_registry(document, "/w/reconcilers.json")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff\xfe", "utf-8"),
        (b"[]", "list"),
        (b'{"tools": {"a": 1}, "tools": {}}', "twice"),
        (b'{"n": NaN}', "NaN"),
        (b'{"tools"', "delimiter"),
        (b"[" * 100_000, "recursion"),
    ],
)
def test_a_registry_that_cannot_be_read_is_no_empty_registry(content, problem):
    with pytest.raises(ConfigurationError, match=rf"^/w/gate\.json.*{problem}"):
        registry_from_bytes(content, "/w/gate.json")


@pytest.mark.parametrize("case", [one for one in SIMILARITY if one["op"] == "similarity"])
def test_similarity_is_that_of_the_vectors(case):
    score = SIMILARITIES[case["kind"]](case["candidate"], case["prior"])

    assert score == pytest.approx(case["expected"])


@pytest.mark.parametrize("case", [one for one in SIMILARITY if one["op"] == "classify"])
def test_calls_are_classified_as_in_the_vectors(case):
    recorded = {
        key: Action("a", case["run_id"], one["action_type"], arguments=one["arguments"],
                    status=ActionStatus(one["status"]))
        for key, one in case["prior_actions"].items()
    }  # fmt: skip

    likeness = classify(
        case["run_id"], case["action_type"], case["new_key"], case["new_arguments"],
        recorded=recorded, similarity=SIMILARITIES[case["kind"]],
    )  # fmt: skip

    assert likeness == case["expected"]


def test_an_embedding_is_compared_by_its_cosine_within_bounds():
    similarity = embedding_similarity(lambda text: [float(text), 1.0])

    assert similarity({"t": "1"}, {"t": "1"}) == pytest.approx(1.0)
    assert similarity({"t": "-2"}, {"t": "9"}) == 0.0


@pytest.mark.parametrize("case", AUTHORIZATION)
def test_authorization_identities_are_those_of_the_vectors(case):
    identity = authorization_id(case["action_type"], key=case["key"], arguments=case["arguments"])

    assert identity == case["expected"]
