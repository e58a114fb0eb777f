"""The list of actions: what it shows, narrows by, and how it goes on."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from continuum.domain.actions import ActionStatus
from continuum.services import desk, inbox
from continuum.services.acts import Act
from runs.pages import action_list
from tests.conftest import NOON
from tests.runs.conftest import refresh
from tests.store.test_ledger import action
from tests.stores import action_event, claimed_action

HOSTILE = "<script>alert(1)</script>"


def page_of(client, address=""):
    """Return the open and the settled keys that the list shows, and where it goes on."""
    screen = client.get(f"/actions/{address}").context["screen"]
    opened = [row.action.key for row in screen.page.open]
    return opened, [row.action.key for row in screen.page.settled], screen.next_cursor


@pytest.fixture
def ledger(console, make_run):
    """One run with two open actions and one that is done, with a receipt."""
    make_run("run_a", goal="Send invoices", claimed=["a", "b", "c"])
    done = action("c", status=ActionStatus.COMPLETED, external_id="po_7")
    console.append("run_a", [action_event("c", done, at=NOON)])
    refresh(console)
    return console


def test_open_actions_come_before_settled_ones(operator, ledger):
    assert page_of(operator) == (["a", "b"], ["c"], "")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("?status=open", (["a", "b"], [])),
        ("?status=completed", ([], ["c"])),
        ("?outside=po_", ([], ["c"])),
        ("?text=invoices", (["a", "b"], ["c"])),
        ("?text=zebra", ([], [])),
        ("?type=send_invoice", (["a", "b"], ["c"])),
        ("?type=wire", ([], [])),
        ("?age=24h", (["a", "b"], ["c"])),
        ("?age=over-7d", ([], [])),
        ("?status=nonsense&age=nonsense", (["a", "b"], ["c"])),
    ],
)
def test_the_address_narrows_the_list(operator, ledger, monkeypatch, address, shown):
    monkeypatch.setattr("runs.views.actions.timezone.now", lambda: NOON)

    assert page_of(operator, address)[:2] == shown


def test_pages_lead_from_open_ones_to_settled_ones(operator, ledger, monkeypatch):
    monkeypatch.setattr(action_list, "PAGE", 1)
    found, address = [], ""
    for _ in range(4):
        opened, settled, place = page_of(operator, address)
        found += [opened, settled]
        address = f"?after={quote(place)}"
        if not place:
            break

    assert found == [["a"], [], ["b"], [], [], ["c"]]


def test_the_next_page_keeps_the_filters(operator, ledger, monkeypatch):
    monkeypatch.setattr(action_list, "PAGE", 1)

    page = operator.get("/actions/?status=open&text=inv").content.decode()

    assert "?status=open&amp;text=inv&amp;after=" in page


@pytest.mark.parametrize("place", ["x", "[1]", "[1,2,3,4]", "{}", "[" * 5000])
def test_a_broken_place_is_refused(operator, ledger, place):
    assert operator.get(f"/actions/?after={quote(place)}").status_code == 422


def test_an_action_says_who_holds_it_and_offers_to_settle(operator, viewer, ledger):
    desk.claim(ledger, inbox.item_id_of("run_a", "action", "b"), Act("op-2", "console", NOON))

    page = operator.get("/actions/").content.decode()

    assert page.count("/settle/") == 2
    assert ">op-2<" in page
    assert "/settle/" not in viewer.get("/actions/").content.decode()


def test_what_agents_wrote_is_text(operator, console, make_run):
    make_run("run_a", goal=HOSTILE)
    members = {"action_type": HOSTILE, "external_id": HOSTILE}
    console.append("run_a", [claimed_action("run_a", HOSTILE, at=NOON, **members)])
    refresh(console)

    page = operator.get(f"/actions/?text={quote(HOSTILE)}").content.decode()

    assert HOSTILE not in page
    assert page.count("&lt;script&gt;") > 3


def test_a_list_without_match_leads_back(operator, ledger):
    page = operator.get("/actions/?text=zebra").content.decode()

    assert "No action matches" in page
    assert "Clear the filters" in page
