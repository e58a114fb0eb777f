"""Old sessions, entries and counts go by themselves, once an hour."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from runs.chores import Chores
from runs.trust import history, limits
from runs.trust.models import AccessEntry, AccessKind, ActCount


@pytest.fixture(autouse=True)
def _kept_connection(monkeypatch):
    """A connection inside the transaction of a test stays, as in Django's own test client."""
    monkeypatch.setattr("runs.chores.close_old_connections", lambda: None)


def test_chores_are_done_once_an_hour(operator, django_user_model):
    now, chores = timezone.now(), Chores()
    user = django_user_model.objects.get(username="op-1")
    limits.count(user, limits.Limit.DECISIONS, now - timedelta(hours=2))
    history.record(AccessKind.ENABLED, "old")
    AccessEntry.objects.update(at=now - history.KEPT - timedelta(hours=1))
    Session.objects.update(expire_date=now - timedelta(hours=1))

    chores.step(now)

    assert not ActCount.objects.exists()
    assert not AccessEntry.objects.exists()
    assert not Session.objects.exists()
    limits.count(user, limits.Limit.DECISIONS, now - timedelta(hours=2))
    chores.step(now + timedelta(minutes=59))
    assert ActCount.objects.exists()
    chores.step(now + timedelta(minutes=61))
    assert not ActCount.objects.exists()
