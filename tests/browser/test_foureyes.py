"""Two people decide, each in a browser of their own; with and without JavaScript."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Group, User

from continuum.services.actions import Settlement
from continuum.services.acts import Act
from continuum.services.decisions import settle
from continuum.services.foureyes import actions_of, require_two
from tests.browser.conftest import PASSWORD
from tests.browser.test_accessibility import OVERFLOWS
from tests.conftest import NOON
from tests.runs.conftest import written

NO_PRELOAD = {"preload": False}
"""Axe would ask for every style sheet again, under the page's own address."""


@pytest.fixture
def second_page(site, chromium, javascript, console):
    """The window of another operator, signed in."""
    user = User.objects.create_user("op-2", password=PASSWORD)
    user.groups.set(Group.objects.filter(name="operator"))
    require_two(console, actions_of("send_invoice"), Act("root", "cli", NOON, reason="audit 7"))
    context = chromium.new_context(java_script_enabled=javascript)
    page = context.new_page()
    page.set_default_timeout(10_000)
    yield site._replace(page=page)
    context.close()


def test_one_proposes_and_another_confirms(site, second_page, console):
    first, second = site.page, second_page.page
    before = written(console, "invoices")

    site.sign_in()
    site.open("/runs/invoices/actions/INV-001/settle/")
    first.fill("#reason", "Mail log shows delivery at 22:13")
    first.check("input[value=occurred]")
    first.fill("#external_id", "msg-8f2c")
    first.click("text=Review the decision")
    first.click("text=Record the outcome")
    first.wait_for_selector("text=Somebody else has to confirm it")
    assert written(console, "invoices") == before

    second_page.sign_in("op-2")
    second.click(".item-title:has-text('send_invoice')")
    second.click("text=Review as second person")
    assert "Mail log shows delivery at 22:13" in second.inner_text("main")
    second.fill("#reason", "The customer has it")
    second.click("text=Confirm as second person")
    second.wait_for_selector("text=Written")

    assert "op-1" in second.inner_text("main")
    payload = list(console.events("invoices"))[-1].payload
    assert (payload["by"], payload["proposed_by"]) == ("op-2", "op-1")
    assert payload["action"]["external_id"] == "msg-8f2c"


def test_nobody_is_their_own_second_person(site, second_page, console):
    page = site.page
    site.sign_in()
    for _ in range(2):
        site.open("/runs/invoices/actions/INV-001/settle/")
        page.check("input[value=occurred]")
        page.click("text=Review the decision")
        page.click("text=Record the outcome")

    page.wait_for_selector("text=different person")
    assert written(console, "invoices")[-1][1] == "ACTION_RECORDED"


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("javascript", [True])
def test_axe_finds_nothing_on_the_pages_of_rules_and_proposals(site, second_page, console):
    User.objects.get(username="op-1").groups.add(Group.objects.get(name="admin"))
    for person, outcome in (("op-1", True), ("op-2", False)):
        act = Act(person, "console", NOON, reason="saw it")
        settle(console, "invoices", "INV-001", act, Settlement(occurred=outcome))
    addresses = ["/policies/", "/policies/?people=one&subject=over_open_items", "/queue/"]
    addresses += ["/runs/invoices/", "/runs/invoices/actions/INV-001/"]
    rows = console.proposals("invoices")
    addresses += [f"/runs/invoices/proposals/{row.proposal_id}/" for row in rows]
    site.sign_in()
    found = []

    for width in (1440, 390):
        site.page.set_viewport_size({"width": width, "height": 900})
        for path in addresses:
            site.open(path)
            assert not site.page.evaluate(OVERFLOWS), path
            violations = Axe().run(site.page, options=NO_PRELOAD).response["violations"]
            found += [(path, width, one["id"]) for one in violations]

    assert found == []
