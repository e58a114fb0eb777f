"""The inbox page: narrowed lists with their counts, pages, and rows that were handled together."""

from __future__ import annotations

import re
import sqlite3
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from continuum.core.clock import body_time
from continuum.domain.events import Origin
from continuum.services import desk
from continuum.services.actions import Settlement
from continuum.services.acts import Act
from continuum.services.decisions import complete, settle
from continuum.services.inbox import ItemQuery, get_item, item_id_of, open_items
from continuum.services.runs import NewRun, start_run
from continuum.services.verifications import Order, run_job
from tests.commands import run_ours
from tests.conftest import NOON
from tests.runs.conftest import HTMX, form_of, refresh, written
from tests.stores import claimed_action, progressed


def rows(response):
    """Return the runs of the rows shown."""
    return [item.run_id for item in response.context["screen"].items]


def numbers(response):
    """Return what the tabs say, by name."""
    return {tab.name: tab.number for tab in response.context["screen"].tabs}


@pytest.fixture
def family(console):
    """A family of three generations, each with an open action, and a stranger."""
    start_run(console, NewRun("root", "Release", Origin.HUMAN), at=NOON)
    start_run(console, NewRun("child", "Build", Origin.HUMAN, parent="root"), at=NOON)
    start_run(console, NewRun("leaf", "Compile", Origin.HUMAN, parent="child"), at=NOON)
    start_run(console, NewRun("stranger", "Other", Origin.HUMAN), at=NOON)
    kinds = {"root": "pay", "child": "send_mail", "leaf": "pay", "stranger": "pay"}
    for run_id, kind in kinds.items():
        with console.writing(run_id) as writer:
            draft = claimed_action(run_id, f"k-{run_id}", at=NOON, action_type=kind)
            writer.append(run_id, [draft])
    refresh(console)
    return console


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("type=PAY", {"root", "leaf", "stranger"}),
        ("type=pay&text=compile", {"leaf"}),
        ("family=root", {"root", "child", "leaf"}),
        ("family=child", {"child", "leaf"}),
        ("kind=verdict", set()),
        ("kind=action", {"root", "child", "leaf", "stranger"}),
        ("verdict=request_human", {"root", "child", "leaf", "stranger"}),
        ("verdict=abort", set()),
        ("agent=nobody", set()),
    ],
)
def test_the_list_is_narrowed_and_every_count_with_it(operator, family, query, expected):
    response = operator.get(f"/?tab=all&{query}")

    assert set(rows(response)) == expected
    assert numbers(response)["all"] == numbers(response)["unclaimed"] == len(expected)
    assert response.context["screen"].counts.open == 4


def test_the_list_is_narrowed_to_what_has_waited_long(operator, console):
    now = timezone.now()
    for run_id, at in (("new", now), ("old", now - timedelta(hours=2))):
        start_run(console, NewRun(run_id, "Pay", Origin.HUMAN), at=at)
        with console.writing(run_id) as writer:
            claim = claimed_action(run_id, f"k-{run_id}", at=at, created_at=body_time(at))
            writer.append(run_id, [claim])
    refresh(console)

    assert rows(operator.get("/?tab=all&age=1h")) == ["old"]
    assert rows(operator.get("/?tab=all&age=4h")) == []


def test_each_way_of_narrowing_can_be_taken_away_alone(operator, family):
    response = operator.get("/?tab=all&type=pay&family=root")

    chips = {chip.name: chip.query for chip in response.context["screen"].chips}
    assert chips == {
        "action type": "tab=all&family=root",
        "family of": "tab=all&type=pay",
    }
    assert 'href="/?tab=all"' in response.content.decode()


def test_tabs_and_rows_keep_how_the_list_is_narrowed(operator, family):
    page = operator.get("/?tab=all&type=pay").content.decode()

    assert 'href="/?tab=mine&amp;type=pay"' in page
    assert "/?tab=all&amp;type=pay&amp;item=" in page.replace("&item=", "&amp;item=")


def test_no_match_says_how_many_are_open_in_all(operator, family):
    page = operator.get("/?tab=all&text=nothing-like-it").content.decode()

    assert "No match" in page
    assert "4 open in all" in page
    assert "Clear" in page


@pytest.mark.parametrize("query", ["age=soon", "verdict=maybe", "kind=x", f"text={'x' * 300}"])
def test_what_is_wrong_in_the_address_narrows_nothing(operator, family, query):
    assert len(rows(operator.get(f"/?tab=all&{query}"))) == 4


def test_a_broken_page_address_is_refused(operator, family):
    assert operator.get("/?tab=all&after=x").status_code == 422


