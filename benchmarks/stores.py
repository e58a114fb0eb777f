"""Stores to measure on: valid logs of any length, written straight into the tables.

The tables are made by the reference client, so both sides read the same rows.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple, Protocol

from benchmarks.harness import discard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

EVENT_COLUMNS = (
    "run_id, sequence, event_id, type, timestamp, payload, causer_event_id, source, prev_hash, hash"
)
INSERT_EVENT = f"INSERT INTO events ({EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_RUN = (
    "INSERT INTO runs (run_id, goal, status, created_at, updated_at, metadata)"
    " VALUES (?, ?, 'started', ?, ?, '{}')"
)
INSERT_INDEX = (
    "INSERT OR REPLACE INTO action_index"
    " (key, run_id, action_id, status, updated_seq, action_json) VALUES (?, ?, ?, ?, ?, ?)"
)

TOOL_PAYLOAD = {
    "tool": "Edit",
    "path": "src/module_4.py",
    "summary": "edited the file",
    "checksum": sha256(b"module 4").hexdigest(),
    "ok": True,
    "ms": 12.5,
}
"""What every measured append carries: about 200 bytes, and it folds into nothing."""

GOAL = "a generated run"
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_COMPACT = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_SPACED = json.JSONEncoder(sort_keys=True).encode


class Maker(Protocol):
    """Whoever makes an empty store: a worker that knows `create`."""

    def ask(self, do: str, **arguments: Any) -> Any:
        """Run one command; return its answer."""


class Link(NamedTuple):
    """Where a generated chain has got to."""

    sequence: int
    hash: str | None


def build_logs(
    maker: Maker,
    path: Path,
    *,
    runs: int,
    events: int,
    spaced: bool = True,
    open_every: int = 0,
    first: int = 0,
) -> None:
    """Write `runs` logs of `events` events each into a new store.

    Args:
        spaced: payloads stored as the reference client writes them, with
            blanks; else as ours does, in canonical form.
        open_every: how often a log ends with an action of unknown outcome.
        first: how many events the first run has, if it is to be longer.
    """
    discard(path)
    maker.ask("create", url=str(path))
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for number in range(runs):
            run_id = run_name(number)
            at = _time(number * 60)
            is_open = bool(open_every) and number % open_every == 1
            connection.execute(INSERT_RUN, (run_id, GOAL, at, at))
            length = max(events, 0 if number else first)
            rows = log_rows(run_id, length, spaced=spaced, is_open=is_open)
            connection.executemany(INSERT_EVENT, rows)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def build_ledger(maker: Maker, path: Path, *, actions: int) -> None:
    """Write one run, `run-0`, whose ledger holds `actions` completed actions."""
    discard(path)
    maker.ask("create", url=str(path))
    run_id = run_name(0)
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        connection.execute(INSERT_RUN, (run_id, GOAL, _time(0), _time(0)))
        link = Link(0, None)
        rows = _chained(run_id, link, _ledger_events(run_id, actions), spaced=True)
        connection.executemany(INSERT_EVENT, rows)
        connection.executemany(INSERT_INDEX, _index_rows(run_id, actions))
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def copy_store(source: Path, target: Path) -> Path:
    """Copy a closed store; return the copy."""
    discard(target)
    shutil.copy(source, target)
    return target


def connect(path: Path | str) -> sqlite3.Connection:
    """Open a store with the settings both clients use."""
    connection = sqlite3.connect(path, timeout=30, isolation_level=None)
    for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {setting}")
    return connection


def run_name(number: int) -> str:
    """Return the id of a generated run."""
    return f"run-{number}"


def log_rows(
    run_id: str, count: int, *, spaced: bool, is_open: bool = False
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a log whose state stays small however long it gets."""
    events = map(_log_event, range(1, count))
    last = _ledger_event(run_id, 0, "started") if is_open else _log_event(count)
    return _chained(run_id, Link(0, None), chain(events, [last]), spaced=spaced)


