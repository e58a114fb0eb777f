"""PostgreSQL through a transaction pool: each transaction may be another server process."""

from __future__ import annotations

import pytest

from continuum import open_store
from continuum.domain.actions import ActionStatus
from continuum.services import search
from continuum.services.decisions import Settlement, settle
from continuum.services.recovery import assess
from continuum.services.summaries import catch_up
from tests.conftest import NOON
from tests.pooling import Pooler
from tests.services.acting import by_ada, claimed, reported, started
from tests.store.writers import append_in_processes


@pytest.fixture(scope="module")
def pooler(postgres_server):
    pool = Pooler(postgres_server.port, connections=3)
    yield pool
    pool.stop()


@pytest.fixture
def store_url(pooler, postgres_url):
    return pooler.url(postgres_url)


def test_four_processes_appending_to_one_run_lose_nothing(store, store_url, make_run):
    run_id = make_run()

    written = append_in_processes(store_url, run_id, processes=4, events=50)

    assert len(set(written)) == 200
    assert {one.event_id for one in store.events(run_id, after=1)} == set(written)
    assert store.head_mark(run_id).sequence == 201


def test_a_claim_is_settled_judged_and_found(store, make_run):
    run_id = started(store)
    key = claimed(store, run_id)
    assert not assess(store, run_id, at=NOON, audit=True).safe

    settle(store, run_id, key, by_ada(), Settlement(occurred=True, external_id="x-7"))
    catch_up(store, limit=10, at=NOON)
    while search.catch_up(store):
        pass

    assert store.slot(run_id, key).action.status is ActionStatus.COMPLETED
    assert assess(store, run_id, at=NOON, audit=True).safe
    assert [hit.run_id for hit in search.search(store, "x-7").exact] == [run_id]


def test_a_snapshot_holds_while_others_write(store_url, store, make_run):
    run_id = make_run(progress=2)
    with store.reading():
        before = store.head(run_id)
        with open_store(store_url) as other:
            reported(other, run_id, 9)
        assert store.head(run_id) == before
    assert store.head(run_id).sequence > before.sequence
