"""Search by keyboard alone, as one types, and without JavaScript."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

FOCUSED = "document.activeElement.getAttribute('href')"


# What keys do beyond the browser's own is a script's work.
scripted = pytest.mark.parametrize("javascript", [True], ids=["javascript"], indirect=True)


@pytest.fixture
def keyboard(site):
    """The keyboard on the page people start from."""
    site.sign_in()
    return site.page.keyboard


@scripted
def test_a_run_is_found_and_opened_without_the_mouse(site, keyboard):
    page = site.page
    keyboard.press("/")
    keyboard.type("move pages")
    keyboard.press("Enter")
    page.wait_for_selector("#found mark")
    # Keys are heard once the page is whole: its scripts have run and the box has the focus.
    page.wait_for_load_state("load")
    expect(page.locator("#search")).to_be_focused()

    keyboard.press("ArrowDown")
    assert page.evaluate(FOCUSED) == "/runs/pages/"
    keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "search"
    keyboard.press("ArrowDown")
    keyboard.press("Enter")

    page.wait_for_url("**/runs/pages/")


@scripted
def test_results_follow_what_is_typed_and_the_caret_stays(site, keyboard):
    page = site.page
    site.open("/search/")
    keyboard.type("invoi", delay=20)
    page.wait_for_selector("#found a[href='/runs/invoices/']")

    keyboard.type("zzz", delay=20)
    page.wait_for_selector("text=Nothing matches")

    assert page.evaluate("document.activeElement.id") == "search"
    assert page.input_value("#search") == "invoizzz"
    assert page.url.endswith("/search/?q=invoizzz")
    for _ in "zzz":
        keyboard.press("Backspace")
    page.wait_for_selector("#found a[href='/runs/invoices/']")


@scripted
def test_arrows_stop_at_both_ends_and_escape_returns(site, keyboard):
    page = site.page
    site.open("/search/?q=process")
    for _ in range(9):
        keyboard.press("ArrowDown")
    last = page.locator("#found [data-hit]").last.get_attribute("href")

    assert page.evaluate(FOCUSED) == last
    keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "search"
    keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "search"


def test_it_works_without_a_script(site):
    page = site.page
    site.sign_in()
    page.fill("#search", "move pages")
    page.press("#search", "Enter")

    page.click("#found a[href='/runs/pages/']")

    page.wait_for_url("**/runs/pages/")


def test_hostile_results_are_text(site):
    site.sign_in()
    site.open("/search/?q=onerror")

    assert site.page.locator("#found mark").first.inner_text() == "onerror"
    assert site.page.locator("#found img").count() == 0
