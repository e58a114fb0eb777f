"""Two people decide, each in a browser of their own; with and without JavaScript."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User

from continuum.services.acts import Act
from continuum.services.foureyes import actions_of, require_two
from tests.browser.conftest import PASSWORD
from tests.conftest import NOON
from tests.runs.conftest import written


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
        page.click("text=Record the outcome")

    page.wait_for_selector("text=different person")
    assert written(console, "invoices")[-1][1] == "ACTION_RECORDED"
