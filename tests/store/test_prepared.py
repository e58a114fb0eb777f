"""The prepared statement of single appends: what it sends, and when it has to be made again."""

from __future__ import annotations

import os
import signal
import threading

import psycopg
import pytest

from continuum import open_store
from continuum.core.errors import InvalidInput
from continuum.domain.events import seal
from continuum.store.postgres.database import STATEMENTS
from continuum.store.postgres.prepared import PreparedInsert
from tests.conftest import NOON
from tests.store.test_killed import is_whole
from tests.stores import RunMaker, claimed_action, progressed


@pytest.fixture
def pg(postgres_url):
    """A PostgreSQL store with a run that was appended to by the prepared statement."""
    with open_store(postgres_url) as store:
        RunMaker(store, at=NOON)()
        store.append("run_a", [progressed(1, at=NOON)])
        yield store


def test_it_is_prepared_again_when_the_driver_dropped_it(pg):
    pg.append("run_a", [claimed_action("run_a", "k", at=NOON)])
    with pytest.raises(ZeroDivisionError), pg.writing("run_a") as writer:
        writer.append("run_a", [progressed(2, at=NOON)])
        raise ZeroDivisionError
    assert pg.head("run_a").sequence == 3

    pg.append("run_a", [progressed(2, at=NOON)])
    pg.append("run_a", [progressed(3, at=NOON)])

    assert pg.head("run_a").sequence == 5
    assert is_whole(pg, "run_a")


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
@pytest.mark.parametrize("member", ["event_id", "causer_event_id"])
def test_text_that_cannot_be_stored_is_refused_and_not_cut(pg, member, text):
    with pytest.raises(InvalidInput):
        pg.append("run_a", [progressed(2, at=NOON)._replace(**{member: text})])

    assert pg.head("run_a").sequence == 2
    assert pg.append("run_a", [progressed(2, at=NOON)])[0].sequence == 3


@pytest.mark.parametrize("encoding", ["UTF8", "LATIN1"])
def test_texts_are_written_in_the_encoding_of_the_connection(postgres_url, encoding):
    with open_store(postgres_url) as store:
        RunMaker(store, at=NOON)("café")
        row = seal(progressed(1, at=NOON), run_id="café", head=store.head("café"))
        statement = STATEMENTS.text("events.insert_behind", {})

        with psycopg.connect(postgres_url, autocommit=True, client_encoding=encoding) as connection:
            assert PreparedInsert(connection, statement).insert(row) == 1

        assert list(store.event_rows("café", archived=False))[1:] == [row]


def test_what_caused_an_event_is_kept(pg):
    first = pg.append("run_a", [progressed(2, at=NOON)])[0]

    pg.append("run_a", [progressed(3, at=NOON)._replace(causer_event_id=first.event_id)])

    assert [one.causer_event_id for one in pg.events("run_a", after=2)] == [None, first.event_id]


def test_an_interrupt_cancels_an_append_that_waits_for_a_lock(pg, postgres_url):
    def interrupt_once_it_waits():
        waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        with psycopg.connect(postgres_url, autocommit=True) as watcher:
            while watcher.execute(waiting).fetchone() is None:
                pass
        os.kill(os.getpid(), signal.SIGINT)

    with psycopg.connect(postgres_url) as other:
        other.execute("SELECT 1 FROM cx_heads WHERE run_id = 'run_a' FOR UPDATE")
        watch = threading.Thread(target=interrupt_once_it_waits)
        watch.start()
        with pytest.raises(KeyboardInterrupt):
            pg.append("run_a", [progressed(2, at=NOON)])
        watch.join()

    assert pg.head("run_a").sequence == 2
    assert pg.append("run_a", [progressed(3, at=NOON)])[0].sequence == 3
