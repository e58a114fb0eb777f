"""What each page shows, as a page and as a fragment, and what it says when it cannot."""

from __future__ import annotations

import pytest
from django.urls import reverse

from continuum.domain.events import Draft, EventType, Origin
from continuum.services import decisions
from continuum.services.acts import Act
from continuum.services.runs import NewRun, start_run
from tests.conftest import NOON
from tests.runs.conftest import BOOSTED, HISTORY, HTMX, refresh, report, written

FRAGMENTS = {
    "/": ("runs/inbox.html", "runs/_inbox_swap.html"),
    "/runs/": ("runs/run_list.html", "runs/_run_table.html"),
    "/runs/run_a/": ("runs/run.html", "runs/_run_tabs.html"),
    "/families/": ("runs/families.html", "runs/_families.html"),
    "/actions/": ("runs/action_list.html", "runs/_action_table.html"),
    "/families/run_a/": ("runs/family.html", "runs/_family.html"),
}


@pytest.mark.parametrize("url", FRAGMENTS)
@pytest.mark.parametrize(
    ("headers", "is_page"),
    [({}, True), (HTMX, False), (BOOSTED, True), (HISTORY, True)],
    ids=["browser", "swap", "boosted", "history"],
)
def test_an_address_is_a_page_or_its_fragment(viewer, uncertain, url, headers, is_page):
    uncertain()

    response = viewer.get(url, headers=headers)

    page, fragment = FRAGMENTS[url]
    assert response.templates[0].name == (page if is_page else fragment)
    assert "HX-Request" in response["Vary"]
    assert response["Cache-Control"] == "no-store"


def test_looking_never_changes_the_log(operator, console, uncertain):
    run_id, key = uncertain()
    before = written(console, run_id)
    urls = ["/", "/runs/", "/families/", "/actions/", "/live/?open=9"]
    urls += ["/chain/", f"/chain/{run_id}/", f"/chain/{run_id}/walk/", f"/chain/{run_id}/bundle/"]
    urls += [f"/runs/{run_id}/?tab={tab}" for tab in ("events", "actions", "diff", "contract")]
    urls += [f"/runs/{run_id}/?tab=family", f"/runs/{run_id}/?tab=notes"]
    urls += [f"/runs/{run_id}/events/1/", f"/runs/{run_id}/actions/{key}/"]

    for url in urls:
        assert operator.get(url).status_code == 200, url

    assert written(console, run_id) == before


def test_badge_tabs_and_list_say_the_same_number(operator, uncertain, self_reported):
    uncertain("run_a")
    uncertain("run_b", key="INV-002")
    self_reported("run_c")

    response = operator.get("/?tab=all")

    screen = response.context["screen"]
    assert screen.counts.open == len(screen.items) == 3
    assert '<b id="inbox-badge" data-hot>3' in response.content.decode()


def test_the_inbox_puts_unknown_outcomes_before_reviews(operator, uncertain, self_reported):
    self_reported("run_a")
    uncertain("run_b")

    items = operator.get("/").context["screen"].items

    assert [item.run_id for item in items] == ["run_b", "run_a"]


def test_an_empty_inbox_says_that_nobody_waits(operator, make_run):
    make_run()

    assert "Nobody is waiting" in operator.get("/").content.decode()


def test_a_filter_without_match_says_how_many_are_open(operator, uncertain):
    uncertain()

    page = operator.get("/?text=zebra").content.decode()

    assert "No match" in page
    assert "1 open in all" in page


def test_an_item_opens_beside_the_list_with_its_form(operator, uncertain):
    run_id, key = uncertain()
    [item] = operator.get("/").context["screen"].items

    page = operator.get(f"/?item={item.item_id}").content.decode()

    assert f'action="/runs/{run_id}/actions/{key}/settle/"' in page
    assert 'name="request_id"' in page


def test_a_claimed_item_moves_to_mine_and_names_its_holder(sign_in, uncertain):
    uncertain()
    first, second = sign_in("operator", name="op-1"), sign_in("operator", name="op-2")
    [item] = first.get("/").context["screen"].items

    first.post(reverse("runs:claim", args=[item.item_id]))

    assert [one.item_id for one in first.get("/?tab=mine").context["screen"].items] == [
        item.item_id
    ]
    assert second.get("/").context["screen"].items == []
    assert "op-1" in second.get("/?tab=all").content.decode()
    assert second.post(reverse("runs:claim", args=[item.item_id])).status_code == 409
    assert second.post(reverse("runs:release", args=[item.item_id])).status_code == 403


