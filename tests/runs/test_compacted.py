"""A compacted run: what lies in the archive is on every page, as if it were live."""

from __future__ import annotations

import pytest
from django.urls import reverse

from continuum.domain.actions import ActionStatus
from tests.conftest import NOON
from tests.runs.conftest import form_of, refresh
from tests.store.test_ledger import action
from tests.stores import action_event, progressed


@pytest.fixture
def compacted(console, make_run):
    """A run whose action of unknown outcome, with all it did first, lies in the archive."""
    make_run(claimed=["a"])
    doubt = action("a", status=ActionStatus.UNKNOWN, last_error="no answer")
    console.append("run_a", [action_event("a", doubt, at=NOON)])
    console.append("run_a", [progressed(number, at=NOON) for number in range(1, 6)])
    with console.writing("run_a") as writer:
        writer.archive("run_a", 6)
    refresh(console)
    return console


def screen_of(client, url):
    return client.get(url).context["screen"]


def test_the_lists_still_hold_the_action(operator, compacted):
    [item] = screen_of(operator, "/?tab=all&kind=action").items
    [row] = screen_of(operator, "/actions/").page.open

    assert (item.run_id, item.target) == ("run_a", "a")
    assert (row.action.key, row.action.status) == ("a", "unknown")
    assert screen_of(operator, "/runs/?since=all").rows[0].open_actions == 1


def test_the_run_page_counts_and_lists_the_archive(operator, compacted):
    screen = screen_of(operator, "/runs/run_a/")

    assert screen.standing.open_actions[0].key == "a"
    assert {tab.name: tab.number for tab in screen.tabs}["events"] == 8
    assert [line.sequence for line in screen.content.events.lines] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert [line.archived for line in screen.content.events.lines].count(True) == 6


def test_every_tab_sees_the_archive(operator, compacted):
    actions = screen_of(operator, "/runs/run_a/?tab=actions").content.actions
    line = screen_of(operator, "/runs/run_a/?tab=timeline").content.timeline
    started = screen_of(operator, "/runs/run_a/?tab=events&type=RUN_STARTED").content.events
    people = screen_of(operator, "/runs/run_a/?tab=events&origin=human").content.events

    assert [slot.key for slot in actions.slots] == ["a"]
    assert sum(one.total for one in line.buckets) == 8
    assert [(span.key, span.end) for span in line.spans] == [("a", None)]
    assert [one.sequence for one in started.lines] == [1]
    assert [one.sequence for one in people.lines] == [1]


def test_the_action_has_its_history_and_can_be_settled(operator, compacted):
    url = reverse("runs:settle", args=["run_a", "a"])
    page = operator.get(reverse("runs:action", args=["run_a", "a"])).content.decode()
    assert "no answer" in page
    assert 'href="/runs/run_a/events/2/"' in page

    response = operator.post(url, form_of(operator.get(url)) | {"outcome": "occurred"})

    assert response.status_code == 302
    assert compacted.slot("run_a", "a").action.status is ActionStatus.COMPLETED


def test_an_archived_event_has_its_page_and_file(operator, compacted):
    page = operator.get("/runs/run_a/events/2/").content.decode()

    assert "<span>archived</span>" in page
    assert operator.get("/runs/run_a/events/2/payload/").status_code == 200
