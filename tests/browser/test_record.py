"""The record of a run, the list of actions and families, as people use them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from continuum.services import summaries
from continuum.services.checkpoints import take_checkpoint
from continuum.services.runs import NewRun, start_run
from tests.conftest import NOON
from tests.stores import progressed

NARROW = {"width": 390, "height": 844}
OVERFLOWS = "document.documentElement.scrollWidth > window.innerWidth"
SCRIPTED = pytest.mark.parametrize("javascript", [True], ids=["javascript"], indirect=True)


@pytest.fixture
def story(console):
    """Give the run `invoices` three checkpoints, and `release` a family of some size."""
    for number in range(1, 4):
        at = NOON + timedelta(minutes=number)
        console.append("invoices", [progressed(number, at=at)])
        take_checkpoint(console, "invoices", at=at)
    console.append("invoices", [progressed(9, at=NOON + timedelta(minutes=30))])
    for number in range(12):
        start_run(console, NewRun(f"step-{number}", "A step", parent="release"), at=NOON)
    for _ in range(3):
        summaries.catch_up(console, limit=50, at=NOON)
    return console


def test_a_run_is_looked_at_over_time(site, story):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/")
    page.click(".tabs >> text=Timeline")
    page.wait_for_selector(".timeline-bars")

    assert "tab=timeline" in page.url
    box = page.locator(".timeline-bars").bounding_box()
    assert box is not None
    assert box["width"] > 400
    assert box["height"] > 80
    assert page.locator(".timeline-bars rect").count() > 3
    page.click("text=The same as tables")
    assert page.locator("caption:has-text('Checkpoints and what people did')").is_visible()
    page.set_viewport_size(NARROW)
    assert not page.evaluate(OVERFLOWS)


def test_two_versions_are_compared(site, story):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/?tab=diff")
    assert "since checkpoint v2 to now" in page.inner_text("main")

    page.select_option("#d-old", "0")
    page.select_option("#d-new", "1")
    page.click("text=Compare")
    page.wait_for_selector("text=State from v0 to v1")

    assert "old=0" in page.url
    assert page.locator(".diff del").all_inner_texts() == ["1"]
    assert page.locator(".diff ins").all_inner_texts() == ["2"]


def test_events_are_narrowed_and_a_number_is_jumped_to(site, story):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/")

    page.select_option("#e-origin", "human")
    page.click("#events >> text=Show")
    page.wait_for_selector("#events >> text=Newest, all of them")
    assert {text.strip() for text in page.locator(".event .chip").all_inner_texts()} == {"human"}

    site.open("/runs/invoices/")
    page.fill("#e-at", "3")
    page.click("#events >> text=Show")
    page.wait_for_selector("#events >> text=Newest, all of them")
    assert page.locator(".event").first.get_attribute("id") == "e-3"


def test_actions_are_narrowed_by_address(site, story):
    page = site.page
    site.sign_in()
    site.open("/actions/")
    page.fill("#f-text", "nothing like it")
    page.click("text=Apply")
    page.wait_for_selector("text=No action matches")
    assert "text=nothing" in page.url

    page.click("text=Clear the filters")
    page.wait_for_selector("text=send_invoice")
    page.select_option("#f-status", "completed")
    if page.locator("text=No action matches").count() == 0:
        page.click("text=Apply")
    page.wait_for_selector("text=No action matches")


def test_a_family_is_narrowed_to_what_waits(site, story):
    page = site.page
    site.sign_in()
    site.open("/families/")
    page.click("h2 >> text=Release")
    page.wait_for_url("**/families/release/")
    assert page.locator(".tree-node").count() == 14

    page.check("text=Only those waiting for a person")
    if page.locator(".tree-node").count() == 14:
        page.click("text=Apply")
    page.wait_for_url("**waiting=1**")
    expect(page.locator(".tree-node")).to_have_count(2)
    assert page.locator(".tree-node a").all_inner_texts() == ["release", "build"]


@SCRIPTED
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_axe_finds_nothing_on_what_is_read_before_writing(site, story):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/actions/INV-001/settle/")
    page.fill("#reason", "Mail log shows delivery at 22:13")
    page.check("input[value=occurred]")
    page.click("text=Review the decision")
    page.wait_for_selector("text=Record that send_invoice happened?")

    assert Axe().run(page, options={"preload": False}).response["violations"] == []
    assert page.evaluate("document.activeElement.textContent") == "Record the outcome"
    page.set_viewport_size(NARROW)
    assert not page.evaluate(OVERFLOWS)