def sealed(
    run_id: str, link: Link, kind: str, payload: dict[str, Any], *, spaced: bool = False
) -> tuple[Any, ...]:
    """Return the row that follows `link`: canonical JSON of nine members, SHA-256."""
    sequence = link.sequence + 1
    members = {
        "event_id": f"event_{sha256(f'{run_id} {sequence}'.encode()).hexdigest()[:32]}",
        "run_id": run_id,
        "sequence": sequence,
        "type": kind,
        "timestamp": _time(sequence),
        "payload": payload,
        "causer_event_id": None,
        "source": "deterministic",
        "prev_hash": link.hash,
    }
    digest = sha256(_COMPACT(members).encode()).hexdigest()
    text = _SPACED(payload) if spaced else _COMPACT(payload)
    row = {**members, "payload": text, "hash": digest}
    return tuple(row[name] for name in EVENT_COLUMNS.split(", "))


def _chained(
    run_id: str,
    link: Link,
    events: Iterable[tuple[str, dict[str, Any]]],
    *,
    spaced: bool,
) -> Iterator[tuple[Any, ...]]:
    for kind, payload in events:
        row = sealed(run_id, link, kind, payload, spaced=spaced)
        yield row
        link = Link(row[1], row[-1])


def _log_event(number: int) -> tuple[str, dict[str, Any]]:
    if number == 1:
        return "RUN_STARTED", {"goal": GOAL}
    if number % 10 < 7:
        payload = {**TOOL_PAYLOAD, "path": f"src/module_{number % 40}.py", "ms": number % 10 + 0.5}
        return "TOOL_COMPLETED", payload
    if number % 10 < 9:
        return "TASK_UPDATED", {"completed": number, "total": 10**9}
    summary = {
        "plan_stack": ["read", "é"],
        "decisions": [],
        "open_questions": [],
        "working_set": [],
    }
    return "REASONING_SUMMARY", {"summary": summary}


def _ledger_events(run_id: str, actions: int) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "RUN_STARTED", {"goal": GOAL}
    for number in range(actions):
        yield _ledger_event(run_id, number, "started")
        yield _ledger_event(run_id, number, "completed")


def _ledger_event(run_id: str, number: int, status: str) -> tuple[str, dict[str, Any]]:
    record = action_record(run_id, number, status)
    payload = {
        "key": action_key(run_id, f"k{number}"),
        "action_id": record["action_id"],
        "action_type": record["action_type"],
        "status": status,
        "external_id": record["external_id"],
        "action": record,
    }
    return "ACTION_RECORDED", payload


def _index_rows(run_id: str, actions: int) -> Iterator[tuple[Any, ...]]:
    for number in range(actions):
        record = action_record(run_id, number, "completed")
        key = action_key(run_id, f"k{number}")
        rowid = 3 + 2 * number
        yield key, run_id, record["action_id"], "completed", rowid, _SPACED(record)


def action_key(run_id: str, key: str) -> str:
    """Return the ledger key of an explicit key of a `send_mail` in `run_id`."""
    text = _COMPACT({"key": key, "scope": run_id, "type": "send_mail"})
    return sha256(text.encode()).hexdigest()


def action_record(run_id: str, number: int, status: str) -> dict[str, Any]:
    """Return a whole action record as events carry it."""
    done = status == "completed"
    arguments = {"to": f"user{number}@example.com", "n": number}
    return {
        "action_id": f"action_{sha256(f'{run_id} {number}'.encode()).hexdigest()[:32]}",
        "run_id": run_id,
        "action_type": "send_mail",
        "dep_scope": None,
        "arguments": arguments,
        "arguments_hash": sha256(_COMPACT(arguments).encode()).hexdigest(),
        "status": status,
        "external_id": f"mail-{number}" if done else None,
        "result": {"ok": True} if done else None,
        "result_hash": sha256(b'{"ok":true}').hexdigest() if done else None,
        "side_effect_uncertain": False,
        "compensated_by": [],
        "last_error": None,
        "created_at": "2026-01-01T00:00:01Z",
        "started_at": "2026-01-01T00:00:01Z",
        "completed_at": "2026-01-01T00:00:02Z" if done else None,
    }


def _time(seconds: int) -> str:
    return (_BEGINNING + timedelta(seconds=seconds, microseconds=123456)).isoformat()
