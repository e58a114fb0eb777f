"""Mails: to whom, what is in them, and that nothing in them acts."""

from __future__ import annotations

import re
from email import message_from_bytes

import pytest
from django.contrib.auth.models import User
from django.core import mail

from runs.notices import sending, watching
from runs.notices.models import Delivery, MailWish, State
from runs.notices.texts import inert, plain
from tests.conftest import NOON
from tests.runs.conftest import refresh
from tests.runs.notices.receivers import HOSTILE


@pytest.mark.parametrize(
    "change",
    [
        lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
        lambda user: user.groups.clear(),
        lambda user: MailWish.objects.update(appeared=False),
    ],
    ids=["disabled", "without a role", "does not want it"],
)
def test_nobody_is_sent_what_they_may_not_have_or_do_not_want_any_more(
    console, store_url, uncertain, wish, tell, change
):
    uncertain()
    watching.look(console, store_url, NOON)
    change(wish.user)

    sending.send_due(NOON)

    assert mail.outbox == []
    assert {one.state for one in Delivery.objects.all()} == {State.DROPPED}


def test_a_mail_is_plain_text_whose_only_link_opens_a_page(
    operator, console, make_run, wish, tell, settings
):
    settings.CONSOLE_ADDRESS = "https://console.example/tools"
    make_run("run_h", claimed=["k"], goal=HOSTILE)
    refresh(console)
    tell(seconds=1)

    [message] = mail.outbox
    raw = message_from_bytes(message.message().as_bytes())

    assert raw.get_content_type() == "text/plain"
    assert raw["Bcc"] is None
    assert message.to == ["op@console.example"]
    body, subject = str(message.body), str(message.subject)
    links = re.findall(r"https?://\S+", body)
    assert all(link.startswith("https://console.example/tools/") for link in links)
    assert "https[:]//evil[.]example" in body
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e]", body + subject)
    assert "\nBcc" not in body
    head = console.head("run_h")
    path = links[0].removeprefix("https://console.example/tools")
    assert operator.get(path).status_code == 200
    assert console.head("run_h") == head


def test_hostile_names_break_no_header(console, make_run, wish, tell):
    make_run("run\r\nBcc: evil@evil.example", claimed=["k\r\nX-Evil: 1"])
    refresh(console)

    tell(seconds=1)

    [message] = mail.outbox
    raw = message.message()
    assert raw["Bcc"] is None
    assert raw["X-Evil"] is None
    assert "\n" not in message.subject
    assert len(message.subject) <= 150


def test_mails_can_be_told_apart_and_belong_together(console, uncertain, wish, tell):
    uncertain()
    tell(seconds=1)
    tell(hours=5)

    first, second = (message.message() for message in mail.outbox)
    assert first["Message-ID"] != second["Message-ID"]
    assert first["References"] == second["References"]
    assert first["Auto-Submitted"] == "auto-generated"


def test_without_a_mail_server_the_log_says_so(console, uncertain, wish, tell, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    uncertain()

    tell(seconds=1)

    assert Delivery.objects.get().state == State.SENT


def test_mails_can_be_written_into_files(console, uncertain, wish, tell, settings, tmp_path):
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = tmp_path / "mails"
    uncertain()

    tell(seconds=1)

    [file] = (tmp_path / "mails").iterdir()
    assert "Needs a person" in file.read_text()


def test_a_mail_server_that_is_down_is_tried_again(console, uncertain, wish, tell, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 1, 1
    uncertain()
    tell(seconds=1)
    assert Delivery.objects.get().state == State.WAITING

    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    tell(minutes=2)

    assert len(mail.outbox) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb\x1b[2J\u202ec\u200bd", "a b [2J c d"),
        ("  many   blanks ", "many blanks"),
        ("x" * 20, "xxxxxxxxx…"),
    ],
)
def test_text_is_made_plain(text, shown):
    assert plain(text, 10 if text.startswith("x") else 100) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://evil.example/x", "see https[:]//evil[.]example/x"),
        ("mail a@b.example", "mail a[at]b[.]example"),
        ("www.evil.example", "www[.]evil[.]example"),
        ("version 1.5 is out", "version 1.5 is out"),
    ],
)
def test_no_address_stays_one(text, shown):
    assert inert(text) == shown
