"""Verification against forgery: hashes over another text, and every change of a character."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuum.core.canonical import canonical_text
from continuum.core.errors import UnreadableRecord
from continuum.domain.digests import with_digests
from continuum.domain.events import EventRow, event_from_row, exact_digest
from tests.domain.logs import START, make_rows
from tests.domain.walks import CONTENT, FIVE, UNREADABLE, found, walk


def resealed(row, payload_text):
    """Return `row` with a payload and the hash that somebody computed over its very text."""
    text = (
        f'{{"causer_event_id":null,"event_id":"{row.event_id}","payload":{payload_text},'
        f'"prev_hash":{json.dumps(row.prev_hash)},"run_id":"{row.run_id}",'
        f'"sequence":{row.sequence},"source":"{row.source}",'
        f'"timestamp":"{row.timestamp}","type":"{row.type}"}}'
    )
    return row._replace(payload=payload_text, hash=sha256(text.encode()).hexdigest())


# -- forged rows: the hash fits the text, but the text is not the event's


def test_an_unknown_type_with_a_fitting_hash_is_unreadable():
    rows = make_rows(*FIVE)
    forged = resealed(rows[4]._replace(type="PLAN_RECORDED"), canonical_text({}))

    assert found(walk([*rows[:4], forged])) == [(UNREADABLE, 5)]


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ('{"x":NaN}', UNREADABLE),
        ('{"x":-Infinity}', UNREADABLE),
        ('{"x":1e999}', UNREADABLE),
        ('{"x":}', UNREADABLE),
        ('{"x":1}]', UNREADABLE),
        ("[1]", UNREADABLE),
        ('"#"', UNREADABLE),
        ("{},{}", UNREADABLE),
        ('{},"#",{}', UNREADABLE),
        ('{"a":1,"a":2}', CONTENT),
        ('{"b":1,"a":2}', CONTENT),
        ('{"x":1.50}', CONTENT),
        ('{"x":1E5}', CONTENT),
        ('{"x":"\\u0041"}', CONTENT),
    ],
)
def test_a_hash_over_another_spelling_of_the_payload_is_no_proof(payload, expected):
    rows = make_rows(*FIVE)
    forged = resealed(rows[4], payload)

    result = walk([*rows[:4], forged])

    assert found(result) == [(expected, 5)]


@pytest.mark.parametrize(
    "timestamp",
    ["2026-03-01T12:00:05.000000+00:00", "2026-03-01 12:00:05+00:00", "2026-03-01T12:00:05Z"],
)
def test_a_hash_over_another_form_of_the_time_is_no_proof(timestamp):
    rows = make_rows(*FIVE)
    forged = resealed(rows[4]._replace(timestamp=timestamp), canonical_text({}))

    assert found(walk([*rows[:4], forged])) == [(CONTENT, 5)]


@pytest.mark.parametrize(
    "texts",
    [
        ('{"a":[1', '"b"]}', "{}"),
        ('{"a":[1', "{}]}", '{},"#",{}'),
        ('{"a":[1', '2],"a":3}', '{},"\\u0023",{}'),
    ],
)
def test_payloads_that_only_make_sense_together_are_unreadable(texts):
    rows = make_rows(START, *[("TOOL_CALLED", payload) for payload in ({"a": 3}, {}, {})])
    damaged = [resealed(row, text) for row, text in zip(rows[1:], texts, strict=True)]

    result = walk([rows[0], *damaged])

    unreadable = [sequence for kind, sequence in found(result) if kind == UNREADABLE]
    assert unreadable == [place for place, text in enumerate(texts, 2) if text != "{}"]


def test_a_payload_that_holds_the_mark_between_payloads_is_no_damage():
    rows = make_rows(START, *[("TOOL_CALLED", {"tool": ["a", "#", {"b": ',"#",'}]})] * 3)
    compact = [row._replace(payload=canonical_text(json.loads(row.payload))) for row in rows]

    assert walk(rows).trusted_through == walk(compact).trusted_through == 4


# -- every change is found

_CHAIN = make_rows(
    START,
    ("TASK_UPDATED", {"completed": 1, "total": 2}, "external_agent"),
    ("TOOL_COMPLETED", {"tool": "W", "ok": True, "ms": 1.5, "note": None}, "llm"),
)


def _value(row):
    """Return what a row says, whatever the spelling; None when it cannot be read."""
    try:
        event = event_from_row(row)
    except UnreadableRecord:
        return None
    return event._replace(payload={}), json.dumps(event.payload, sort_keys=True)


def _edits(text):
    """Every text one character away, with a few characters to put in."""
    for place in range(len(text) + 1):
        for character in '0a" ,:{}Z\\é':
            yield text[:place] + character + text[place:]
            yield text[:place] + character + text[place + 1 :]
        yield text[:place] + text[place + 1 :]


@pytest.mark.parametrize("column", [name for name in EventRow._fields if name != "sequence"])
@pytest.mark.parametrize("sequence", [1, 2, 3])
def test_every_change_of_one_character_is_found_unless_the_value_is_the_same(sequence, column):
    original = _CHAIN[sequence - 1]
    text = getattr(original, column)

    for edited in {*_edits(text or "")} - {text}:
        row = original._replace(**{column: edited})
        rows = [row if row.sequence == one.sequence else one for one in _CHAIN]
        assert walk(rows).ok == (_value(row) == _value(original)), edited


@pytest.mark.parametrize("sequence", [1, 2, 3])
@pytest.mark.parametrize("wrong", [0, 4, 10, 31, -1])
def test_every_change_of_a_sequence_is_found(sequence, wrong):
    rows = [*_CHAIN]
    rows[sequence - 1] = rows[sequence - 1]._replace(sequence=wrong)

    assert not walk(rows).ok


json_objects = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@given(st.lists(json_objects, max_size=6))
def test_a_digest_of_a_batch_is_the_exact_one_whatever_its_neighbours(payloads):
    [template] = make_rows(START)
    rows = [template._replace(payload=json.dumps(payload)) for payload in payloads]

    for row, digest in with_digests(rows):
        assert digest in (exact_digest(row), None)
        assert digest is not None or '"#"' in row.payload
