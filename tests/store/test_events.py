"""Reading logs: order, ranges, filters, the archive, rows that cannot be read."""

from __future__ import annotations

import pytest

from continuum.core.errors import Corrupted, UnreadableRecord
from continuum.domain.chain import ChainWalk
from continuum.domain.events import EventType, Head, Origin
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.stores import claimed_action, progressed


@pytest.fixture
def compacted(store, make_run):
    """A run of events 1 to 6, of which 1 to 4 are archived."""
    run_id = make_run(progress=5)
    with store.writing(run_id) as writer:
        assert writer.archive(run_id, 4) == 4
    return run_id


def sequences(events):
    return [one.sequence for one in events]


def test_archive_and_live_rows_are_one_log(store, compacted):
    assert sequences(store.events(compacted)) == [1, 2, 3, 4, 5, 6]
    assert sequences(store.events(compacted, archived=False)) == [5, 6]
    assert sequences(store.event_rows(compacted, archived=True)) == [1, 2, 3, 4]
    assert sequences(store.event_rows(compacted, archived=False)) == [5, 6]


def test_ranges_reach_over_the_edge_of_the_archive(store, compacted):
    assert sequences(store.events(compacted, after=2, upto=5)) == [3, 4, 5]
    assert sequences(store.events(compacted, after=4)) == [5, 6]
    assert sequences(store.event_rows(compacted, archived=True, after=3)) == [4]


def test_a_compacted_chain_verifies_and_goes_on(store, compacted):
    store.append(compacted, [progressed(6, at=NOON)])

    walk = ChainWalk(compacted)
    walk.archive(store.event_rows(compacted, archived=True))
    walk.live(store.event_rows(compacted, archived=False))

    assert walk.result().ok
    assert walk.result().archived == 4
    assert store.head(compacted).sequence == 7


def test_types_and_origins_filter(store, make_run):
    run_id = make_run(claimed=["a", "b"], progress=2)

    of_types = store.events(run_id, types=[EventType.RUN_STARTED, EventType.ACTION_RECORDED])
    of_agent = store.event_page(run_id, origins=[Origin.EXTERNAL_AGENT])

    assert sequences(of_types) == [1, 2, 3]
    assert sequences(store.events(run_id, types=[])) == []
    assert [one.row.sequence for one in of_agent] == [5, 4]


def test_pages_go_backwards_through_both_tables(store, compacted):
    first = store.event_page(compacted, limit=3)
    second = store.event_page(compacted, before=first[-1].row.sequence, limit=3)

    assert [(one.row.sequence, one.archived) for one in first] == [
        (6, False),
        (5, False),
        (4, True),
    ]
    assert [one.row.sequence for one in second] == [3, 2, 1]
    assert store.event_page(compacted, before=1) == []


def test_a_page_is_never_longer_than_the_limit_of_all_pages(store, make_run):
    run_id = make_run(progress=250)

    assert len(store.event_page(run_id, limit=10_000)) == 200


def test_an_unreadable_row_stops_reading_but_is_shown_as_it_is(store, store_url, make_run):
    run_id = make_run(progress=2)
    change(store_url, "events", {"run_id": run_id, "sequence": 2}, {"type": "NO_SUCH_TYPE"})

    with pytest.raises(UnreadableRecord, match="event 2"):
        list(store.events(run_id))

    assert store.event_row(run_id, 2).event is None
    assert store.event_row(run_id, 2).row.type == "NO_SUCH_TYPE"
    assert [one.event is None for one in store.event_page(run_id)] == [False, True, False]
    assert sequences(store.event_rows(run_id, archived=False)) == [1, 2, 3]


def test_a_row_that_does_not_exist_is_none(store, make_run):
    run_id = make_run()

    assert store.event_row(run_id, 2) is None
    assert list(store.events("nobody")) == []


def test_a_long_log_is_read_whole(store, make_run):
    run_id = make_run(progress=4500)

    assert sequences(store.events(run_id)) == list(range(1, 4502))
    assert sequences(store.event_rows(run_id, archived=False, after=2000))[0] == 2001


def test_a_snapshot_does_not_see_what_comes_after_it(store, store_url, make_run, open_other):
    run_id = make_run()

    with store.reading(), store.reading():
        before = store.head(run_id)
        open_other().append(run_id, [progressed(1, at=NOON)])
        inside = store.head(run_id)

    assert inside == before
    assert store.head(run_id).sequence == 2


def test_a_log_whose_live_part_is_gone_is_not_begun_anew(store, store_url, compacted):
    execute(store_url, "DELETE FROM events WHERE run_id = ?", (compacted,))

    with pytest.raises(Corrupted, match="archived events"):
        store.append(compacted, [progressed(7, at=NOON)])

    assert store.head(compacted) == Head(0, None)


def test_archiving_keeps_the_index_free_of_drift(store, make_run):
    first = make_run("run_1", claimed=["a", "b"], progress=1)
    second = make_run("run_2", claimed=["c"], progress=3)

    for run_id, through in ((first, 2), (second, 3), (first, 3)):
        with store.writing(run_id) as writer:
            writer.archive(run_id, through)
        assert store.index_drift() == 0

    store.append(second, [claimed_action(second, "d", at=NOON)])
    assert store.index_drift() == 0
