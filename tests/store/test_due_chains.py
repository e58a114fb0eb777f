"""A run remembers when its chain was checked last, also in a store from before it did."""

from __future__ import annotations

import pytest

from continuum import open_store
from continuum.core.clock import column_time
from continuum.services.verifications import Order, run_job
from tests.conftest import NOON
from tests.outsiders import execute, query

AHEAD = "9999"


def verified(store, run_id):
    list(run_job(store, Order(run_id, "ada", "cli"), clock=lambda: NOON))


def checked(store_url):
    """Return when the chain of each run was checked, and how far it was found whole."""
    rows = query(store_url, "SELECT run_id, checked_at, verified_sequence, sequence FROM cx_heads")
    return {row[0]: row[1:] for row in rows}


def test_whatever_a_verification_found_is_remembered_by_its_run(store, store_url, make_run):
    for run_id in ("broken", "never", "whole"):
        make_run(run_id, progress=2)
    execute(store_url, "UPDATE events SET payload = '{}' WHERE run_id = 'broken'")
    for run_id in ("broken", "whole"):
        verified(store, run_id)

    moments = {run_id: row[0] for run_id, row in checked(store_url).items()}

    assert moments == {"broken": column_time(NOON), "never": "", "whole": column_time(NOON)}
    due = store.longest_unchecked(until=AHEAD, now=AHEAD, limit=9)
    assert due == ["never", "broken", "whole"]


@pytest.mark.parametrize("times", [1, 2])
def test_a_store_from_before_is_told_from_the_kept_verifications(store, store_url, make_run, times):
    for run_id in ("never", "whole"):
        make_run(run_id, progress=2)
    verified(store, "whole")
    before = checked(store_url)
    store.close()

    for _ in range(times):
        execute(store_url, "UPDATE cx_heads SET checked_at = ''")
        execute(store_url, "UPDATE cx_meta SET value = '7' WHERE key = 'schema_version'")
        open_store(store_url).close()

    assert checked(store_url) == before
    assert before["whole"] == (column_time(NOON), 3, 3)
    with open_store(store_url) as again:
        execute(
            store_url,
            "INSERT INTO runs (run_id, goal, status, created_at, updated_at, metadata) "
            "VALUES ('later', 'g', 'started', '2026-12-01', '2026-12-01', '{}')",
        )
        assert again.missing_guards() == []
        assert again.longest_unchecked(until=AHEAD, now=AHEAD, limit=1) == ["later"]
