"""Reading creates and changes nothing: not the file, not its folder, not while others write."""

from __future__ import annotations

import inspect
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from continuum import open_store
from continuum.core.errors import (
    NotFound,
    StoreChanged,
    StoreUnavailable,
    UnreadableRecord,
)
from continuum.store.actionport import ActionQuery
from continuum.store.auditport import HumanQuery
from continuum.store.base import ReadStore
from continuum.store.modelport import ItemQuery, SummaryQuery
from tests.conftest import NOON
from tests.outsiders import query
from tests.store.test_opening import STORES, listing
from tests.stores import RunMaker, progressed

NO_READS = {"close", "reading", "writing", "append", "description"}
QUERIES = {
    "SummaryQuery": SummaryQuery(),
    "ItemQuery": ItemQuery(),
    "HumanQuery": HumanQuery(),
    "ActionQuery": ActionQuery(),
}
ARGUMENTS = {
    "action_type": "t",
    "after": 0,
    "archived": True,
    "kind": "event",
    "limit": 5,
    "most": 5,
    "now": NOON,
    "number": 0,
    "numbers": [1],
    "phrases": (),
    "sequence": 1,
    "since": "",
    "since_hour": "",
    "tokens": ["INV-001"],
    "types": ["RUN_STARTED"],
}
"""What reads are given by the name of a parameter; other texts are `x`."""


def reads_of(store):
    """Return name → function of every method that only reads."""
    names = [name for name in dir(store) if not name.startswith("_")]
    methods = {name: getattr(store, name) for name in names if name not in NO_READS}
    return {name: method for name, method in methods.items() if callable(method)}


def call(read, run_id):
    """Call a read with whatever it requires; exhaust what it yields."""
    given = {}
    for name, parameter in inspect.signature(read).parameters.items():
        if parameter.default is parameter.empty:
            kind = str(parameter.annotation)
            given[name] = QUERIES.get(kind, ARGUMENTS.get(name, "x"))
    if "run_id" in inspect.signature(read).parameters:
        given["run_id"] = run_id
    answer = read(**given)
    return list(answer) if isinstance(answer, Iterator) else answer


def read_everything(store):
    """Call every read on the newest run; return its id."""
    run_id = store.runs(limit=1)[0].run_id
    for name, read in reads_of(store).items():
        try:
            call(read, run_id)
        except (NotFound, UnreadableRecord):
            assert name in ("version", "run"), name
    with store.reading():
        list(store.events(run_id))
    return run_id


def test_every_read_of_the_port_is_tried():
    with open_store(":memory:") as store:
        names = set(reads_of(store))

    port = {name for name in dir(ReadStore) if not name.startswith("_")}
    assert port - NO_READS - {"url", "backend", "read_only", "has_read_model"} <= names
    assert len(names) > 40


@pytest.mark.parametrize("name", ["versions", "compacted", "family", "schema_v2"])
def test_reading_a_store_of_the_other_client_leaves_file_and_folder_as_they_were(tmp_path, name):
    shutil.copy(STORES / f"{name}.db", tmp_path / "a.db")
    before = listing(tmp_path)

    with open_store(str(tmp_path / "a.db"), read_only=True) as store:
        read_everything(store)
        assert listing(tmp_path) == before

    assert listing(tmp_path) == before


@pytest.fixture
def own(tmp_path):
    """The path of a store of our own, closed."""
    path = tmp_path / "a.db"
    with open_store(str(path)) as store:
        RunMaker(store, at=NOON)(claimed=["a"], progress=3)
    return path


def test_reading_our_own_store_leaves_file_and_folder_as_they_were(own):
    before = listing(own.parent)

    with open_store(str(own), read_only=True) as store:
        read_everything(store)

    assert listing(own.parent) == before


def test_a_folder_that_may_not_be_written_can_be_read(own):
    own.parent.chmod(0o555)
    try:
        with open_store(str(own), read_only=True) as store:
            assert read_everything(store) == "run_a"
    finally:
        own.parent.chmod(0o755)