def test_an_unknown_item_is_404(operator, console):
    assert operator.get("/?item=nothing").status_code == 404


def test_an_unknown_run_is_404_with_a_search_for_it(operator, console):
    response = operator.get("/runs/no-such-run/")

    page = response.content.decode()
    assert response.status_code == 404
    assert 'value="no-such-run"' in page
    assert 'role="search"' in page


@pytest.mark.parametrize(
    "url",
    ["/runs/run_a/actions/nope/", "/runs/run_a/events/99/", "/runs/run_a/decisions/nope/", "/x/"],
)
def test_what_does_not_exist_is_404(operator, make_run, url):
    make_run()

    assert operator.get(url).status_code == 404


def test_a_run_without_events_has_a_page_that_says_so(operator, console, store_url, execute):
    execute(
        "INSERT INTO runs (run_id, goal, status, created_at, updated_at, metadata) "
        "VALUES ('bare', 'nothing yet', 'started', '2026-12-01T00:00:00+00:00', "
        "'2026-12-01T00:00:00+00:00', '{}')"
    )

    response = operator.get("/runs/bare/")

    assert response.status_code == 200
    assert "recorded no start" in response.content.decode()


@pytest.mark.parametrize(
    ("column", "value"),
    [("payload", "{broken"), ("type", "NOT_A_TYPE"), ("source", "martian"), ("payload", "[1]")],
)
def test_an_unreadable_event_is_shown_as_such(operator, uncertain, execute, column, value):
    run_id, _ = uncertain()
    execute(f"UPDATE events SET {column} = ? WHERE run_id = ? AND sequence = 2", value, run_id)

    page = operator.get(f"/runs/{run_id}/")
    alone = operator.get(f"/runs/{run_id}/events/2/")
    lists = [operator.get(url).status_code for url in ("/", "/runs/", "/actions/", "/families/")]

    assert (page.status_code, alone.status_code) == (200, 200)
    assert "unreadable" in page.content.decode()
    assert "unreadable" in alone.content.decode()
    assert lists == [200] * 4


def test_an_unknown_run_status_still_has_a_page(operator, uncertain, execute):
    run_id, _ = uncertain()
    execute("UPDATE runs SET status = 'levitating' WHERE run_id = ?", run_id)

    assert operator.get(f"/runs/{run_id}/").status_code == 200
    assert operator.get("/runs/").status_code == 200


def test_a_tampered_run_says_where_and_offers_no_decision(operator, uncertain, execute):
    run_id, _ = uncertain()
    execute("UPDATE events SET payload = '{}' WHERE run_id = ? AND sequence = 2", run_id)

    page = operator.get(f"/runs/{run_id}/").content.decode()

    assert "The chain does not verify" in page
    assert "/settle/" not in page.split("Unresolved actions")[0]
    assert "Broken at event 2" in operator.get(f"/chain/{run_id}/").content.decode()


def test_a_closed_run_shows_how_it_ended_and_not_a_verdict(operator, console, make_run):
    run_id = make_run()
    decisions.complete(console, run_id, Act("op-2", "cli", NOON), summary="sent")
    refresh(console)

    page = operator.get(f"/runs/{run_id}/").content.decode()
    listing = operator.get("/runs/").content.decode()

    assert "The run was completed at event 3" in page
    assert "ABORT ·" not in page
    assert "Abort</span></span>" not in listing


def test_events_page_by_fifty_and_jump_to_a_number(operator, make_run):
    run_id = make_run(progress=119)

    first = operator.get(f"/runs/{run_id}/?tab=events").context["screen"].content.events
    second = operator.get(f"/runs/{run_id}/?tab=events&before={first.older}").context["screen"]
    jumped = operator.get(f"/runs/{run_id}/?tab=events&at=7").context["screen"].content.events

    assert [line.sequence for line in first.lines] == list(range(120, 70, -1))
    assert second.content.events.lines[0].sequence == 70
    assert jumped.lines[0].sequence == 7


def test_events_can_be_narrowed_to_one_type(operator, make_run):
    run_id = make_run(progress=3)

    events = operator.get(f"/runs/{run_id}/?type=RUN_STARTED").context["screen"].content.events

    assert [line.type for line in events.lines] == ["RUN_STARTED"]


@pytest.mark.parametrize("query", ["before=x", "before=-1", "at=9" * 40, "type=NOPE", "tab=nope"])
def test_a_broken_address_shows_the_newest_events(operator, make_run, query):
    run_id = make_run(progress=2)

    response = operator.get(f"/runs/{run_id}/?{query}")

    assert response.status_code == 200
    assert response.context["screen"].content.events.lines[0].sequence == 3


