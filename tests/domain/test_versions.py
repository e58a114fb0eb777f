"""Fingerprints and stored state versions."""

from __future__ import annotations

import json

import pytest

from continuum.core.errors import InvalidInput, UnreadableRecord
from continuum.domain.checkpoints import make_version, version_from_row, version_state_text
from continuum.domain.projection import project, project_or_degrade
from continuum.domain.versions import fingerprint, fingerprint_text
from tests.domain.logs import NOON, RUN, START, make_events
from tests.vectors import load_vectors

CASES = [case for case in load_vectors("projection")["cases"] if "state" in case]
named = pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])


def read(case, text, **columns):
    row = {
        "run_id": case["run_id"],
        "version": 0,
        "fingerprint": case["fingerprint"],
        "prev_fingerprint": None,
        "reason": "manual",
        "created_at": "2026-01-02T03:04:05+00:00",
        "state_text": text,
        **columns,
    }
    return version_from_row(**row)


@named
def test_a_state_has_the_fingerprint_of_the_vector(case):
    assert fingerprint_text(case["state"]) == case["fingerprint_input"]
    assert fingerprint(case["state"]) == case["fingerprint"]


@named
def test_a_state_is_stored_as_the_column_of_the_vector(case):
    assert version_state_text(case["state"]) == case["stored_state_column"]


@named
def test_a_stored_state_reads_back_in_full(case):
    assert read(case, case["stored_state_column"]).state == case["state"]


def test_what_has_no_meaning_is_not_in_the_fingerprint():
    case = CASES[0]
    other = {**case["state"], "version": 9, "source_sequence": 99, "updated_at": "x"}

    assert fingerprint(other) == case["fingerprint"]


def test_blanks_order_defaults_and_zones_of_a_stored_state_may_differ():
    case = next(case for case in CASES if case["name"] == "work units")
    document = json.loads(case["stored_state_column"])
    for name in ("plan", "decisions", "pins", "model", "version"):
        del document[name]
    del document["pending_work"][0]["prerequisite"], document["pending_work"][0]["status"]
    document["created_at"] = "2026-01-02T03:04:06.000000+00:00"
    document["status"] = "valid"
    text = json.dumps(dict(reversed(document.items())), indent=2)

    assert read(case, text).state == case["state"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda state: state.update(extra=1), "unknown member 'extra'"),
        (lambda state: state["goal"].update(extra=1), "goal: unknown member"),
        (lambda state: state.pop("goal"), "'goal' is missing"),
        (lambda state: state["goal"].update(description=5), "goal: description: 5 is not text"),
        (lambda state: state["goal"].update(version=0), "below 1"),
        (lambda state: state["goal"].update(description="other"), "fingerprint"),
        (lambda state: state["progress"].update(completed=-1), "negative"),
        (lambda state: state["progress"].update(total=1, completed=2), "exceed"),
        (lambda state: state["progress"].update(completed=True), "not an integer"),
        (lambda state: state.update(run_id="run-2"), "'run-2'"),
        (lambda state: state.update(status="invalid"), "must not be stored"),
        (lambda state: state.update(created_at="soon"), "created_at"),
        (lambda state: state.update(decisions={}), "not a list"),
        (lambda state: state.update(evidence=[5]), "not an object"),
        (lambda state: state["goal"]["provenance"].update(origin="robot"), "'robot'"),
    ],
)
def test_a_damaged_state_is_unreadable_and_says_where(change, told):
    state = json.loads(CASES[0]["stored_state_column"])
    change(state)

    with pytest.raises(UnreadableRecord, match=told):
        read(CASES[0], json.dumps(state))


@pytest.mark.parametrize("text", ["", "[]", "null", '{"run_id": ', "[" * 5000])
def test_a_state_column_that_holds_no_object_is_unreadable(text):
    with pytest.raises(UnreadableRecord, match="version 0 of run 'run_v'"):
        read(CASES[0], text)


def test_a_version_carries_its_number_and_the_link_to_the_one_before():
    state = project(RUN, make_events(START))
    first = make_version(
        run_id=RUN, version=0, previous=None, reason="manual", state=state, at=NOON
    )

    second = make_version(
        run_id=RUN, version=1, previous=first, reason="manual", state=state, at=NOON
    )

    assert (first.prev_fingerprint, second.prev_fingerprint) == (None, first.fingerprint)
    assert second.state["version"] == 1
    assert second.created_at == "2026-03-01T12:00:00.250000+00:00"


def test_a_degraded_state_is_not_made_a_version():
    state = project_or_degrade(RUN, make_events(START, ("TASK_UPDATED", {"completed": -1})))

    with pytest.raises(InvalidInput, match="stops at event 2"):
        make_version(run_id=RUN, version=0, previous=None, reason="", state=state, at=NOON)


def test_half_a_surrogate_pair_folds_but_cannot_be_stored():
    state = project(RUN, make_events(("RUN_STARTED", {"goal": "x\ud800"})))

    assert len(fingerprint(state)) == 64
    with pytest.raises(InvalidInput, match="cannot be stored"):
        version_state_text(state)
