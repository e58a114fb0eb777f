"""Older stores: brought up to date in one step, tolerant of what is there already."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from continuum import open_store
from continuum.core.clock import column_time
from continuum.core.errors import StoreUnavailable
from continuum.domain.events import NO_HEAD, Head, seal
from continuum.store.sqlite.schema import SCHEMA_VERSION
from tests.conftest import NOON
from tests.store.test_opening import STORES
from tests.stores import claimed_action, progressed, started

RUNS = """CREATE TABLE runs (run_id TEXT PRIMARY KEY, goal TEXT NOT NULL, status TEXT NOT NULL,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, metadata TEXT NOT NULL DEFAULT '{}'{more})"""
EVENTS = """CREATE TABLE events (run_id TEXT NOT NULL REFERENCES runs(run_id) ON DELETE CASCADE,
  sequence INTEGER NOT NULL, event_id TEXT NOT NULL UNIQUE, type TEXT NOT NULL,
  timestamp TEXT NOT NULL, payload TEXT NOT NULL, causer_event_id TEXT, hash TEXT NOT NULL{more},
  PRIMARY KEY (run_id, sequence))"""
PROVENANCE = ", source TEXT NOT NULL DEFAULT 'deterministic', prev_hash TEXT"
PARENT = ", parent_run_id TEXT REFERENCES runs(run_id)"
STEPS = {
    2: "add_versions_table_and_event_provenance",
    3: "add_action_index_projection",
    4: "add_langgraph_checkpoint_tables",
    5: "add_events_archive",
    6: "add_runs_parent_column",
}


def make_old_store(path, version, *, has_provenance, has_parent):
    """Make a store of an old shape with one run of three events, one of them an action."""
    drafts = [
        started("Old", at=NOON),
        claimed_action("run_a", "a", at=NOON),
        progressed(1, at=NOON),
    ]
    head = NO_HEAD
    moment = column_time(NOON)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(RUNS.replace("{more}", PARENT if has_parent else ""))
        connection.execute(EVENTS.replace("{more}", PROVENANCE if has_provenance else ""))
        if version is not None:
            connection.execute("CREATE TABLE continuum_meta (key TEXT PRIMARY KEY, value TEXT)")
            connection.execute(
                "INSERT INTO continuum_meta VALUES ('schema_version', ?)", (str(version),)
            )
        connection.execute(
            "INSERT INTO runs (run_id, goal, status, created_at, updated_at) "
            "VALUES ('run_a', 'Old', 'started', ?, ?)",
            (moment, moment),
        )
        for draft in drafts:
            row = seal(draft, run_id="run_a", head=head)
            head = Head(row.sequence, row.hash)
            members = row._asdict()
            if not has_provenance:
                del members["source"], members["prev_hash"]
            marks = ", ".join("?" * len(members))
            connection.execute(
                f"INSERT INTO events ({', '.join(members)}) VALUES ({marks})", [*members.values()]
            )


def rows(path, query):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def columns(path, table):
    return [row[0] for row in rows(path, f"SELECT name FROM pragma_table_info('{table}')")]


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, None])
@pytest.mark.parametrize("has_columns_already", [False, True])
def test_every_older_shape_becomes_the_current_one(tmp_path, version, has_columns_already):
    path = str(tmp_path / "a.db")
    has_provenance = has_columns_already or (version or 1) >= 2
    make_old_store(path, version, has_provenance=has_provenance, has_parent=has_columns_already)

    with open_store(path) as store:
        assert store.has_read_model
        assert store.run("run_a").goal == "Old"
        assert [event.sequence for event in store.events("run_a")] == [1, 2, 3]
        assert [slot.key for slot in store.slots("run_a")] == ["a"]
        assert store.append("run_a", [progressed(2, at=NOON)])[0].sequence == 4
        if version is None or version < 3:
            assert store.index_drift() == 0
            assert store.foreign_action("a", "other") == store.slots("run_a")[0].action

    assert rows(path, "SELECT value FROM continuum_meta") == [(str(SCHEMA_VERSION),)]
    assert columns(path, "runs")[-1] == "parent_run_id"
    assert {"source", "prev_hash"} <= set(columns(path, "events"))
    recorded = dict(rows(path, "SELECT version, name FROM schema_migrations"))
    expected = {6: "baseline"}
    if version is not None:
        expected = {number: name for number, name in STEPS.items() if number > version}
    assert recorded == expected


def test_the_other_clients_older_store_is_migrated_as_it_would_itself(tmp_path):
    path = tmp_path / "a.db"
    shutil.copy(STORES / "schema_v2.db", path)
    text = (STORES / "schema_v2.expected.json").read_text(encoding="utf-8")
    expected = json.loads(text)["after_opening"]

    with open_store(str(path)) as store:
        assert any("from schema 2 to 6" in notice for notice in store.notices)

    tables = [row[0] for row in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    theirs = {name for name in tables if not name.startswith(("cx_", "sqlite_"))}
    assert theirs == set(expected["tables"])
    assert columns(path, "runs") == expected["runs_columns"]
    query = "SELECT version, name FROM schema_migrations ORDER BY version"
    assert [list(row) for row in rows(path, query)] == expected["schema_migrations"]
    index = "SELECT key, run_id, action_id, status, updated_seq, action_json FROM action_index"
    assert sorted(rows(path, index)) == sorted(
        tuple(row.values()) for row in expected["action_index"]
    )


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path):
    path = tmp_path / "a.db"
    make_old_store(str(path), 2, has_provenance=True, has_parent=False)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        # Reserved for our table, so the migration stops in its middle.
        connection.execute("CREATE VIEW cx_heads AS SELECT 1")
    before = path.read_bytes()

    with pytest.raises(StoreUnavailable, match="views"):
        open_store(str(path))

    assert path.read_bytes() == before


def test_a_current_store_is_not_written_by_opening(tmp_path):
    path = tmp_path / "a.db"
    open_store(str(path)).close()
    before = path.read_bytes()

    open_store(str(path)).close()

    assert path.read_bytes() == before
