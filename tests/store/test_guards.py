"""Triggers that somebody takes away are missed, and made again on request."""

from __future__ import annotations

import pytest

from continuum.services.chain import glance, mark_verified, verify_run
from continuum.services.guards import missing_guards, restore_guards
from continuum.services.summaries import catch_up, list_summaries
from continuum.services.verifications import Order
from continuum.store.modelport import SummaryQuery
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.stores import progressed

ORDER = Order(None, "ada", "cli")


def drop(store_url, name, table):
    on = f" ON {table}" if store_url.startswith("postgresql") else ""
    execute(store_url, f"DROP TRIGGER {name}{on}")


@pytest.fixture
def verified(store, make_run):
    """A run whose whole chain was walked and marked."""
    run_id = make_run(progress=5)
    mark_verified(store, verify_run(store, run_id), at=NOON)
    assert not glance(store, run_id).full
    return run_id


def test_a_store_as_it_was_made_misses_nothing(store):
    assert missing_guards(store) == []


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("cx_events_update", "events"),
        ("cx_events_delete", "events"),
        ("cx_keep_updated", "events"),
        ("cx_keep_archive_deleted", "events_archive"),
        ("cx_runs_update", "runs"),
    ],
)
def test_a_dropped_trigger_is_missed_by_name(store, store_url, name, table):
    drop(store_url, name, table)

    assert missing_guards(store) == [name]


def test_a_trigger_that_does_nothing_any_more_is_missed(store, store_url, backend):
    if backend == "sqlite":
        drop(store_url, "cx_events_update", "events")
        execute(
            store_url, "CREATE TRIGGER cx_events_update AFTER UPDATE ON events BEGIN SELECT 1; END"
        )
        assert missing_guards(store) == ["cx_events_update"]
        return
    execute(store_url, "ALTER TABLE events DISABLE TRIGGER cx_events_update")
    execute(
        store_url,
        "CREATE OR REPLACE FUNCTION cx_note_append() RETURNS trigger LANGUAGE plpgsql "
        "AS $$ BEGIN RETURN NEW; END $$",
    )
    assert missing_guards(store) == ["cx_events_update", "cx_note_append()"]


def test_without_its_trigger_no_mark_is_believed(store, store_url, verified):
    drop(store_url, "cx_events_update", "events")
    drop(store_url, "cx_keep_updated", "events")
    change(store_url, "events", {"run_id": verified, "sequence": 2}, {"payload": '{"done": 99}'})

    facts = glance(store, verified)

    assert facts.full
    assert not facts.ok
    assert facts.broken_at == 2


def test_a_body_that_was_replaced_is_noticed_by_the_next_verdict(
    store, store_url, backend, verified
):
    if backend == "sqlite":
        drop(store_url, "cx_events_update", "events")
        execute(
            store_url, "CREATE TRIGGER cx_events_update AFTER UPDATE ON events BEGIN SELECT 1; END"
        )
    else:
        execute(
            store_url,
            "CREATE OR REPLACE FUNCTION cx_note_event_change() RETURNS trigger LANGUAGE plpgsql "
            "AS $$ BEGIN RETURN NULL; END $$",
        )

    assert glance(store, verified).full


def test_they_are_made_again_and_what_happened_meanwhile_is_looked_at(
    store, store_url, verified, make_run
):
    catch_up(store, limit=9, at=NOON)
    for name in ("cx_events_insert", "cx_events_update", "cx_events_delete"):
        drop(store_url, name, "events")
    store.append(verified, [progressed(6, at=NOON)])
    make_run("run_new", claimed=["k"])

    row = restore_guards(store, ORDER, at=NOON)

    assert row is not None
    assert (row.kind, row.outcome, row.by_name) == ("guards", "repaired", "ada")
    assert "cx_events_delete" in row.detail
    assert missing_guards(store) == []
    mark = store.head_mark(verified)
    assert mark is not None
    assert mark.verified_sequence == 0
    catch_up(store, limit=9, at=NOON)
    listed = {one.run_id: one.open_actions for one in list_summaries(store, SummaryQuery())}
    assert listed == {verified: 0, "run_new": 1}
    assert store.ledger_drift("run_new") == 0
    change(store_url, "events", {"run_id": verified, "sequence": 2}, {"payload": "{}"})
    mark = store.head_mark(verified)
    assert mark is not None
    assert mark.touched_sequence == 2


def test_where_nothing_is_missing_nothing_is_done(store):
    assert restore_guards(store, ORDER, at=NOON) is None
    assert store.verifications(limit=9) == []
