"""What JavaScript adds: polling, keys, copying, kept drafts. None of it decides."""

from __future__ import annotations

import pytest

from tests.runs.conftest import report, written


@pytest.fixture
def javascript():
    """These need it."""
    return True


def test_a_poll_tells_of_new_events_and_leaves_typing_alone(site, console):
    page = site.page
    site.sign_in()
    site.open("/runs/pages/confirm/")
    page.fill("#reason", "half a sent")
    site.open("/runs/pages/")
    report(console, "pages", 5)

    page.evaluate("poll()")
    page.wait_for_selector("#news >> text=1 new event")

    site.open("/runs/pages/confirm/")
    assert page.input_value("#reason") == "half a sent"


def test_a_new_item_reaches_an_open_inbox(site, console):
    page = site.page
    site.sign_in()
    before = page.inner_text("#inbox-badge")
    report(console, "release", 5)

    page.evaluate("poll()")
    page.wait_for_selector("#news >> text=1 new")

    assert page.inner_text("#inbox-badge") != before


def test_no_key_decides_anything_and_none_works_while_typing(site, console):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/actions/INV-001/settle/")
    before = written(console, "invoices")
    address = page.url

    page.focus("#reason")
    page.keyboard.type("/jkcndeguor?")
    page.keyboard.press("Control+Enter")

    assert page.input_value("#reason") == "/jkcndeguor?"
    assert page.url == address
    assert written(console, "invoices") == before


def test_control_enter_sends_a_chosen_answer(site, console):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/actions/INV-001/settle/")

    page.check("input[value=occurred]")
    page.focus("#reason")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("text=Record that send_invoice happened?")
    page.keyboard.press("Enter")

    page.wait_for_selector("text=Written")
    assert written(console, "invoices")[-1][1] == "ACTION_RECONCILED"


def test_keys_walk_the_list_and_open_the_search(site):
    page = site.page
    site.sign_in()

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    first = page.locator(".item-title").first.inner_text()
    focused = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("/")

    assert focused.strip() == first.strip()
    assert page.evaluate("document.activeElement.id") == "search"


def test_a_lost_session_keeps_what_was_typed(site, console):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/actions/INV-001/settle/")
    page.fill("#reason", "a long account of what I checked")
    page.check("input[value=occurred]")
    page.context.clear_cookies()
    before = written(console, "invoices")

    page.click("text=Review the decision")
    page.wait_for_load_state()
    site.sign_in()
    site.open("/runs/invoices/actions/INV-001/settle/")

    assert page.input_value("#reason") == "a long account of what I checked"
    assert written(console, "invoices") == before


def test_a_double_click_decides_once(site, console):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/actions/INV-001/settle/")
    before = len(written(console, "invoices"))
    page.check("input[value=occurred]")
    page.click("text=Review the decision")

    page.dblclick("text=Record the outcome")
    page.wait_for_selector("text=Written")

    assert len(written(console, "invoices")) == before + 1
