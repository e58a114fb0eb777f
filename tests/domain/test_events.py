"""Sealing events and reading rows back."""

from __future__ import annotations

import json

import pytest

from continuum.core.clock import is_column_time
from continuum.core.errors import InvalidInput, UnreadableRecord
from continuum.domain.digests import with_digests
from continuum.domain.events import (
    Draft,
    EventType,
    Head,
    Origin,
    event_from_row,
    exact_digest,
    seal,
)
from tests.domain.logs import NOON, RUN, START, make_rows
from tests.vectors import load_vectors, vector_row

CASES = load_vectors("events")["cases"]
TIMES = load_vectors("canonical")["equivalent_timestamps"]


def row_of(case):
    return vector_row(case["row"]["run_id"], case["row"])


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_row_has_the_digest_of_the_vector(case):
    row = row_of(case)

    assert exact_digest(row) == case["sha256"] == row.hash


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_digest_of_a_batch_is_that_of_the_vector_unless_the_time_is_in_another_form(case):
    row = row_of(case)

    [(_, digest)] = with_digests([row])

    assert digest == (case["sha256"] if is_column_time(row.timestamp) else None)


@pytest.mark.parametrize("case", TIMES, ids=[case["timestamp_column"] for case in TIMES])
def test_every_written_form_of_the_time_gives_one_digest(case):
    row = row_of(CASES[0])._replace(timestamp=case["timestamp_column"])

    assert exact_digest(row) == case["digest"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_sealing_the_values_of_a_row_gives_its_hash(case):
    event = event_from_row(row_of(case))
    draft = Draft(
        event.type, event.payload, event.source, event.at, event.event_id, event.causer_event_id
    )

    sealed = seal(draft, run_id=event.run_id, head=Head(event.sequence - 1, event.prev_hash))

    assert sealed.hash == case["sha256"]
    assert event_from_row(sealed) == event


def test_a_sealed_payload_is_stored_in_the_canonical_form():
    draft = Draft(EventType.TOOL_CALLED, {"b": 1, "a": [1.0, "ü"]}, Origin.HUMAN, NOON)

    row = seal(draft, run_id=RUN, head=Head(3, "a" * 64))

    assert row.payload == '{"a":[1.0,"\\u00fc"],"b":1}'
    assert row.sequence == 4
    assert row.prev_hash == "a" * 64


def test_sealing_refuses_what_json_cannot_say():
    draft = Draft(EventType.TOOL_CALLED, {"x": float("nan")}, Origin.HUMAN, NOON)

    with pytest.raises(InvalidInput, match=r"payload\.x"):
        seal(draft, run_id=RUN, head=Head(0, None))


def test_a_json_null_payload_reads_as_an_empty_object():
    [row] = make_rows(START)

    assert event_from_row(row._replace(payload="null")).payload == {}


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("type", "PLAN_RECORDED", "unknown event type"),
        ("source", "robot", "unknown origin"),
        ("payload", "[1]", "not an object"),
        ("payload", "{broken", "unreadable"),
        ("payload", '{"x": NaN}', "NaN"),
        ("payload", '{"x": -Infinity}', "-Infinity"),
        ("payload", b"\x00", "unreadable"),
        ("timestamp", "soon", "not a time"),
        ("timestamp", "2026-02-31T00:00:00+00:00", "unreadable"),
    ],
)
def test_a_damaged_column_makes_the_row_unreadable(column, value, told):
    [row] = make_rows(START)

    with pytest.raises(UnreadableRecord, match=told):
        event_from_row(row._replace(**{column: value}))


def test_big_integers_and_floats_come_back_exactly():
    payload = {"big": 2**64 + 1, "thirty": 10**30, "float": 1.0, "one": 1}
    [row] = make_rows(("TOOL_CALLED", payload))

    read = event_from_row(row).payload

    assert json.dumps(read, sort_keys=True) == json.dumps(payload, sort_keys=True)
