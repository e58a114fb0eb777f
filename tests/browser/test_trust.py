"""Sessions, the history of access, notifications and webhooks, as people use them."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Group, User

from runs.notices import hooks, sending, watching
from runs.notices.models import Delivery, MailWish, State, Webhook
from runs.trust.models import PersonSession
from tests.browser.conftest import PASSWORD
from tests.conftest import NOON
from tests.runs.notices.receivers import Receiver, told

OVERFLOWS = "document.documentElement.scrollWidth > window.innerWidth"


@pytest.fixture
def admin(site):
    """A window in which somebody who is admin and operator is signed in."""
    user = User.objects.create_user("ad-1", password=PASSWORD)
    user.groups.set(Group.objects.filter(name__in=["admin", "operator"]))
    site.sign_in("ad-1")
    return site


@pytest.fixture
def receiver():
    running = Receiver()
    yield running
    running.close()


def test_a_browser_elsewhere_is_signed_out(admin, chromium):
    other = chromium.new_context()
    page = other.new_page()
    page.goto(f"{admin.url}/login/")
    page.fill("#id_username", "ad-1")
    page.fill("#id_password", PASSWORD)
    page.click("text=Sign in >> nth=-1")
    page.wait_for_url(f"{admin.url}/")
    admin.open("/sessions/")
    assert admin.page.locator("tbody tr").count() == 2

    admin.page.click("text=Sign out everywhere else")
    admin.page.wait_for_selector("text=You are signed in here and nowhere else.")

    page.goto(f"{admin.url}/runs/")
    assert "/login/" in page.url
    assert PersonSession.objects.count() == 1
    admin.open("/people/history/")
    assert "all others: 1" in admin.page.inner_text("main")
    other.close()


def test_a_webhook_is_added_tried_and_called(admin, console, receiver):
    page = admin.page
    admin.open("/webhooks/")
    page.click("text=Add a webhook")
    page.fill("#name", "pager")
    page.fill("#url", receiver.url)
    page.fill("#reason", "on call")
    page.fill("#password", PASSWORD)
    page.click("button:text('Add it')")
    assert "has to be https" in page.inner_text("#errors")
    page.check("text=It lies in our own network")
    page.click("button:text('Add it')")
    secret = page.inner_text(".cli code, .cli")
    assert "whsec_" in secret

    page.click("text=Go on")
    page.check("text=Send a test")
    page.fill("#act-reason", "does it work?")
    page.click("button:text('Do it')")
    page.wait_for_url("**/notifications/log/")
    assert "Waiting" in page.inner_text("tbody")
    sending.send_due(Delivery.objects.get().next_at)
    page.reload()

    assert "answered 204" in page.inner_text("tbody")
    assert [one["event"] for one in told(receiver)] == ["test"]


def test_people_choose_what_they_are_told(admin):
    admin.open("/notifications/")
    admin.page.check("text=An item that appears")
    admin.page.fill("#address", "ad@console.example")
    admin.page.click("button:text('Keep')")
    admin.page.wait_for_selector("text=Kept.")

    wish = MailWish.objects.get()
    assert (wish.address, wish.appeared, wish.reminder) == ("ad@console.example", True, False)


@pytest.mark.parametrize("javascript", [True], ids=["javascript"])
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_axe_and_a_ruler_find_nothing_on_these_pages(admin, console, receiver, color_scheme):
    everything = {"appeared": True, "reminder": True, "settled": True, "grave_only": False}
    values = {"name": "pager", "url": receiver.url, "allow_private": True, **everything}
    webhook = hooks.add(values, reason="on call", by="ad-1", now=NOON).webhook
    watching.look(console, "elsewhere", NOON)
    for number in range(3):
        watching.tell_test(webhook, NOON, str(number))
    Delivery.objects.filter(notice__uid__endswith=":0").update(
        state=State.FAILED, attempts=9, said="answered 500 Internal Server Error"
    )
    pages = [
        "/sessions/",
        "/people/sessions/",
        "/people/history/",
        "/people/history/?kind=disabled",
        "/notifications/",
        "/notifications/log/",
        "/notifications/log/?state=dropped",
        "/webhooks/",
        "/webhooks/new/",
        f"/webhooks/{Webhook.objects.get().pk}/",
    ]
    found = []

    for width in (1440, 390, 320):
        admin.page.set_viewport_size({"width": width, "height": 900})
        for path in pages:
            admin.open(path)
            if admin.page.evaluate(OVERFLOWS):
                found.append(f"{width} {path} is too wide")
            if width != 320:
                results = Axe().run(admin.page).response["violations"]
                found += [f"{width} {path}: {one['id']}" for one in results]

    assert found == []
