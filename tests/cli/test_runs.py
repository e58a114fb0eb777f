"""init, start, runs, tree."""

from __future__ import annotations

import os
import sqlite3

from continuum.services.runs import NewRun, start_run
from tests.commands import run_ours
from tests.services.acting import NOON, claimed, started


def test_init_creates_the_store_and_is_repeatable():
    assert run_ours("init").exit_code == 0
    assert run_ours("--json", "init").document == {"database": "continuum.db", "schema": "ready"}
    assert os.path.isfile("continuum.db")


def test_a_missing_store_is_an_error_and_is_not_created():
    for command in (["runs"], ["status", "r"], ["inbox"], ["resume"], ["confirm", "r"]):
        answer = run_ours("--db", "none.db", *command)

        assert (answer.exit_code, answer.stdout) == (1, "")
        assert "none.db" in answer.stderr
    assert os.listdir() == []


def test_an_empty_address_is_no_store_in_memory():
    for command in (["runs"], ["start", "r", "--goal", "g"]):
        answer = run_ours("--db", "", *command)

        assert (answer.exit_code, answer.stdout) == (1, "")


def test_a_store_of_the_reference_client_says_what_opening_it_added(store):
    store.close()
    connection = sqlite3.connect("continuum.db")
    names = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE name LIKE 'cx_%' ORDER BY type DESC"
    ).fetchall()
    for kind, name in names:
        connection.execute(f"DROP {kind} IF EXISTS {name}")
    connection.close()

    answer = run_ours("start", "r", "--goal", "g")

    assert answer.exit_code == 0
    assert answer.stderr


def test_start_says_what_was_started():
    assert run_ours("--json", "start", "run-a", "--goal", "g").document == {
        "goal": "g",
        "run_id": "run-a",
    }


def test_o21_ids_that_cannot_be_told_apart_or_printed_are_refused(store):
    for run_id in ("", "  ", " r ", "../../x\n\x1b[2J", "x" * 513):
        answer = run_ours("start", run_id, "--goal", "g")

        assert (answer.exit_code, answer.stdout) == (1, "")
        assert "\x1b" not in answer.stderr
    assert run_ours("--json", "runs").document == {"runs": []}


def test_runs_are_listed_newest_first_and_limited(store):
    for number in range(3):
        start_run(store, NewRun(f"run-{number}", "a goal\x1b[2J"), at=NOON)

    listed = run_ours("--json", "runs", "--limit", "2").document["runs"]

    assert [row["run_id"] for row in listed] == ["run-2", "run-1"]
    assert listed[0]["created_at"] == "2026-06-01 12:00:00+00:00"
    assert "a goal\\x1b[2J" in run_ours("runs").stdout


def test_tree_shows_the_whole_family_and_json_the_children(store):
    started(store, "parent")
    started(store, "kid", parent="parent", metadata={"a2a_task_id": "task-9"})
    started(store, "grandkid", parent="kid")
    claimed(store, "grandkid")

    answer = run_ours("tree", "parent")

    assert answer.exit_code == 0
    lines = answer.stdout.splitlines()
    assert [line.split()[1] for line in lines] == ["parent", "kid", "grandkid"]
    assert all("[!!]" in line for line in lines)
    assert "task task-9" in lines[1]
    assert run_ours("--json", "tree", "parent").document == {
        "children": [{"run_id": "kid", "status": "started"}],
        "parent": "parent",
    }
