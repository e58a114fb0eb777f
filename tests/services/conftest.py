"""Damage done from outside, on whichever back end the test runs."""

from __future__ import annotations

import pytest

from tests.outsiders import change, execute


@pytest.fixture
def damage(store_url):
    """Change columns of one stored event."""

    def change_event(run_id, sequence, **columns):
        change(store_url, "events", {"run_id": run_id, "sequence": sequence}, columns)

    return change_event


@pytest.fixture
def damage_row(store_url):
    """Change columns of a run's row."""

    def change_run(run_id, **columns):
        change(store_url, "runs", {"run_id": run_id}, columns)

    return change_run


@pytest.fixture
def insert_bare_run(store_url):
    """Insert a run row without any event, as another client may."""

    def insert(run_id):
        at = "2026-01-01T00:00:00+00:00"
        execute(
            store_url,
            "INSERT INTO runs (run_id, goal, status, created_at, updated_at, metadata) "
            "VALUES (?, 'g', 'started', ?, ?, '{}')",
            (run_id, at, at),
        )

    return insert
