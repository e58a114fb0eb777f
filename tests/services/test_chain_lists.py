"""Lists of chains say the same as each chain by itself, and find every broken one."""

from __future__ import annotations

import pytest

from continuum.services import chainlists
from continuum.services.chainlists import list_chains, list_troubled, standings_of
from continuum.services.standings import StandingState, standing
from continuum.services.summaries import catch_up
from continuum.services.verifications import Order, run_job
from continuum.store.modelport import RunCursor
from continuum.store.statements import Statements
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.stores import progressed

NAMES = ("changed", "cut", "fresh", "grown", "green", "row", "touched")


def verify(store, run_id):
    list(run_job(store, Order(run_id, "ada", "console"), clock=lambda: NOON))


@pytest.fixture
def chains(store, store_url, make_run):
    """A run in every state a list tells apart."""
    for name in NAMES:
        make_run(name, progress=3)
        if name != "fresh":
            verify(store, name)
    store.append("grown", [progressed(9, at=NOON)])
    change(store_url, "runs", {"run_id": "row"}, {"goal": "EVIL"})
    change(store_url, "events", {"run_id": "changed", "sequence": 2}, {"payload": "{}"})
    execute(store_url, "DELETE FROM events WHERE run_id = 'cut' AND sequence = 4")
    catch_up(store, limit=50, at=NOON)
    payload = store.event_row("touched", 2).row.payload
    change(store_url, "events", {"run_id": "touched", "sequence": 2}, {"payload": "{}"})
    change(store_url, "events", {"run_id": "touched", "sequence": 2}, {"payload": payload})
    return store


def test_a_list_says_what_each_chain_says_by_itself(chains):
    listed = {one.run.run_id: one.standing for one in list_chains(chains)}

    assert set(listed) == set(NAMES)
    assert {name: one.state for name, one in listed.items()} == {
        "changed": StandingState.BROKEN,
        "cut": StandingState.BROKEN,
        "fresh": StandingState.UNVERIFIED,
        "grown": StandingState.OUTDATED,
        "green": StandingState.VERIFIED,
        "row": StandingState.OUTDATED,
        "touched": StandingState.TOUCHED,
    }
    for name, one in listed.items():
        assert one == standing(chains, name)


def test_some_chains_say_what_each_says_by_itself(chains):
    known = standings_of(chains, [*NAMES, "green", "no such run"])

    assert known == {name: standing(chains, name) for name in NAMES}
    assert standings_of(chains, []) == {}


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_ten_changed_chains_are_listed_with_as_many_statements_as_one(chains, store_url, make_run):
    def cost():
        seen: list[str] = []
        chains._database._connection.set_trace_callback(seen.append)
        list_chains(chains)
        chains._database._connection.set_trace_callback(None)
        return len(seen)

    few = cost()
    for number in range(10):
        make_run(f"more_{number}", progress=3)
        where = {"run_id": f"more_{number}", "sequence": 3}
        change(store_url, "events", where, {"payload": "{}"})

    assert cost() == few
    assert sum(one.standing.bad_sequence == 3 for one in list_chains(chains)) == 10


def test_a_list_goes_on_page_by_page(chains):
    seen, before = [], None
    while page := list_chains(chains, before=before, limit=3):
        seen += [one.run.run_id for one in page]
        before = RunCursor(page[-1].run.created_at, page[-1].run.run_id)

    assert sorted(seen) == sorted(NAMES)


def test_the_broken_ones_are_found_without_reading_the_others(chains, monkeypatch):
    monkeypatch.setattr(chainlists, "MAX_LISTED", 2)
    found, after = [], ""
    while True:
        page = list_troubled(chains, after=after, limit=2)
        found += [one.run.run_id for one in page.chains]
        after = page.next
        if not after:
            break

    assert found == ["changed", "cut", "touched"]


def test_a_break_that_no_trigger_saw_is_listed_once_it_was_found(chains, store_url):
    if chains.backend == "sqlite":
        execute(store_url, "DROP TRIGGER cx_keep_updated")
        execute(store_url, "DROP TRIGGER cx_events_update")
    else:
        execute(store_url, "ALTER TABLE events DISABLE TRIGGER USER")
    change(store_url, "events", {"run_id": "green", "sequence": 2}, {"payload": "{}"})
    assert standing(chains, "green").is_green

    verify(chains, "green")

    assert "green" in [one.run.run_id for one in list_troubled(chains).chains]
    assert chains.longest_unchecked(until="9999", now="9999", limit=1) == ["fresh"]


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_looking_for_broken_chains_reads_no_result_of_a_whole_one(store):
    text = Statements("sqlite").text("verifications.troubled", {"after": "r"})
    plan = store._database._connection.execute(
        f"EXPLAIN QUERY PLAN {text}", {"after": "r", "limit": 5}
    ).fetchall()

    [line] = [row[-1] for row in plan if "cx_verifications" in row[-1]]
    assert "cx_verifications_broken" in line