def test_a_file_in_rollback_mode_stays_in_it(own):
    with closing(sqlite3.connect(own)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    before = listing(own.parent)

    with open_store(str(own), read_only=True) as store:
        read_everything(store)

    assert listing(own.parent) == before


def test_a_store_that_is_open_elsewhere_is_read_as_it_is_now(own):
    with open_store(str(own)) as writer:
        writer.append("run_a", [progressed(4, at=NOON)])
        before = listing(own.parent)

        with open_store(str(own), read_only=True) as store:
            read_everything(store)
            assert store.head("run_a").sequence == 6
            assert set(listing(own.parent)) == set(before)
            assert listing(own.parent)["a.db"] == before["a.db"]

            writer.append("run_a", [progressed(5, at=NOON)])
            assert store.head("run_a").sequence == 7

    assert set(listing(own.parent)) <= {"a.db", "a.db-wal", "a.db-shm"}


def test_a_log_left_by_a_crash_is_read_without_an_index_beside_it(own, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    with open_store(str(own)) as writer:
        writer.append("run_a", [progressed(4, at=NOON)])
        shutil.copy(own, copy / "a.db")
        shutil.copy(f"{own}-wal", copy / "a.db-wal")
    before = listing(copy)

    with open_store(str(copy / "a.db"), read_only=True) as store:
        read_everything(store)
        assert store.head("run_a").sequence == 6

    assert listing(copy) == before


def test_a_long_lived_reader_follows_writers_that_come_and_go(own):
    with open_store(str(own), read_only=True) as reader:
        for number in range(3):
            with open_store(str(own)) as writer:
                writer.append("run_a", [progressed(number, at=NOON)])
                assert reader.head("run_a").sequence == 6 + number
            assert reader.head("run_a").sequence == 6 + number


def test_a_reader_follows_a_file_that_was_replaced(own, tmp_path):
    other = tmp_path / "other.db"
    with open_store(str(other)) as store:
        RunMaker(store, at=NOON)("run_b")

    with open_store(str(own), read_only=True) as reader:
        assert [run.run_id for run in reader.runs(limit=9)] == ["run_a"]
        os.replace(other, own)
        assert [run.run_id for run in reader.runs(limit=9)] == ["run_b"]


def test_a_change_below_a_long_read_is_said(own):
    with open_store(str(own), read_only=True) as reader:
        rows = reader.events("run_a")
        next(rows)
        with open_store(str(own)) as writer:
            writer.append("run_a", [progressed(9, at=NOON)])

        with pytest.raises(StoreChanged):
            list(rows)
        with pytest.raises(StoreChanged), reader.reading():
            reader.head("run_a")
            with open_store(str(own)) as writer:
                writer.append("run_a", [progressed(9, at=NOON)])


def test_an_older_store_is_migrated_in_memory_only(tmp_path):
    shutil.copy(STORES / "schema_v2.db", tmp_path / "a.db")
    before = listing(tmp_path)

    with open_store(str(tmp_path / "a.db"), read_only=True) as store:
        assert not store.has_read_model
        assert store.run("run_old").parent_run_id is None
        assert store.index_drift() == 0
        assert [slot.action.status for slot in store.slots("run_old")] == ["completed", "started"]

    assert listing(tmp_path) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(own):
    own.chmod(0o000)

    with pytest.raises(StoreUnavailable, match="cannot be read"):
        open_store(str(own), read_only=True)


def test_a_postgresql_store_of_the_other_client_is_read_without_a_trace(
    postgres_server, empty_postgres_url
):
    postgres_server.load_dump(empty_postgres_url, STORES / "postgres_mixed.sql")
    tables = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
    before = query(empty_postgres_url, tables)

    with open_store(empty_postgres_url, read_only=True) as store:
        assert not store.has_read_model
        read_everything(store)

    assert query(empty_postgres_url, tables) == before


def test_a_file_that_others_turn_to_wal_and_close_leaves_no_companions(own):
    with closing(sqlite3.connect(own)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")

    with open_store(str(own), read_only=True) as reader:
        assert reader.head("run_a").sequence == 5
        with open_store(str(own)) as writer:
            writer.append("run_a", [progressed(4, at=NOON)])
            assert reader.head("run_a").sequence == 6
        before = set(listing(own.parent))
        assert reader.head("run_a").sequence == 6

    assert set(listing(own.parent)) <= before
