"""The links of a chain, page by page: marks, gaps, the anchor, the archive's edge, and finding."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.core.errors import RunNotFound
from continuum.domain.events import Draft, EventType, Origin
from continuum.services import chainwalks
from continuum.services import search as searching
from continuum.services.chainwalks import Fit, WalkQuery, find_in_run, walk_page
from continuum.services.summaries import catch_up
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.stores import claimed_action

RUN = "run_a"


@pytest.fixture
def logged(store, make_run):
    """A run of eight events, the first three archived."""
    make_run(RUN, claimed=["INV-1"], progress=2)
    by = {"by": "ada", "reason": "seen"}
    store.append(RUN, [Draft(EventType.REVIEW_CONFIRMED, by, Origin.HUMAN, NOON)])
    store.append(RUN, [claimed_action(RUN, "k", at=NOON, external_id="smtp-77")])
    called = {"tool": "ls", "caller": {"client": "codex", "via": "mcp"}}
    later = NOON + timedelta(hours=1)
    store.append(RUN, [Draft(EventType.TOOL_COMPLETED, called, Origin.EXTERNAL_AGENT, later)])
    store.append(RUN, [Draft(EventType.TOOL_COMPLETED, {"tool": "x"}, Origin.LLM, later)])
    with store.writing(RUN) as writer:
        writer.archive(RUN, 3)
    return store


def numbers(page):
    return [one.row.sequence for one in page.rows]


def test_a_healthy_chain_fits_from_the_head_to_the_anchor(logged):
    page = walk_page(logged, RUN, WalkQuery())

    assert numbers(page) == [8, 7, 6, 5, 4, 3, 2, 1]
    assert {one.content for one in page.rows} == {Fit.FITS}
    assert [one.link for one in page.rows] == [Fit.FITS] * 7 + [Fit.ANCHOR]
    assert [one.row.sequence for one in page.rows if one.is_archive_edge] == [4]
    assert [one.gap for one in page.rows] == [None] * 8
    assert page.next is None


def test_a_changed_event_and_the_link_behind_it_are_marked(logged, store_url):
    change(store_url, "events", {"run_id": RUN, "sequence": 6}, {"payload": '{"a": 1}'})
    change(store_url, "events", {"run_id": RUN, "sequence": 5}, {"hash": "0" * 64})

    marks = {one.row.sequence: one for one in walk_page(logged, RUN, WalkQuery()).rows}

    assert marks[6].content is Fit.DIFFERS
    assert marks[6].link is Fit.DIFFERS
    assert marks[5].content is Fit.DIFFERS
    assert marks[7].link is Fit.FITS


@pytest.mark.parametrize(
    ("table", "first", "last", "at"), [("events", 5, 6, 7), ("events_archive", 1, 3, 4)]
)
def test_missing_events_are_a_gap(logged, store_url, table, first, last, at):
    statement = f"DELETE FROM {table} WHERE run_id = ? AND sequence BETWEEN ? AND ?"
    execute(store_url, statement, (RUN, first, last))

    marks = {one.row.sequence: one for one in walk_page(logged, RUN, WalkQuery()).rows}

    assert marks[at].gap == (first, last)
    assert marks[at].link is (Fit.DIFFERS if first > 1 else Fit.UNKNOWN)


def test_pages_follow_each_other_without_a_seam(logged, monkeypatch):
    monkeypatch.setattr(chainwalks, "PAGE", 3)
    seen, before = [], None
    while True:
        page = walk_page(logged, RUN, WalkQuery(before=before))
        assert all(one.link in (Fit.FITS, Fit.ANCHOR) for one in page.rows)
        seen += numbers(page)
        before = page.next
        if before is None:
            break

    assert seen == [8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (WalkQuery(person="ada"), [5]),
        (WalkQuery(person="eve"), []),
        (WalkQuery(caller="codex"), [7]),
        (WalkQuery(type=EventType.TOOL_COMPLETED), [8, 7]),
        (WalkQuery(origin=Origin.LLM), [8]),
        (WalkQuery(since=NOON + timedelta(minutes=1)), [8, 7]),
        (WalkQuery(until=NOON + timedelta(minutes=1), type=EventType.RUN_STARTED), [1]),
        (WalkQuery(before=8, caller="codex"), [7]),
    ],
)
def test_rows_are_found_by_who_and_what_and_when(logged, query, found):
    page = walk_page(logged, RUN, query)

    assert numbers(page) == found
    assert all(one.link in (Fit.FITS, Fit.ANCHOR) for one in page.rows)
    assert all(one.gap is None for one in page.rows)


def test_a_long_search_stops_and_says_where(logged, monkeypatch):
    monkeypatch.setattr(chainwalks, "ROWS_SEARCHED", 4)

    page = walk_page(logged, RUN, WalkQuery(person="nobody"))
    rest = walk_page(logged, RUN, WalkQuery(person="nobody", before=page.next))

    assert (page.rows, page.next, page.searched_to) == ((), 5, 5)
    assert (rest.next, rest.searched_to) == (1, 1)


@pytest.mark.parametrize("caught_up", [True, False])
def test_an_event_is_found_by_number_hash_id_and_the_id_of_another_system(logged, caught_up):
    if caught_up:
        catch_up(logged, limit=10, at=NOON)
        searching.catch_up(logged)
    archived, live = logged.event_row(RUN, 2).row, logged.event_row(RUN, 6).row

    assert find_in_run(logged, RUN, "6") == 6
    for row in (archived, live):
        assert find_in_run(logged, RUN, row.hash) == row.sequence
        assert find_in_run(logged, RUN, row.hash[:10].upper()) == row.sequence
        assert find_in_run(logged, RUN, row.event_id) == row.sequence
    assert find_in_run(logged, RUN, "smtp-77") == 6
    assert find_in_run(logged, RUN, "no such thing") is None
    assert find_in_run(logged, RUN, "9" * 30) is None


def test_the_names_of_another_run_are_not_found(logged, make_run):
    make_run("run_b", claimed=["other"])
    catch_up(logged, limit=10, at=NOON)
    searching.catch_up(logged)
    foreign = logged.event_row("run_b", 2).row

    assert find_in_run(logged, RUN, foreign.event_id) is None
    assert find_in_run(logged, RUN, foreign.hash) is None


def test_there_is_no_chain_of_a_run_that_does_not_exist(store):
    with pytest.raises(RunNotFound):
        walk_page(store, "nobody", WalkQuery())
