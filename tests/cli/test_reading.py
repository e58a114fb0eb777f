"""status, inspect, events, verify, resume, inbox: commands that only look."""

from __future__ import annotations

import os
import sqlite3

from continuum.domain.events import EventType
from tests.commands import run_ours
from tests.services.acting import claimed, recorded, reported, started


def forge(sql: str) -> None:
    """Change the store behind everybody's back."""
    connection = sqlite3.connect("continuum.db")
    with connection:
        connection.execute(sql)
    connection.close()


def test_status_prints_json_with_json(store):
    reported(store, started(store), 3, 10)

    document = run_ours("--json", "status", "run-a").document

    assert document["progress"] == {"completed": 3, "failed": 0, "pending": 7, "total": 10}
    assert document["goal"] == "Process the invoices"


def test_events_of_agents_are_printed_escaped(store):
    started(store)
    recorded(
        store, "run-a", EventType.DECISION_CREATED, {"decision_id": "d", "decision": "\x1b[2J"}
    )

    answer = run_ours("events", "run-a")

    assert "\x1b" not in answer.stdout
    assert "DECISION_CREATED" in answer.stdout


def test_o07_resume_and_validate_exit_corrupted_on_an_edited_event(store):
    reported(store, started(store), 3, 10)
    store.close()
    forge('UPDATE events SET payload=\'{"goal": "EVIL"}\' WHERE sequence=1')

    for command in ("verify", "resume", "validate", "show-contract"):
        assert run_ours(command, "run-a").exit_code == 3
    document = run_ours("--json", "resume", "run-a").document
    assert document["safe"] is False
    assert document["chain"]["broken_at"] == 1


def test_o11_dependencies_pinned_from_the_command_line_are_compared(store):
    started(store)
    assert run_ours("checkpoint", "run-a", "--env", "dataset=v3").exit_code == 0

    assert run_ours("resume", "run-a", "--env", "dataset=v3").exit_code == 0
    assert run_ours("resume", "run-a", "--env", "dataset=v4").exit_code == 10
    assert run_ours("resume", "run-a").exit_code == 20
    assert run_ours("resume", "run-a", "--env", "other=1").exit_code == 20
    assert run_ours("resume", "run-a", "--tolerate-unknown").exit_code == 0


def test_o13_exit_code_json_and_text_say_the_same_about_a_blocked_family(store):
    started(store, "p")
    started(store, "c", parent="p")
    claimed(store, "c")

    text, document = run_ours("resume", "p"), run_ours("--json", "resume", "p")

    assert (text.exit_code, document.exit_code) == (20, 20)
    assert (document.document["mode"], document.document["safe"]) == ("request_human", False)
    assert "REQUEST_HUMAN" in text.stdout


def test_resume_without_a_run_takes_the_active_one(store):
    assert run_ours("resume").exit_code == 2
    started(store)

    assert run_ours("--json", "resume").document["run_id"] == "run-a"


def test_repair_records_the_plan_and_keeps_the_exit_code(store):
    claimed(store, started(store))

    answer = run_ours("--json", "resume", "run-a", "--repair")

    assert answer.exit_code == 20
    last = run_ours("--json", "events", "run-a").document["events"][-1]
    assert last["type"] == "RECOVERY_STARTED"
    assert [f"{step['kind']}:{step['target']}" for step in last["payload"]["plan"]] == (
        answer.document["repairs"]
    )


def test_inbox_lists_worst_first_and_is_empty_when_nothing_waits(store):
    started(store, "fine")
    assert run_ours("inbox").stdout == "Nothing needs a person.\n"
    reported(store, started(store, "said", agent=True), 1, 2)
    claimed(store, started(store, "open"))

    items = run_ours("--json", "inbox").document["items"]

    assert [(one["run_id"], one["kind"]) for one in items] == [
        ("open", "action"),
        ("said", "verdict"),
    ]
    assert run_ours("inbox").stdout.splitlines()[1].startswith("outcome unknown")


def test_an_item_is_commented_on_and_stays_open(store):
    claimed(store, started(store, "open"))
    (item,) = run_ours("--json", "inbox").document["items"]
    before = run_ours("--json", "events", "open").document["events"]

    said = run_ours("inbox", "comment", item["item_id"], "--text", "asked the bank", "--by", "ada")
    empty = run_ours("inbox", "comment", item["item_id"], "--text", " ", "--by", "ada")
    unknown = run_ours("inbox", "comment", "nonsense", "--text", "x")

    assert (said.exit_code, said.stdout.startswith("Kept with")) == (0, True)
    assert 0 not in (empty.exit_code, unknown.exit_code)
    assert run_ours("--json", "inbox").document["items"] == [item]
    assert run_ours("--json", "events", "open").document["events"] == before
    assert [(note.author, note.via, note.text) for note in store.notes(run_id="open")] == [
        ("ada", "cli", "asked the bank")
    ]


def test_colour_is_only_printed_when_it_is_asked_for(store):
    started(store)

    assert "\x1b[" not in run_ours("resume", "run-a").stdout
    assert "\x1b[32m" in run_ours("--color", "resume", "run-a").stdout
    assert "\x1b[" not in run_ours("--color", "--json", "resume", "run-a").stdout


def test_reading_commands_leave_the_file_as_it_was(store):
    claimed(store, started(store))
    store.close()
    before = _bytes()

    for words in (
        ["runs"], ["status", "run-a"], ["inspect", "run-a"], ["history", "run-a"],
        ["events", "run-a"], ["verify", "run-a", "--index"], ["actions", "run-a"],
        ["tree", "run-a"], ["validate", "run-a"], ["resume", "run-a"],
        ["show-contract", "run-a"], ["replay", "run-a"], ["reconcile", "run-a", "--dry-run"],
    ):  # fmt: skip
        run_ours(*words)

    assert _bytes() == before
    assert os.listdir() == ["continuum.db"]


def test_a_store_that_cannot_be_used_is_one_line_and_exit_1():
    with open("bad.db", "w") as file:
        file.write("this is no database, whatever its name says\n" * 20)
    os.mkdir("folder")

    for db in ("bad.db", "folder", "missing/x.db", "mysql://h/d"):
        for command in (["runs"], ["resume", "x"], ["init"]):
            answer = run_ours("--json", "--db", db, *command)

            assert (answer.exit_code, answer.stdout) == (1, "")
            assert answer.stderr.count("\n") == 1


def test_events_print_nothing_when_a_later_row_is_unreadable(store):
    reported(store, started(store), 3, 10)
    store.close()
    forge("UPDATE events SET payload='{broken' WHERE sequence=2")

    for words in (["events", "run-a"], ["--json", "events", "run-a"]):
        answer = run_ours(*words)

        assert (answer.exit_code, answer.stdout) == (3, "")
        assert "event 2" in answer.stderr


def _bytes() -> bytes:
    with open("continuum.db", "rb") as file:
        return file.read()
