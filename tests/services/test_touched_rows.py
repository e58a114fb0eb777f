"""An event that was changed, lost or replaced is remembered with the hash it had."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import psycopg
import pytest

from continuum.domain.events import EventRow, EventType, Head, Origin, seal
from continuum.services.chain import mark_verified, verify_run
from continuum.services.recovery import assess
from continuum.services.summaries import catch_up
from tests.conftest import NOON
from tests.outsiders import execute
from tests.stores import progressed

COLUMNS = EventRow._fields


def insert_row(url, row, table="events", verb="INSERT"):
    """Insert a row as an intruder does."""
    marks = ", ".join("?" for _ in COLUMNS)
    execute(url, f"{verb} INTO {table} ({', '.join(COLUMNS)}) VALUES ({marks})", tuple(row))


def delete_row(url, run_id, sequence, table="events"):
    execute(url, f"DELETE FROM {table} WHERE run_id = ? AND sequence = ?", (run_id, sequence))


def forged(store, run_id, sequence, **columns):
    """Return an event with a valid hash and link that was never recorded."""
    before = store.event_row(run_id, sequence - 1)
    head = Head(sequence - 1, before.row.hash)
    draft = progressed(999, at=NOON)._replace(type=EventType.TASK_UPDATED, source=Origin.HUMAN)
    return seal(draft, run_id=run_id, head=head)._replace(**columns)


def found(store, run_id):
    report = verify_run(store, run_id)
    return [(str(one.kind), one.sequence) for one in report.verification.violations]


def judged(store, run_id):
    """Return the verdict as shown, after everything the product does on its own."""
    catch_up(store, limit=100, at=NOON)
    return assess(store, run_id, at=NOON)


def test_a_replaced_end_is_found_also_after_the_next_appends(store, store_url, make_run):
    run_id = make_run(progress=4)
    catch_up(store, limit=100, at=NOON)
    delete_row(store_url, run_id, 5)
    insert_row(store_url, forged(store, run_id, 5))

    first = judged(store, run_id)
    store.append(run_id, [progressed(5, at=NOON)])
    store.append(run_id, [progressed(6, at=NOON)])

    assert found(store, run_id) == [("ROW_TOUCHED", 5)]
    assert not first.chain.ok and first.chain.broken_at == 5
    later = judged(store, run_id)
    assert not later.safe and later.chain.broken_at == 5
    assert verify_run(store, run_id).verification.trusted_through == 4


def test_a_tail_that_was_sealed_anew_is_found_at_its_first_event(store, store_url, make_run):
    run_id = make_run(progress=4)
    for sequence in (3, 4, 5):
        delete_row(store_url, run_id, sequence)
        insert_row(store_url, forged(store, run_id, sequence))

    assert found(store, run_id) == [("ROW_TOUCHED", 3), ("ROW_TOUCHED", 4), ("ROW_TOUCHED", 5)]
    assert judged(store, run_id).chain.broken_at == 3


def test_a_row_that_is_put_back_heals_the_run(store, store_url, make_run):
    run_id = make_run(progress=2)
    lost = store.event_row(run_id, 3).row
    delete_row(store_url, run_id, 3)
    assert found(store, run_id)
    insert_row(store_url, lost)

    report = verify_run(store, run_id)
    mark_verified(store, report, at=NOON)

    assert report.ok
    assert [one.sequence for one in store.touched(run_id, limit=10)] == [3]
    assert store.head_mark(run_id).touched_sequence is None


def test_the_first_hash_is_kept_however_often_a_row_is_changed(store, store_url, make_run):
    run_id = make_run(progress=1)
    original = store.event_row(run_id, 2).row.hash
    for text in ("a" * 64, "b" * 64):
        execute(store_url, "UPDATE events SET hash = ? WHERE sequence = 2", (text,))

    assert [one.hash for one in store.touched(run_id, limit=10)] == [original]


def test_a_compaction_touches_nothing(store, make_run):
    run_id = make_run(progress=3)
    with store.writing(run_id) as writer:
        writer.archive(run_id, 3)

    assert store.touched(run_id, limit=10) == []
    assert verify_run(store, run_id).verification.ok


def test_an_archived_row_that_is_replaced_is_found(store, store_url, make_run):
    run_id = make_run(progress=3)
    with store.writing(run_id) as writer:
        writer.archive(run_id, 3)
    row = forged(store, run_id, 3)
    delete_row(store_url, run_id, 3, "events_archive")
    insert_row(store_url, row, "events_archive")

    assert ("ROW_TOUCHED", 3) in found(store, run_id)


def test_a_run_that_was_deleted_and_made_anew_is_found(store, store_url, make_run):
    run_id = make_run(progress=2)
    execute(store_url, "DELETE FROM events WHERE run_id = ?", (run_id,))
    execute(store_url, "DELETE FROM runs WHERE run_id = ?", (run_id,))
    assert store.runs_without_row() == [run_id]

    make_run(run_id, goal="Another one", progress=2)

    assert found(store, run_id)[0] == ("ROW_TOUCHED", 1)
    assert not judged(store, run_id).safe


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_replacing_in_one_statement_is_seen(store, store_url, make_run):
    run_id = make_run(progress=3)
    insert_row(store_url, forged(store, run_id, 4), verb="INSERT OR REPLACE")

    assert found(store, run_id) == [("ROW_TOUCHED", 4)]
    assert judged(store, run_id).chain.broken_at == 4


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_a_row_pushed_out_by_its_id_from_another_run_is_seen(store, store_url, make_run):
    run_id, other = make_run("victim", progress=3), make_run("other", progress=1)
    stolen = store.event_row(run_id, 4).row.event_id
    insert_row(store_url, forged(store, other, 3, event_id=stolen), verb="INSERT OR REPLACE")
    store.append(run_id, [progressed(9, at=NOON)])

    assert found(store, run_id) == [("ROW_TOUCHED", 4)]


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_an_update_that_pushes_a_row_out_is_seen(store, store_url, make_run):
    run_id, other = make_run("victim", progress=3), make_run("other", progress=1)
    lost = store.event_row(run_id, 4).row.hash
    with closing(sqlite3.connect(store_url)) as connection, connection:
        connection.execute(
            "UPDATE OR REPLACE events SET run_id = ?, sequence = 4 WHERE run_id = ? "
            "AND sequence = 2",
            (run_id, other),
        )

    assert [one.hash for one in store.touched(run_id, limit=10)] == [lost]


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_emptying_a_table_at_one_blow_is_seen(store, store_url, make_run):
    run_id = make_run(progress=2)
    rows = list(store.event_rows(run_id, archived=False))
    with psycopg.connect(store_url, autocommit=True) as connection:
        connection.execute("TRUNCATE events")

    assert [one.sequence for one in store.touched(run_id, limit=10)] == [1, 2, 3]
    for row in rows:
        insert_row(store_url, row)
    assert verify_run(store, run_id).ok
