"""The floor: the least that any honest client must do, in plain standard library."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from hashlib import sha256
from typing import Any

import psycopg

from benchmarks.driving import serve, timed
from benchmarks.stores import (
    INSERT_EVENT,
    INSERT_INDEX,
    TOOL_PAYLOAD,
    Link,
    action_key,
    action_record,
    connect,
    sealed,
)

_ROWS = (
    "SELECT event_id, run_id, sequence, type, timestamp, payload, causer_event_id, source,"
    " prev_hash FROM events WHERE run_id = ? ORDER BY sequence"
)
_HEAD = "SELECT sequence, hash FROM events WHERE run_id = ? ORDER BY sequence DESC LIMIT 1"
_TAIL = "SELECT payload FROM events WHERE run_id = ? AND sequence > ? ORDER BY sequence"
_OPEN_ACTIONS = (
    "SELECT COUNT(*) FROM action_index"
    " WHERE run_id = ? AND status IN ('started', 'unknown', 'requires_review')"
)


def append(url: str, run_id: str, count: int) -> dict[str, Any]:
    """Insert ready rows, one a transaction: no head is read, nothing is hashed."""
    with closing(connect(url)) as connection:
        rows = _ready_rows(_head(connection, run_id), run_id, count)
        with timed() as watch:
            for row in rows:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(INSERT_EVENT, row)
                connection.execute("COMMIT")
    return {"seconds": watch.seconds, "failed": 0}


def append_many(url: str, run_id: str, count: int, size: int) -> dict[str, Any]:
    """Insert ready rows, `size` a transaction."""
    with closing(connect(url)) as connection:
        rows = _ready_rows(_head(connection, run_id), run_id, count)
        with timed() as watch:
            for start in range(0, count, size):
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(INSERT_EVENT, rows[start : start + size])
                connection.execute("COMMIT")
    return {"seconds": watch.seconds, "failed": 0}


def append_postgres(url: str, run_id: str, count: int) -> dict[str, Any]:
    """Insert ready rows into PostgreSQL, one a transaction."""
    statement = INSERT_EVENT.replace("?", "%s")
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(_HEAD.replace("?", "%s"), (run_id,)).fetchone()
        rows = _ready_rows(Link(*found) if found else Link(0, None), run_id, count)
        with timed() as watch:
            for row in rows:
                connection.execute(statement, row)
    return {"seconds": watch.seconds, "failed": 0}


def verify(url: str, run_id: str) -> float:
    """Read every row and hash its columns as they are; return the seconds."""
    with closing(connect(url)) as connection, timed() as watch:
        for row in connection.execute(_ROWS, (run_id,)):
            sha256("".join(map(str, row)).encode()).hexdigest()
    return watch.seconds


def assess(url: str, run_id: str, tail: int) -> float:
    """Read a run's row, count its open actions, parse its newest events; return the seconds."""
    with closing(connect(url)) as connection, timed() as watch:
        connection.execute("SELECT * FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        connection.execute(_OPEN_ACTIONS, (run_id,)).fetchone()
        after = _head(connection, run_id).sequence - tail
        for (payload,) in connection.execute(_TAIL, (run_id, after)):
            json.loads(payload)
    return watch.seconds


def claim_and_complete(url: str, run_id: str, names: list[str]) -> dict[str, list[float]]:
    """Probe the index by key, seal and insert one event, update the index; for both verbs."""
    with closing(connect(url)) as connection:
        both = [
            [_record(connection, run_id, name, status) for status in ("started", "completed")]
            for name in names
        ]
    return {"claim": [one[0] for one in both], "complete": [one[1] for one in both]}


def _record(connection: sqlite3.Connection, run_id: str, name: str, status: str) -> float:
    key = action_key(run_id, name)
    record = action_record(run_id, int.from_bytes(os.urandom(8)), status)
    with timed() as watch:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("SELECT status FROM action_index WHERE key = ?", (key,)).fetchone()
        payload = {"key": key, "action_id": record["action_id"], "action": record}
        row = sealed(run_id, _head(connection, run_id), "ACTION_RECORDED", payload)
        rowid = connection.execute(INSERT_EVENT, row).lastrowid
        entry = (key, run_id, record["action_id"], status, rowid, json.dumps(record))
        connection.execute(INSERT_INDEX, entry)
        connection.execute("COMMIT")
    return watch.seconds


def _head(connection: sqlite3.Connection, run_id: str) -> Link:
    found = connection.execute(_HEAD, (run_id,)).fetchone()
    return Link(*found) if found else Link(0, None)


def _ready_rows(link: Link, run_id: str, count: int) -> list[tuple[Any, ...]]:
    rows = []
    for _ in range(count):
        row = sealed(run_id, link, "TOOL_COMPLETED", TOOL_PAYLOAD)
        rows.append(row)
        link = Link(row[1], row[-1])
    return rows


if __name__ == "__main__":
    serve(
        {
            "append": append,
            "append_many": append_many,
            "append_postgres": append_postgres,
            "verify": verify,
            "assess": assess,
            "claim_and_complete": claim_and_complete,
        }
    )
