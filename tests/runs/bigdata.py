"""Stores with long logs, huge payloads and many runs, written straight into the tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from unittest.mock import patch

from continuum import open_store
from continuum.domain.actions import ActionStatus
from continuum.domain.events import Draft, EventRow, EventType, Origin, seal
from continuum.services import summaries
from continuum.services.checkpoints import take_checkpoint
from tests.conftest import NOON
from tests.store.test_ledger import action
from tests.stores import RunMaker, action_event, claimed_action

COLUMNS = EventRow._fields
INSERT = f"INSERT INTO events ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
MEGABYTE = 1_000_000
FAT = {
    "eight megabytes": "x y " * (2 * MEGABYTE),
    "many short lines": "a\n" * 200_000,
    "one long line": "z" * (5 * MEGABYTE),
    "all markup": "<&>\"'" * 200_000,
}


def build_long(path, events):
    """Make `short` (60 events) and `long`, each with a claim, a checkpoint and settled actions."""
    with open_store(path) as store:
        for run_id in ("short", "long"):
            RunMaker(store, at=NOON)(run_id, claimed=["open"], progress=3)
            take_checkpoint(store, run_id, at=NOON)
            for key in "abc":
                done = action(key, run_id=run_id, status=ActionStatus.COMPLETED)
                store.append(run_id, [action_event(key, done, at=NOON)])
    _insert(path, "short", map(_tool, range(11, 61)))
    _insert(path, "long", map(_tool, range(11, events)))
    with open_store(path) as store:
        for run_id in ("short", "long"):
            store.append(run_id, [claimed_action(run_id, "newest", at=NOON)])
        _judge(store)


def build_fat(path):
    """Make `fat`, whose events carry more than any page can hold, and `acting`, whose action does.

    The other client writes payloads of any size.
    """
    with open_store(path) as store:
        RunMaker(store, at=NOON)("fat")
        RunMaker(store, at=NOON)("acting")
    huge = [{"text": text, "name": name} for name, text in FAT.items()]
    markup = {str(number): "\"'<>&" * 400 for number in range(3)}
    members = {"arguments": FAT, "last_error": "e" * MEGABYTE}
    with patch("continuum.core.canonical.MAX_PAYLOAD_BYTES", 10 * MEGABYTE * len(FAT)):
        _insert(path, "fat", [_noted(payload) for payload in [*huge, *([markup] * 60)]])
        _insert(path, "acting", [claimed_action("acting", "k", at=NOON, **members)])
    with open_store(path) as store:
        _judge(store)


def build_many(path, runs):
    """Make `runs` runs that are judged already; some have a child or an action, few wait."""
    with open_store(path) as store:
        RunMaker(store, at=NOON)("root-0", claimed=["k"])
        RunMaker(store, at=NOON)("child-0", parent="root-0")
        for _ in range(3):
            _judge(store)
    with closing(sqlite3.connect(path)) as raw, raw:
        _multiply(raw, runs)


def _multiply(raw, runs):
    """Copy the rows of the first family until there are enough."""
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
    for table, kind, every in (
        ("runs", "root", 1), ("runs", "child", 10),
        ("cx_summaries", "root", 1), ("cx_summaries", "child", 10),
        ("cx_actions", "root", 5), ("cx_items", "root", 50),
    ):  # fmt: skip
        columns = [row[1] for row in raw.execute(f"PRAGMA table_info({table})")]
        values = ", ".join(_copied(name) for name in columns)
        raw.execute(
            f"{numbers} INSERT INTO {table} ({', '.join(columns)}) SELECT {values} "
            f"FROM n, {table} WHERE {table}.run_id = '{kind}-0' AND i % {every} = 0",
            (runs,),
        )
    raw.execute("UPDATE cx_heads SET stale_since = NULL")


def _copied(name):
    if name in ("run_id", "item_id", "parent_run_id", "action_id"):
        return f"replace({name}, '-0', '') || '-' || i" if name != "item_id" else "item_id || i"
    if name == "created_at":
        return "strftime('%Y-%m-%dT%H:%M:%S+00:00', '2026-11-01', i || ' seconds')"
    return name


def _insert(path, run_id, drafts):
    """Append as another client does, which keeps none of our tables."""
    with open_store(path, read_only=True) as store:
        head = store.head(run_id)
    with closing(sqlite3.connect(path)) as raw, raw:
        for draft in drafts:
            row = seal(draft, run_id=run_id, head=head)
            head = head._replace(sequence=row.sequence, hash=row.hash)
            raw.execute(INSERT, tuple(row))


def _noted(payload):
    return Draft(EventType.TOOL_COMPLETED, payload, Origin.DETERMINISTIC, NOON)


def _tool(number):
    payload = {"tool": "Edit", "path": f"src/module_{number % 97}.py", "ok": True, "number": number}
    source = Origin.DETERMINISTIC if number % 3 else Origin.EXTERNAL_AGENT
    return Draft(EventType.TOOL_COMPLETED, payload, source, NOON + timedelta(seconds=number))


def _judge(store):
    while summaries.catch_up(store, limit=50, at=NOON):
        pass
