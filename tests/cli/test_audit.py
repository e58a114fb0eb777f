"""verify over runs, stores and files; export, import, bundle and acts."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import continuum
from tests.commands import run_ours
from tests.outsiders import change, execute
from tests.services.acting import claimed, reported, started


def json_of(*argv):
    answer = run_ours("--json", *argv)
    return answer.exit_code, json.loads(answer.stdout) if answer.stdout else answer.stderr


def test_a_whole_store_is_verified(store):
    started(store, "run-a")
    reported(store, started(store, "run-b"), 1, 2)
    assert json_of("verify", "--all") == (
        0,
        {
            "ok": True,
            "runs": 2,
            "events": 3,
            "broken_runs": 0,
            "broken": [],
            "runs_without_row": [],
        },
    )
    change("continuum.db", "events", {"run_id": "run-b", "sequence": 2}, {"source": "human"})

    status, found = json_of("verify", "--all")

    assert (status, found["broken_runs"]) == (3, 1)
    assert found["broken"][0]["violations"][0]["sequence"] == 2
    assert run_ours("verify", "--all").exit_code == 3


def test_a_verification_is_kept_when_asked_and_only_then(store):
    run_id = started(store)

    assert run_ours("verify", run_id).exit_code == 0
    assert store.verifications() == []
    assert run_ours("verify", run_id, "--record", "--by", "ada").exit_code == 0
    assert run_ours("verify", "--all", "--record", "--by", "ada").exit_code == 0

    kept = [(one.kind, one.outcome, one.by_name, one.via) for one in store.verifications()]
    assert kept == [
        ("store", "verified", "ada", "cli"),
        ("run", "verified", "ada", "cli"),
        ("run", "verified", "ada", "cli"),
    ]


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["run-a", "--all"],
        ["run-a", "--file", "x"],
        ["--file", "x", "--record"],
        ["run-a", "--repair-index"],
        ["--file", "missing.jsonl"],
    ],
)
def test_verify_refuses_what_it_cannot_mean(store, argv):
    started(store)

    answer = run_ours("verify", *argv)

    assert (answer.exit_code, answer.stdout) == (1, "")
    assert answer.stderr.count("\n") == 1


def test_o09_export_check_and_import_keep_every_hash(store):
    run_id = started(store, "run-a")
    claimed(store, run_id)
    head = store.head(run_id)

    assert run_ours("export", "--all", "--out", "all.jsonl").exit_code == 0
    status, found = json_of("verify", "--file", "all.jsonl")
    assert run_ours("--db", "copy.db", "import", "all.jsonl").exit_code == 0

    assert (status, found["heads"]) == (0, {run_id: {"sequence": 2, "hash": head.hash}})
    with continuum.open_store("copy.db") as copy:
        assert copy.head(run_id) == head
    assert run_ours("--db", "copy.db", "verify", run_id, "--index").exit_code == 0


def test_a_changed_file_exits_3_and_imports_nothing(store):
    run_id = started(store)
    reported(store, run_id, 1, 3)
    run_ours("export", run_id, "--out", "run.jsonl")
    text = Path("run.jsonl").read_text()
    Path("run.jsonl").write_text(text.replace('"completed":1', '"completed":2'))

    status, found = json_of("verify", "--file", "run.jsonl")
    answer = run_ours("--db", "copy.db", "import", "run.jsonl")

    assert (status, found["broken"][0]["violations"][0]["sequence"]) == (3, 2)
    assert answer.exit_code == 3
    assert "event 2" in answer.stderr
    with continuum.open_store("copy.db") as copy:
        assert copy.run_ids(limit=1) == []


def test_an_export_to_stdout_is_the_file(store):
    run_id = started(store)

    answer = run_ours("export", run_id)

    assert [json.loads(line)["kind"] for line in answer.stdout.splitlines()] == [
        "export",
        "run",
        "event",
        "run_end",
        "export_end",
    ]


def test_an_export_of_an_unknown_run_leaves_no_file(store):
    answer = run_ours("export", "nobody", "--out", "out.jsonl")

    assert (answer.exit_code, answer.stdout) == (2, "")
    assert not [*Path.cwd().glob("out.jsonl*")]


def test_csv_is_safe_to_open(store):
    run_id = started(store)
    execute("continuum.db", "UPDATE events SET event_id = '=cmd()'")

    answer = run_ours("export", run_id, "--format", "csv")

    assert '"\'=cmd()"' in answer.stdout


def test_a_bundle_is_one_file_that_checks_itself(store):
    run_id = started(store)
    status, found = json_of("bundle", run_id, "--out", "b.zip")
    with zipfile.ZipFile("b.zip") as archive:
        archive.extract("events.jsonl")

    assert (status, found["ok"]) == (0, True)
    assert run_ours("verify", "--file", "events.jsonl").exit_code == 0


def test_a_bundle_of_a_damaged_run_exits_3_and_is_written_all_the_same(store):
    run_id = started(store)
    change("continuum.db", "events", {"sequence": 1}, {"source": "llm"})

    answer = run_ours("bundle", run_id, "--out", "b.zip")

    assert answer.exit_code == 3
    assert "damaged" in answer.stderr
    assert "report.html" in zipfile.ZipFile("b.zip").namelist()


def test_acts_are_listed_as_the_chains_say(store):
    run_id = started(store)
    reported(store, run_id, 1, 3)
    run_ours("confirm", run_id, "--by", "ada", "--reason", "counted\x1b[2J them")

    status, found = json_of("acts", "--person", "ada")

    assert status == 0
    (act,) = found["acts"]
    assert (act["verb"], act["person"], act["run_id"]) == ("confirm", "ada", run_id)
    assert "\x1b" not in run_ours("acts").stdout
    assert json_of("acts", "--verb", "nonsense")[0] == 1


def test_drift_of_computed_tables_is_shown_and_its_repair_kept(store):
    run_id = started(store)
    claimed(store, run_id)
    assert run_ours("inbox").exit_code == 0
    assert json_of("verify", run_id, "--index")[1]["projection_drift"] == {
        "action_index": 0,
        "cx_actions": 0,
        "cx_items": 0,
        "cx_summaries": 0,
    }
    execute("continuum.db", "UPDATE cx_actions SET status = 'completed'")
    execute("continuum.db", "UPDATE cx_summaries SET mode = 'resume', safe = 1")
    execute("continuum.db", "DELETE FROM action_index")

    drift = json_of("verify", run_id, "--index")[1]["projection_drift"]
    repaired = json_of("verify", run_id, "--index", "--repair-index", "--by", "ada")[1]

    assert (drift["action_index"], drift["cx_actions"], drift["cx_summaries"]) == (1, 1, 1)
    assert repaired["action_index_repair"] == "rebuilt"
    assert sum(repaired["projection_drift"].values()) == 0
    (kept,) = store.verifications()
    assert (kept.kind, kept.outcome, kept.by_name) == ("index", "repaired", "ada")
    assert json.loads(kept.detail)["cx_actions"] == 1
    assert len(store.slots(run_id)) == 1 and str(store.slots(run_id)[0].action.status) == "started"


def test_an_index_is_not_repaired_from_a_broken_chain(store):
    run_id = started(store)
    change("continuum.db", "events", {"sequence": 1}, {"source": "llm"})

    status, found = json_of("verify", run_id, "--index", "--repair-index")

    assert (status, found["action_index_repair"]) == (3, "refused_chain_failed")
    assert found["action_index_drift"] is None
    assert store.verifications() == []


def test_missing_triggers_are_told_and_made_again_on_request(store):
    run_id = started(store)
    execute("continuum.db", "DROP TRIGGER cx_events_update")

    plain = run_ours("verify", run_id)
    status, document = json_of("verify", run_id, "--index")
    repaired = json_of("verify", "--all", "--index", "--repair-index", "--by", "ada")
    again = run_ours("verify", run_id, "--index")

    assert (plain.exit_code, status, repaired[0], again.exit_code) == (0, 3, 0, 0)
    assert "cx_events_update" in plain.stderr
    assert "--repair-index" in plain.stderr
    assert document["missing_guards"] == ["cx_events_update"]
    assert repaired[1]["guards_restored"] is True
    assert again.stderr == ""
