"""The search page: one box, with and without JavaScript, hostile text inert."""

from __future__ import annotations

import pytest

from continuum.domain.events import Draft, EventType, Origin
from continuum.services import search
from tests.conftest import NOON
from tests.runs.conftest import HTMX, refresh

HOSTILE = "<script>alert(1)</script> ![x](https://evil.example/p.png) javascript:alert(2) {{7*7}}"


@pytest.fixture
def found(console, viewer):
    """Return the page of a query."""

    def look(query, **more):
        return viewer.get("/search/", {"q": query, **more}).content.decode()

    return look


def say(store, run_id, *claims):
    drafts = [
        Draft(
            EventType.FINDING_ADDED,
            {"finding_id": f"finding_{claim[:20]}", "claim": claim},
            Origin.EXTERNAL_AGENT,
            NOON,
        )
        for claim in claims
    ]
    with store.writing(run_id) as writer:
        writer.append(run_id, drafts)
    refresh(store)


def test_one_query_finds_run_action_and_event_each_with_its_link(console, make_run, found):
    make_run("invoices", goal="Process ten invoices", claimed=["INV-1"])
    say(console, "invoices", "the invoice of March is double")

    page = found("invoice")

    assert '<a data-hit href="/runs/invoices/">' in page
    assert '<a data-hit href="/runs/invoices/actions/INV-1/">' in page
    assert '<a data-hit href="/runs/invoices/?tab=events&amp;at=3#e-3">' in page
    assert "the <mark>invoice</mark> of March" in page


def test_the_box_on_every_page_leads_here_and_keeps_the_query(viewer, console):
    page = viewer.get("/runs/").content.decode()
    assert '<form class="search" role="search" action="/search/">' in page
    assert 'name="q"' in page

    assert (
        'value="&quot;a&quot; &lt;b&gt;"' in viewer.get("/search/?q=%22a%22+<b>").content.decode()
    )


def test_a_swap_gets_the_results_alone(viewer, console):
    page = viewer.get("/search/?q=x", headers=HTMX).content.decode()

    assert page.lstrip().startswith('<div id="found"')
    assert "<html" not in page


def test_hostile_text_is_shown_and_does_nothing(console, make_run, found):
    make_run("run_a", goal=HOSTILE, claimed=["k"])
    say(console, "run_a", HOSTILE)

    page = found("alert")

    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;<mark>alert</mark>(1)&lt;/script&gt;" in page
    assert "<img" not in page
    assert "{{7*7}}" in page
    assert 'href="javascript:' not in page


@pytest.mark.parametrize(
    "query", ['"', "a OR", "NEAR(", "*", "' OR 1=1 --", "\x00", "%00", "x" * 3000]
)
def test_no_query_is_an_error(console, make_run, viewer, query):
    make_run("run_a")

    assert viewer.get("/search/", {"q": query}).status_code == 200
    assert viewer.get("/search/", {"q": query, "kind": "event"}).status_code == 200


@pytest.mark.parametrize("address", ["?kind=nonsense", "?before=-1&kind=run", "?before=x", "?q"])
def test_an_address_that_makes_no_sense_is_ignored(console, viewer, address):
    assert viewer.get(f"/search/{address}").status_code == 200


def test_many_hits_are_capped_and_go_on_page_by_page(console, make_run, found):
    make_run("run_a")
    say(console, "run_a", *(f"bridge number {number}" for number in range(60)))

    page = found("bridge")
    whole = found("bridge", kind="event")

    assert f"{search.SHOWN}+, newest first" in page
    assert "All of these" in page
    assert whole.count("data-hit") == search.PAGE
    before = whole.partition("before=")[2].partition('"')[0]
    assert found("bridge", kind="event", before=before).count("data-hit") == 10


def test_a_hash_and_an_event_id_lead_to_their_event(console, make_run, found):
    make_run("run_a", goal="Something")
    refresh(console)
    found("warm up")
    [event] = console.events("run_a")

    for named in (event.hash[:12], event.event_id):
        page = found(named)
        assert "Exactly this" in page
        assert '<a data-hit href="/runs/run_a/?tab=events&amp;at=1#e-1">' in page


def test_nothing_found_says_what_to_try(console, found):
    assert "Nothing matches “zebra”" in found("zebra")
    assert "Find anything by what it is called or says" in found("")
