"""What triggers keep about every log, whichever client changes it."""

from __future__ import annotations

from threading import Event, Thread, Timer

import pytest

from continuum.domain.runs import RunStatus
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.store.rows import summary_of
from tests.store.test_ledger import write_around
from tests.stores import RunMaker, claimed_action, progressed


@pytest.fixture
def judged(store, make_run):
    """A run of four events that was verified and judged."""
    run_id = make_run(progress=3)
    judge(store, run_id)
    assert store.stale_runs(10, NOON) == []
    return run_id


def judge(store, run_id):
    with store.writing(run_id) as writer:
        writer.save_verified(run_id, store.head(run_id), NOON)
        writer.save_summary(summary_of(store, run_id, snapshot='{"folded":true}'))


def is_stale(store, run_id):
    return run_id in store.stale_runs(10, NOON)


def test_a_new_run_is_stale_and_unverified(store, make_run):
    run_id = make_run(progress=2)

    mark = store.head_mark(run_id)

    assert (mark.sequence, mark.hash) == store.head(run_id)
    assert mark.verified_sequence == 0
    assert mark.touched_sequence is None
    assert is_stale(store, run_id)
    assert store.head_mark("nobody") is None


def test_an_append_by_anyone_makes_a_run_stale_and_keeps_what_was_verified(
    store, store_url, judged
):
    write_around(store, store_url, judged, progressed(4, at=NOON), progressed(5, at=NOON))

    mark = store.head_mark(judged)

    assert is_stale(store, judged)
    assert (mark.sequence, mark.hash) == store.head(judged)
    assert mark.verified_sequence == 4
    assert mark.touched_sequence is None
    assert store.summary(judged).snapshot == '{"folded":true}'


def test_no_kind_of_append_is_a_touch(store, store_url, make_run):
    run_id = make_run(claimed=["a", "b"], progress=1)
    store.append(run_id, [claimed_action(run_id, "c", at=NOON)])
    write_around(store, store_url, run_id, claimed_action(run_id, "d", at=NOON))
    judge(store, run_id)
    store.append(run_id, [claimed_action(run_id, "e", at=NOON), progressed(2, at=NOON)])

    mark = store.head_mark(run_id)

    assert mark.touched_sequence is None
    assert mark.verified_sequence == 6
    assert mark.sequence == 8


CHANGES = {
    "payload": "UPDATE events SET payload = '{}' WHERE run_id = ? AND sequence = 2",
    "hash": "UPDATE events SET hash = 'x' WHERE run_id = ? AND sequence = 2",
    "delete": "DELETE FROM events WHERE run_id = ? AND sequence = 2",
}


@pytest.mark.parametrize("statement", CHANGES.values(), ids=CHANGES)
def test_a_changed_or_deleted_event_drops_what_was_verified(store, store_url, judged, statement):
    execute(store_url, statement, (judged,))

    mark = store.head_mark(judged)

    assert is_stale(store, judged)
    assert mark.verified_sequence == 0
    assert mark.touched_sequence == 2
    assert mark.touched_at.endswith("+00:00")
    assert store.summary(judged).snapshot == ""


def test_the_newest_event_ever_is_remembered_when_the_tail_is_cut_off(store, store_url, judged):
    write_around(store, store_url, judged, progressed(4, at=NOON), progressed(5, at=NOON))
    newest = store.head(judged)

    execute(store_url, "DELETE FROM events WHERE run_id = ? AND sequence > 4", (judged,))

    mark = store.head_mark(judged)
    assert (mark.sequence, mark.hash) == newest
    assert mark.touched_sequence == 5
    assert mark.verified_sequence == 0


def test_a_row_filled_in_below_the_newest_is_a_touch(store, store_url, judged):
    row = store.event_row(judged, 4).row
    execute(store_url, "DELETE FROM events WHERE run_id = ? AND sequence = 4", (judged,))
    with store.writing(judged) as writer:
        writer.save_verified(judged, store.head(judged), NOON)

    marks = ", ".join("?" * len(row))
    execute(store_url, f"INSERT INTO events ({', '.join(row._fields)}) VALUES ({marks})", row)

    assert store.head_mark(judged).touched_sequence == 4
    assert store.head_mark(judged).verified_sequence == 0


def test_a_compaction_is_no_touch(store, judged):
    with store.writing(judged) as writer:
        writer.archive(judged, 3)

    mark = store.head_mark(judged)
    assert mark.verified_sequence == 4
    assert mark.touched_sequence is None
    assert store.summary(judged).snapshot != ""


ARCHIVE_CHANGES = {
    "update": "UPDATE events_archive SET payload = '{}' WHERE run_id = ? AND sequence = 2",
    "delete": "DELETE FROM events_archive WHERE run_id = ? AND sequence = 2",
    "insert": "INSERT INTO events_archive (run_id, sequence, event_id, type, timestamp, payload, "
    "source, hash) VALUES (?, 2000, 'e', 'RUN_STARTED', 't', '{}', 'human', 'h')",
}


