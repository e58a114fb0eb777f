"""Checkpoints: what is sealed, how it is stored, what reading refuses."""

from __future__ import annotations

import json

import pytest

from continuum.core.errors import InvalidInput, UnreadableRecord
from continuum.domain.checkpoints import (
    checkpoint_body,
    checkpoint_from_body,
    make_checkpoint,
    sealed_text,
)
from continuum.domain.environment import make_environment
from continuum.domain.projection import project_or_degrade
from tests.domain.logs import NOON, RUN, START, make_events
from tests.vectors import load_vectors

CASES = load_vectors("checkpoint")["checkpoints"]
STATES = {case["name"]: case.get("state") for case in load_vectors("projection")["cases"]}
named = pytest.mark.parametrize(
    "case", CASES, ids=[case["state_from_projection_case"] for case in CASES]
)


def make(state, **members):
    known = {
        "checkpoint_id": "checkpoint_1",
        "run_id": state["run_id"],
        "version": 3,
        "trigger": "manual",
        "reason": "",
        "environment": None,
        "at": NOON,
    }
    return make_checkpoint(state=state, **{**known, **members})


@named
def test_a_stored_body_reads_back_and_is_written_alike(case):
    checkpoint = checkpoint_from_body(case["body_column"])

    assert checkpoint_body(checkpoint) == case["body_column"]
    assert sealed_text(checkpoint) == case["hashed_text"]
    assert checkpoint.integrity_hash == case["integrity_hash"]


@named
def test_the_state_of_a_stored_body_is_the_folded_one(case):
    checkpoint = checkpoint_from_body(case["body_column"])

    expected = STATES[case["state_from_projection_case"]]
    assert checkpoint.state == {**expected, "version": checkpoint.version}


@named
def test_sealing_the_same_members_gives_the_same_seal(case):
    stored = checkpoint_from_body(case["body_column"])
    sealed = make(
        STATES[case["state_from_projection_case"]],
        checkpoint_id=stored.checkpoint_id,
        version=stored.version,
        trigger=stored.trigger,
        reason=stored.reason,
        environment=stored.environment,
    )._replace(created_at=stored.created_at)

    assert sealed_text(sealed) == case["hashed_text"]


def test_a_made_checkpoint_reads_back():
    environment = make_environment(RUN, {"dataset": "v3", "api": "2"}, at=NOON)
    state = {**STATES["start only"], "run_id": RUN}
    checkpoint = make(state, environment=environment, reason="naïve ☃")

    read = checkpoint_from_body(checkpoint_body(checkpoint))

    assert read == checkpoint
    assert read.state["version"] == 3
    assert read.created_at == "2026-03-01T12:00:00.250000Z"


def test_blanks_order_defaults_and_zones_of_a_body_may_differ():
    body = json.loads(CASES[0]["body_column"])
    del body["environment"], body["trigger"], body["state"]["findings"]
    body["created_at"] = body["created_at"].replace("Z", "+00:00")
    text = json.dumps(dict(reversed(body.items())), indent=1)

    assert checkpoint_from_body(text) == checkpoint_from_body(CASES[0]["body_column"])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda body: body.update(reason="other"), "does not hash to its seal"),
        (lambda body: body["state"].update(source_sequence=2), "does not hash to its seal"),
        (lambda body: body.update(integrity_hash="0" * 64), "does not hash to its seal"),
        (lambda body: body.update(extra=1), "unknown member 'extra'"),
        (lambda body: body["state"].update(extra=1), "state: unknown member"),
        (lambda body: body.pop("integrity_hash"), "'integrity_hash' is missing"),
        (lambda body: body.update(version=-1), "negative"),
        (lambda body: body.update(environment=[]), "not an object"),
        (lambda body: body["state"].update(run_id="run-2"), "'run-2'"),
    ],
)
def test_a_damaged_body_is_unreadable_and_says_why(change, told):
    body = json.loads(CASES[0]["body_column"])
    change(body)

    with pytest.raises(UnreadableRecord, match=told):
        checkpoint_from_body(json.dumps(body))


def test_every_changed_member_breaks_the_seal():
    body = json.loads(CASES[1]["body_column"])
    for name in body.keys() - {"state", "environment", "version", "created_at"}:
        with pytest.raises(UnreadableRecord):
            checkpoint_from_body(json.dumps({**body, name: f"{body[name]}x"}))


def test_a_body_with_a_number_json_cannot_say_is_unreadable():
    body = CASES[1]["body_column"].replace('"size":12', '"size":NaN')

    with pytest.raises(UnreadableRecord):
        checkpoint_from_body(body)


def test_a_degraded_state_is_not_sealed():
    state = project_or_degrade(RUN, make_events(START, ("TASK_UPDATED", {"completed": -1})))

    with pytest.raises(InvalidInput, match="stops at event 2"):
        make(state)
