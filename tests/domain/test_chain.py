"""Verification: what each kind of damage to a chain yields."""

from __future__ import annotations

import pytest

from continuum.domain.chain import MAX_VIOLATIONS, Violation, ViolationKind
from tests.domain.logs import RUN, START, make_rows
from tests.domain.walks import CHAIN, CONTENT, FIVE, GAP, UNREADABLE, changed, found, walk, without

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
