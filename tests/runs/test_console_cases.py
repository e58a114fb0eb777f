"""What went wrong with other consoles and belongs to no single page of this one.

`docs/reference/console-cases.md` says which test stands for which public report.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from django.test import Client
from django.urls import reverse

from continuum import open_store
from continuum.core.errors import Conflict
from continuum.domain.actions import UNRESOLVED, ActionStatus
from continuum.services.actionpages import action_page
from continuum.services.actions import Settlement
from continuum.services.acts import Act
from continuum.services.decisions import settle
from continuum.wire import agents
from tests.commands import run_ours
from tests.conftest import NOON
from tests.runs.conftest import BOOSTED, HISTORY, HTMX, form_of, refresh, written
from tests.stores import claimed_action

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "reference" / "console-cases.md").read_text()
ROWS = (ROOT / "tests" / "data" / "console-rows.txt").read_text().split()


@pytest.mark.parametrize("row", ROWS)
def test_every_row_of_the_cases_has_a_test_that_is_there(row):
    """The rows are those of the collected reports; the table says what shows each."""
    line = re.search(rf"^\| {row} \|.*$", TABLE, re.M)
    assert line is not None
    named = re.findall(r"`(tests/[^`:]+)::(test_[a-z0-9_]+)`", line[0])
    assert named
    for path, name in named:
        assert f"\ndef {name}(" in (ROOT / path).read_text(), f"{path}::{name}"


def url_of(run_id, key, name="settle"):
    return reverse(f"runs:{name}", args=[run_id, key])


def settled(store, run_id="run_a"):
    return [kind for _, kind in written(store, run_id)].count("ACTION_RECONCILED")


def test_row_2_the_form_of_one_action_settles_no_other(operator, console, make_run):
    make_run("run_a", claimed=["INV-001", "INV-002"])
    refresh(console)
    answer = form_of(operator.get(url_of("run_a", "INV-001"))) | {"outcome": "occurred"}
    before = written(console, "run_a")

    response = operator.post(url_of("run_a", "INV-002"), answer)

    assert response.status_code == 409
    assert written(console, "run_a") == before


def test_row_2_a_form_of_what_the_command_line_settled_is_refused_and_its_row_is_gone(
    operator, console, uncertain, store_url
):
    run_id, key = uncertain()
    answer = form_of(operator.get(url_of(run_id, key))) | {"outcome": "not_occurred", "reason": "x"}
    ran = run_ours(
        "--db", store_url, "reconcile", run_id, "--action", key, "--occurred", "--by", "mia"
    )
    before = written(console, run_id)

    response = operator.post(url_of(run_id, key), answer)
    refresh(console)

    assert ran.exit_code in (0, 20, 30), ran.stderr
    assert response.status_code == 409
    assert written(console, run_id) == before
    assert [row.item_id for row in operator.get("/?tab=all").context["screen"].items] == []


@pytest.mark.parametrize("requests", [("one", "one"), ("one", "two")], ids=["one form", "two"])
def test_row_4_answers_of_the_same_moment_write_one_event(console, uncertain, store_url, requests):
    run_id, key = uncertain()
    together = Barrier(2)

    def answer(number):
        act = Act("op-1", "console", NOON, f"answer {number}", request_id=requests[number])
        occurred = requests[0] == requests[1] or number == 0
        with open_store(store_url) as store:
            together.wait(10)
            try:
                return settle(store, run_id, key, act, Settlement(occurred)).events
            except Conflict:
                return None

    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(answer, range(2)))

    assert settled(console) == 1
    assert (None in told) == (requests[0] != requests[1])


@pytest.mark.parametrize("status", ActionStatus)
def test_row_24_a_status_is_open_everywhere_or_nowhere(
    status, operator, console, make_run, store_url
):
    make_run("run_a")
    with console.writing("run_a") as writer:
        writer.append("run_a", [claimed_action("run_a", "k", at=NOON, status=status)])
    refresh(console)

    listed = operator.get("/actions/?status=open").context["screen"].page.open
    of_run = operator.get("/runs/run_a/").context["standing"].open_actions
    page = operator.get(url_of("run_a", "k", "action")).content.decode()
    command = run_ours("--db", store_url, "actions", "run_a")
    (for_agents,) = agents.actions("run_a", action_page(console, "run_a", limit=9))["actions"]

    told = [bool(listed), bool(of_run), "Settle…" in page, command.exit_code == 20]
    told.append(for_agents["outcome_unresolved"])
    assert told == [status in UNRESOLVED] * 5


# -- O-22: two operators, a double click


def test_o22_a_stale_answer_a_double_click_and_a_word_that_is_none(
    operator, sign_in, console, uncertain, self_reported
):
    run_id, key = uncertain()
    other = sign_in("operator", name="op-2")
    url = url_of(run_id, key)
    stale = form_of(other.get(url)) | {"outcome": "not_occurred", "reason": "it bounced"}
    fresh = form_of(operator.get(url))
    assert operator.post(url, fresh | {"outcome": "maybe"}).status_code == 422
    assert settled(console) == 0

    assert operator.post(url, fresh | {"outcome": "occurred"}).status_code == 302
    refused = other.post(url, stale)

    assert refused.status_code == 409
    assert "it bounced" in refused.content.decode()
    assert settled(console) == 1
    self_reported("run_b")
    confirm = reverse("runs:confirm", args=["run_b"])
    answer = form_of(operator.get(confirm)) | {"scope": "goal,progress"}
    places = {operator.post(confirm, answer)["Location"] for _ in range(3)}
    assert len(places) == 1
    assert [kind for _, kind in written(console, "run_b")].count("REVIEW_CONFIRMED") == 1


# -- O-23: fragment, cache, origin


@pytest.mark.parametrize(
    ("headers", "is_page"),
    [({}, True), (HTMX, False), (BOOSTED, True), (HISTORY, True)],
    ids=["browser", "swap", "boosted", "history"],
)
def test_o23_an_address_is_a_page_or_a_part_and_no_cache_mixes_them(
    operator, uncertain, headers, is_page
):
    run_id, _ = uncertain()

    response = operator.get(f"/runs/{run_id}/", headers=headers)

    assert ("<!doctype html>" in response.content.decode()) == is_page
    assert "HX-Request" in response["Vary"]
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 400),
    ],
    ids=["no token", "foreign origin", "foreign page", "foreign host"],
)
def test_o23_what_other_sites_send_is_refused(operator, console, uncertain, headers, status):
    run_id, key = uncertain()
    url = url_of(run_id, key)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies
    answer = form_of(operator.get(url)) | {"outcome": "occurred"}
    if headers:
        answer["csrfmiddlewaretoken"] = strict.get(url).cookies["csrftoken"].value
    before = written(console, run_id)

    response = strict.post(url, answer, headers=headers)

    assert response.status_code == status
    assert written(console, run_id) == before