def test_a_huge_payload_does_not_swell_the_page(operator, console, make_run):
    run_id = make_run()
    payload = {"note": "x" * 900_000}
    with console.writing(run_id) as writer:
        draft = Draft(EventType.REASONING_SUMMARY, payload, Origin.EXTERNAL_AGENT, NOON)
        writer.append(run_id, [draft])

    page = operator.get(f"/runs/{run_id}/")
    alone = operator.get(f"/runs/{run_id}/events/2/")
    file = operator.get(f"/runs/{run_id}/events/2/payload/")

    assert len(page.content) < 100_000
    assert len(alone.content) < 300_000
    assert len(file.content) > 900_000
    assert file["Content-Disposition"].startswith("attachment")
    assert file["X-Content-Type-Options"] == "nosniff"


def test_the_runs_list_pages_both_ways_without_losing_a_run(operator, console):
    for number in range(120):
        start_run(console, NewRun(f"run-{number:03}", "g"), at=NOON.replace(second=number % 60))
    refresh(console)
    seen, url = [], "/runs/"
    while url:
        screen = operator.get(url).context["screen"]
        seen.append([row.run_id for row in screen.rows])
        url = f"/runs/?before={screen.older.replace('+', '%2B')}" if screen.older else ""

    back = operator.get(f"/runs/?after={screen.newer.replace('+', '%2B')}").context["screen"]

    assert [len(page) for page in seen] == [50, 50, 20]
    assert len({run for page in seen for run in page}) == 120
    assert [row.run_id for row in back.rows] == seen[1]


def test_a_broken_page_cursor_is_422(operator, console):
    assert operator.get("/runs/?before=nonsense").status_code == 422


def test_runs_are_narrowed_by_verdict_status_and_text(operator, uncertain, make_run, console):
    uncertain("blocked")
    make_run("clear", goal="Water the plants")
    refresh(console)

    def listed(query):
        return [row.run_id for row in operator.get(f"/runs/?{query}").context["screen"].rows]

    assert listed("verdict=request_human") == ["blocked"]
    assert listed("verdict=resume") == ["clear"]
    assert listed("text=plants") == ["clear"]
    assert listed("status=completed") == []
    assert sorted(listed("")) == ["blocked", "clear"]


def test_a_family_is_a_tree_with_its_worst_member(operator, console, make_run, self_reported):
    make_run("parent", goal="Release")
    start_run(console, NewRun("good", "g", parent="parent"), at=NOON)
    start_run(console, NewRun("bad", "g", Origin.EXTERNAL_AGENT, parent="parent"), at=NOON)
    refresh(console)

    [family] = operator.get("/families/").context["screen"].families

    assert family.row.run_id == "parent"
    assert family.worst == "request_human"
    assert {child.row.run_id for child in family.children} == {"good", "bad"}
    page = operator.get("/runs/bad/?tab=family").content.decode()
    assert "2 below · 1 waiting" in page


def test_a_circle_of_parents_is_shown_once(operator, console, make_run, execute):
    make_run("a")
    make_run("b", parent="a")
    execute("UPDATE runs SET parent_run_id = 'b' WHERE run_id = 'a'")

    assert operator.get("/runs/a/?tab=family").status_code == 200


def test_a_poll_is_silent_until_something_is_new(operator, console, make_run):
    run_id = make_run()
    silent = operator.get(f"/live/?run={run_id}&since=1&mark=1", headers=HTMX)
    report(console, run_id, 3)

    told = operator.get(f"/live/?run={run_id}&since=1&mark=1", headers=HTMX)

    assert silent.status_code == 204
    assert "1 new event" in told.content.decode()


def test_a_poll_of_an_empty_inbox_tells_of_the_first_item(operator, uncertain, console):
    context = operator.get("/").context
    url = f"/live/?{context['seen'].query}&mark={context['seen_mark']}"
    assert operator.get(url, headers=HTMX).status_code == 204
    uncertain()

    page = operator.get(url, headers=HTMX).content.decode()

    assert "1 new" in page
    assert 'data-open="1"' in page


def test_notes_list_who_decided_and_why(operator, console, self_reported):
    run_id = self_reported()
    decisions.confirm(console, run_id, Act("mia", "cli", NOON, "read all nine"))

    page = operator.get(f"/runs/{run_id}/?tab=notes").content.decode()

    assert "mia · confirm" in page
    assert "read all nine" in page
