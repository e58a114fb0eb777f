"""Following the store: what a poll may change on a page, and what it must leave alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from continuum.core.clock import utc_now
from continuum.services import desk
from continuum.services.actions import Settlement
from continuum.services.acts import Act
from continuum.services.decisions import settle
from continuum.services.inbox import item_id_of
from runs.words import span
from tests.browser.test_desk import SETTLE, answer, waiting
from tests.conftest import NOON
from tests.runs.conftest import report, written

STATE = """() => {
  const field = document.getElementById("reason");
  return {
    text: field.value,
    start: field.selectionStart,
    end: field.selectionEnd,
    focus: document.activeElement.id,
    ticked: [...document.querySelectorAll(".item-tick:checked")].map((one) => one.value),
    open: [...document.querySelectorAll("#detail details")].map((one) => one.open),
    rows: [...document.querySelectorAll(".item")].map((one) => one.id),
    chosen: document.querySelector("input[name=outcome]:checked")?.value,
    scroll: window.scrollY,
  };
}"""


@pytest.fixture
def javascript():
    """Following needs it."""
    return True


def poll(page):
    """Let the page ask now, and wait for what it does with the answer."""
    page.evaluate("poll()")


def until_held(page, held):
    """Wait until a request was caught on its way."""
    for _ in range(500):
        if held:
            return
        page.wait_for_timeout(10)
    raise AssertionError("nothing was asked")


def test_row_8_an_empty_list_hears_of_the_first_item_within_one_interval(site, console):
    page = site.page
    site.sign_in()
    site.open("/?tab=mine")
    assert page.locator(".item").count() == 0

    waiting(console, "newcomer")

    page.wait_for_selector("#news >> text=1 new", timeout=6000)
    assert page.inner_text("#announce").startswith("1 new")


def test_row_15_a_refresh_eats_no_typing_no_ticks_no_selection_and_nothing_open(site, console):
    page = site.page
    item = item_id_of("invoices", "action", "INV-001")
    site.sign_in()
    site.open(f"/?tab=all&item={item}")
    page.locator(".item-tick").nth(1).check()
    page.check("input[value=not_occurred]")
    page.evaluate("document.querySelectorAll('#detail details').forEach((one) => one.open = true)")
    page.fill("#reason", "half a sentence that is not done")
    page.evaluate("document.getElementById('reason').setSelectionRange(5, 15)")
    before = page.evaluate(STATE)

    for number in range(5):
        if number % 2 == 0:
            waiting(console, f"new-{number}", created_at="2026-10-01T12:00:00Z")
            report(console, "pages", number + 2)
        poll(page)
        page.wait_for_timeout(50)
    page.wait_for_selector("#news >> text=new")

    assert page.evaluate(STATE) == before
    assert before["focus"] == "reason"


def test_show_brings_the_new_rows_and_keeps_the_form_and_the_ticks(site, console):
    page = site.page
    item = item_id_of("invoices", "action", "INV-001")
    site.sign_in()
    site.open(f"/?tab=all&item={item}")
    page.locator(".item-tick").nth(1).check()
    page.fill("#reason", "half a sentence")
    page.check("input[value=not_occurred]")
    ticked = page.evaluate(STATE)["ticked"]
    newcomer = waiting(console, "newcomer")
    poll(page)

    page.click("#news >> text=show")
    page.wait_for_selector(f"#item-{newcomer}")
    # What was ticked and typed is put back once the swap has settled.
    expect(page.locator(".item-tick:checked")).to_have_count(1)

    state = page.evaluate(STATE)
    assert (state["text"], state["chosen"]) == ("half a sentence", "not_occurred")
    assert state["ticked"] == ticked
    assert page.inner_text("#news").strip() == ""
    assert page.evaluate("document.activeElement !== document.body")


def test_rows_say_who_holds_them_and_that_they_left_and_stay_in_their_places(site, console):
    page = site.page
    held, left = waiting(console, "held"), waiting(console, "left")
    site.sign_in()
    site.open("/?tab=all")
    page.focus(f"#item-{held} .item-title")
    before = page.evaluate("[...document.querySelectorAll('.item')].map((one) => one.id)")
    desk.claim(console, held, Act("bob", "cli", NOON))
    settle(console, "left", "k-left", Act("mia", "cli", NOON, "saw it"), Settlement(True))

    poll(page)
    expect(page.locator(f"#item-{held} [data-held]")).to_have_text("bob")
    expect(page.locator(f"#item-{left}[data-left]")).to_contain_text("by mia")
    after = page.evaluate("[...document.querySelectorAll('.item')].map((one) => one.id)")
    focused = page.evaluate("document.activeElement.closest('.item').id")
    desk.release(console, held, Act("bob", "cli", NOON))
    poll(page)

    expect(page.locator(f"#item-{held} [data-held]")).to_have_count(0)
    assert after == before
    assert focused == f"item-{held}"


def test_a_row_under_the_pointer_does_not_push_others_away(site, console):
    page = site.page
    held = waiting(console, "held")
    site.sign_in()
    site.open("/?tab=all")
    page.hover(f"#item-{held}")
    desk.claim(console, held, Act("somebody with a name that takes a line " * 2, "cli", NOON))

    with page.expect_response("**/live/?**"):
        poll(page)
    poll(page)
    expect(page.locator("#live")).to_contain_text("checked")
    shown = page.locator(f"#item-{held} [data-held]").count()
    page.hover(".brand")
    poll(page)

    expect(page.locator(f"#item-{held} [data-held]")).to_have_count(1)
    assert shown == 0


def test_a_row_grows_older_while_it_is_looked_at(site, console):
    page = site.page
    held = waiting(console, "held", created_at="2026-10-01T12:00:00Z")
    site.sign_in()
    site.open("/?tab=all")
    time = page.locator(f"#item-{held} time")
    page.evaluate("document.querySelectorAll('.item time').forEach((one) => one.textContent = '1')")
    begun = datetime(2026, 10, 1, 12, tzinfo=UTC)
    before = span((utc_now() - begun).total_seconds())

    poll(page)
    expect(time).not_to_have_text("1")

    after = span((utc_now() - begun).total_seconds())
    assert time.inner_text() in {before, after}


def test_a_run_that_moves_on_while_its_form_is_open_says_so(site, console):
    page = site.page
    item = item_id_of("invoices", "action", "INV-001")
    site.sign_in()
    site.open(f"/?tab=all&item={item}")
    page.fill("#reason", "still typing")
    settle(console, "invoices", "INV-001", Act("mia", "cli", NOON, "saw it"), Settlement(True))

    poll(page)
    page.wait_for_selector("#news >> text=new event")

    assert "settled" in page.inner_text("#news")
    assert page.input_value("#reason") == "still typing"


def test_the_same_news_is_announced_once(site, console):
    page = site.page
    site.sign_in()
    waiting(console, "newcomer")
    poll(page)
    page.wait_for_selector("#news >> text=1 new")
    page.evaluate("document.getElementById('announce').textContent = 'something else'")

    for _ in range(3):
        poll(page)
        page.wait_for_timeout(50)

    assert page.inner_text("#announce") == "something else"


def test_counts_follow_and_rows_keep_their_place(site, console):
    page = site.page
    site.sign_in()
    site.open("/?tab=all")
    rows = [one.get_attribute("id") for one in page.locator(".item").all()]
    at = page.locator(".item").nth(1).bounding_box()
    tab = int(page.inner_text("#tab-all span"))
    waiting(console, "newcomer", created_at="2026-10-01T12:00:00Z")

    poll(page)
    page.wait_for_selector("#news >> text=1 new")

    assert int(page.inner_text("#tab-all span")) == tab + 1
    assert page.inner_text("#inbox-badge") == str(tab + 1)
    assert page.inner_text("#strip-open") == f"{tab + 1} need a person"
    assert [one.get_attribute("id") for one in page.locator(".item").all()] == rows
    assert page.locator(".item").nth(1).bounding_box() == at


def test_counts_of_a_narrowed_list_are_left_to_the_list(site, console):
    page = site.page
    site.sign_in()
    site.open("/?tab=all&type=nothing-like-it")
    waiting(console, "newcomer")

    poll(page)
    page.wait_for_selector("#news >> text=1 new")

    assert page.inner_text("#tab-all span") == "0"


def test_an_answer_to_an_older_question_is_dropped(site, console):
    page = site.page
    site.sign_in()
    held: list[Any] = []

    def hold_first(route):
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route("**/live/**", hold_first)
    poll(page)
    until_held(page, held)
    waiting(console, "newcomer")
    page.evaluate("poll()")
    page.wait_for_selector("#news >> text=1 new")
    held[0].fulfill(status=200, body='<div class="live-answer" data-mark="old">stale words</div>')
    page.wait_for_timeout(200)

    assert "1 new" in page.inner_text("#news")
    assert "stale" not in page.inner_text("#news")


def test_of_two_items_opened_in_haste_the_last_one_is_shown(site, console):
    page = site.page
    site.sign_in()
    site.open("/?tab=all")
    held: list[Any] = []
    first = page.locator(".item-title").nth(0).get_attribute("href")
    last = page.locator(".item-title").nth(2).get_attribute("href")
    page.route(f"**{first}", lambda route: held.append(route))

    page.locator(".item-title").nth(0).click()
    until_held(page, held)
    page.locator(".item-title").nth(2).click()
    page.wait_for_selector(f'.item-title[aria-current][href="{last}"]')
    held[0].continue_()
    page.wait_for_timeout(300)

    assert page.locator(f'.item-title[aria-current][href="{last}"]').count() == 1
    assert page.url.endswith(str(last))


def test_row_16_an_ended_session_stops_the_questions_and_keeps_the_words(site, console):
    page = site.page
    site.sign_in()
    item = item_id_of("invoices", "action", "INV-001")
    site.open(f"/?item={item}")
    page.fill("#reason", "typed before the session ended")
    Session.objects.all().delete()

    poll(page)
    page.wait_for_selector("text=You are signed out")
    asked = []
    page.on("request", lambda sent: asked.append(sent.url))
    poll(page)
    page.wait_for_timeout(200)

    assert asked == []
    assert page.inner_text("#live") == "signed out"
    assert page.input_value("#reason") == "typed before the session ended"
    assert page.locator("#id_password").count() == 0
    page.click("text=Sign in again")
    page.wait_for_url("**/login/?next=*item*")


def test_opening_an_item_after_the_session_ended_swaps_no_sign_in_page_in(site, console):
    page = site.page
    site.sign_in()
    Session.objects.all().delete()

    page.click(".item-title >> nth=0")
    page.wait_for_selector("text=You are signed out")

    assert page.locator("#id_password").count() == 0
    assert page.locator(".item").count() > 0


def test_questions_slow_down_when_nobody_is_there_and_when_answers_fail(site):
    page = site.page
    site.sign_in()
    used = [page.evaluate("pollDelay()") for _ in range(20)]
    page.evaluate("follow.lastUse = Date.now() - 61000")
    idle = [page.evaluate("pollDelay()") for _ in range(20)]
    page.evaluate("follow.lastUse = Date.now(); follow.failures = 3")
    failing = [page.evaluate("pollDelay()") for _ in range(20)]

    assert all(2700 <= wait <= 3300 for wait in used)
    assert len(set(used)) > 5
    assert all(54_000 <= wait <= 66_000 for wait in idle)
    assert all(21_600 <= wait <= 26_400 for wait in failing)


def test_a_failing_server_is_told_and_recovers(site):
    page = site.page
    site.sign_in()
    page.route("**/live/**", lambda route: route.abort())
    poll(page)
    page.wait_for_selector("#live[data-state=failed]")
    told = page.inner_text("#live")
    page.unroute("**/live/**")

    poll(page)
    page.wait_for_selector("#live[data-state=live]")

    assert "could not refresh" in told


def test_a_hidden_page_asks_nothing_and_asks_at_once_when_shown(site):
    page = site.page
    site.sign_in()
    asked = []
    page.on("request", lambda sent: asked.append(sent.url) if "/live/" in sent.url else None)
    hide = "Object.defineProperty(document, 'visibilityState', {value: '%s', configurable: true});"
    change = "document.dispatchEvent(new Event('visibilitychange'));"

    page.evaluate(hide % "hidden" + change)
    page.wait_for_timeout(4000)
    while_hidden = list(asked)
    page.evaluate(hide % "visible" + change)
    page.wait_for_timeout(500)

    assert while_hidden == []
    assert len(asked) == 1


def test_the_keyboard_keeps_its_place_when_parts_are_swapped(site, console):
    page = site.page
    site.sign_in()
    site.open("/?tab=all")
    page.focus(".item-title >> nth=1")
    row = page.evaluate("document.activeElement.closest('.item').id")

    page.keyboard.press("Enter")
    page.wait_for_selector(".item[data-selected]")
    after_opening = page.evaluate("document.activeElement.closest('.item')?.id")
    page.focus("#tab-mine")
    page.keyboard.press("Enter")
    page.wait_for_selector("#tab-mine[aria-current]")
    after_tab = page.evaluate("document.activeElement.id")

    assert (after_opening, after_tab) == (row, "tab-mine")


def test_the_theme_and_the_zone_are_there_from_the_first_paint(site, console):
    page = site.page
    site.sign_in()
    site.open("/preferences/")
    page.check("input[value=dark]")
    page.select_option("#zone", "Asia/Kolkata")
    page.click("button:text-is('Keep')")
    page.wait_for_selector("text=Kept.")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")

    site.open(SETTLE)

    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light
    assert "IST" in page.inner_text("#live")
    assert written(console, "invoices")


def test_a_form_that_was_overtaken_leads_to_what_changed_and_keeps_every_word(site, console):
    page = site.page
    site.sign_in()
    site.open(f"/?tab=all&item={item_id_of('invoices', 'action', 'INV-001')}")
    answer(page, "it bounced", outcome="not_occurred")
    page.focus("[data-decider]")
    settle(console, "invoices", "INV-001", Act("mia", "cli", NOON, "saw it"), Settlement(True))
    before = written(console, "invoices")

    poll(page)
    page.wait_for_selector("button:has-text('Review changes')")
    focused = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Written since")

    assert focused.startswith("Review changes")
    assert page.inner_text("ins >> nth=0") == "completed"
    assert page.input_value("#reason") == "it bounced"
    assert page.is_checked("input[value=not_occurred]")
    assert page.inner_text("[data-decider]").startswith("Review the decision")
    assert written(console, "invoices") == before


def test_the_last_step_of_an_overtaken_decision_leads_back_too(site, console):
    page = site.page
    site.sign_in()
    site.open(SETTLE)
    answer(page, "it bounced", outcome="not_occurred")
    page.click("text=Review the decision")
    page.wait_for_selector("#review-title")
    settle(console, "invoices", "INV-001", Act("mia", "cli", NOON, "saw it"), Settlement(True))

    poll(page)
    page.click("button:has-text('Review changes')")
    page.wait_for_selector("text=Written since")

    assert page.input_value("#reason") == "it bounced"


def test_progress_below_a_form_leaves_it_as_it_is(site, console):
    page = site.page
    site.sign_in()
    site.open(SETTLE)
    report(console, "invoices", 3)

    poll(page)
    page.wait_for_selector("#news >> text=new event")

    assert page.inner_text("[data-decider]").startswith("Review the decision")


def test_buttons_that_write_rest_while_the_page_cannot_refresh(site, console):
    page = site.page
    site.sign_in()
    site.open(f"/?tab=all&item={item_id_of('invoices', 'action', 'INV-001')}")
    answer(page)
    page.route("**/live/**", lambda route: route.abort())
    poll(page)
    page.wait_for_selector("#held")
    held = page.locator("main form[method=post] button:not([type=button])")
    states = [one.get_attribute("aria-disabled") for one in held.all()]
    page.focus("[data-decider]")
    page.keyboard.press("Enter")
    expect(page.locator("#announce")).to_contain_text("Not sent")
    at = page.url

    page.unroute("**/live/**")
    page.click("text=Try now")
    page.wait_for_selector("#held", state="detached")

    assert set(states) == {"true"}
    assert page.url == at
    assert page.locator("main [aria-disabled=true]").count() == 0
    page.click("text=Review the decision")
    page.wait_for_selector("#review-title")
