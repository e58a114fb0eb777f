"""The callers' tables: the chain of their history, and stores that have none."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from continuum import open_store
from continuum.core.errors import StoreUnavailable, UnreadableRecord
from continuum.domain.callerlog import FlawKind
from continuum.services import callerchanges as changes
from continuum.services.callerlists import list_entries, verify_history
from tests.conftest import NOON
from tests.services.callers import by_ada, call, listed

KEPT = ("cx_caller_entries_update", "cx_caller_entries_delete")


@pytest.fixture
def path(tmp_path):
    """A SQLite store with three entries about two callers."""
    where = tmp_path / "store.db"
    with open_store(str(where)) as store:
        listed(store, "agent-a", with_secret=True)
        listed(store, "agent-b")
        changes.disable_caller(store, "agent-a", by_ada())
    return where


def tamper(path, *statements: str) -> None:
    """Change the file as somebody with a database tool would."""
    with closing(sqlite3.connect(path)) as connection:
        for trigger in KEPT:
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def flaws(path) -> list[tuple[FlawKind, int]]:
    with open_store(str(path), read_only=True) as store:
        return [(one.kind, one.sequence) for one in verify_history(store).flaws]


def test_a_whole_history_verifies(path):
    assert flaws(path) == []


def test_a_changed_entry_is_found(path):
    tamper(path, "UPDATE cx_caller_entries SET timestamp = '2020-01-01' WHERE sequence = 2")

    assert flaws(path) == [(FlawKind.TAMPERED_CONTENT, 2), (FlawKind.BROKEN_CHAIN, 3)]


def test_a_changed_reason_is_found(path):
    tamper(
        path,
        "UPDATE cx_caller_entries SET payload = replace(payload, 'asked', 'begged') "
        "WHERE sequence = 3",
    )

    assert flaws(path) == [(FlawKind.TAMPERED_CONTENT, 3)]


def test_a_missing_entry_is_found(path):
    tamper(path, "DELETE FROM cx_caller_entries WHERE sequence = 2")

    assert flaws(path) == [
        (FlawKind.SEQUENCE_GAP, 3),
        (FlawKind.BROKEN_CHAIN, 3),
        (FlawKind.ROW_MISMATCH, 0),
    ]


def test_a_missing_end_is_found(path):
    tamper(path, "DELETE FROM cx_caller_entries WHERE sequence = 3")

    assert flaws(path) == [(FlawKind.MISSING_TAIL, 3)]


def test_an_unreadable_entry_is_found_and_shown_as_such(path):
    tamper(path, "UPDATE cx_caller_entries SET payload = '[' WHERE sequence = 1")

    assert flaws(path)[0] == (FlawKind.UNREADABLE_RECORD, 1)
    with open_store(str(path)) as store:
        assert [one.entry is None for one in list_entries(store)] == [False, False, True]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cx_callers SET enabled = 1 WHERE name = 'agent-a'",
        'UPDATE cx_callers SET tools = \'{"read": [], "write": [], "confirm": []}\''
        " WHERE name = 'agent-a'",
        'UPDATE cx_callers SET secret = replace(secret, \'"digest": "\', \'"digest": "0\')'
        " WHERE name = 'agent-a'",
        "UPDATE cx_callers SET expires_at = '2030-01-01' WHERE name = 'agent-a'",
        "DELETE FROM cx_callers WHERE name = 'agent-a'",
    ],
)
def test_a_row_that_was_changed_behind_the_history_is_found(path, statement):
    tamper(path, statement)

    assert flaws(path) == [(FlawKind.ROW_MISMATCH, 3)]


def test_a_row_the_history_does_not_know_is_found(path):
    tamper(path, "UPDATE cx_callers SET name = 'agent-c' WHERE name = 'agent-b'")

    assert set(flaws(path)) == {(FlawKind.ROW_MISMATCH, 0), (FlawKind.ROW_MISMATCH, 2)}


def test_an_unreadable_row_lets_nobody_in(path):
    tamper(path, "UPDATE cx_callers SET tools = '[' WHERE name = 'agent-b'")

    with open_store(str(path)) as store, pytest.raises(UnreadableRecord):
        call(store, "agent-b")


def test_the_history_cannot_be_changed_by_mistake(path):
    with closing(sqlite3.connect(path)) as connection:
        for verb in (
            "UPDATE cx_caller_entries SET type = 'x'",
            "DELETE FROM cx_caller_entries",
        ):
            with pytest.raises(sqlite3.DatabaseError, match="append-only"):
                connection.execute(verb)


def test_when_a_caller_was_seen_is_no_part_of_the_history(path):
    with open_store(str(path)) as store:
        call(store, "agent-b")

    assert flaws(path) == []


def test_the_history_is_listed_by_page_and_by_caller(store):
    for number in range(5):
        listed(store, f"agent-{number}", note=str(number))
    changes.disable_caller(store, "agent-3", by_ada(at=NOON + timedelta(minutes=1)))

    page = [one.row.sequence for one in list_entries(store, limit=2, before=5)]
    of_one = [one.row.sequence for one in list_entries(store, caller="agent-3")]

    assert page == [4, 3]
    assert of_one == [6, 4]


def test_a_store_of_the_first_version_gets_the_tables_when_it_is_opened_for_writing(tmp_path):
    where = tmp_path / "old.db"
    open_store(str(where)).close()
    with closing(sqlite3.connect(where)) as connection:
        for table in ("cx_callers", "cx_caller_entries", "cx_caller_refusals"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("UPDATE cx_meta SET value = '1' WHERE key = 'schema_version'")
        connection.commit()

    with open_store(str(where), read_only=True) as reader:
        before = reader.has_callers, reader.has_read_model, reader.callers(limit=10)
    with open_store(str(where)) as store:
        notices = store.notices
        listed(store)

    assert before == (False, True, [])
    assert "cx_" in notices[0]
    assert flaws(where) == []


def test_a_later_version_of_the_tables_is_refused(tmp_path):
    where = tmp_path / "new.db"
    open_store(str(where)).close()
    with closing(sqlite3.connect(where)) as connection:
        connection.execute("UPDATE cx_meta SET value = '99' WHERE key = 'schema_version'")
        connection.commit()

    with pytest.raises(StoreUnavailable):
        open_store(str(where))


def test_stored_rows_hold_json_and_no_secret(path):
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute("SELECT tools, secret FROM cx_callers ORDER BY name").fetchone()

    assert json.loads(row[0])["write"] == ["*"]
    assert set(json.loads(row[1])) == {"salt", "digest", "prefix", "set_at", "until"}
