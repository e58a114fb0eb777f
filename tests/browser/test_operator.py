"""An operator's day: sign in, settle, confirm, complete; with and without JavaScript."""

from __future__ import annotations

import pytest

from tests.runs.conftest import written


def test_an_operator_settles_confirms_and_completes(site, console):
    page = site.page
    site.sign_in()
    page.click(".item-title:has-text('send_invoice')")
    page.fill("#reason", "Mail log shows delivery at 22:13")
    page.check("input[value=occurred]")
    page.fill("#external_id", "msg-8f2c")
    page.click("text=Review the decision")
    page.click("text=Record the outcome")
    page.wait_for_selector("text=Written")
    assert "RESUME · safe" in page.inner_text("main")
    assert written(console, "invoices")[-1][1] == "ACTION_RECONCILED"

    site.open("/")
    page.click(".item:has-text('Move 9 pages') >> .item-title")
    page.click("#decide >> text=Confirm goal")
    page.fill("#reason", "Read the ticket")
    page.click("button:text-is('Confirm')")
    page.wait_for_selector("text=Written")
    run_id = page.locator("dt:text-is('Run') + dd").inner_text()
    assert written(console, run_id)[-1][1] == "REVIEW_CONFIRMED"

    page.click("text=Back to the run")
    page.click("text=Complete the run…")
    page.fill("#summary", "All done")
    page.click(f"button:has-text('Complete {run_id}')")
    page.wait_for_selector("text=The run is completed")
    assert [kind for _, kind in written(console, run_id)[-2:]] == [
        "REVIEW_CONFIRMED",
        "RUN_COMPLETED",
    ]


def test_a_missing_reason_is_asked_for_and_the_rest_is_kept(site, console):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/actions/INV-001/settle/")
    before = written(console, "invoices")

    page.check("input[value=not_occurred]")
    page.fill("#external_id", "kept")
    page.click("text=Review the decision")

    page.wait_for_selector(".field-error")
    assert page.is_checked("input[value=not_occurred]")
    assert page.input_value("#external_id") == "kept"
    assert written(console, "invoices") == before


def test_the_inbox_opens_items_in_place_and_the_address_follows(site):
    page = site.page
    site.sign_in()

    page.click(".item-title:has-text('send_invoice')")
    page.wait_for_selector("#settle-title")
    address = page.url
    page.go_back()
    page.wait_for_selector("text=Choose an item")

    assert "item=" in address


def test_filters_lead_to_an_address_that_can_be_shared(site):
    page = site.page
    site.sign_in()
    site.open("/runs/")

    page.fill("#f-text", "invoices")
    page.click("button:text-is('Apply')")
    page.wait_for_url("**/runs/?*text=invoices*")
    page.reload()

    assert page.locator(".run-goal").count() == 1


def test_tabs_of_a_run_have_their_own_address(site):
    page = site.page
    site.sign_in()
    site.open("/runs/invoices/")

    page.click(".tabs >> text=Contract")
    page.wait_for_url("**tab=contract*")

    assert "request_human" in page.content() or "requires human" in page.inner_text("#record")


@pytest.mark.parametrize("path", ["/runs/", "/", "/actions/", "/families/"])
def test_hostile_text_stays_text(site, path):
    site.sign_in()
    site.open(path)

    assert site.page.locator("img").count() == 0
    assert "onerror=alert(1)" in site.page.inner_text("body") or path == "/families/"
