"""The history of sign-ins and permissions: one place that writes it, one that reads it.

Failures cannot fill the table: those of one name from one address within a
minute are one row, and beyond `MOST_FAILURES` rows a minute the rest are
counted in a single row without a name.
"""

from __future__ import annotations

import getpass
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from runs.trust.addresses import client_address
from runs.trust.models import (
    MAX_ADDRESS,
    MAX_AGENT,
    MAX_DETAIL,
    MAX_NAME,
    AccessEntry,
    AccessKind,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest

FAILURES = (AccessKind.SIGN_IN_FAILED, AccessKind.LOCKED_OUT, AccessKind.STEP_UP_FAILED)
MOST_FAILURES = 60
KEPT = timedelta(days=400)
PAGE = 50
BEYOND = "further failed sign-ins of this minute"
_MINUTE = timedelta(minutes=1)


class Origin(NamedTuple):
    """From where something is done, and by whom."""

    by: str
    via: str
    address: str = ""
    agent: str = ""


_REQUEST: ContextVar[HttpRequest | None] = ContextVar("request", default=None)
_ORIGIN: ContextVar[Origin | None] = ContextVar("origin", default=None)


class Wanted(NamedTuple):
    """Which part of the history is looked at; empty members do not narrow it.

    Attributes:
        before: id of the entry the page goes on behind.
    """

    person: str = ""
    kind: str = ""
    since: datetime | None = None
    until: datetime | None = None
    before: int | None = None


@contextmanager
def within(request: HttpRequest) -> Iterator[None]:
    """Let everything in the block be done by whoever sent `request`."""
    token = _REQUEST.set(request)
    try:
        yield
    finally:
        _REQUEST.reset(token)


@contextmanager
def on_the_host() -> Iterator[None]:
    """Let everything in the block be done by the account that runs the command."""
    token = _ORIGIN.set(Origin(_account(), "cli"))
    try:
        yield
    finally:
        _ORIGIN.reset(token)


def current_request() -> HttpRequest | None:
    """Return the request that is being answered, if any."""
    return _REQUEST.get()


def current_origin() -> Origin:
    """Return who acts now."""
    request = _REQUEST.get()
    if request is None:
        return _ORIGIN.get() or Origin("", "python")
    return origin_of(request)


def origin_of(request: HttpRequest) -> Origin:
    """Return who sent a request, and from where."""
    user = getattr(request, "user", None)
    name = user.get_username() if user is not None and user.is_authenticated else ""
    agent = request.META.get("HTTP_USER_AGENT", "")
    return Origin(name, "console", client_address(request)[:MAX_ADDRESS], agent[:MAX_AGENT])


def record(
    kind: AccessKind, person: str, *, detail: str = "", origin: Origin | None = None
) -> None:
    """Add one entry."""
    said = origin or current_origin()
    AccessEntry.objects.create(
        at=timezone.now(),
        kind=kind,
        person=person[:MAX_NAME],
        by=said.by[:MAX_NAME],
        via=said.via,
        address=said.address,
        agent=said.agent,
        detail=detail[:MAX_DETAIL],
    )


def record_failure(kind: AccessKind, name: str, *, origin: Origin, detail: str = "") -> None:
    """Add a failure, gathered with those like it of the last minute.

    A name nobody has is not kept: people type passwords into the wrong field.
    """
    known = User.objects.filter(username=name).values_list("username", flat=True).first() or ""
    now = timezone.now()
    with transaction.atomic():
        recent = AccessEntry.objects.filter(at__gt=now - _MINUTE)
        alike = recent.filter(kind=kind, person=known, address=origin.address).order_by("-id")
        if _counted(alike):
            return
        failures = recent.filter(kind__in=FAILURES)
        if failures.count() < MOST_FAILURES:
            record(kind, known, detail=detail, origin=origin)
        elif not _counted(failures.filter(detail=BEYOND)):
            record(kind, "", detail=BEYOND, origin=Origin("", origin.via))


def read_page(wanted: Wanted) -> tuple[list[AccessEntry], int | None]:
    """Return one page, newest first, and the id the next one goes on behind."""
    rows = list(entries(wanted)[: PAGE + 1])
    more = len(rows) > PAGE
    return rows[:PAGE], rows[PAGE - 1].pk if more else None


def entries(wanted: Wanted) -> QuerySet[AccessEntry]:
    """Return the entries that are wanted, newest first."""
    rows = AccessEntry.objects.order_by("-id")
    if wanted.person:
        rows = rows.filter(person=wanted.person)
    if wanted.kind:
        rows = rows.filter(kind=wanted.kind)
    if wanted.since:
        rows = rows.filter(at__gte=wanted.since)
    if wanted.until:
        rows = rows.filter(at__lt=wanted.until)
    if wanted.before:
        rows = rows.filter(pk__lt=wanted.before)
    return rows


def drop_old(now: datetime) -> int:
    """Drop entries older than is kept; return how many."""
    return AccessEntry.objects.filter(at__lt=now - KEPT).delete()[0]


def _counted(rows: QuerySet[AccessEntry]) -> bool:
    newest = rows.values_list("pk", flat=True).first()
    if newest is None:
        return False
    return bool(AccessEntry.objects.filter(pk=newest).update(times=F("times") + 1))


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown account"
