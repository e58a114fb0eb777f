"""A real console, killed and started again, tells each change once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from email import message_from_string
from email.policy import default
from time import monotonic, sleep

import pytest

from continuum import open_store
from continuum.core.clock import utc_now
from continuum.services.actions import Settlement
from continuum.services.acts import Act
from continuum.services.decisions import settle
from tests.continuum_site.test_commands import PASSWORD, ROOT, environment, free_port, site
from tests.runs.notices.receivers import Receiver
from tests.stores import RunMaker

__all__ = ["environment", "free_port", "site"]

SET_UP = """
from django.contrib.auth.models import User
from django.utils import timezone
from runs.notices import hooks
from runs.notices.models import MailWish

wishes = {"appeared": True, "reminder": True, "settled": True}
MailWish.objects.create(user=User.objects.get(), address="mia@console.example", **wishes)
values = {"name": "pager", "url": URL, "allow_private": True, "grave_only": False, **wishes}
hooks.add(values, reason="on call", by="mia", now=timezone.now())
"""
WATCHED = "from runs.notices.models import Watch; print(Watch.objects.count())"


@pytest.fixture
def receiver():
    running = Receiver(503, 204)  # busy at the first call
    yield running
    running.close()


@pytest.fixture
def shell(environment, tmp_path):
    """Run a piece of Python in the console's surroundings; return what it prints."""

    def run(code):
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), "shell", "-v", "0", "-c", code],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout.strip()

    return run


@pytest.fixture
def start(environment, free_port, tmp_path):
    """Start the console; return its process, which leads a group of its own."""
    started = []

    def begin():
        process = subprocess.Popen(
            [sys.executable, "-m", "continuum_site", "dashboard", "--bind", f":{free_port}"],
            env=environment | {"CONTINUUM_MAIL": f"file://{tmp_path}/mails"},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        assert process.stdout
        assert "Continuum console on" in process.stdout.readline()
        return process

    yield begin
    for process in started:
        end(process)


def end(process):
    """Kill every process of a console, as a power cut would."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)
    if process.stdout:
        process.stdout.close()


def wait_for(what, seconds=45):
    until = monotonic() + seconds
    while not what():
        assert monotonic() < until
        sleep(0.2)


def test_each_change_is_told_once_through_kills_and_restarts(
    site, shell, start, receiver, tmp_path
):
    site("users", "add", "mia", "--role", "operator", "--password-stdin", text=PASSWORD)
    shell(SET_UP.replace("URL", repr(receiver.url)))
    mails = tmp_path / "mails"

    def subjects():
        texts = [file.read_text() for file in mails.glob("*.log")]
        return sorted(
            str(message_from_string(one.lstrip(), policy=default)["Subject"]).strip()
            for text in texts
            for one in text.split(f"\n{'-' * 79}\n")
            if one.strip()
        )

    first = start()
    wait_for(lambda: shell(WATCHED) == "1")
    with open_store(str(tmp_path / "store.db")) as store:
        RunMaker(store, at=utc_now())("run_a", claimed=["k"])
    wait_for(lambda: len(receiver.calls) == 1 and len(subjects()) == 1)
    end(first)
    again = start()
    with open_store(str(tmp_path / "store.db")) as store:
        settle(store, "run_a", "k", Act("ada", "cli", utc_now(), reason="seen"), Settlement(True))
    wait_for(lambda: len(subjects()) == 2)
    shell(
        "from runs.notices.models import Delivery; from django.utils import timezone; "
        "Delivery.objects.filter(state='waiting').update(next_at=timezone.now())"
    )
    wait_for(lambda: len(receiver.calls) == 3)
    sleep(4)
    end(again)

    told = [json.loads(call.body) for call in receiver.calls]
    assert sorted(one["event"] for one in told) == [
        "item.appeared",
        "item.appeared",
        "item.settled",
    ]
    assert len({one["delivery"] for one in told}) == 2, "the busy call was repeated as the same"
    assert subjects() == [
        "[Continuum] Needs a person: send_invoice · outcome unknown (run_a)",
        "[Continuum] Settled: send_invoice · outcome unknown (run_a)",
    ]