def test_all_rows_are_reached_page_by_page(operator, console):
    for number in range(60):
        start_run(console, NewRun(f"run-{number:02}", "g", Origin.EXTERNAL_AGENT), at=NOON)
    refresh(console)
    first = operator.get("/?tab=all")
    older = first.context["screen"].older

    second = operator.get("/", {"tab": "all", "after": older})

    assert len(rows(first)) == 50
    assert sorted(rows(first) + rows(second)) == [f"run-{number:02}" for number in range(60)]
    assert second.context["screen"].older == ""
    assert "First page" in second.content.decode()


def test_a_hostile_filter_is_text(operator, family):
    page = operator.get("/", {"type": '"><script>alert(1)</script>'}).content.decode()

    assert "<script>alert(1)" not in page


def test_row_7_badge_tab_list_metric_and_command_line_agree(operator, family, settings, store_url):
    """A child, a run whose open action is archived, and one that was completed over it."""
    with family.writing("stranger") as writer:
        writer.append("stranger", [progressed(1, at=NOON)])
        writer.archive("stranger", 2)
    over = Act("mia", "cli", NOON, "it will never be known")
    complete(family, "root", over, over_open_items=True)
    refresh(family)
    settings.METRICS_TOKEN = "a-token-for-tests"
    bearer = {"Authorization": "Bearer a-token-for-tests"}

    page = operator.get("/?tab=all")
    text = Client().get("/metrics", headers=bearer).content.decode()
    listed = run_ours("--db", store_url, "--json", "inbox").document["items"]

    number = len(rows(page))
    assert {"child", "leaf", "stranger"} <= set(rows(page))
    assert page.context["frame"]["counts"].open == number
    assert numbers(page)["all"] == number
    assert len(listed) == number
    counted = re.findall(r"^continuum_open_items\{.*\} (\d+)$", text, re.M)
    assert sum(map(int, counted)) == number


# -- the desk


def test_only_the_ticked_rows_are_claimed_whatever_else_matches_by_now(operator, family):
    shown = operator.get("/?tab=all&type=pay&family=root").context["screen"].items
    with family.writing("stranger") as writer:
        writer.append("stranger", [claimed_action("stranger", "late", at=NOON, action_type="pay")])
    refresh(family)

    response = operator.post(
        "/items/claim/",
        {"item": [item.item_id for item in shown], "query": "tab=all&type=pay&family=root"},
    )

    assert response["Location"] == "/?tab=all&type=pay&family=root"
    claimed = [one.run_id for one in open_items(family, ItemQuery()) if one.claimed_by]
    assert sorted(claimed) == ["leaf", "root"]


def test_what_others_hold_is_told_and_the_rest_is_claimed(operator, family):
    mine, theirs = open_items(family, ItemQuery())[:2]
    desk.claim(family, theirs.item_id, Act("bob", "cli", NOON))

    response = operator.post("/items/claim/", {"item": [mine.item_id, theirs.item_id]}, follow=True)

    page = response.content.decode()
    assert "1 claimed." in page
    assert "bob works on this item" in page
    assert get_item(family, theirs.item_id).claimed_by == "bob"


def test_nothing_ticked_is_refused(operator, family):
    assert operator.post("/items/claim/").status_code == 422
    assert operator.post("/items/assign/").status_code == 422


def test_ticked_rows_are_assigned_after_choosing_who(operator, sign_in, family):
    sign_in("operator", name="op-2")
    sign_in("viewer", name="vi-2")
    ids = [item.item_id for item in open_items(family, ItemQuery())[:2]]

    asked = operator.post("/items/assign/", {"item": ids})
    done = operator.post("/items/assign/", {"item": ids, "person": "op-2", "text": "yours"})

    assert asked.context["operators"] == ["op-1", "op-2"]
    assert done.status_code == 302
    held = {one.item_id for one in open_items(family, ItemQuery()) if one.claimed_by == "op-2"}
    assert held == set(ids)
    assert [note.text for note in desk.notes_on(family, ids[0])] == ["yours"]


@pytest.mark.parametrize("person", ["vi-2", "nobody", ""])
def test_only_an_operator_can_be_given_an_item(operator, sign_in, family, person):
    sign_in("viewer", name="vi-2")
    item = open_items(family, ItemQuery())[0]

    response = operator.post(
        "/items/assign/", {"item": item.item_id, "person": person, "text": "kept words"}
    )

    assert response.status_code == 422
    assert "kept words" in response.content.decode()
    assert get_item(family, item.item_id).claimed_by is None


def test_an_assigned_item_says_by_whom(operator, family):
    item = open_items(family, ItemQuery())[0]
    desk.assign(family, item.item_id, "op-2", Act("mia", "console", NOON, "you know it"))

    page = operator.get(f"/?tab=all&item={item.item_id}").content.decode()

    assert "claimed by op-2, from mia" in page
    assert "mia assigned it to op-2" in page
    assert "you know it" in page


