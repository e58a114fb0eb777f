"""What open pages ask: small answers, no writes, and an end when the session is over."""

from __future__ import annotations

import re

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from continuum.services import desk
from continuum.services.actions import Settlement
from continuum.services.acts import Act
from continuum.services.decisions import settle
from continuum.services.inbox import ItemQuery, open_items
from runs import people, polls
from runs.engine import current_store
from tests.conftest import NOON
from tests.runs.conftest import HTMX, report, written


def asked(client, url="/"):
    """Return the address and mark with which the page at `url` asks."""
    page = client.get(url).content.decode()
    found = re.search(r'data-poll="([^"]+)" data-mark="([^"]*)"', page)
    assert found is not None
    return found[1].replace("&amp;", "&"), found[2]


def poll(client, place):
    url, mark = place
    return client.get(url, _members(url) | {"mark": mark}, headers=HTMX)


def _members(url):
    return dict(pair.split("=", 1) for pair in url.partition("?")[2].split("&"))


def test_an_inbox_hears_of_what_came_and_what_left(operator, uncertain, console):
    run_id, key = uncertain()
    place = asked(operator)
    assert poll(operator, place).status_code == 204
    uncertain("run_b", key="k-b")
    settle(console, run_id, key, Act("mia", "cli", timezone.now(), "saw it"), Settlement(True))

    answer = poll(operator, place)

    page = answer.content.decode()
    assert "1 new" in page
    assert "1 settled" in page
    assert len(page) < 1500


def test_once_told_it_is_silent_until_something_else_happens(operator, uncertain):
    uncertain()
    url, mark = asked(operator)
    uncertain("run_b", key="k-b")
    told = poll(operator, (url, mark)).content.decode()
    found = re.search(r'data-mark="([^"]*)"', told)
    assert found is not None

    assert poll(operator, (url, found[1])).status_code == 204


def test_an_item_that_is_open_beside_the_list_hears_of_its_run(operator, console, self_reported):
    run_id = self_reported()
    (item,) = open_items(console, ItemQuery())
    place = asked(operator, f"/?item={item.item_id}")
    report(console, run_id, 7)

    assert "1 new event" in poll(operator, place).content.decode()


def test_a_claim_of_somebody_else_is_told_of_its_row_alone(operator, uncertain, console):
    uncertain()
    place = asked(operator)
    (item,) = open_items(console, ItemQuery())
    desk.claim(console, item.item_id, Act("<bob>", "cli", NOON))

    told = poll(operator, place).content.decode()
    desk.release(console, item.item_id, Act("<bob>", "cli", NOON))
    released = poll(operator, (place[0], _mark(told))).content.decode()

    assert f'<template data-item="{item.item_id}">' in told
    assert "&lt;bob&gt;" in told
    assert "notice" not in told
    assert "data-item" not in released
    assert "data-whole" in released
    assert poll(operator, (place[0], _mark(released))).status_code == 204


def test_a_row_that_left_is_told_with_who_settled_it_and_where(operator, uncertain, console):
    run_id, key = uncertain()
    place = asked(operator)
    (item,) = open_items(console, ItemQuery())
    settle(console, run_id, key, Act("mia", "cli", timezone.now(), "saw it"), Settlement(True))

    told = poll(operator, place).content.decode()

    row = told.split(f'<template data-item="{item.item_id}" data-left>')[1]
    assert "settled by CLI at" in row
    assert "by mia" in row


def test_a_page_of_a_run_is_told_of_no_rows(operator, uncertain):
    run_id, _ = uncertain()

    assert "<template" not in poll(operator, (f"/live/?run={run_id}&since=1", "")).content.decode()


def _mark(answer):
    found = re.search(r'data-mark="([^"]*)"', answer)
    assert found is not None
    return found[1]


