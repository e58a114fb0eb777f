"""What open pages ask: small answers, no writes, and an end when the session is over."""

from __future__ import annotations

import re

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from continuum.services import desk
from continuum.services.actions import Settlement
from continuum.services.acts import Act
from continuum.services.decisions import settle
from continuum.services.inbox import ItemQuery, open_items
from runs.engine import current_store
from tests.conftest import NOON
from tests.runs.conftest import HTMX, report


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


def test_claims_of_others_are_no_news(operator, uncertain, console):
    uncertain()
    place = asked(operator)
    (item,) = open_items(console, ItemQuery())
    desk.claim(console, item.item_id, Act("bob", "cli", NOON))

    assert poll(operator, place).status_code == 204


def test_a_poll_writes_nothing_and_judges_nothing(
    operator, console, self_reported, django_assert_num_queries
):
    run_id = self_reported()
    place = asked(operator)
    report(console, run_id, 6, fresh=False)
    seen: list[str] = []
    opened = current_store(console.url)
    opened._database._connection.set_trace_callback(seen.append)  # type: ignore[attr-defined]

    with django_assert_num_queries(3):  # the session, the person, what is known of them
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
