"""Comparing two states of a run: which ones, what changed, who said so."""

from __future__ import annotations

import pytest

from continuum.core.errors import UnreadableRecord, VersionNotFound
from continuum.domain.events import Draft, EventType, Origin
from continuum.services import comparisons
from continuum.services.checkpoints import take_checkpoint
from continuum.services.comparisons import Change, compare
from tests.conftest import NOON
from tests.outsiders import change
from tests.stores import progressed


def finding(number, claim):
    payload = {"finding_id": f"f{number}", "claim": claim}
    return Draft(EventType.FINDING_ADDED, payload, Origin.LLM, NOON)


@pytest.fixture
def versioned(store, make_run):
    """Version 0 with 1 done, version 1 with 2 done and a finding, and 3 done since."""
    make_run(progress=1)
    take_checkpoint(store, "run_a", at=NOON)
    store.append("run_a", [progressed(2, at=NOON), finding(1, "the disk is full")])
    take_checkpoint(store, "run_a", at=NOON, reason="before the move")
    store.append("run_a", [progressed(3, at=NOON)])
    return store


def test_now_is_compared_with_the_newest_checkpoint_unless_asked_otherwise(versioned):
    compared = compare(versioned, "run_a")

    assert compared is not None
    assert (compared.before, compared.after, compared.since_checkpoint) == (1, None, True)
    [done] = compared.changes
    assert done == Change("changed", "progress", "", "completed", "2", "3", "external_agent", 7)
    assert [(one.version, one.reason) for one in compared.versions] == [
        (1, "before the move"),
        (0, "manual"),
    ]


def test_any_two_versions_can_be_compared(versioned):
    compared = compare(versioned, "run_a", before=0, after=1)

    assert compared is not None
    assert not compared.since_checkpoint
    added = compared.changes[-1]
    assert (added.kind, added.component, added.name, added.field) == ("added", "finding", "f1", "")
    assert (added.before, added.after, added.origin) == ("", "the disk is full", "llm")


def test_what_was_removed_is_told_by_who_had_said_it(versioned):
    compared = compare(versioned, "run_a", before=1, after=0)

    assert compared is not None
    removed = compared.changes[-1]
    assert (removed.kind, removed.before, removed.origin) == ("removed", "the disk is full", "llm")


def test_only_the_first_changes_are_listed_and_all_are_counted(versioned, monkeypatch):
    monkeypatch.setattr(comparisons, "MOST_CHANGES", 1)

    compared = compare(versioned, "run_a", before=0)

    assert compared is not None
    assert (len(compared.changes), compared.total) == (1, 2)


def test_without_a_checkpoint_there_is_nothing_to_compare_with(store, make_run):
    make_run()

    assert compare(store, "run_a") is None


def test_a_missing_or_changed_version_is_refused(versioned, store_url):
    with pytest.raises(VersionNotFound):
        compare(versioned, "run_a", before=9)
    change(store_url, "versions", {"version": 0}, {"fingerprint": "0" * 64})
    with pytest.raises(UnreadableRecord):
        compare(versioned, "run_a", before=0)