@pytest.mark.parametrize("statement", ARCHIVE_CHANGES.values(), ids=ARCHIVE_CHANGES)
def test_a_change_of_the_archive_drops_what_was_verified(store, store_url, judged, statement):
    with store.writing(judged) as writer:
        writer.archive(judged, 3)

    execute(store_url, statement, (judged,))

    assert store.head_mark(judged).verified_sequence == 0
    assert store.head_mark(judged).touched_sequence in (2, 2000)


def copy_to_archive(store_url, run_id, **changes):
    """Copy event 1 into the archive with some columns changed, then delete the live row."""
    columns = "run_id, sequence, event_id, type, timestamp, payload, source, prev_hash, hash"
    values = ", ".join(changes.get(name, name) for name in columns.split(", "))
    execute(
        store_url,
        f"INSERT INTO events_archive ({columns}) SELECT {values} FROM events "
        "WHERE run_id = ? AND sequence = 1",
        (run_id,),
    )
    execute(store_url, "DELETE FROM events WHERE run_id = ? AND sequence = 1", (run_id,))


@pytest.mark.parametrize(
    "changes", [{"hash": "'x'"}, {"source": "'llm'"}, {"prev_hash": "'y'"}, {"event_id": "'z'"}]
)
def test_a_deletion_that_pretends_to_be_a_compaction_is_a_touch(store, store_url, judged, changes):
    copy_to_archive(store_url, judged, **changes)

    assert store.head_mark(judged).touched_sequence == 1
    assert store.head_mark(judged).verified_sequence == 0
    assert store.summary(judged).snapshot == ""


def test_a_compaction_that_spells_payloads_otherwise_has_the_chain_walked_again(
    store, store_url, judged
):
    copy_to_archive(store_url, judged, payload='\'{"goal":  "Process 3 invoices"}\'')

    mark = store.head_mark(judged)
    assert mark.touched_sequence is None
    assert mark.verified_sequence == 0
    assert is_stale(store, judged)
    assert store.summary(judged).snapshot != ""


def test_verification_clears_a_touch_and_voids_a_snapshot_from_before(store, store_url, judged):
    change(store_url, "events", {"run_id": judged, "sequence": 2}, {"payload": "{}"})

    with store.writing(judged) as writer:
        writer.save_verified(judged, store.head(judged), NOON)

    assert store.head_mark(judged).touched_sequence is None
    assert store.head_mark(judged).verified_hash == store.head(judged).hash
    assert store.summary(judged).snapshot == ""


def test_a_change_of_the_row_makes_the_run_and_its_parent_stale(store, store_url, judged):
    RunMaker(store, at=NOON)("child", parent=judged)
    assert is_stale(store, judged)
    judge(store, judged)
    judge(store, "child")
    assert store.stale_runs(10, NOON) == []

    with store.writing("child") as writer:
        writer.set_run_status("child", RunStatus.COMPLETED, NOON)

    assert set(store.stale_runs(10, NOON)) == {judged, "child"}


def test_a_summary_of_an_older_head_does_not_clear_the_mark(store, judged):
    late = summary_of(store, judged)
    store.append(judged, [progressed(4, at=NOON)])

    with store.writing(judged) as writer:
        writer.save_summary(late)

    assert is_stale(store, judged)


def test_a_summary_that_waits_for_an_append_does_not_clear_the_mark(store, make_run, open_other):
    run_id = make_run(progress=3)
    mark, summary = store.head_mark(run_id), summary_of(store, run_id)
    appended, judging = Event(), Event()

    def append():
        with open_other() as other, other.writing(run_id) as writer:
            writer.append(run_id, [progressed(4, at=NOON)])
            appended.set()
            judging.wait(20)
            # The other writer is at the lock, or about to be; either way it comes second.

    appending = Thread(target=append)
    appending.start()
    assert appended.wait(20)
    Timer(0.2, judging.set).start()
    with store.writing() as writer:
        writer.save_summary(summary, revision=mark.revision)
    appending.join(20)

    assert store.head(run_id).sequence == 5
    assert is_stale(store, run_id)


def test_a_summary_from_before_a_touch_does_not_clear_the_mark(store, store_url, judged):
    late, revision = summary_of(store, judged), store.head_mark(judged).revision
    change(store_url, "events", {"run_id": judged, "sequence": 2}, {"payload": "{}"})

    with store.writing(judged) as writer:
        writer.save_summary(late, revision=revision)

    assert is_stale(store, judged)


def test_a_run_can_be_marked_for_reasons_outside_its_log(store, judged):
    with store.writing() as writer:
        writer.mark_stale(judged)

    assert is_stale(store, judged)


def test_the_longest_waiting_comes_first_and_the_number_is_bounded(store, make_run):
    run_ids = [make_run(f"run_{number}") for number in range(5)]

    assert set(store.stale_runs(10, NOON)) == set(run_ids)
    assert len(store.stale_runs(2, NOON)) == 2


def test_a_deleted_run_leaves_the_read_model(store, store_url, judged):
    execute(store_url, "DELETE FROM runs WHERE run_id = ?", (judged,))

    assert store.head_mark(judged) is None
    assert store.summary(judged) is None
    assert store.stale_runs(10, NOON) == []