def test_a_poll_writes_nothing_and_judges_nothing(
    operator, console, self_reported, django_assert_num_queries
):
    run_id = self_reported()
    place = asked(operator)
    report(console, run_id, 6, fresh=False)
    seen: list[str] = []
    opened = current_store(console.url)
    opened._database._connection.set_trace_callback(seen.append)  # type: ignore[attr-defined]

    with django_assert_num_queries(2):  # the session, the person with what is known of them
        answer = poll(operator, place)
    opened._database._connection.set_trace_callback(None)  # type: ignore[attr-defined]

    assert answer.status_code == 204
    assert not answer.cookies
    assert len(seen) <= 2
    assert not [text for text in seen if not text.lstrip().upper().startswith(("SELECT", "--"))]
    assert console.stale_runs(9, NOON) == [run_id]


@pytest.mark.parametrize("url", ["/live/?open=0", "/", "/?tab=all"])
def test_a_part_of_a_page_is_refused_after_the_session_ended(operator, uncertain, url):
    uncertain()
    Session.objects.all().delete()

    answer = operator.get(url, headers=HTMX | {"HX-Current-URL": "http://testserver/?tab=mine"})

    page = answer.content.decode()
    assert answer.status_code == 401
    assert "You are signed out" in page
    assert "/login/?next=/%3Ftab%3Dmine" in page.replace("%2F", "/")
    assert "password" not in page


def test_a_whole_page_still_leads_a_stranger_to_sign_in():
    assert Client().get("/")["Location"] == "/login/?next=/"


@pytest.mark.parametrize("query", ["open=x", "since=-1", "run=%00", "open=1&closed=" + "9" * 40])
def test_a_broken_question_is_answered_all_the_same(operator, console, query):
    assert operator.get(f"/live/?{query}", headers=HTMX).status_code in (200, 204)


def test_row_29_two_hundred_views_and_fifty_polls_leave_the_chain_as_it_was(
    operator, console, uncertain
):
    run_id, _ = uncertain()
    (item,) = open_items(console, ItemQuery())
    before = written(console, run_id)
    place = asked(operator)

    for _ in range(50):
        for url in ("/", f"/?item={item.item_id}", "/runs/", f"/runs/{run_id}/"):
            assert operator.get(url).status_code == 200
        assert poll(operator, place).status_code == 204

    assert written(console, run_id) == before
    assert open_items(console, ItemQuery()) == [item]
    assert desk.notes_on(console, item.item_id) == []


# -- the short way


def test_the_short_way_is_that_of_the_address():
    assert reverse("runs:live") == polls.PATH


def test_a_reader_known_lately_costs_one_query(operator, uncertain, django_assert_num_queries):
    uncertain()
    place = asked(operator)
    assert poll(operator, place).status_code == 204

    with django_assert_num_queries(1):  # is the session still there
        assert poll(operator, place).status_code == 204
    uncertain("run_b", key="k-b")
    with django_assert_num_queries(1):
        assert "1 new" in poll(operator, place).content.decode()


@pytest.mark.parametrize(
    "ending",
    [
        lambda client: client.post("/logout/"),
        lambda client: people.set_active("op-1", active=False),
        lambda client: people.set_roles("op-1", roles=[]),
    ],
    ids=["signed out", "disabled", "without a role"],
)
def test_the_short_way_ends_with_the_session(operator, uncertain, ending):
    uncertain()
    url, mark = asked(operator)
    poll(operator, (url, mark))
    poll(operator, (url, mark))
    key = operator.cookies["sessionid"].value

    ending(operator)

    later = operator
    later.cookies["sessionid"] = key
    assert poll(later, (url, mark)).status_code == 401


def test_a_viewers_and_an_operators_polls_are_told_apart(operator, viewer, uncertain, console):
    uncertain()
    (item,) = open_items(console, ItemQuery())
    desk.claim(console, item.item_id, Act("op-1", "cli", NOON))
    url, _ = asked(operator)

    mine = [poll(operator, (url, "")).content.decode() for _ in range(2)]
    theirs = [poll(viewer, (url, "")).content.decode() for _ in range(2)]

    assert all('data-mine="1"' in page for page in mine)
    assert all('data-mine="0"' in page for page in theirs)


def test_a_person_without_a_role_never_gets_onto_the_short_way(sign_in, console):
    nobody = sign_in(name="nobody")

    assert [nobody.get("/live/?open=0").status_code for _ in range(2)] == [403, 403]
