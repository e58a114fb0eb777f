"""Axe on every kind of page, in both themes and two widths; nothing wider than the window."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Group, User
from django.test import Client

from continuum.domain.events import Draft, EventType, Origin
from continuum.services import decisions, summaries
from continuum.services.acts import Act
from continuum.services.runs import NewRun, start_run
from tests.conftest import NOON
from tests.stores import claimed_action

PAGES = [
    "/",
    "/?tab=mine",
    "/?tab=decided",
    "/runs/",
    "/runs/?text=nothing-matches",
    "/runs/invoices/",
    "/runs/invoices/?tab=actions",
    "/runs/invoices/?tab=diff",
    "/runs/invoices/?tab=contract",
    "/runs/invoices/?tab=notes",
    "/runs/release/?tab=family",
    "/runs/invoices/?tab=timeline",
    "/runs/invoices/?tab=events&origin=imported",
    "/runs/pages/",
    "/runs/invoices/confirm/",
    "/runs/invoices/complete/",
    "/runs/invoices/actions/INV-001/",
    "/runs/invoices/actions/INV-001/settle/",
    "/runs/invoices/actions/INV-001/compensate/",
    "/runs/invoices/events/1/",
    "/families/",
    "/families/?view=table",
    "/families/release/",
    "/actions/",
    "/actions/?status=completed",
    "/search/",
    "/search/?q=invoice",
    "/search/?q=onerror&kind=event",
    "/search/?q=nothing-matches",
    "/queue/",
    "/preferences/",
    "/keys/",
    "/views/?page=inbox&list=tab%3Dall",
    "/?tab=all&type=send&age=1h&text=x",
    "/chain/",
    "/chain/invoices/",
    "/chain/invoices/walk/",
    "/chain/invoices/attest/",
    "/chain/-/attest/",
    "/acts/",
    "/runs/missing/",
]
OVERFLOWS = "document.documentElement.scrollWidth > window.innerWidth"


@pytest.fixture
def javascript():
    """Axe needs it."""
    return True


@pytest.fixture(params=["light", "dark"])
def color_scheme(request):
    """Both themes."""
    return request.param


def test_axe_finds_nothing_on_any_page(site, console):
    site.sign_in()
    addresses = [*PAGES, *_item_addresses(site), _result_address(site, console)]
    addresses += [_assign_address(site)]
    found = []

    for width in (1440, 390):
        site.page.set_viewport_size({"width": width, "height": 900})
        for path in addresses:
            site.open(path)
            found += [f"{width} {path}: {text}" for text in _violations(site.page)]

    assert found == []


def test_the_sign_in_pages_are_accessible(site):
    site.open("/login/")
    found = _violations(site.page)
    for _ in range(5):
        Client().post("/login/", {"username": "op-1", "password": "wrong"})
    site.page.fill("#id_username", "op-1")
    site.page.fill("#id_password", "wrong")
    site.page.click("text=Sign in >> nth=-1")
    site.page.wait_for_selector("text=Sign-in is paused")

    assert found + _violations(site.page) == []


@pytest.mark.parametrize("width", [320, 390, 1024, 1440])
def test_nothing_is_wider_than_the_window(site, console, width):
    site.sign_in()
    site.page.set_viewport_size({"width": width, "height": 800})
    wide = []

    for path in [*PAGES, *_item_addresses(site), _result_address(site, console)]:
        site.open(path)
        if site.page.evaluate(OVERFLOWS):
            wide.append(path)

    assert wide == []


def _item_addresses(site):
    site.open("/?tab=all")
    links = site.page.locator(".item-title")
    return [links.nth(number).get_attribute("href") for number in range(links.count())]


def _assign_address(site):
    site.open("/?tab=all")
    ticks = site.page.locator(".item-tick")
    ids = [ticks.nth(number).get_attribute("value") for number in range(2)]
    return "/items/assign/?" + "&".join(f"item={one}" for one in ids)


def _result_address(site, console):
    request_id = "request_" + "0" * 32
    act = Act("op-1", "console", NOON, "read it", request_id=request_id)
    decisions.confirm(console, "pages", act)
    return f"/runs/pages/decisions/{request_id}/"


def _violations(page):
    results = Axe().run(page, options={"preload": False}).response["violations"]
    return [
        f"{one['id']} {node['target']} {node['failureSummary'].splitlines()[-1].strip()}"
        for one in results
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("width", [1440, 1300, 1200, 1024, 800])
def test_the_runs_list_fits_its_panel_and_leaves_the_goal_room(site, console, width):
    _write_run_with_long_names(console)
    User.objects.get(username="op-1").groups.add(Group.objects.get(name="reviewer"))
    page = site.page
    site.sign_in()
    page.set_viewport_size({"width": width, "height": 900})
    site.open("/runs/?since=all")

    panel = page.evaluate("document.getElementById('runs').clientWidth")
    table = page.evaluate("document.querySelector('#runs table').scrollWidth")
    goal = page.evaluate("document.querySelector('.run-goal').clientWidth")
    assert page.locator(".item-tick").count() > 0
    assert table <= panel
    assert goal >= (220 if width == 1440 else 150)


def _write_run_with_long_names(store):
    """A run whose agent has the longest name that is shown, in one word and with much to show."""
    start_run(store, NewRun("nightly", "Load yesterday's click stream into the store"), at=NOON)
    payload = {"completed": 520_000, "total": 1_200_000, "failed": 0, "caller": "a" * 40}
    draft = Draft(EventType.TASK_UPDATED, payload, Origin.EXTERNAL_AGENT, NOON)
    with store.writing("nightly") as writer:
        writer.append("nightly", [draft])
    summaries.catch_up(store, limit=50, at=NOON)


@pytest.mark.parametrize("width", [1440, 1024, 800])
def test_an_event_takes_one_line_and_its_payload_what_is_left(site, console, width):
    page = site.page
    site.sign_in()
    page.set_viewport_size({"width": width, "height": 900})
    site.open("/runs/invoices/?tab=events")
    page.locator(".event summary").first.click()
    closed = page.locator(".event").nth(1)

    closed_height = closed.evaluate("(one) => one.offsetHeight")
    payload = closed.locator("summary").evaluate("(one) => one.clientWidth")
    ends = page.locator(".event > .chip").evaluate_all(
        "(all) => new Set(all.map((one) => one.getBoundingClientRect().right)).size"
    )
    tools = page.locator("#events .filters > :not(input)").evaluate_all(
        "(all) => new Set(all.map((one) => Math.round(one.getBoundingClientRect().bottom))).size"
    )
    assert closed_height < 48
    assert payload > 160
    assert (ends, tools) == (1, 1)


LONG = "an_action_" + "z" * 120
LONG_PAGES = [
    "/?tab=all",
    "/?tab=all&item=next",
    "/runs/?since=all",
    "/runs/long/",
    "/runs/long/?tab=actions",
    f"/runs/long/actions/{'k' * 150}/",
    f"/runs/long/actions/{'k' * 150}/settle/",
    "/actions/",
]


@pytest.mark.parametrize("width", [1440, 320])
def test_long_words_push_nothing_out_of_its_panel(site, console, width):
    start_run(console, NewRun("long", "g" * 300, Origin.EXTERNAL_AGENT), at=NOON)
    claim = claimed_action("long", "k" * 150, at=NOON, action_type=LONG, arguments={LONG: LONG * 5})
    with console.writing("long") as writer:
        writer.append("long", [claim])
    summaries.catch_up(console, limit=50, at=NOON)
    page = site.page
    site.sign_in()
    page.set_viewport_size({"width": width, "height": 900})
    pushed = []

    for path in LONG_PAGES:
        site.open(path)
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            pushed.append(path)
        pushed += page.locator(".panel, .inbox-list, .inbox-detail").evaluate_all(
            "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1)"
            ".map((one) => `${location.pathname} ${one.id}`)"
        )

    assert pushed == []


def test_the_question_and_its_answers_are_on_the_first_screen(site):
    site.sign_in()
    site.page.click(".item-title:has-text('send_invoice')")
    last = site.page.locator(".choices label").last
    box = last.bounding_box()

    assert box is not None
    assert box["y"] + box["height"] < 900


def test_on_paper_there_is_the_page_and_nothing_to_press(site):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/")
    page.emulate_media(media="print")

    for gone in (".side", ".top", "#decide", "main form", "main .button"):
        assert page.locator(gone).first.is_hidden(), gone
    assert page.locator("#why").is_visible()