def test_a_comment_is_listed_with_its_item_and_its_run(operator, family):
    item = open_items(family, ItemQuery())[0]
    before = written(family, item.run_id)

    response = operator.post(
        f"/items/{item.item_id}/comment/", {"text": "asked\r\nthe bank", "query": "tab=all"}
    )
    page = operator.get(response["Location"]).content.decode()

    assert response["Location"] == f"/?tab=all&item={item.item_id}"
    assert "asked\nthe bank" in page
    assert "asked\nthe bank" in operator.get(f"/runs/{item.run_id}/?tab=notes").content.decode()
    assert written(family, item.run_id) == before


def test_a_long_comment_counts_line_ends_once(operator, family):
    item = open_items(family, ItemQuery())[0]
    text = "x\r\n" * 2000

    assert operator.post(f"/items/{item.item_id}/comment/", {"text": text}).status_code == 302
    assert operator.post(f"/items/{item.item_id}/comment/", {"text": "x" * 4001}).status_code == 422
    assert operator.post(f"/items/{item.item_id}/comment/", {"text": " "}).status_code == 422


def test_i_cannot_tell_yet_keeps_what_was_written_as_a_comment(operator, uncertain, console):
    run_id, key = uncertain()
    before = written(console, run_id)
    form = form_of(operator.get(f"/runs/{run_id}/actions/{key}/settle/"))

    operator.post(
        f"/runs/{run_id}/actions/{key}/settle/",
        form | {"outcome": "open", "reason": "bank is closed until Monday"},
    )

    (note,) = desk.notes_on(console, item_id_of(run_id, "action", key))
    assert (note.author, note.text) == ("op-1", "bank is closed until Monday")
    assert written(console, run_id) == before


def test_a_settled_item_leaves_with_who_and_where(operator, uncertain, console):
    run_id, key = uncertain()
    settle(console, run_id, key, Act("mia", "cli", timezone.now(), "saw it"), Settlement(True))
    item_id = item_id_of(run_id, "action", key)

    listed = operator.get("/?tab=decided").content.decode()
    opened = operator.get(f"/?item={item_id}", headers=HTMX).content.decode()

    assert re.search(r"settled by CLI at \d\d:\d\d by mia", listed)
    assert re.search(r"settled by CLI at\s+<time[^>]*>\d\d:\d\d</time> UTC by mia", opened)
    assert "Review the decision" not in opened


def test_next_goes_to_the_worst_item_nobody_else_holds(operator, family):
    first, second, third, _ = open_items(family, ItemQuery())
    desk.claim(family, second.item_id, Act("bob", "cli", NOON))

    response = operator.get(f"/?tab=all&item=next&beside={first.item_id}")

    assert response["Location"] == f"/?tab=all&item={third.item_id}"


def test_next_of_an_empty_list_says_so(operator, console):
    page = operator.get("/?item=next", follow=True).content.decode()

    assert "No other item waits" in page


def test_a_foreign_list_address_is_not_followed(operator, family):
    item = open_items(family, ItemQuery())[0]

    response = operator.post(
        f"/items/{item.item_id}/claim/", {"query": "//evil.example/?tab=all&x=1"}
    )

    assert response["Location"].startswith("/?tab=")
    assert "evil" not in response["Location"]


@pytest.fixture
def verified(console):
    """Walk one chain, or the whole store for None, as somebody who verifies does."""

    def walk(run_id):
        list(run_job(console, Order(run_id, "ada", "cli"), clock=lambda: NOON))

    return walk


def strip_of(response):
    """Return the line above the list as a person reads it."""
    line = response.content.decode().split('<div id="strip"')[1].split("</div>")[0]
    return " ".join(re.sub(r"<[^>]+>", "", line.partition(">")[2]).split())


def test_the_line_above_the_list_says_how_far_chains_were_verified(operator, family, verified):
    before = strip_of(operator.get("/"))
    verified("leaf")
    one = strip_of(operator.get("/"))
    verified(None)
    every = strip_of(operator.get("/"))

    assert before.endswith("no chain was verified yet")
    assert "chain verified to event 2 of leaf, " in one
    assert "every chain verified: 4 runs, 8 events, " in every


def test_the_line_above_the_list_says_where_a_chain_broke(operator, family, verified):
    with sqlite3.connect(family.url) as raw:
        raw.execute("UPDATE events SET payload = '{}' WHERE run_id = 'leaf' AND sequence = 2")
    verified("leaf")
    one = strip_of(operator.get("/"))
    verified(None)
    every = strip_of(operator.get("/"))

    assert "chain broken at event 2 in leaf, " in one
    assert "1 of 4 chains broken, " in every


def test_only_who_may_audit_is_led_to_the_chain(operator, viewer, family, verified):
    verified("leaf")

    assert '<a href="/chain/leaf/">' in operator.get("/").content.decode()
    assert "/chain/leaf/" not in viewer.get("/").content.decode()
