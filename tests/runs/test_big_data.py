"""Pages of long logs, huge payloads and many runs: bounded in size, and flat in cost."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from continuum import open_store
from runs.engine import current_store, drop_store
from tests.runs.bigdata import FAT, build_fat, build_long, build_many
from tests.runs.conftest import refresh

MOST_BYTES = 300_000
EVENTS = 100_000
RUN_TABS = (
    "",
    "?tab=events",
    "?tab=events&before=40",
    "?tab=events&at=30",
    "?tab=events&origin=human",
    "?tab=events&origin=imported",
    "?tab=events&type=TOOL_COMPLETED",
    "?tab=events&type=RUN_STARTED",
    "?tab=actions",
    "?tab=timeline",
    "?tab=diff",
    "?tab=contract",
    "?tab=family",
    "?tab=notes",
)
LISTS = (
    "/",
    "/?tab=all",
    "/runs/",
    "/runs/?before=2026-11-01T00:00:40%2B00:00~root-40",
    "/runs/?verdict=request_human",
    "/actions/",
    "/actions/?status=open",
    "/families/",
    "/families/?waiting=1",
    "/families/root-0/",
    "/chain/",
    "/chain/?before=2026-11-01T00:00:40%2B00:00~root-40",
    "/chain/?show=broken",
    "/acts/",
    "/acts/?verb=confirm",
)
CHAIN_PAGES = ("", "walk/", "walk/?before=40", "walk/?q=30", "walk/?type=RUN_STARTED", "attest/")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the path of a store that `build` has made, built once for the module."""
    made = {}

    def of(name, build, *arguments):
        if name not in made:
            made[name] = str(tmp_path_factory.mktemp("big") / f"{name}.db")
            build(made[name], *arguments)
        return made[name]

    return of


@pytest.fixture
def chosen():
    """Which store a test looks at; overridden by its parameter."""
    return ("fat", build_fat)


@pytest.fixture
def store_url(built, chosen):
    """Tests only read, so they share the file."""
    return built(*chosen)


# -- huge payloads


@pytest.mark.parametrize("tab", RUN_TABS)
@pytest.mark.parametrize("run_id", ["fat", "acting"])
def test_a_page_of_huge_payloads_stays_small(operator, run_id, tab):
    response = operator.get(f"/runs/{run_id}/{tab}")

    assert response.status_code == 200
    assert len(response.content) < MOST_BYTES


@pytest.mark.parametrize("place", range(len(FAT)))
def test_a_huge_payload_is_shown_in_part_and_handed_out_whole(operator, console, place):
    sequence = place + 2
    page = operator.get(f"/runs/fat/events/{sequence}/")
    stored = console.event_row("fat", sequence).row.payload

    assert len(page.content) < MOST_BYTES
    assert "Only the beginning is shown" in page.content.decode()
    file = operator.get(f"/runs/fat/events/{sequence}/payload/")
    assert file.content.decode() == stored
    assert "attachment" in file["Content-Disposition"]


@pytest.mark.parametrize("name", ["action", "settle"])
def test_an_action_with_huge_arguments_stays_small(operator, name):
    response = operator.get(reverse(f"runs:{name}", args=["acting", "k"]))

    assert response.status_code == 200
    assert len(response.content) < MOST_BYTES


def test_lists_over_huge_records_stay_small(operator):
    for url in ("/", "/runs/", "/actions/"):
        assert len(operator.get(url).content) < MOST_BYTES


# -- long logs


@pytest.mark.parametrize("chosen", [("long", build_long, EVENTS)], ids=["100,000 events"])
@pytest.mark.parametrize("tab", RUN_TABS)
def test_a_long_run_costs_what_a_short_one_does(operator, console, chosen, tab):
    short = cost_of(console.url, lambda: operator.get(f"/runs/short/{tab}"))
    long = cost_of(console.url, lambda: operator.get(f"/runs/long/{tab}"))

    assert long[0] <= short[0] + 2
    assert long[1] <= 3 * short[1] + BOUND.get(tab, 40)
    assert len(operator.get(f"/runs/long/{tab}").content) < MOST_BYTES


@pytest.mark.parametrize("chosen", [("long", build_long, EVENTS)], ids=["100,000 events"])
@pytest.mark.parametrize("page", CHAIN_PAGES)
def test_a_long_chain_costs_what_a_short_one_does(operator, console, chosen, page):
    short = cost_of(console.url, lambda: operator.get(f"/chain/short/{page}"))
    long = cost_of(console.url, lambda: operator.get(f"/chain/long/{page}"))

    assert long[0] <= short[0] + 2
    assert long[1] <= 3 * short[1] + 40
    assert len(operator.get(f"/chain/long/{page}").content) < MOST_BYTES


@pytest.mark.parametrize("page", ["", "walk/"])
@pytest.mark.parametrize("run_id", ["fat", "acting"])
def test_a_chain_of_huge_payloads_stays_small(operator, run_id, page):
    response = operator.get(f"/chain/{run_id}/{page}")

    assert response.status_code == 200
    assert len(response.content) < MOST_BYTES


BOUND = {"?tab=events&origin=human": 500, "?tab=events&origin=imported": 500}
"""These look through 20,000 events, whatever the log's length; thousands of steps."""


@pytest.mark.parametrize("chosen", [("long", build_long, EVENTS)], ids=["100,000 events"])
def test_a_long_run_is_drawn_from_a_sample_that_adds_up(operator, console, chosen):
    line = operator.get("/runs/long/?tab=timeline").context["screen"].content.timeline

    assert line.is_estimated
    assert sum(one.total for one in line.buckets) == console.head("long").sequence
    assert {one.key for one in line.spans} == {"open", "a", "b", "c", "newest"}
    agent = sum(one.agent for one in line.buckets)
    assert abs(agent / line.events - 1 / 3) < 0.05


# -- many runs


@pytest.mark.parametrize("url", LISTS)
def test_lists_of_many_runs_cost_what_lists_of_few_do(operator, built, settings, url):
    costs = []
    for runs in (100, 10_000):
        settings.CONTINUUM_DB = built(f"many-{runs}", build_many, runs)
        drop_store()
        costs.append(cost_of(settings.CONTINUUM_DB, lambda: operator.get(url)))

    (few, few_steps), (many, many_steps) = costs
    assert many <= few
    assert many_steps <= 2 * few_steps + 40


def cost_of(path, call):
    """Return how many statements a call asks the store, and its thousands of database steps."""
    assert call().status_code == 200
    seen: list[str] = []
    steps: list[int] = []
    opened: Any = current_store(path)
    raw = opened._database._connection
    raw.set_trace_callback(seen.append)
    raw.set_progress_handler(lambda: steps.append(1), 1000)
    call()
    raw.set_trace_callback(None)
    raw.set_progress_handler(None, 1000)
    return len(seen), len(steps)


# -- many open actions


@pytest.mark.parametrize("chosen", [("busy", lambda path: open_store(path).close())], ids=["busy"])
def test_a_run_of_a_thousand_open_actions_shows_the_first_and_leads_to_the_rest(
    operator, console, make_run, chosen
):
    run_id = make_run("busy", claimed=[f"k{number}" for number in range(1000)])
    refresh(console)

    response = operator.get(f"/runs/{run_id}/")

    page = response.content.decode()
    assert len(response.content) < MOST_BYTES
    assert page.count("/settle/") == 30
    assert len(response.context["standing"].offers) == 11
    assert "990 more actions can be settled" in page
    assert "997 more" in page
    assert 'href="/actions/?status=open&amp;text=busy"' in page
    assert len(operator.get("/actions/?status=open&text=busy").context["screen"].page.open) == 50
