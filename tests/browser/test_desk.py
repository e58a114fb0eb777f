"""The desk in a real browser: what went wrong with other consoles, tried on this one."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session

from continuum.domain.events import Origin
from continuum.services import desk, summaries
from continuum.services.actions import Settlement
from continuum.services.acts import Act
from continuum.services.decisions import settle
from continuum.services.inbox import ItemQuery, item_id_of, open_items
from continuum.services.runs import NewRun, start_run
from tests.browser.conftest import PASSWORD
from tests.conftest import NOON
from tests.runs.conftest import report, written
from tests.stores import claimed_action

SETTLE = "/runs/invoices/actions/INV-001/settle/"


def by(name, reason=""):
    return Act(name, "console", NOON, reason)


def waiting(store, run_id, key=None, **members):
    """Let a run claim an action and end, so that it waits for a person."""
    start_run(store, NewRun(run_id, f"Goal of {run_id}", Origin.HUMAN), at=NOON)
    with store.writing(run_id) as writer:
        writer.append(run_id, [claimed_action(run_id, key or f"k-{run_id}", at=NOON, **members)])
    summaries.catch_up(store, limit=50, at=NOON)
    return item_id_of(run_id, "action", key or f"k-{run_id}")


def answer(page, text="checked it", outcome="occurred"):
    """Fill the settle form that is on the page."""
    page.fill("#reason", text)
    page.check(f"input[value={outcome}]")


def record(page):
    """Send the filled form, and confirm it on the page that repeats it."""
    page.click("text=Review the decision")
    page.click("button:text-is('Record the outcome')")


@pytest.fixture
def second(site):
    """One more tab of the same browser."""
    page = site.page.context.new_page()
    yield page
    page.close()


@pytest.fixture
def colleague(console):
    """Another operator."""
    user = User.objects.create_user("op-2", password=PASSWORD)
    user.groups.set(Group.objects.filter(name="operator"))
    return user


def test_row_1_a_stale_tab_decides_nothing_after_somebody_else_took_the_item(
    site, console, colleague
):
    page = site.page
    item = item_id_of("invoices", "action", "INV-001")
    desk.claim(console, item, by("op-1"))
    site.sign_in()
    site.open(f"/?tab=mine&item={item}")
    answer(page, "what op-1 found")
    desk.release(console, item, by("op-1"))
    desk.claim(console, item, by("op-2"))
    before = written(console, "invoices")

    record(page)

    page.wait_for_selector("text=op-2 works on this item")
    assert page.input_value("#reason") == "what op-1 found"
    assert written(console, "invoices") == before


def test_row_1_a_tab_that_was_settled_elsewhere_shows_what_changed(site, console):
    page = site.page
    site.sign_in()
    site.open(SETTLE)
    answer(page, "it bounced", outcome="not_occurred")
    settle(console, "invoices", "INV-001", Act("mia", "cli", NOON, "saw it"), Settlement(True))
    before = written(console, "invoices")

    record(page)

    page.wait_for_selector("text=nothing was written")
    assert page.input_value("#reason") == "it bounced"
    assert written(console, "invoices") == before


def test_row_4_a_double_click_writes_one_event(site, console):
    page = site.page
    site.sign_in()
    site.open(SETTLE)
    before = written(console, "invoices")
    answer(page)
    page.click("text=Review the decision")

    page.dblclick("button:text-is('Record the outcome')")

    page.wait_for_selector("text=Written")
    assert len(written(console, "invoices")) == len(before) + 1


def test_row_4_of_two_different_answers_only_the_first_is_written(site, console, second):
    page = site.page
    site.sign_in()
    for tab, outcome in ((page, "occurred"), (second, "not_occurred")):
        tab.goto(site.url + SETTLE)
        answer(tab, f"I say {outcome}", outcome)
        tab.click("text=Review the decision")
    before = written(console, "invoices")

    page.click("button:text-is('Record the outcome')")
    page.wait_for_selector("text=Written")
    second.click("button:text-is('Record the outcome')")
    second.wait_for_selector("text=nothing was written")

    assert len(written(console, "invoices")) == len(before) + 1


def test_row_6_claiming_what_is_ticked_touches_nothing_that_came_later(site, console, javascript):
    page = site.page
    waiting(console, "pay-1", action_type="pay")
    waiting(console, "pay-2", action_type="pay")
    site.sign_in()
    site.open("/?tab=all&type=pay")
    page.locator(".item-tick").nth(0).check()
    if javascript:
        page.check("#tick-all")
    else:
        page.locator(".item-tick").nth(1).check()
    waiting(console, "pay-3", action_type="pay")

    page.click("#bulk >> text=Claim")

    page.wait_for_selector("text=2 claimed.")
    held = {one.run_id for one in open_items(console, ItemQuery()) if one.claimed_by == "op-1"}
    assert held == {"pay-1", "pay-2"}


def test_ticked_rows_are_given_to_a_colleague(site, console, colleague):
    page = site.page
    waiting(console, "pay-1", action_type="pay")
    site.sign_in()
    site.open("/?tab=all&type=pay")
    page.check(".item-tick")
    page.click("#bulk >> text=Assign")
    page.select_option("#person", "op-2")
    page.fill("#text", "you know the bank")
    page.click("button:text-is('Assign')")

    page.wait_for_selector("text=1 assigned to op-2.")
    assert "op-2" in page.inner_text("#items")


def test_an_item_is_commented_on_and_left_open(site, console):
    page = site.page
    before = written(console, "invoices")
    site.sign_in()
    page.click(".item-title:has-text('send_invoice')")
    page.wait_for_selector("#comment")
    page.fill("#comment", "asked the bank,\nno answer yet")
    page.click("button:text-is('Comment')")

    page.wait_for_selector("text=Your comment is kept")
    assert "asked the bank,\nno answer yet" in page.inner_text("#item-notes")
    assert page.input_value("#comment") == ""
    assert "1" in page.inner_text(".item[data-selected] .row")
    assert written(console, "invoices") == before


def test_the_list_is_narrowed_and_widened_again(site, console):
    page = site.page
    waiting(console, "pay-1", action_type="pay")
    site.sign_in()
    site.open("/?tab=all")
    before = page.locator(".item").count()

    page.click("#filter")
    page.fill("#f-type", "pay")
    page.click(".filters >> text=Apply")
    page.wait_for_selector(".filter-chips")
    narrowed = page.locator(".item").count()
    page.click(".filter-chips >> text=action type")
    page.wait_for_selector(".filter-chips", state="detached")

    assert (narrowed, page.locator(".item").count()) == (1, before)
    assert "type=" not in page.url


def test_a_view_is_saved_and_found_again(site, console):
    page = site.page
    site.sign_in()
    site.open("/views/?page=inbox&list=tab%3Dall%26type%3Dsend")
    page.fill("#view-name", "Mail")
    page.click("button:text-is('Save')")
    page.wait_for_url("**/?tab=all&type=send")

    site.open("/views/?page=inbox")
    page.click("a:text-is('Mail')")

    page.wait_for_url("**/?tab=all&type=send")
    assert page.locator(".filter-chips").count() == 1


TEXT = "word " * 400


# Without scripts it is the browser's own way back that keeps the words.
with_scripts = pytest.mark.parametrize("javascript", [True])


def sign_in_at(page):
    """Fill the sign-in page that is open."""
    page.fill("#id_username", "op-1")
    page.fill("#id_password", PASSWORD)
    page.click("text=Sign in >> nth=-1")


@with_scripts
def test_row_16_a_session_that_is_gone_loses_no_word(site, console):
    page = site.page
    site.sign_in()
    site.open(SETTLE)
    before = written(console, "invoices")
    answer(page, TEXT)
    Session.objects.all().delete()

    page.click("text=Review the decision")
    page.wait_for_selector("#id_username")
    sign_in_at(page)
    page.wait_for_selector("#reason")

    assert page.input_value("#reason").strip() == TEXT.strip()
    assert written(console, "invoices") == before


@with_scripts
def test_row_16_signing_in_again_elsewhere_loses_no_word(site, console, second):
    page = site.page
    site.sign_in()
    site.open(SETTLE)
    before = written(console, "invoices")
    answer(page, TEXT)
    page.context.clear_cookies()
    second.goto(site.url + "/login/")
    sign_in_at(second)
    second.wait_for_url(site.url + "/")

    page.click("text=Review the decision")
    page.wait_for_selector("text=Nothing was written")
    site.open(SETTLE)

    assert page.input_value("#reason").strip() == TEXT.strip()
    assert written(console, "invoices") == before


@with_scripts
def test_signing_out_leaves_no_words_behind(site, console):
    page = site.page
    site.sign_in()
    site.open(SETTLE)
    page.fill("#reason", "for my eyes only")

    page.click("text=Sign out")
    page.wait_for_selector("#id_username")

    assert "for my eyes only" not in page.evaluate("JSON.stringify(sessionStorage)")


def test_reviewing_ten_items_without_the_mouse_or_scripts_ends_with_ten_events(site, console):
    """The same flow as by keys: open, answer, read once more, next; by plain links and forms."""
    for number in range(10):
        waiting(console, f"ten-{number}", action_type="pay", created_at="2026-11-01T12:00:00Z")
    page = site.page
    site.sign_in()
    site.open("/?tab=all&type=pay&item=next")
    for number in range(10):
        answer(page, f"checked {number}")
        record(page)
        page.wait_for_selector("text=Written")
        site.open("/?tab=all&type=pay&item=next")

    page.wait_for_selector("text=No other item waits")
    for number in range(10):
        assert written(console, f"ten-{number}")[-1][1] == "ACTION_RECONCILED"


def test_a_view_that_matches_nothing_says_how_many_are_open(site):
    site.sign_in()
    site.open("/?tab=all&text=nothing-like-it")

    assert re.search(r"No match\s+\d+ open in all", site.page.inner_text("#items"))


@pytest.mark.parametrize("size", [(320, 640), (720, 450)], ids=["320 px", "zoom 200 %"])
def test_the_desk_reflows(site, console, size):
    page = site.page
    site.sign_in()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    item = item_id_of("invoices", "action", "INV-001")

    for path in (
        "/",
        f"/?item={item}",
        "/preferences/",
        "/keys/",
        "/views/?page=inbox",
        f"/items/assign/?item={item}",
    ):
        site.open(path)
        assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth"), path


def test_names_with_terminal_controls_show_their_pictures(site, console):
    """O-21: what acts on a terminal is shown, and acts nowhere."""
    waiting(console, "esc", action_type="pay\x1b[2J\x07", created_at="2026-11-01T12:00:00Z")
    site.sign_in()
    site.open("/?tab=all&text=esc")

    text = site.page.inner_text("#items")
    assert "pay\N{SYMBOL FOR ESCAPE}[2J" in text
    assert "\x1b" not in site.page.content()


def test_row_7_the_badge_is_the_list(site, console):
    waiting(console, "one-more")
    report(console, "release", 3)
    site.sign_in()
    site.open("/?tab=all")

    badge = int(re.findall(r"\d+", site.page.inner_text("#inbox-badge"))[0])
    tab = int(re.findall(r"\d+", site.page.inner_text("#tab-all"))[0])
    strip = int(re.findall(r"\d+", site.page.inner_text("#strip"))[0])
    assert badge == tab == strip == site.page.locator(".item").count()
    assert badge == len(open_items(console, ItemQuery()))
