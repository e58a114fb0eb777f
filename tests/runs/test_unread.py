"""Pages of runs that are too long to be read at once: quick, honest, and read in the background."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from continuum.core.clock import utc_now
from continuum.services import recovery
from continuum.services.standings import standing
from continuum.services.summaries import catch_up_run
from continuum.services.verifications import Order
from continuum.services.verifyjobs import open_job, start_job
from runs.keeper import Keeper
from runs.schedule import Schedule
from tests.conftest import NOON
from tests.runs.conftest import HTMX, report
from tests.runs.test_live import asked, poll

MOST = 10
PAGE = "/runs/run_a/"


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let a page wait for ten events, so that a dozen make a long run."""
    monkeypatch.setattr(recovery, "READ_AT_ONCE", MOST)


@pytest.fixture
def unread(console, make_run):
    """A run with more events than a page waits for, and an action that hangs."""
    return make_run("run_a", claimed=["INV-001"], progress=2 * MOST)


def shown(client, url=PAGE):
    """Return the text of a page that answers."""
    page = client.get(url)
    assert page.status_code == 200, page.content
    return page.content.decode()


def work(store, url, folder, rounds=30):
    """Let the background loop do some rounds."""
    keeper, schedule = Keeper(url, folder / "keeper.lock"), Schedule(url, None)
    for _ in range(rounds):
        keeper.judge(store, schedule)
        schedule.step(store)


def test_its_page_says_so_and_offers_no_decision(operator, unread):
    page = shown(operator)

    assert "Not read yet" in page
    assert "events of this run have not been read" in page
    assert "/settle/" not in page and "/confirm/" not in page
    assert "Safe" not in page


def test_nothing_is_known_to_be_wrong_so_nothing_is_alarming(operator, unread):
    page = shown(operator)

    assert "Cannot be judged" not in page
    assert 'id="why" class="panel" data-tone="info"' in page


@pytest.mark.parametrize("tab", ["events", "actions", "timeline", "diff", "contract", "family"])
def test_every_tab_opens(operator, unread, tab):
    shown(operator, f"{PAGE}?tab={tab}")


def test_looking_at_it_neither_reads_nor_writes_it(operator, console, unread):
    before = console.head_mark(unread)

    shown(operator)

    assert console.head_mark(unread) == before


@pytest.mark.parametrize("url", ["/", "/runs/"])
def test_lists_tell_that_something_is_not_in_them_yet(operator, unread, url):
    page = shown(operator, url)

    assert "1 long run" in page
    assert "being read in the background" in page


@pytest.mark.parametrize("url", ["/", "/runs/"])
def test_lists_say_nothing_once_all_is_read(operator, console, unread, url):
    catch_up_run(console, unread, at=NOON)

    assert "being read" not in shown(operator, url)


def test_a_decision_form_asks_for_a_moment(operator, unread):
    answer = operator.get("/runs/run_a/complete/")

    page = answer.content.decode()
    assert answer.status_code == 503
    assert "still being read" in page
    assert "Look again" in page


def test_an_open_page_hears_when_it_has_been_read(operator, console, unread):
    place = asked(operator, PAGE)
    shown(operator, "/")
    assert poll(operator, place).status_code == 204
    report(console, unread, 5, fresh=False)
    told = poll(operator, place).content.decode()
    assert "new event" not in told and "has been read" not in told
    catch_up_run(console, unread, at=NOON)

    answer = poll(operator, place).content.decode()

    assert "has been read" in answer
    mark = re.search(r'data-mark="([^"]*)"', answer)
    assert mark and poll(operator, (place[0], mark[1])).status_code == 204


def test_the_background_loop_verifies_and_judges_it(console, store_url, tmp_path, operator, unread):
    work(console, store_url, tmp_path)

    known = standing(console, unread)
    assert known.is_green
    assert known.result is not None and known.result.via == "schedule"
    page = shown(operator)
    assert "Not read yet" not in page
    assert "/settle/" in page


def test_a_break_the_loop_finds_is_what_the_page_tells(
    console, store_url, tmp_path, operator, unread, execute
):
    execute("DROP TRIGGER cx_keep_updated")
    execute("UPDATE events SET payload = '{}' WHERE run_id = ? AND sequence = 5", unread)

    work(console, store_url, tmp_path)

    page = shown(operator)
    assert "does not verify" in page and "from event 5 on" in page
    assert "Not read yet" not in page


def test_a_run_that_somebody_verifies_meanwhile_is_read_all_the_same(
    console, store_url, tmp_path, unread
):
    start_job(console, Order(unread, "ada", "console"), at=utc_now())

    work(console, store_url, tmp_path)

    assert console.summary(unread).open_actions == 1
    assert open_job(console, unread) is not None


def test_an_item_beside_the_list_shows_the_same(operator, console, unread):
    catch_up_run(console, unread, at=NOON)
    item = re.search(r'id="item-([^"]+)"', shown(operator, "/"))
    assert item
    for number in range(1, MOST + 2):
        report(console, unread, number, fresh=False)

    answer = operator.get(f"{reverse('runs:inbox')}?item={item[1]}", headers=HTMX)

    assert "Not read yet" in answer.content.decode()
