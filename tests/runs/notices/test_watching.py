"""One message for each change of an inbox item, whoever looks and whatever is restarted."""

from __future__ import annotations

from datetime import timedelta

from django.core import mail

from runs.notices import watching
from runs.notices.models import Delivery, ItemMark, MailWish, Notice
from tests.conftest import NOON
from tests.runs.conftest import refresh
from tests.runs.notices.receivers import settled, told
from tests.stores import claimed_action


def test_row29_two_hundred_views_and_fifty_polls_are_one_message(
    operator, console, uncertain, wish, tell, receiver, hook
):
    hook(receiver.url)
    uncertain()
    head = console.head("run_a")

    for number in range(200):
        operator.get("/")
        if number % 4 == 0:
            operator.get("/live/")
            tell(seconds=number)

    assert len(mail.outbox) == 1
    assert [one["event"] for one in told(receiver)] == ["item.appeared"]
    assert console.head("run_a") == head


def test_an_item_is_told_when_it_appears_waits_and_is_settled(
    console, uncertain, wish, tell, receiver, hook
):
    hook(receiver.url)
    uncertain()

    tell(seconds=1)
    tell(hours=3)
    tell(hours=4, seconds=2)
    tell(hours=25)
    settled(console)
    tell(hours=26)
    tell(hours=99)

    events = ["item.appeared", "item.reminder", "item.reminder", "item.settled"]
    assert [one["event"] for one in told(receiver)] == events
    assert [one["item"]["run_id"] for one in told(receiver)] == ["run_a"] * 4
    assert len({one["delivery"] for one in told(receiver)}) == 4
    last = told(receiver)[-1]["item"]
    assert (last["closed_by"], last["closed_via"]) == ("ada", "cli")
    assert [message.subject.split(":")[0] for message in mail.outbox] == [
        "[Continuum] Needs a person",
        "[Continuum] Still waits",
        "[Continuum] Still waits",
        "[Continuum] Settled",
    ]


def test_ages_passed_while_nobody_looked_are_one_reminder(uncertain, tell, wish):
    uncertain()
    tell(seconds=1)

    tell(hours=200)
    tell(hours=201)

    assert [one.subject.split(":")[0][12:] for one in mail.outbox] == [
        "Needs a person",
        "Still waits",
    ]


def test_an_item_that_comes_back_is_told_again(console, make_run, tell, wish, execute):
    make_run("run_a", claimed=["INV-001"])
    refresh(console)
    tell(seconds=1)
    settled(console)
    tell(seconds=2)
    with console.writing("run_a") as writer:
        writer.append("run_a", [claimed_action("run_a", "INV-001", at=NOON)])
    refresh(console)
    tell(seconds=3)

    kinds = [str(one.kind) for one in Notice.objects.order_by("id")]
    assert kinds == ["appeared", "settled", "appeared"]
    assert len(mail.outbox) == 3


def test_what_was_open_before_anybody_watched_is_nobodys_news(
    console, store_url, uncertain, wish, receiver, hook
):
    hook(receiver.url)
    uncertain()

    for second in range(3):
        watching.look(console, store_url, NOON + timedelta(seconds=second))

    assert Notice.objects.count() == 0
    assert ItemMark.objects.count() == 1


def test_lists_that_are_built_anew_tell_nothing_twice(
    console, store_url, uncertain, wish, tell, execute
):
    uncertain()
    tell(seconds=1)

    execute("DELETE FROM cx_items")
    tell(seconds=2)
    execute("UPDATE cx_heads SET revision = revision + 1")
    refresh(console)
    tell(seconds=3)

    assert len(mail.outbox) == 1


def test_very_many_at_once_are_told_as_some_and_the_rest(console, wish, tell, make_run):
    for number in range(watching.MOST_SINGLE + 15):
        make_run(f"run-{number}", claimed=[f"k-{number}"])
    refresh(console)

    tell(seconds=1)

    assert len(mail.outbox) == watching.MOST_SINGLE + 1
    assert mail.outbox[-1].subject == "[Continuum] 15 more items need a person"
    assert Notice.objects.count() == watching.MOST_SINGLE + 1


def test_only_what_is_wanted_is_sent(console, uncertain, self_reported, wish, tell):
    MailWish.objects.update(grave_only=True, settled=False)
    uncertain()
    self_reported("run_b")

    tell(seconds=1)
    settled(console)
    tell(seconds=2)

    assert [message.subject for message in mail.outbox] == [
        "[Continuum] Needs a person: send_invoice · outcome unknown (run_a)"
    ]


def test_old_notices_go_with_their_deliveries(console, uncertain, wish, tell):
    uncertain()
    tell(seconds=1)

    watching.drop_old(NOON + watching.KEPT + timedelta(days=1))

    assert not Delivery.objects.exists()
    assert ItemMark.objects.count() == 1, "it is still open"


def test_looking_at_an_unchanged_inbox_writes_nothing(
    console, store_url, uncertain, tell, django_assert_num_queries
):
    uncertain()
    tell(seconds=1)

    with django_assert_num_queries(2):
        watching.look(console, store_url, NOON + timedelta(seconds=2))
