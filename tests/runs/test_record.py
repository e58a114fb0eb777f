"""What stands below the tabs of a run: events, actions, timeline, state."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from continuum.domain.events import Draft, EventType, Origin
from continuum.services.checkpoints import take_checkpoint
from runs.pages import events as event_pages
from runs.pages import record
from tests.conftest import NOON
from tests.runs.conftest import HTMX, refresh
from tests.stores import claimed_action, progressed

HOSTILE = "<script>alert(1)</script>"


def note(source, *, text="x", kind=EventType.TOOL_COMPLETED, minutes=0):
    return Draft(kind, {"text": text}, source, NOON + timedelta(minutes=minutes))


def shown(client, query):
    """Return the numbers of the events an address lists, and the page."""
    page = client.get(f"/runs/run_a/?tab=events{query}").context["screen"].content.events
    return [line.sequence for line in page.lines], page


@pytest.fixture
def log(console, make_run):
    """A start by a person, then six events of tool and agent in turn."""
    make_run()
    sources = [Origin.DETERMINISTIC, Origin.EXTERNAL_AGENT] * 3
    console.append("run_a", [note(one, minutes=place) for place, one in enumerate(sources)])
    console.append("run_a", [progressed(1, at=NOON)])
    refresh(console)
    return console


# -- events


def test_events_are_narrowed_by_type_and_origin(viewer, log):
    assert shown(viewer, "&type=TOOL_COMPLETED")[0] == [7, 6, 5, 4, 3, 2]
    assert shown(viewer, "&origin=human")[0] == [1]
    assert shown(viewer, "&origin=external_agent&type=TOOL_COMPLETED")[0] == [7, 5, 3]
    assert shown(viewer, "&origin=nonsense&type=nonsense")[0] == [8, 7, 6, 5, 4, 3, 2, 1]


def test_the_next_page_of_a_filter_keeps_the_filter(viewer, log, monkeypatch):
    monkeypatch.setattr(event_pages, "PAGE", 2)

    numbers, page = shown(viewer, "&origin=external_agent&type=TOOL_COMPLETED")

    assert (numbers, page.older) == ([7, 5], 5)
    query = "?tab=events&before=5&type=TOOL_COMPLETED&origin=external_agent"
    assert page.older_query == query
    assert shown(viewer, query.replace("?tab=events", ""))[0] == [3]


def test_a_filter_looks_through_a_stretch_and_says_how_far_it_came(viewer, log, monkeypatch):
    monkeypatch.setattr(event_pages, "LOOKED_THROUGH", 3)

    numbers, page = shown(viewer, "&origin=human")

    assert (numbers, page.floor, page.older) == ([], 5, 6)
    text = viewer.get("/runs/run_a/?tab=events&origin=human").content.decode()
    assert "None like these down to event 6" in text
    assert "Look further" in text
    numbers, page = shown(viewer, "&origin=human&before=4")
    assert (numbers, page.floor) == ([1], 0)


def test_a_common_type_is_looked_for_in_a_stretch_too(viewer, log, monkeypatch):
    monkeypatch.setattr(event_pages, "_RARE", 3)
    monkeypatch.setattr(event_pages, "LOOKED_THROUGH", 4)

    numbers, page = shown(viewer, "&type=TOOL_COMPLETED")

    assert (numbers, page.older) == ([7, 6, 5], 5)


def test_archived_events_stand_in_the_same_list_and_say_so(viewer, log):
    with log.writing("run_a") as writer:
        writer.archive("run_a", 3)

    page = viewer.get("/runs/run_a/").content.decode()

    assert re.findall(r'id="e-(\d+)" class="event"( data-archived)?', page)[-4:] == [
        ("4", ""),
        ("3", " data-archived"),
        ("2", " data-archived"),
        ("1", " data-archived"),
    ]
    assert page.count('<small class="muted">archived</small>') == 3


# -- actions


def test_actions_of_a_run_come_in_pages_newest_first(viewer, console, make_run, monkeypatch):
    monkeypatch.setattr(record, "ACTIONS", 2)
    make_run(claimed=["a", "b", "c"])

    first = viewer.get("/runs/run_a/?tab=actions").context["screen"].content.actions
    rest = viewer.get(f"/runs/run_a/?tab=actions&before={first.older}")

    assert [slot.key for slot in first.slots] == ["c", "b"]
    assert [slot.key for slot in rest.context["screen"].content.actions.slots] == ["a"]
    assert "?tab=actions&amp;before=" in viewer.get("/runs/run_a/?tab=actions").content.decode()


def test_a_tab_counts_its_actions_so_far_only(viewer, console, make_run, monkeypatch):
    monkeypatch.setattr("runs.pages.run._MOST_COUNTED", 2)
    make_run("few", claimed=["a", "b"])
    make_run("many", claimed=["a", "b", "c"])

    numbers = [
        {tab.name: tab.number for tab in viewer.get(f"/runs/{run}/").context["screen"].tabs}
        for run in ("few", "many")
    ]

    assert [one["actions"] for one in numbers] == [2, "2+"]


# -- timeline


def test_a_timeline_is_a_drawing_with_tables_that_say_the_same(viewer, log):
    log.append("run_a", [claimed_action("run_a", "k", at=NOON)])
    take_checkpoint(log, "run_a", at=NOON + timedelta(minutes=9))

    page = viewer.get("/runs/run_a/?tab=timeline").content.decode()

    assert page.count('<svg class="timeline-') == 2
    assert page.count("<caption>") >= 3
    rows = re.findall(r'data-label="(?:System|Agent|Person)" class="number">(\d+)<', page)
    assert sum(map(int, rows)) == log.head("run_a").sequence
    assert "still open" in page
    assert "checkpoint v0" in page
    assert 'href="/runs/run_a/?tab=events&amp;at=' in page


def test_a_drawing_needs_no_style_of_its_own(viewer, log):
    page = viewer.get("/runs/run_a/?tab=timeline", headers=HTMX).content.decode()

    assert "timeline-bars" in page
    assert " style=" not in page
    assert "<style" not in page


def test_a_long_run_says_that_its_numbers_are_estimated(viewer, log, monkeypatch):
    monkeypatch.setattr("continuum.services.timelines.SAMPLES", 4)

    page = viewer.get("/runs/run_a/?tab=timeline").content.decode()

    assert "estimated from 4 of them" in page


def test_what_agents_wrote_is_text_on_every_tab(viewer, console, make_run):
    make_run(goal=HOSTILE)
    members = {"action_type": HOSTILE, "external_id": HOSTILE, "last_error": HOSTILE}
    console.append("run_a", [note(Origin.LLM, text=HOSTILE)])
    console.append("run_a", [claimed_action("run_a", HOSTILE, at=NOON, **members)])
    take_checkpoint(console, "run_a", at=NOON, reason=HOSTILE)
    finding = {"finding_id": HOSTILE, "claim": HOSTILE}
    console.append("run_a", [Draft(EventType.FINDING_ADDED, finding, Origin.LLM, NOON)])

    for tab in record.TABS:
        page = viewer.get(f"/runs/run_a/?tab={tab}").content.decode()
        assert HOSTILE not in page, tab
        assert "&lt;script&gt;" in page


# -- state


@pytest.fixture
def versions(console, make_run):
    """Versions 0 and 1, each sealed in a checkpoint, and progress since."""
    make_run(progress=1)
    take_checkpoint(console, "run_a", at=NOON)
    console.append("run_a", [progressed(2, at=NOON)])
    take_checkpoint(console, "run_a", at=NOON)
    console.append("run_a", [progressed(3, at=NOON)])
    return console


def test_the_state_is_compared_with_the_last_checkpoint(viewer, versions):
    page = viewer.get("/runs/run_a/?tab=diff").content.decode()

    assert "State since checkpoint v1 to now" in page
    assert "seal checked" in page
    assert "<del>2</del>" in page
    assert "<ins>3</ins>" in page
    assert 'href="/runs/run_a/events/6/"' in page


def test_any_two_versions_are_compared_by_their_address(viewer, versions):
    page = viewer.get("/runs/run_a/?tab=diff&old=0&new=1").content.decode()

    assert "State from v0 to v1" in page
    assert '<option value="0" selected>' in page
    assert "<del>1</del>" in page
    assert viewer.get("/runs/run_a/?tab=diff&old=9").status_code == 404
    assert viewer.get("/runs/run_a/?tab=diff&old=x&new=-1").status_code == 200


def test_a_run_without_a_checkpoint_says_so(viewer, log):
    assert "No checkpoint yet" in viewer.get("/runs/run_a/?tab=diff").content.decode()
