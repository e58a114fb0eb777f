"""A receiver, a wish, a webhook, and a look at the inbox."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from runs.notices import hooks, sending, watching
from runs.notices.models import MailWish
from tests.conftest import NOON
from tests.runs.notices.receivers import Receiver


@pytest.fixture
def receiver():
    """A program that says 204 to everything."""
    running = Receiver()
    yield running
    running.close()


@pytest.fixture
def hook(db):
    """Add a webhook for a receiver."""

    def add(url, **more):
        values = {
            "name": "pager",
            "url": url,
            "allow_private": True,
            "appeared": True,
            "reminder": True,
            "settled": True,
            "grave_only": False,
        } | more
        return hooks.add(values, reason="on call", by="ada", now=NOON)

    return add


@pytest.fixture
def wish(operator):
    """Let the operator want mail of everything."""
    user = User.objects.get(username="op-1")
    everything = {"appeared": True, "reminder": True, "settled": True}
    return MailWish.objects.create(user=user, address="op@console.example", **everything)


@pytest.fixture
def tell(console, store_url):
    """Look at the inbox and send what is due, as the keeper does, at a moment after noon."""
    watching.look(console, store_url, NOON)

    def at(**after):
        now = NOON + timedelta(**after)
        watching.look(console, store_url, now)
        sending.send_due(now)

    return at
