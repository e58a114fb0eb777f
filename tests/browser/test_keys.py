"""Keys: the whole map, where it rests, and ten items reviewed without the mouse."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from continuum.services import desk
from continuum.services.acts import Act
from continuum.services.inbox import get_item, item_id_of
from runs import personal
from runs.keymap import KEYS
from tests.browser.test_desk import SETTLE, waiting
from tests.conftest import NOON
from tests.runs.conftest import written

MAP = "".join(press for key in KEYS for press in key.presses if len(press) == 1)
FOCUSED_ROW = "document.activeElement.closest('.item, tr')?.id || document.activeElement.id"


@pytest.fixture
def javascript():
    """Keys need it."""
    return True


class Keyboard:
    """Presses keys and counts them; typed words count apart."""

    def __init__(self, page):
        self.page = page
        self.pressed = 0
        self.typed = 0

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
            self.pressed += 1

    def type(self, text):
        self.page.keyboard.type(text)
        self.typed += len(text)


def focused(page):
    return page.evaluate(FOCUSED_ROW)


def arrived(page, selector):
    """Wait for a part of the page a key leads to, and until the scripts there listen."""
    page.wait_for_selector(selector)
    page.wait_for_load_state("load")


def _place(page):
    """Return where the page is; lists follow what is typed into their filters."""
    return page.url.partition("?")[0]


def test_ten_items_are_reviewed_by_keys_alone(site, console):
    for number in range(10):
        waiting(console, f"ten-{number}", action_type="pay", created_at="2026-11-01T12:00:00Z")
    page = site.page
    site.sign_in()
    site.open("/?tab=all&type=pay")
    keys = Keyboard(page)

    keys.press("n")
    for number in range(10):
        arrived(page, "#reason")
        keys.press("d", "Space", "Tab", "Tab")
        keys.type(f"checked {number}")
        keys.press("Control+Enter")
        arrived(page, "[data-decider][autofocus]:focus")
        keys.press("Enter")
        arrived(page, "text=Written")
        keys.press("n")
    page.wait_for_selector("text=No other item waits")

    for number in range(10):
        assert written(console, f"ten-{number}")[-1][1] == "ACTION_RECONCILED"
    # One to begin; then to the form, choose, past the id and to the reason, send, record, next.
    assert keys.pressed == 1 + 10 * 7


def test_the_list_is_walked_ticked_and_claimed_by_keys(site, console):
    page = site.page
    site.sign_in()
    page.keyboard.press("j")
    first = focused(page)
    page.keyboard.press("j")
    second = focused(page)
    page.keyboard.press("x")
    ticked = page.locator(".item-tick:checked").count()
    page.keyboard.press("k")

    assert (focused(page), ticked) == (first, 1)
    assert first != second

    page.keyboard.press("c")
    page.wait_for_selector("button:has-text('Release')")
    claimed = get_item(console, first.removeprefix("item-"))
    assert claimed.claimed_by == "op-1"
    assert focused(page) != ""

    page.keyboard.press("c")
    page.wait_for_selector("button:has-text('Claim') >> visible=true")
    assert get_item(console, claimed.item_id).claimed_by is None


def test_u_leads_back_to_the_same_list_and_row(site, console):
    page = site.page
    site.sign_in()
    site.open("/runs/?text=o")
    page.keyboard.press("j")
    page.keyboard.press("j")
    href = page.evaluate("document.activeElement.getAttribute('href')")
    page.keyboard.press("o")
    page.wait_for_selector("#record")

    page.keyboard.press("u")
    page.wait_for_url("**/runs/?text=o")

    assert page.evaluate("document.activeElement.getAttribute('href')") == href


def test_u_leads_back_from_a_page_of_the_item_to_the_inbox_as_it_was(site, console):
    page = site.page
    site.sign_in()
    site.open("/?tab=all&kind=action")
    page.keyboard.press("j")
    row = focused(page)
    page.keyboard.press("Enter")
    page.wait_for_selector("#reason")
    site.open(SETTLE)

    page.keyboard.press("u")
    page.wait_for_url("**/?tab=all&kind=action")

    assert focused(page) == row


def test_on_a_phone_u_closes_the_item_and_finds_the_row(site, console):
    page = site.page
    page.set_viewport_size({"width": 390, "height": 800})
    site.sign_in()
    page.keyboard.press("j")
    row = focused(page)
    page.keyboard.press("Enter")
    page.wait_for_selector(".inbox[data-open]")

    page.keyboard.press("u")
    page.wait_for_selector(".inbox:not([data-open])")
    expect(page.locator(f"#{row} :focus, #{row}:focus")).to_have_count(1)


def test_n_skips_what_somebody_else_works_on(site, console):
    held = waiting(console, "held", created_at="2026-10-01T12:00:00Z")
    desk.claim(console, held, Act("op-9", "cli", NOON))
    page = site.page
    site.sign_in()

    page.keyboard.press("n")
    page.wait_for_selector(".item[data-selected]")

    assert held not in page.url
    assert "item=" in page.url


def test_e_and_d_move_the_focus_and_nothing_else(site, console):
    page = site.page
    site.sign_in()
    site.open("/runs/pages/")
    address, before = page.url, written(console, "pages")

    page.keyboard.press("e")
    at_evidence = page.evaluate("document.activeElement.id")
    page.keyboard.press("d")
    in_decision = page.evaluate("document.activeElement.closest('#decide') !== null")

    assert (at_evidence, in_decision) == ("evidence", True)
    assert page.url == address
    assert written(console, "pages") == before


@pytest.mark.parametrize(("presses", "address"), [("gi", "/"), ("gr", "/runs/"), ("ga", "/chain/")])
def test_g_leads_to_the_sections(site, presses, address):
    page = site.page
    site.sign_in()
    site.open("/keys/")

    for press in presses:
        page.keyboard.press(press)

    page.wait_for_url(site.url + address)


def test_r_pauses_and_goes_on(site):
    page = site.page
    site.sign_in()

    page.keyboard.press("r")
    page.wait_for_selector("#live[data-state=paused]")
    asked = []
    page.on("request", lambda sent: asked.append(sent.url) if "/live/" in sent.url else None)
    page.evaluate("poll()")
    page.reload()
    page.wait_for_selector("#live[data-state=paused]")
    assert asked == []

    page.keyboard.press("r")
    page.wait_for_selector("#live[data-state=live]")


def test_the_list_of_keys_opens_and_gives_the_focus_back(site):
    page = site.page
    site.sign_in()
    page.keyboard.press("j")
    row = focused(page)

    page.keyboard.press("?")
    page.wait_for_selector("#keys-dialog[open]")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('dialog') !== null")
    page.keyboard.press("Escape")
    page.wait_for_selector("#keys-dialog", state="detached")

    assert focused(page) == row


def test_every_key_of_the_list_does_something(site):
    site.sign_in()
    known = site.page.evaluate("[...Object.keys(ACTS), ...Object.keys(AFTER_G)].sort().join('')")

    listed = {press for key in KEYS for press in (*key.presses, key.alternative) if len(press) == 1}
    assert listed == set(known)


def test_row_28_keys_rest_in_every_field_with_modifiers_and_while_composing(site, console):
    page = site.page
    site.sign_in()
    item = item_id_of("invoices", "action", "INV-001")
    for path in (
        f"/?item={item}",
        SETTLE,
        "/runs/",
        "/preferences/",
        f"/items/assign/?item={item}",
    ):
        site.open(path)
        before, address = written(console, "invoices"), _place(page)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        fields = page.locator(
            "main input:not([type=hidden]):not(.item-tick):visible, main select:visible, "
            "main textarea:visible, #search"
        )
        assert fields.count() > 1
        for number in range(fields.count()):
            field = fields.nth(number)
            field.focus()
            for press in MAP:
                page.keyboard.press(press)
            assert page.locator("dialog[open]").count() == 0
            assert field.evaluate("one => one === document.activeElement"), path
        assert _place(page) == address
        assert written(console, "invoices") == before


def test_row_28_modifiers_and_compositions_are_not_keys_of_ours(site, console):
    page = site.page
    site.sign_in()
    site.open("/")
    page.focus(".item-title")
    address, row = page.url, focused(page)

    for press in ("j", "k", "n", "c", "u", "d"):
        for held in ("Control", "Alt", "Meta"):
            page.evaluate(
                "([key, held]) => document.activeElement.dispatchEvent(new KeyboardEvent("
                "'keydown', {key, bubbles: true, cancelable: true, [`${held}Key`]: true}))",
                [press, {"Control": "ctrl", "Alt": "alt", "Meta": "meta"}[held]],
            )
        for more in ({"isComposing": True}, {"keyCode": 229}):
            page.evaluate(
                "([key, more]) => document.activeElement.dispatchEvent(new KeyboardEvent("
                "'keydown', {key, bubbles: true, cancelable: true, ...more}))",
                [press, more],
            )

    assert (page.url, focused(page)) == (address, row)
    assert get_item(console, row.removeprefix("item-")).claimed_by is None


def test_single_keys_can_be_switched_off(site):
    user = User.objects.get(username="op-1")
    personal.save_preferences(user, theme="auto", zone="", single_keys=False)
    page = site.page
    site.sign_in()
    address = page.url

    for press in MAP:
        page.keyboard.press(press)

    assert page.url == address
    assert page.locator("dialog[open]").count() == 0
    assert focused(page) == ""


def test_escape_leaves_a_field_so_that_keys_work_again(site, console):
    page = site.page
    site.sign_in()
    site.open(SETTLE)
    page.focus("#reason")
    page.keyboard.type("half")

    page.keyboard.press("Escape")

    assert not page.evaluate("document.activeElement.matches('textarea, body')")
    assert page.input_value("#reason") == "half"
