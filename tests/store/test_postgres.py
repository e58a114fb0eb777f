"""What only PostgreSQL can do to a store: lose connections, notify, wait for others."""

from __future__ import annotations

import psycopg
import pytest

from continuum import open_store
from continuum.core.errors import Conflict, ConnectionLost, RunNotFound
from continuum.domain.chain import ChainWalk
from tests.conftest import NOON
from tests.store.rows import summary_of
from tests.store.test_killed import is_whole
from tests.store.test_ledger import write_around
from tests.store.test_opening import STORES
from tests.stores import RunMaker, claimed_action, progressed

KILL_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture
def pg(postgres_url):
    """A PostgreSQL store with a run of one event."""
    with open_store(postgres_url) as store:
        RunMaker(store, at=NOON)()
        yield store


@pytest.fixture
def administrator(postgres_url):
    """A connection of somebody else to the same database."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


def terminate(administrator):
    administrator.execute(KILL_OTHERS)


@pytest.mark.parametrize("drafts", ["one", "action", "many"])
def test_an_append_after_the_connection_was_lost_is_made_once(pg, administrator, drafts):
    for number in range(3):
        pg.append("run_a", [progressed(number, at=NOON)])
        terminate(administrator)
        made = pg.append(
            "run_a",
            {
                "one": [progressed(9, at=NOON)],
                "action": [claimed_action("run_a", f"k{number}", at=NOON)],
                "many": [progressed(7, at=NOON), progressed(8, at=NOON)],
            }[drafts],
        )

        assert pg.head("run_a").hash == made[-1].hash
    assert pg.head("run_a").sequence == 1 + 3 * (3 if drafts == "many" else 2)
    assert is_whole(pg, "run_a")


def test_reads_go_on_after_the_connection_was_lost(pg, administrator):
    terminate(administrator)
    assert pg.head("run_a").sequence == 1
    terminate(administrator)
    with pg.reading():
        assert pg.head("run_a").sequence == 1
    terminate(administrator)
    with pg.writing("run_a") as writer:
        writer.append("run_a", [progressed(1, at=NOON)])
    assert pg.head("run_a").sequence == 2


def test_a_connection_lost_inside_a_transaction_writes_nothing_and_says_so(pg, administrator):
    with pytest.raises(ConnectionLost, match="nothing was written"), pg.writing("run_a") as writer:
        writer.append("run_a", [progressed(1, at=NOON)])
        terminate(administrator)
        writer.append("run_a", [progressed(2, at=NOON)])

    assert pg.head("run_a").sequence == 1


def test_a_connection_lost_before_the_commit_writes_nothing_and_says_so(pg, administrator):
    with pytest.raises(ConnectionLost, match="nothing was written"), pg.writing("run_a") as writer:
        writer.append("run_a", [progressed(1, at=NOON)])
        terminate(administrator)

    assert pg.head("run_a").sequence == 1


def test_no_transaction_stays_open_while_nothing_is_done(pg, administrator):
    states = (
        "SELECT DISTINCT state FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid() AND state IS NOT NULL"
    )

    next(pg.events("run_a"))
    assert administrator.execute(states).fetchall() == [("idle",)]
    pg.append("run_a", [progressed(1, at=NOON)])
    assert administrator.execute(states).fetchall() == [("idle",)]
    with pytest.raises(RunNotFound):
        pg.append("nobody", [progressed(1, at=NOON)])
    assert administrator.execute(states).fetchall() == [("idle",)]


def test_a_swallowed_failure_does_not_look_like_a_commit(pg):
    with pytest.raises(Conflict, match="nothing was written"), pg.writing("run_a") as writer:
        writer.append("run_a", [progressed(1, at=NOON)])
        with pytest.raises(Conflict):
            twice = progressed(2, at=NOON)._replace(event_id="event_twice")
            writer.append("run_a", [twice, twice])

    assert pg.head("run_a").sequence == 1


def test_an_event_id_is_used_once(pg):
    draft = progressed(1, at=NOON)._replace(event_id="event_same")
    pg.append("run_a", [draft])

    with pytest.raises(Conflict):
        pg.append("run_a", [draft])

    assert pg.head("run_a").sequence == 2


def test_a_writer_without_locks_in_between_is_noticed(pg, postgres_url):
    for number in range(3):
        pg.append("run_a", [progressed(number, at=NOON)])
        write_around(pg, postgres_url, "run_a", progressed(99, at=NOON))

    pg.append("run_a", [progressed(4, at=NOON)])

    walk = ChainWalk("run_a")
    walk.live(pg.event_rows("run_a", archived=False))
    assert walk.result().ok
    assert pg.head("run_a").sequence == 8


def test_a_tail_that_was_cut_off_is_not_appended_behind(pg, administrator):
    pg.append("run_a", [progressed(1, at=NOON), progressed(2, at=NOON)])
    pg.append("run_a", [progressed(3, at=NOON)])
    administrator.execute("DELETE FROM events WHERE sequence > 2")

    event = pg.append("run_a", [progressed(4, at=NOON)])[0]

    assert event.sequence == 3
    assert pg.head_mark("run_a").touched_sequence == 3


def test_listeners_hear_of_a_run_once_until_it_is_judged_again(pg, administrator):
    administrator.execute("LISTEN continuum")

    def judge_and_append():
        with pg.writing("run_a") as writer:
            writer.save_summary(summary_of(pg, "run_a"))
        pg.append("run_a", [progressed(1, at=NOON)])
        pg.append("run_a", [progressed(2, at=NOON)])

    judge_and_append()
    judge_and_append()

    heard = [note.payload for note in administrator.notifies(timeout=1, stop_after=3)]
    assert heard == ["run_a", "run_a"]


def test_a_second_append_moves_the_head_and_leaves_all_other_marks(pg, administrator):
    marks = (
        "SELECT sequence, hash, stale_since, verified_sequence, touched_sequence, action_sequence,"
        " ledger_sequence FROM cx_heads"
    )
    pg.append("run_a", [claimed_action("run_a", "k", at=NOON)])
    before = administrator.execute(marks).fetchone()

    event = pg.append("run_a", [progressed(1, at=NOON)])[0]

    after = administrator.execute(marks).fetchone()
    assert after == (event.sequence, event.hash, *before[2:])


def test_a_row_that_is_filled_in_is_no_append_also_where_the_run_is_stale(pg, administrator):
    pg.append("run_a", [progressed(1, at=NOON), progressed(2, at=NOON), progressed(3, at=NOON)])
    with pg.writing("run_a") as writer:
        writer.save_verified("run_a", pg.head("run_a"), NOON)
    row = administrator.execute("SELECT * FROM events WHERE sequence = 3").fetchone()
    administrator.execute("ALTER TABLE events DISABLE TRIGGER USER")
    administrator.execute("DELETE FROM events WHERE sequence = 3")
    administrator.execute("ALTER TABLE events ENABLE TRIGGER USER")

    administrator.execute(
        f"INSERT INTO events VALUES ({', '.join(['%s'] * len(row))})",
        row,
    )

    mark = pg.head_mark("run_a")
    assert (mark.sequence, mark.touched_sequence, mark.verified_sequence) == (4, 3, 0)


def test_a_database_of_the_other_client_is_read_and_then_written(
    postgres_server, empty_postgres_url
):
    postgres_server.load_dump(empty_postgres_url, STORES / "postgres_mixed.sql")

    with open_store(empty_postgres_url, read_only=True) as store:
        run_ids = [run.run_id for run in store.runs(limit=20)]
        slots = {run_id: store.slots(run_id) for run_id in run_ids}
        assert any(slots.values())
        assert any(list(store.event_rows(run_id, archived=True)) for run_id in run_ids)

    with open_store(empty_postgres_url) as store:
        assert len(store.notices) == 1
        assert set(store.stale_runs(20, NOON)) == set(run_ids)
        for run_id in run_ids:
            assert store.slots(run_id) == slots[run_id]
            head = store.head(run_id).sequence
            made = store.append(run_id, [claimed_action(run_id, f"{run_id}-new", at=NOON)])
            assert made[0].sequence == head + 1
            assert is_whole(store, run_id)


def test_an_index_that_is_empty_beside_actions_is_filled_again(pg, postgres_url, administrator):
    pg.append("run_a", [claimed_action("run_a", "k", at=NOON)])
    pg.close()
    administrator.execute("DELETE FROM action_index")
    administrator.execute("UPDATE cx_meta SET value = '1' WHERE key = 'schema_version'")

    with open_store(postgres_url) as store:
        assert store.index_drift() == 0
