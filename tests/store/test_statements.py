"""Named statements: found, filtered, spelled for each driver, and all of them sound."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import continuum.store
from continuum import open_store
from continuum.store.statements import Statements

SQL = Path(continuum.store.__file__).parent / "sql"
SCRIPTS = ("reference", "reference_indexes", "cx_")


def names(backend):
    """Return the full name of every statement of a back end, scripts left out."""
    found = set()
    for path in (*(SQL / "common").glob("*.sql"), *(SQL / backend).glob("*.sql")):
        if not path.stem.startswith(SCRIPTS):
            blocks = path.read_text(encoding="utf-8").split("-- name: ")[1:]
            found |= {f"{path.stem}.{block.split(maxsplit=1)[0]}" for block in blocks}
    # A column that is there cannot be added to see whether that would work.
    return sorted(name for name in found if not name.startswith("schema.add_"))


class Anything(dict):
    """Parameters of any name; those in `absent` are not given."""

    def __init__(self, absent=()):
        super().__init__()
        self._absent = absent

    def __missing__(self, name):
        return None if name in self._absent else "1"


def test_optional_lines_stand_when_their_parameters_are_given():
    statements = Statements("sqlite")

    plain = statements.text("events.rows", {"after": 0, "upto": None, "types": None})
    narrow = statements.text("events.rows", {"after": 0, "upto": 5, "types": "[]"})

    assert ":upto" not in plain
    assert ":types" not in plain
    assert "INDEXED BY" not in plain
    assert ":upto" in narrow
    assert "INDEXED BY" in narrow
    assert "--" not in narrow


def test_parameters_are_spelled_for_each_driver():
    ours = Statements("sqlite").text("runs.by_id", {})
    theirs = Statements("postgres", pyformat=True).text("runs.by_id", {})

    assert "run_id = :run_id" in ours
    assert "run_id = %(run_id)s" in theirs


def test_a_statement_of_a_back_end_wins_over_the_common_one():
    assert "json_each" in Statements("sqlite").text("events.rows", {"types": "[]"})
    assert "ANY(" in Statements("postgres").text("events.rows", {"types": []})
    with pytest.raises(KeyError):
        Statements("sqlite").text("events.no_such", {})


@pytest.mark.parametrize("name", names("sqlite"))
def test_every_sqlite_statement_compiles_in_every_form(name, sqlite_planner):
    statements = Statements("sqlite")
    optional = {
        "after", "before", "upto", "types", "origins", "chunk", "created_at", "modes", "statuses",
        "needs_person", "needs_nobody", "parent_run_id", "caller", "pattern", "since", "verdicts",
        "actions", "run_id", "action_type", "item_id", "revision", "place", "until",
    }  # fmt: skip
    for given in (set(), optional, *({one} for one in sorted(optional))):
        text = statements.text(name, dict.fromkeys(given, 1))
        sqlite_planner(text)


@pytest.fixture(scope="module")
def sqlite_planner():
    """Compile a statement against a store, without executing it."""
    with open_store(":memory:") as store:
        connection = store._database._connection  # type: ignore[attr-defined]  # nothing else plans

        def plan(text):
            cursor = connection.execute(f"EXPLAIN {text}", Anything())
            assert cursor.fetchall()

        yield plan


def test_every_block_says_what_it_is_for():
    for path in SQL.rglob("*.sql"):
        for block in path.read_text(encoding="utf-8").split("-- name: ")[1:]:
            assert block.splitlines()[1].startswith("-- "), f"{path.name}: {block[:40]}"


def test_no_statement_names_all_columns():
    for path in SQL.rglob("*.sql"):
        assert "SELECT *" not in path.read_text(encoding="utf-8").upper(), path.name


def test_this_sqlite_is_new_enough():
    assert sqlite3.sqlite_version_info >= (3, 40)


def test_a_list_is_asked_as_each_back_end_does():
    ours = Statements("sqlite").text("summaries.page", {"modes": "[]", "limit": 1})
    theirs = Statements("postgres", pyformat=True).text("summaries.page", {"modes": [], "limit": 1})

    assert "mode IN (SELECT value FROM json_each(:modes))" in ours
    assert "mode = ANY(%(modes)s)" in theirs
    assert "[]" not in ours + theirs


def test_a_line_stands_for_the_back_end_it_names():
    ours = Statements("sqlite").script("cx_5")[0]
    theirs = Statements("postgres").script("cx_5")[0]

    assert "AUTOINCREMENT" in ours and "BIGSERIAL" not in ours
    assert "BIGSERIAL" in theirs and "AUTOINCREMENT" not in theirs


def test_a_script_has_the_common_blocks_first():
    script = Statements("sqlite").script("cx_2")

    tables = [place for place, text in enumerate(script) if "CREATE TABLE" in text]
    triggers = [place for place, text in enumerate(script) if "CREATE TRIGGER" in text]
    assert tables and triggers and max(tables) < min(triggers)


def test_a_part_stands_wherever_it_is_asked_for():
    statements = Statements("sqlite")

    for name in ("items.open", "items.closed", "items.matching_counts"):
        text = statements.text(name, {"run_id": "r"})
        assert "AND run_id = :run_id" in text
        assert "--+" not in text and "-- part" not in text
