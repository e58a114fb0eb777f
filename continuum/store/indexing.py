"""The store-wide action index: one row per ledger key, the newest record winning.

`action_index` belongs to both clients (store.md 11.4). Here it is recomputed
from the log: to fill it, to repair it, and to tell how far it has drifted.
"""

from __future__ import annotations

import json

from continuum.core.canonical import canonical_text
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from continuum.store.database import Database


class IndexRow(NamedTuple):
    """A row of `action_index`."""

    key: str
    run_id: str
    action_id: str
    status: str
    updated_seq: int
    action_json: str


def index_row(payload: Mapping[str, Any], order: int) -> IndexRow | None:
    """Return the row an action event makes, or None where it makes none.

    Args:
        order: what orders the row among those of the same key.
    """
    key, action = payload.get("key"), payload.get("action")
    if not isinstance(key, str) or not key or not isinstance(action, dict):
        return None
    return IndexRow(
        key,
        _text(action.get("run_id")),
        _text(action.get("action_id")),
        _text(action.get("status")),
        order,
        canonical_text(action),
    )


def rebuild_index(database: Database) -> int:
    """Rewrite the whole index from the log; return how many rows it has."""
    rows = recomputed_index(database)
    database.run("index.clear", {})
    database.run_many("index.insert", [row._asdict() for row in rows.values()])
    return len(rows)


def recomputed_index(database: Database) -> dict[str, IndexRow]:
    """Return the rows the log makes, by key."""
    rows: dict[str, IndexRow] = {}
    for order, payload in database.all("index.events"):
        row = index_row(_object(payload), order)
        if row is not None:
            rows[row.key] = row
    return rows


def index_drift(database: Database) -> int:
    """Return how many rows are missing, extra, or differ in order or status."""
    expected = recomputed_index(database)
    found = {row[0]: row[1:] for row in database.all("index.rows")}
    differing = sum(
        1
        for key, row in expected.items()
        if key in found and not _agrees(database, row, found[key])
    )
    return differing + len(expected.keys() ^ found.keys())


def _agrees(database: Database, row: IndexRow, found: tuple[int, str]) -> bool:
    # On PostgreSQL the order value comes from a sequence and cannot be recomputed.
    same_order = database.backend != "sqlite" or row.updated_seq == found[0]
    return same_order and row.status == found[1]


def _object(text: str) -> dict[str, Any]:
    try:
        payload = json.loads(text)
    except ValueError:
        return {}
    return payload if isinstance(payload, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
