"""Values survive both back ends exactly, and their hashes are the same in both."""

from __future__ import annotations

import json
from typing import Any

import pytest

from continuum import open_store
from continuum.core.clock import column_time
from continuum.core.errors import InvalidInput
from continuum.domain.chain import ChainWalk
from continuum.domain.events import Draft, EventType, Origin
from continuum.domain.runs import Run, RunStatus
from tests.conftest import NOON
from tests.stores import RunMaker

VALUES: dict[str, Any] = {
    "floats": [1e22, -0.0, 1e-7, 5e-324, 1e16, 0.1, 1.0, 1.7976931348623157e308],
    "integers": [2**53, 2**53 + 1, 2**64, -(2**63) - 1, 10**30, 0, 1],
    "alike": [1, 1.0, True, "1", None, False, 0, 0.0, "", [], {}],
    "names": {"é": 1, "e\u0301": 2, "😀": 3, "\uffff": 4, "\uff5e": 5, "": 6},
    "text": ["\u0000", "\\u0000", "\x7f", "\u2028", 'a"b\\c', "\ud800", "ﬁ", "a\tb\nc"],
}

RUN = Run("run_a", "g", RunStatus.STARTED, column_time(NOON), column_time(NOON), {"n": 2**64}, None)


def draft(payload):
    return Draft(
        EventType.TOOL_COMPLETED, payload, Origin.EXTERNAL_AGENT, NOON, event_id="event_values"
    )


def spelled(value):
    """Return a form in which 1, 1.0 and True differ, and the order of members does not count."""
    return json.dumps(value, sort_keys=True)


@pytest.fixture
def both_stores(tmp_path, postgres_url):
    """A SQLite and a PostgreSQL store that hold the same start of the same run."""
    with open_store(str(tmp_path / "a.db")) as first, open_store(postgres_url) as second:
        yield first, second


def test_o09_values_are_read_back_exactly_and_hash_alike_in_both(both_stores):
    hashes = []
    for store in both_stores:
        with store.writing() as writer:
            writer.insert_run(RUN)
            event = writer.append("run_a", [draft(VALUES)])[0]
        read = next(store.events("run_a"))
        hashes.append(read.hash)

        assert spelled(read.payload) == spelled({**VALUES})
        assert spelled(event.payload) == spelled(read.payload)
        walk = ChainWalk("run_a")
        walk.live(store.event_rows("run_a", archived=False))
        assert walk.result().ok

    assert hashes[0] == hashes[1]


def test_different_values_hash_differently(store, make_run):
    run_id = make_run()
    hashes = set()
    for value in VALUES["alike"]:
        with pytest.raises(ZeroDivisionError), store.writing(run_id) as writer:
            hashes.add(writer.append(run_id, [draft({"value": value})])[0].hash)
            raise ZeroDivisionError

    assert len(hashes) == len(VALUES["alike"])
    assert store.head(run_id).sequence == 1


def test_odd_names_of_runs_survive(store):
    for run_id in ("a/b", "..", "é😀", " x ", "'; DROP TABLE runs; --", "%s %(x)s :x ?", "x" * 500):
        RunMaker(store, at=NOON)(run_id, goal=run_id, claimed=[run_id])

        assert store.run(run_id).goal == run_id
        assert store.slot(run_id, run_id).action.run_id == run_id
        assert [event.run_id for event in store.events(run_id)] == [run_id] * 2


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff"])
def test_half_a_surrogate_pair_in_a_column_is_refused(store, text):
    with pytest.raises(InvalidInput):
        RunMaker(store, at=NOON)("run_a", goal=text)

    assert store.find_run("run_a") is None


def test_a_nul_in_a_column_is_refused_or_kept_never_cut(store, backend):
    if backend == "postgresql":
        with pytest.raises(InvalidInput):
            RunMaker(store, at=NOON)("run_a", goal="a\0b")
        assert store.find_run("run_a") is None
        return
    RunMaker(store, at=NOON)("run_a", goal="a\0b")
    assert store.run("run_a").goal == "a\0b"


def test_numbers_too_large_for_a_column_find_nothing_or_are_refused(store, make_run):
    run_id = make_run()

    for number in (2**31, 2**63, 2**70):
        try:
            found = store.event_row(run_id, number)
        except InvalidInput:
            continue
        assert found is None
