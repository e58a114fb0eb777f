"""Stores in memory for ledger tests: runs without a start, so every event is the ledger's."""

from __future__ import annotations

from datetime import UTC, datetime

from continuum.core.clock import column_time
from continuum.domain.runs import Run, RunStatus
from continuum.store.base import Store
from continuum.store.opening import open_store

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def memory_store(*run_ids: str) -> Store:
    """Return a fresh store that holds these runs."""
    store = open_store(":memory:")
    insert_runs(store, *run_ids)
    return store


def insert_runs(store: Store, *run_ids: str) -> None:
    """Insert bare rows."""
    at = column_time(NOON)
    with store.writing() as writer:
        for run_id in run_ids:
            writer.insert_run(Run(run_id, "g", RunStatus.RUNNING, at, at, {}, None))
