"""An admin's day: a program is refused, is let in, and goes on without a restart."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Group, User

from continuum.domain.callerrows import Tools
from continuum.services import callerchanges as changes
from continuum.services.callerlists import list_entries, verify_history
from tests.browser.conftest import PASSWORD
from tests.mcp.wire import Server
from tests.services.callers import CONFIRM, PROGRESS, by_ada, listed

OVERFLOWS = "document.documentElement.scrollWidth > window.innerWidth"


@pytest.fixture
def admin(site):
    """A window in which an admin is signed in."""
    user = User.objects.create_user("ad-1", password=PASSWORD)
    user.groups.set(Group.objects.filter(name="admin"))
    site.sign_in("ad-1")
    return site


def stand(page, reason, *, password=True):
    """Give a reason, and the password where it is asked for."""
    page.fill("#reason", reason)
    assert page.locator("#password").count() == int(password)
    if password:
        page.fill("#password", PASSWORD)


def test_a_refused_program_is_let_in_and_goes_on_without_a_restart(
    admin, console, store_url, tmp_path
):
    page = admin.page
    progress = {"run_id": "nightly", "goal": "Count", "completed": 1, "total": 3}
    with Server(tmp_path, "--db", store_url) as server:
        server.hello("cursor-vscode")
        refused = server.refusal(PROGRESS, **progress)

        page.click("nav >> text=Callers")
        page.click("#refused tr:has-text('cursor-vscode') >> text=Add…")
        assert page.input_value("#name") == "cursor-vscode"
        page.check("input[name=write][value='*']")
        page.check("input[name=no_secret]")
        page.click("text=Preview the change")
        page.wait_for_selector("text=will gain")
        assert not list_entries(console)
        stand(page, "The web team works with it.")
        page.click("text=Add the caller")
        page.wait_for_selector("#entry-title")
        allowed = server.data(PROGRESS, **progress)

    [entry] = list_entries(console)
    assert "not on the allowlist" in refused["text"]
    assert allowed["run_id"] == "nightly"
    assert entry.row.hash in page.inner_text("main")
    assert entry.entry and entry.entry.payload["reason"] == "The web team works with it."


def test_a_secret_is_shown_once_and_the_password_holds_for_the_next_change(admin, console):
    page = admin.page
    listed(console, "agent-a", with_secret=True)
    admin.open("/callers/by-name/agent-a/rotate/")

    page.check("input[name=overlap][value='24']")
    stand(page, "Monthly.")
    page.click("text=Make a new secret")
    page.wait_for_selector("#secret-title")
    secret = page.locator(".cli code").inner_text().strip()
    page.click("text=All callers")
    page.click("#callers >> text=agent-a")
    page.click("text=Disable…")
    stand(page, "It misbehaved.", password=False)
    page.click("text=Disable it")
    page.wait_for_selector("#entry-title")

    assert secret.startswith("cxs_") and len(secret) == 47
    assert secret not in page.content()
    assert console.caller("agent-a").enabled is False
    assert verify_history(console).ok


def test_a_change_made_meanwhile_is_shown_and_the_text_kept(admin, console):
    page = admin.page
    listed(console, "agent-a", with_secret=True)
    admin.open("/callers/by-name/agent-a/")
    page.fill("#note", "My own words")
    page.click("text=Preview the change")
    page.wait_for_selector("text=Put your name to it")

    changes.rotate_secret(console, "agent-a", by_ada("Leaked in a log."))
    stand(page, "Tidying up.")
    page.click("text=Make the change")

    page.wait_for_selector("text=This changed while you were deciding")
    assert "Leaked in a log." in page.inner_text("main")
    assert page.input_value("#note") == "My own words"
    assert len(list_entries(console)) == 2


def test_the_right_to_confirm_is_flagged_before_it_is_given(admin, console):
    page = admin.page
    listed(console, "agent-a", with_secret=True)
    admin.open("/callers/by-name/agent-a/")

    page.check("input[name=confirm]")
    page.click("text=Preview the change")

    page.wait_for_selector(".notice:has-text('an agent could confirm itself')")
    assert len(list_entries(console)) == 1


@pytest.mark.parametrize("javascript", [True], ids=["javascript"], indirect=True)
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_axe_and_a_ruler_find_nothing_on_the_callers_pages(admin, console):
    listed(console, "agent-a", with_secret=True, tools=Tools(write=(PROGRESS,), confirm=(CONFIRM,)))
    listed(console, "agent-b", run_pattern="inv-*", note="nightly", expires_at="2999-01-01")
    changes.disable_caller(console, "agent-b", by_ada())
    paths = ["", "new/", "history/", "history/1/"]
    paths += [f"by-name/agent-a/{verb}" for verb in ("", "rotate/", "disable/", "enable/")]
    found = []

    for width in (1440, 1024, 390, 320):
        admin.page.set_viewport_size({"width": width, "height": 900})
        for path in paths:
            admin.open(f"/callers/{path}")
            if admin.page.evaluate(OVERFLOWS):
                found.append(f"{width} {path}: wider than the window")
            if width in (1440, 390):
                report = Axe().run(admin.page, options={"preload": False}).response
                found += [f"{width} {path}: {one['id']}" for one in report["violations"]]

    assert found == []
