"""One store, two clients: what either writes, the other reads, verifies and carries on."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from continuum import open_store
from continuum.services.actions import Settlement, list_actions, settle_action
from continuum.services.acts import Act
from continuum.services.chain import verify_run
from continuum.services.checkpoints import take_checkpoint
from continuum.services.decisions import compensate, complete, confirm, settle
from continuum.services.facts import load_facts
from continuum.services.inbox import open_items
from continuum.services.progress import Progress, record_progress
from continuum.services.recovery import assess
from continuum.services.runs import NewRun, list_runs, start_run
from continuum.services.summaries import catch_up, list_summaries
from continuum.store.modelport import ItemQuery, SummaryQuery
from tests.interop.peer import Answer, ask_peer, peer_python, run_command
from tests.services.acting import NOON, claimed, completed, failed, reported, started

pytestmark = pytest.mark.interop

RUN = "run-a"
EACH = 25
_APPENDER = Path(__file__).with_name("appender.py")
_OURS_ON_SQLITE = "SELECT type, name FROM sqlite_master WHERE name LIKE 'cx\\_%' ESCAPE '\\'"
_DROP_ORDER = ("trigger", "index", "table")
_OURS_ON_POSTGRES = """
SELECT 'FUNCTION', proname FROM pg_proc WHERE proname LIKE 'cx\\_%'
UNION ALL
SELECT CASE relkind WHEN 'r' THEN 'TABLE' WHEN 'i' THEN 'INDEX' ELSE 'SEQUENCE' END, relname
FROM pg_class WHERE relname LIKE 'cx\\_%' AND relkind IN ('r', 'i', 'S')
ORDER BY 1 DESC  -- tables before the indexes and sequences that go with them
"""
_READING = ("verify", "resume", "actions", "status", "history", "replay", "inspect", "tree")


def test_a_run_wholly_ours_is_whole_for_the_reference_client(store_url, tmp_path):
    with open_store(store_url) as store:
        _live_a_whole_life(store)

    report = _peer(store_url, tmp_path, "verify", RUN)

    assert report.exit == 0, report.err
    assert report.document["ok"] is True
    assert report.document["projectable"] is True
    with open_store(store_url, read_only=True) as store:
        assert report.document["trusted_through"] == {RUN: store.head(RUN).sequence}


def test_the_reference_client_reads_every_part_of_a_run_of_ours(store_url, tmp_path):
    with open_store(store_url) as store:
        _live_a_whole_life(store)
        actions = [slot.action for slot in list_actions(store, RUN)]

    answers = {name: _peer(store_url, tmp_path, name, RUN) for name in _READING}

    unclear = {name: one.err for name, one in answers.items() if one.exit not in (0, 10, 20)}
    assert unclear == {}
    assert [
        (one["action_id"], one["status"]) for one in answers["actions"].document["actions"]
    ] == [(one.action_id, str(one.status)) for one in actions]
    assert answers["replay"].document["verified"] is True
    assert len(answers["history"].document["checkpoints"]) == 2


def test_the_reference_client_checkpoints_a_run_of_ours(store_url, tmp_path):
    with open_store(store_url) as store:
        _live_a_whole_life(store)

    taken = _peer(store_url, tmp_path, "checkpoint", RUN)

    assert taken.exit == 0, taken.err
    with open_store(store_url, read_only=True) as store:
        newest = store.newest_checkpoint(RUN)
        assert newest is not None
        assert newest.checkpoint_id == taken.document["checkpoint_id"]
        assert verify_run(store, RUN).ok


def test_the_index_we_keep_is_the_one_the_reference_client_recomputes(tmp_path):
    url = str(tmp_path / "store.db")
    with open_store(url) as store:
        _live_a_whole_life(store)
        started(store, "run-b")
        claimed(store, "run-b", "other")

    report = _peer(url, tmp_path, "verify", RUN, "--index")

    assert report.document["action_index_drift"] == 0


def test_turns_taken_on_one_store_leave_one_whole_chain(store_url, tmp_path):
    with open_store(store_url) as store:
        started(store, RUN)
    _observe(store_url, tmp_path, RUN)
    with open_store(store_url) as store:
        reported(store, RUN, 1, 3)
        key = claimed(store, RUN, "one")
    assert _peer(store_url, tmp_path, "checkpoint", RUN).exit == 0
    with open_store(store_url) as store:
        settle_action(store, RUN, key, occurred=True, external_id="x-1", at=NOON)
        take_checkpoint(store, RUN, versions={"dataset": "v1"}, at=NOON)
    assert _peer(store_url, tmp_path, "confirm", RUN, "--env", "dataset=v1").exit == 0
    _observe(store_url, tmp_path, RUN)
    with open_store(store_url) as store:
        completed(store, RUN, "two")
        complete(store, RUN, _act())

    _assert_both_verify(store_url, tmp_path, RUN)
    with open_store(store_url, read_only=True) as store:
        assert _peer(store_url, tmp_path, "events", RUN).document["events"][-1]["sequence"] == (
            store.head(RUN).sequence
        )


@pytest.mark.parametrize("runs", [["shared"] * 4, ["run-0", "run-1", "run-2", "run-3"]])
def test_four_processes_of_both_clients_at_once_lose_nothing(runs, store_url, tmp_path):
    with open_store(store_url) as store:
        for run_id in sorted(set(runs)):
            started(store, run_id)
    clients = ["ours", "peer", "ours", "peer"]

    outcomes = _append_at_once(store_url, list(zip(clients, runs, strict=True)))

    assert [one["failed"] for one in outcomes[::2]] == [0, 0]
    for run_id in sorted(set(runs)):
        with open_store(store_url, read_only=True) as store:
            assert store.head(run_id).sequence == 1 + EACH * runs.count(run_id)
        _assert_both_verify(store_url, tmp_path, run_id)


def test_an_append_by_the_reference_client_marks_exactly_that_run(store_url, tmp_path):
    with open_store(store_url) as store:
        for run_id in ("run-1", "run-2", "run-3"):
            started(store, run_id)
        catch_up(store, limit=10, at=NOON)
        assert store.stale_runs(10, NOON) == []

    _observe(store_url, tmp_path, "run-2")

    with open_store(store_url) as store:
        assert store.stale_runs(10, NOON) == ["run-2"]
        assert catch_up(store, limit=10, at=NOON) == 1
        rows = {one.run_id: one for one in list_summaries(store, SummaryQuery())}
        assert rows["run-2"].last_event_type == "TOOL_COMPLETED"
        assert rows["run-2"].sequence == 2


def test_lists_are_the_same_after_every_table_of_ours_was_dropped(store_url, tmp_path):
    with open_store(store_url) as store:
        _fill(store)
        catch_up(store, limit=50, at=NOON)
        before = _lists(store)
    _drop_ours(store_url)
    _observe(store_url, tmp_path, "quiet")

    with open_store(store_url) as store:
        catch_up(store, limit=50, at=NOON)
        after = _lists(store)

    assert after["items"] == before["items"]
    assert [one.run_id for one in after["summaries"]] == [one.run_id for one in before["summaries"]]
    assert _without(after["summaries"], "quiet") == _without(before["summaries"], "quiet")
    assert after["actions"] == before["actions"]


def test_a_store_without_our_tables_gives_the_reading_commands_the_same_verdict(store_url):
    with open_store(store_url) as store:
        _fill(store)
        catch_up(store, limit=50, at=NOON)
        before = {one.run.run_id: _verdict(store, one.run.run_id) for one in _all_runs(store)}
    _drop_ours(store_url)

    with open_store(store_url, read_only=True) as store:
        after = {one.run.run_id: _verdict(store, one.run.run_id) for one in _all_runs(store)}

    assert after == before


def test_after_the_reference_client_compacts_the_whole_log_still_counts(store_url, tmp_path):
    with open_store(store_url) as store:
        _work_and_confirm(store)
        actions, verdict = list_actions(store, RUN), _verdict(store, RUN)
        confirmed = load_facts(store, RUN).confirmed

    archived = _compact(store_url, tmp_path)

    with open_store(store_url) as store:
        assert [one.sequence for one in store.events(RUN)] == list(range(1, archived + 3))
        assert list_actions(store, RUN) == actions
        assert load_facts(store, RUN).confirmed == confirmed
        assert _verdict(store, RUN) == verdict
        catch_up(store, limit=10, at=NOON)
        assert _verdict(store, RUN) == verdict


def test_a_compaction_by_the_reference_client_is_no_damage(store_url, tmp_path):
    with open_store(store_url) as store:
        _work_and_confirm(store)

    archived = _compact(store_url, tmp_path)

    with open_store(store_url, read_only=True) as store:
        report, mark = verify_run(store, RUN), store.head_mark(RUN)
        assert report.ok, report
        assert (report.verification.archived, report.verification.checked) == (archived, 2)
        assert mark is not None
        assert mark.touched_sequence is None


def test_runs_started_by_the_reference_client_are_ours_to_carry_on(store_url, tmp_path):
    begun = _peer(store_url, tmp_path, "start", "theirs", "--goal", "Prüfe 3 Rechnungen")
    assert begun.exit == 0, begun.err

    with open_store(store_url) as store:
        completed(store, "theirs", "invoice")
        take_checkpoint(store, "theirs", at=NOON)
        complete(store, "theirs", _act(), summary="geprüft")

    _assert_both_verify(store_url, tmp_path, "theirs")
    listed = _peer(store_url, tmp_path, "runs").document["runs"]
    assert [(one["run_id"], one["status"]) for one in listed] == [("theirs", "completed")]


def _live_a_whole_life(store: Any) -> None:
    """Use every service that writes, on one run with a child."""
    start_run(store, NewRun(RUN, "Process the invoices"), at=NOON)
    start_run(store, NewRun("run-a-child", "Part of it", parent=RUN), at=NOON)
    record_progress(store, RUN, Progress(1, 0, 3), at=NOON)
    take_checkpoint(store, RUN, versions={"dataset": "v1", "model": "m-1"}, at=NOON)
    completed(store, RUN, "first")
    failed(store, RUN, claimed(store, RUN, "second"))
    doubted = claimed(store, RUN, "third")
    settle(store, RUN, doubted, _act(reason="asked the bank"), Settlement(True, "bank-3"))
    settle_action(store, RUN, claimed(store, RUN, "fourth"), occurred=False, note="log", at=NOON)
    undone = completed(store, RUN, "fifth")
    compensate(store, RUN, undone, _act(reason="sent twice"))
    record_progress(store, RUN, Progress(2, 1, 3), at=NOON)
    confirm(store, RUN, _act())
    take_checkpoint(store, RUN, reason="Zwischenstand é", at=NOON + timedelta(minutes=1))
    complete(store, "run-a-child", _act())
    complete(store, RUN, _act(reason="all done"), summary="all sent")


def _work_and_confirm(store: Any) -> None:
    """An agent works, a person confirms, one outcome stays open; the read model is current."""
    started(store, RUN)
    reported(store, RUN, 2, 3)
    completed(store, RUN, "done")
    claimed(store, RUN, "open")
    confirm(store, RUN, _act())
    catch_up(store, limit=10, at=NOON)


def _compact(url: str, folder: Path) -> int:
    """Let the reference client compact the run; return how many events it archived."""
    compacted = _peer(url, folder, "compact", RUN, "--force")
    assert compacted.exit == 0, compacted.err
    archived: int = compacted.document["archived"]
    return archived


def _fill(store: Any) -> None:
    """Runs of every kind that lists tell apart."""
    started(store, "quiet")
    started(store, "agent", agent=True)
    reported(store, "agent", 2, 5)
    started(store, "doubt")
    claimed(store, "doubt", "open")
    started(store, "parent")
    started(store, "child", parent="parent")
    claimed(store, "child", "also-open")
    started(store, "closed")
    complete(store, "closed", _act())


def _lists(store: Any) -> dict[str, Any]:
    summaries = list_summaries(store, SummaryQuery(limit=50))
    return {
        "summaries": summaries,
        "items": open_items(store, ItemQuery(limit=50)),
        "actions": {one.run_id: list_actions(store, one.run_id) for one in summaries},
    }


def _without(summaries: Any, run_id: str) -> list[Any]:
    return [one for one in summaries if one.run_id != run_id]


def _all_runs(store: Any) -> Any:
    return list_runs(store, limit=50)


def _verdict(store: Any, run_id: str) -> tuple[Any, ...]:
    verdict = assess(store, run_id, at=NOON)
    return verdict.mode, verdict.safe, verdict.findings, [one.id for one in verdict.plan]


def _act(reason: str = "") -> Act:
    return Act(by="ada", via="library", at=NOON, reason=reason)


def _peer(url: str, folder: Path, *arguments: str) -> Answer:
    return ask_peer(url, "--json", *arguments, folder=folder)


def _observe(url: str, folder: Path, run_id: str) -> None:
    """Let the reference client append one event, as its hook does after a tool."""
    payload = json.dumps({"tool_name": "Edit", "tool_input": {"file_path": "missing.py"}})
    command = [str(peer_python().with_name("continuum")), "--db", url, "observe"]
    done = run_command([*command, "--run-id", run_id], folder, stdin=payload)
    assert done.exit == 0, done.err


def _assert_both_verify(url: str, folder: Path, run_id: str) -> None:
    theirs = _peer(url, folder, "verify", run_id)
    assert theirs.exit == 0, theirs
    with open_store(url, read_only=True) as store:
        ours = verify_run(store, run_id)
        assert ours.ok, ours
        assert theirs.document["trusted_through"] == {run_id: ours.verification.trusted_through}


def _append_at_once(url: str, writers: list[tuple[str, str]]) -> list[dict[str, int]]:
    """Start one process a writer, let all go at the same moment; return what each answers."""
    interpreters = {"ours": sys.executable, "peer": str(peer_python())}
    processes = [
        subprocess.Popen(
            [interpreters[client], "-P", str(_APPENDER), client, url, run_id, str(EACH)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for client, run_id in writers
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate()[0] for process in processes]
    return [json.loads(answer) for answer in answers]


def _drop_ours(url: str) -> None:
    """Drop everything of ours, as somebody does who wants the store as it was."""
    if not url.startswith("postgresql://"):
        _drop_from_sqlite(url)
        return
    with psycopg.connect(url, autocommit=True) as connection:
        for kind, name in connection.execute(_OURS_ON_POSTGRES).fetchall():
            statement = sql.SQL("DROP {} IF EXISTS {} CASCADE")
            connection.execute(statement.format(sql.SQL(kind), sql.Identifier(name)))


def _drop_from_sqlite(path: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        ours = connection.execute(_OURS_ON_SQLITE).fetchall()
        for kind, name in sorted(ours, key=lambda one: _DROP_ORDER.index(one[0])):
            connection.execute(f'DROP {kind} IF EXISTS "{name}"')
        left = connection.execute(_OURS_ON_SQLITE).fetchall()
    assert ours and not left
