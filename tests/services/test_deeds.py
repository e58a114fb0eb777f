"""What people did in runs and to callers, in one list by time, whole and in order."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.core.errors import InvalidInput
from continuum.domain.callersettings import Settings
from continuum.services import deeds
from continuum.services.acts import Act
from continuum.services.callerchanges import add_caller
from continuum.services.decisions import confirm
from continuum.services.deeds import DeedQuery, deeds_page, export_deeds
from continuum.services.runs import NewRun, start_run
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.services.callers import listed


def minutes(count):
    return NOON + timedelta(minutes=count)


@pytest.fixture
def busy(store):
    """Two people who start runs and add callers by turns, a minute apart."""
    for number in range(1, 13):
        person = "ada" if number % 2 else "eve"
        at = minutes(number)
        if number % 3:
            start_run(store, NewRun(f"run-{number:02}", "=1+1", members={"by": person}), at=at)
        else:
            act = Act(person, "console", at, reason="asked for")
            add_caller(store, f"agent-{number:02}", Settings(), act, with_secret=False)
    return store


def whole(store, query=DeedQuery()):  # noqa: B008 - a named tuple
    """Return all pages of a list together."""
    found: list[deeds.Deed] = []
    for _ in range(100):
        page = deeds_page(store, query)
        found += page.deeds
        if not page.more:
            return found
        query = query._replace(before=page.before, entry=page.entry)
    raise AssertionError("the list does not end")


@pytest.mark.parametrize("size", [1, 2, 3, 5, 50])
def test_pages_of_any_size_give_everything_once_and_in_order(busy, monkeypatch, size):
    monkeypatch.setattr(deeds, "PAGE", size)

    found = whole(busy)

    assert len({(one.run_id, one.caller) for one in found}) == len(found) == 12
    assert [one.at for one in found] == sorted((one.at for one in found), reverse=True)


@pytest.mark.parametrize("size", [1, 2, 50])
@pytest.mark.parametrize(
    ("query", "count"),
    [
        (DeedQuery(person="ada"), 6),
        (DeedQuery(person="nobody"), 0),
        (DeedQuery(about="runs"), 8),
        (DeedQuery(about="callers"), 4),
        (DeedQuery(verb="start"), 8),
        (DeedQuery(verb="caller_added"), 4),
        (DeedQuery(verb="caller_disabled"), 0),
        (DeedQuery(run_id="run-04"), 1),
        (DeedQuery(since=minutes(6)), 7),
        (DeedQuery(until=minutes(6)), 5),
        (DeedQuery(since=minutes(3), until=minutes(7), person="eve"), 2),
    ],
)
def test_filters_narrow_the_list(busy, monkeypatch, size, query, count):
    monkeypatch.setattr(deeds, "PAGE", size)

    assert len(whole(busy, query)) == count


def test_a_search_through_many_entries_goes_on_page_by_page(busy, monkeypatch):
    monkeypatch.setattr(deeds, "ENTRIES_SEARCHED", 1)

    assert len(whole(busy, DeedQuery(person="ada"))) == 6


def test_a_change_of_a_caller_says_who_and_why(store):
    listed(store, "agent-a")

    [deed] = deeds_page(store, DeedQuery()).deeds

    assert (deed.person, deed.verb, deed.caller) == ("ada", "caller_added", "agent-a")
    assert (deed.reason, deed.via) == ("She asked for it.", "console")


def test_a_decision_names_event_hash_and_reason(store, make_run):
    start_run(store, NewRun("r", "g"), at=NOON)
    act = Act("ada", "console", minutes(1), reason="read it")
    done = confirm(store, "r", act)

    deed = next(one for one in deeds_page(store, DeedQuery(verb="confirm")).deeds)

    assert (deed.person, deed.reason, deed.run_id) == ("ada", "read it", "r")
    assert deed.hash == store.event_row("r", deed.sequence).row.hash
    assert done is not None


def test_a_damaged_entry_is_listed_as_unreadable(store, store_url):
    listed(store, "agent-a")
    if store.backend == "sqlite":
        execute(store_url, "DROP TRIGGER cx_caller_entries_update")
    else:
        execute(store_url, "ALTER TABLE cx_caller_entries DISABLE TRIGGER USER")
    change(store_url, "cx_caller_entries", {"sequence": 1}, {"payload": "[]"})

    [deed] = deeds_page(store, DeedQuery()).deeds

    assert (deed.readable, deed.person, deed.caller) == (False, "", "agent-a")


def test_an_unknown_verb_is_refused(store):
    with pytest.raises(InvalidInput, match="there is no verb 'dance'"):
        deeds_page(store, DeedQuery(verb="dance"))


def test_the_export_holds_every_deed_and_no_formula(busy, monkeypatch):
    monkeypatch.setattr(deeds, "PAGE", 5)

    lines = list(export_deeds(busy, DeedQuery()))

    assert len(lines) == 13
    assert any('"\'=1+1"' in line for line in lines)
    assert not any('"=1+1"' in line for line in lines)
