"""Verification: what each kind of damage to a chain yields."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuum.core.canonical import canonical_text
from continuum.core.errors import UnreadableRecord
from continuum.domain.chain import MAX_VIOLATIONS, ChainWalk, Violation, ViolationKind
from continuum.domain.digests import with_digests
from continuum.domain.events import EventRow, event_from_row, exact_digest
from tests.domain.logs import RUN, START, make_rows

GAP, CONTENT, CHAIN, UNREADABLE = "gap", "content", "chain", "unreadable"
_SHORT = {
    ViolationKind.SEQUENCE_GAP: GAP,
    ViolationKind.TAMPERED_CONTENT: CONTENT,
    ViolationKind.BROKEN_CHAIN: CHAIN,
    ViolationKind.UNREADABLE_RECORD: UNREADABLE,
}

FIVE = (
    START,
    ("TASK_UPDATED", {"completed": 1, "total": 5}, "external_agent"),
    ("TOOL_COMPLETED", {"tool": "Write", "path": "/srv/a, b: c.csv"}, "external_agent"),
    ("DECISION_CREATED", {"decision_id": "d", "decision": 'quote " and ü'}),
    ("REVIEW_CONFIRMED", {"components": ["goal", "progress"]}, "human"),
)


def walk(live, archived=(), **start):
    chain = ChainWalk(RUN, **start)
    chain.archive(archived)
    chain.live(live)
    return chain.result()


def found(result):
    return [(_SHORT[one.kind], one.sequence) for one in result.violations]


def changed(rows, sequence, **columns):
    return [row._replace(**columns) if row.sequence == sequence else row for row in rows]


def without(rows, *sequences):
    return [row for row in rows if row.sequence not in sequences]


def resealed(row, payload_text):
    """Return `row` with a payload and the hash that somebody computed over its very text."""
    text = (
        f'{{"causer_event_id":null,"event_id":"{row.event_id}","payload":{payload_text},'
        f'"prev_hash":{json.dumps(row.prev_hash)},"run_id":"{row.run_id}",'
        f'"sequence":{row.sequence},"source":"{row.source}",'
        f'"timestamp":"{row.timestamp}","type":"{row.type}"}}'
    )
    return row._replace(payload=payload_text, hash=sha256(text.encode()).hexdigest())


# -- a healthy chain


def test_a_healthy_chain_is_trusted_to_its_end():
    rows = make_rows(*FIVE)

    result = walk(rows)

    assert result.ok
    assert (result.checked, result.trusted_through) == (5, 5)
    assert (result.head_sequence, result.head_hash) == (5, rows[-1].hash)
    assert result.broken_at is None


def test_a_run_without_events_is_healthy():
    result = walk([])

    assert result.ok
    assert (result.checked, result.trusted_through, result.head_hash) == (0, 0, None)


def test_a_chain_over_archive_and_live_rows_is_trusted_to_its_end():
    rows = make_rows(*FIVE)

    result = walk(rows[3:], rows[:3])

    assert result.ok
    assert (result.checked, result.archived, result.trusted_through) == (2, 3, 5)


def test_a_chain_longer_than_a_batch_is_healthy_and_a_late_change_is_found():
    rows = make_rows(START, *[("TOOL_CALLED", {"tool": f"t{i}"}) for i in range(400)])

    assert walk(rows).trusted_through == 401
    assert found(walk(changed(rows, 300, payload="{}"))) == [(CONTENT, 300), (CHAIN, 301)]


@pytest.mark.parametrize(
    "columns",
    [
        {"payload": '{"path":"/srv/a, b: c.csv","tool":"Write"}'},
        {"payload": ' {"tool" : "Write",\n "path": "\\u002fsrv/a, b: c.csv"} '},
    ],
    ids=["blanks", "order and escapes"],
)
def test_another_spelling_of_the_same_payload_is_no_damage(columns):
    result = walk(changed(make_rows(*FIVE), 3, **columns))

    assert result.ok
    assert result.trusted_through == 5


def test_another_spelling_of_the_same_time_is_no_damage():
    rows = [row._replace(timestamp=row.timestamp[:-6] + "Z") for row in make_rows(*FIVE)]

    assert walk(rows).trusted_through == 5


# -- the table of damages, live rows (log of five, the third one changed)


@pytest.mark.parametrize(
    "columns",
    [
        {"payload": '{"tool": "Write", "path": "/srv/b.csv"}'},
        {"payload": "null"},
        {"timestamp": "2026-03-01T12:00:04+00:00"},
        {"source": "human"},
        {"causer_event_id": "event_x"},
        {"event_id": "event_x"},
        {"type": "TOOL_FAILED"},
    ],
    ids=lambda columns: f"{next(iter(columns))}={next(iter(columns.values()))[:8]}",
)
def test_changed_content_breaks_the_event_and_the_link_behind_it(columns):
    result = walk(changed(make_rows(*FIVE), 3, **columns))

    assert found(result) == [(CONTENT, 3), (CHAIN, 4)]
    assert result.trusted_through == 2
    assert result.broken_at == 3


def test_changed_content_of_the_last_event_is_found_without_a_link_behind_it():
    result = walk(changed(make_rows(*FIVE), 5, source="llm"))

    assert found(result) == [(CONTENT, 5)]
    assert result.trusted_through == 4


def test_a_changed_hash_is_found_once():
    result = walk(changed(make_rows(*FIVE), 3, hash="0" * 64))

    assert found(result) == [(CONTENT, 3)]
    assert result.trusted_through == 2


def test_a_changed_link_breaks_content_and_both_links():
    result = walk(changed(make_rows(*FIVE), 3, prev_hash="0" * 64))

    assert found(result) == [(CONTENT, 3), (CHAIN, 3), (CHAIN, 4)]
    assert result.trusted_through == 2


@pytest.mark.parametrize(
    "columns",
    [
        {"type": "PLAN_RECORDED"},
        {"source": "robot"},
        {"payload": '{"tool": '},
        {"payload": "[1]"},
        {"timestamp": "soon"},
        {"payload": '{"x": NaN}'},
        {"payload": '{"x": Infinity}'},
        {"payload": '{"x": 1e999}'},
        {"payload": b"\x01"},
        {"timestamp": 5},
        {"event_id": None},
    ],
    ids=lambda columns: f"{next(iter(columns))}={next(iter(columns.values()))}",
)
def test_an_unreadable_row_is_reported_and_the_walk_goes_on(columns):
    result = walk(changed(make_rows(*FIVE), 3, **columns))

    assert found(result) == [(UNREADABLE, 3), (CHAIN, 4)]
    assert (result.trusted_through, result.checked) == (2, 5)


def test_a_deleted_row_leaves_a_gap_and_a_broken_link():
    result = walk(without(make_rows(*FIVE), 3))

    assert found(result) == [(GAP, 4), (CHAIN, 4)]
    assert result.trusted_through == 2


def test_a_deleted_first_row_leaves_nothing_to_trust():
    result = walk(without(make_rows(*FIVE), 1))

    assert found(result) == [(GAP, 2), (CHAIN, 2)]
    assert result.trusted_through == 0


def test_deleted_last_rows_cannot_be_seen_by_the_walk_alone():
    result = walk(without(make_rows(*FIVE), 4, 5))

    assert result.ok
    assert result.trusted_through == 3


def test_shifted_sequences_break_everything():
    rows = [row._replace(sequence=row.sequence + 1) for row in make_rows(*FIVE)]

    result = walk(rows)

    assert found(result) == [
        (GAP, 2),
        (CONTENT, 2),
        *[damage for number in (3, 4, 5, 6) for damage in ((CONTENT, number), (CHAIN, number))],
    ]
    assert result.trusted_through == 0


def test_a_bad_first_event_leaves_nothing_to_trust():
    result = walk(changed(make_rows(*FIVE), 1, source="llm"))

    assert found(result) == [(CONTENT, 1), (CHAIN, 2)]
    assert result.trusted_through == 0


# -- the table of damages, archive (1 to 3 archived, 4 and 5 live)


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda rows: changed(rows, 2, payload="{}"), [(CONTENT, 2)]),
        (lambda rows: without(rows, 2), [(GAP, 3), (CHAIN, 3)]),
        (lambda rows: without(rows, 3), [(GAP, 4), (CHAIN, 4)]),
        (lambda rows: [], [(GAP, 4), (CHAIN, 4)]),
        (
            lambda rows: changed(rows, 3, type="PLAN_RECORDED"),
            [(UNREADABLE, 3), (GAP, 4), (CHAIN, 4)],
        ),
        (lambda rows: changed(rows, 2, payload="[]"), [(UNREADABLE, 2), (CHAIN, 3)]),
    ],
    ids=[
        "payload changed",
        "middle row deleted",
        "last row deleted",
        "all rows deleted",
        "last row unreadable",
        "middle row unreadable",
    ],
)
def test_a_damaged_archive_leaves_nothing_to_trust(damage, expected):
    rows = make_rows(*FIVE)

    result = walk(rows[3:], damage(rows[:3]))

    assert found(result) == expected
    assert result.trusted_through == 0
    assert result.checked == 2


def test_damages_of_the_archive_are_named_as_such():
    rows = make_rows(*FIVE)

    result = walk(rows[3:], changed(rows[:3], 2, payload="{}"))

    assert [one.detail.startswith("archived") for one in result.violations] == [True]


def test_a_deleted_anchor_leaves_a_gap_and_trust_up_to_the_one_before():
    rows = make_rows(*FIVE, ("EVENT_LOG_ANCHORED", {"anchored_through": 4, "version": 0}), START)

    result = walk(without(rows[4:], 6), rows[:4])

    assert found(result) == [(GAP, 7), (CHAIN, 7)]
    assert result.trusted_through == 5


def test_a_first_live_event_gone_bad_behind_a_whole_archive_leaves_nothing_to_trust():
    rows = make_rows(*FIVE)

    result = walk(changed(rows[3:], 4, source="llm"), rows[:3])

    assert found(result) == [(CONTENT, 4), (CHAIN, 5)]
    assert result.trusted_through == 0


def test_all_live_rows_deleted_behind_a_whole_archive_is_healthy_but_untrusted():
    rows = make_rows(*FIVE)

    result = walk([], rows[:3])

    assert result.ok
    assert (result.checked, result.trusted_through) == (0, 0)


# -- starting behind a verified mark


def test_a_walk_can_start_behind_a_verified_mark():
    rows = make_rows(*FIVE)

    result = walk(rows[3:], after=3, prev_hash=rows[2].hash)

    assert result.ok
    assert (result.checked, result.trusted_through) == (2, 5)


def test_a_walk_behind_the_newest_event_trusts_what_was_verified():
    rows = make_rows(*FIVE)

    result = walk([], after=5, prev_hash=rows[4].hash)

    assert (result.ok, result.trusted_through, result.head_hash) == (True, 5, rows[4].hash)


def test_a_walk_behind_a_mark_finds_a_row_that_does_not_continue_it():
    rows = make_rows(*FIVE)

    result = walk(rows[3:], after=3, prev_hash="0" * 64)

    assert found(result) == [(CHAIN, 4)]
    assert result.trusted_through == 3


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


def test_payloads_that_only_make_sense_together_are_unreadable():
    rows = make_rows(START, *[("TOOL_CALLED", {"tool": "x"})] * 3)
    halves = {2: '{"a":[1', 3: '"b"]}', 4: '{},"#",{}'}

    result = walk([row._replace(payload=halves.get(row.sequence, row.payload)) for row in rows])

    assert [one for one in found(result) if one[0] == UNREADABLE] == [
        (UNREADABLE, 2),
        (UNREADABLE, 3),
        (UNREADABLE, 4),
    ]


def test_a_payload_that_holds_the_mark_between_payloads_is_no_damage():
    rows = make_rows(START, *[("TOOL_CALLED", {"tool": ["a", "#", {"b": ',"#",'}]})] * 3)

    assert walk(rows).trusted_through == 4


# -- bounds and additions


def test_violations_of_a_walk_are_bounded_and_later_facts_still_count():
    rows = make_rows(START, *[("TOOL_CALLED", {})] * MAX_VIOLATIONS)
    result = walk([row._replace(source="robot") for row in rows])
    missing = Violation(ViolationKind.MISSING_TAIL, RUN, 5000, None, "a checkpoint names it")

    more = result.with_more([missing])

    assert len(result.violations) == MAX_VIOLATIONS
    assert result.checked == MAX_VIOLATIONS + 1
    assert more.violations[-1] == missing
    assert more.truncated
    assert not result.truncated


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
