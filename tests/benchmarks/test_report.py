"""What the benchmarks print: ratios the right way round, and goals judged by them."""

from __future__ import annotations

import pytest

from benchmarks.report import (
    Row,
    Table,
    as_json,
    at_least_times,
    at_most,
    at_most_beside_floor,
    at_most_floors,
    missed,
    printed,
)


def test_a_rate_is_faster_when_it_is_greater():
    row = Row("append", "events/s", 3000.0, 1500.0)

    assert row.ratio == 2.0


def test_a_duration_is_faster_when_it_is_smaller():
    row = Row("assess", "ms", 2.0, 600.0)

    assert row.ratio == 300.0


def test_what_was_not_measured_has_no_ratio_and_no_goal():
    row = at_least_times(Row("resume", "ms", 700.0, None, 300.0), 12)

    assert row.ratio is None
    assert row.goal is None


@pytest.mark.parametrize(
    ("row", "is_met"),
    [
        (at_least_times(Row("a", "ms", 1.0, 12.0), 12), True),
        (at_least_times(Row("a", "ms", 1.0, 11.9), 12), False),
        (at_most(Row("a", "ms", 3.0), 3), True),
        (at_most(Row("a", "ms", 3.1), 3), False),
        (at_most_floors(Row("a", "ms", 5.0, floor=2.0), 2.5), True),
        (at_most_floors(Row("a", "ms", 5.1, floor=2.0), 2.5), False),
        (at_most_beside_floor(Row("a", "ms", 0.9, floor=0.1), 1, 2), True),
        (at_most_beside_floor(Row("a", "ms", 6.0, floor=3.0), 1, 2), True),
        (at_most_beside_floor(Row("a", "ms", 6.1, floor=3.0), 1, 2), False),
    ],
)
def test_a_goal_is_met_up_to_its_limit(row, is_met):
    assert row.goal.met is is_met


def test_the_file_holds_four_figures_for_each_subject():
    table = Table("assess", [Row("100 events", "ms", 2.0, 6.0, 0.5), Row("long", "ms", 2.0)])

    assert as_json([table]) == {
        "assess: 100 events [ms]": {"ours": 2.0, "peer": 6.0, "floor": 0.5, "ratio": 3.0},
        "assess: long [ms]": {"ours": 2.0, "peer": None, "floor": None, "ratio": None},
    }


def test_missed_goals_are_named_and_marked():
    table = Table("assess", [at_most(Row("long", "ms", 9.0, note="cold"), 3)])

    text = printed(table)

    assert "MISSED" in text
    assert "long: cold" in text
    assert missed([table]) == ["assess: long (≤ 3 ms)"]
