"""Families in the read model: levels, tallies, and the roots of the list."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.services import summaries
from continuum.store.familyport import ChildTally
from continuum.store.modelport import RunCursor, SummaryQuery
from tests.conftest import NOON
from tests.stores import RunMaker


@pytest.fixture
def family(store):
    """A root with four children, of which c1 waits and c3 has a child of its own."""
    for number, (run_id, parent, claimed) in enumerate(
        [
            ("root", None, ()),
            ("lone", None, ()),
            ("c0", "root", ()),
            ("c1", "root", ("k",)),
            ("c2", "root", ()),
            ("c3", "root", ()),
            ("g", "c3", ()),
        ]
    ):
        make = RunMaker(store, at=NOON + timedelta(seconds=number))
        make(run_id, parent=parent, claimed=claimed, metadata={"n": number})
    for _ in range(3):
        summaries.catch_up(store, limit=50, at=NOON)
    return store


def test_a_level_holds_the_newest_children_of_each_parent(family):
    rows = family.family_level(["root", "c3"], limit=2)

    assert [(row.parent_run_id, row.run_id) for row in rows] == [
        ("c3", "g"),
        ("root", "c3"),
        ("root", "c2"),
    ]
    assert rows[0].metadata == '{"n": 6}'
    assert [row.children for row in rows] == [0, 1, 0]


def test_a_level_goes_on_behind_a_child(family):
    first = family.family_level(["root"], limit=2)
    behind = RunCursor(first[-1].created_at, first[-1].run_id)

    rest = family.family_level(["root"], before=behind, limit=9)

    assert [row.run_id for row in [*first, *rest]] == ["c3", "c2", "c1", "c0"]


def test_a_level_can_be_narrowed_to_those_that_wait(family):
    [row] = family.family_level(["root"], waiting=True, limit=9)

    assert (row.run_id, row.waits, row.safe) == ("c1", True, False)


def test_tallies_count_every_child(family):
    tallies = family.child_tallies(["root", "c3"])

    assert sorted(tallies) == [
        ChildTally("c3", "resume", "started", False, 1),
        ChildTally("root", "request_human", "started", True, 1),
        ChildTally("root", "resume", "started", False, 3),
    ]


def test_members_are_found_by_id(family):
    assert {row.run_id for row in family.family_members(["g", "root", "nobody"])} == {"g", "root"}


def test_roots_are_runs_with_children_and_no_parent(family):
    query = SummaryQuery(roots=True)

    assert [row.run_id for row in family.summaries(query)] == ["root"]
    cursor = family.summaries(query)[0]
    behind = RunCursor(cursor.created_at, cursor.run_id)
    assert family.summaries(query._replace(before=behind)) == []


def test_a_run_waits_when_something_of_it_or_a_child_does(family):
    assert {row.run_id for row in family.summaries(SummaryQuery(waiting=True))} == {"root", "c1"}
