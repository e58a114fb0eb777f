"""Noticing what changed in the inbox, once, whoever looks and however often.

What was noticed last is kept beside people's data, one row for each item, and
compared with what is open now. Views, polls, restarts and a read model that
was built anew change nothing about it.
"""

from __future__ import annotations

import json
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.db import transaction

from continuum.services.inbox import MAX_PAGE, ItemQuery, open_items
from runs.notices.models import (
    MAX_PAYLOAD_TEXT,
    Delivery,
    ItemMark,
    MailWish,
    Notice,
    NoticeKind,
    State,
    Watch,
    Webhook,
)
from runs.notices.texts import plain

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from continuum.store.base import ReadStore
    from continuum.store.modelport import Item

MOST_WATCHED = 20_000
MOST_SINGLE = 20
"""Changes of a kind told one by one in one look; the others become one message."""

KEPT = timedelta(days=90)
_NO_SEVERITY = 9


class Change(NamedTuple):
    """One change of state, as it is told."""

    uid: str
    kind: NoticeKind
    severity: int
    content: dict[str, Any]


def look(store: ReadStore, url: str, now: datetime) -> int:
    """Compare the inbox with what was noticed last; return how many changes were found.

    The first look at a store only remembers what is open.
    """
    items = {item.item_id: item for item in _everything_open(store)}
    marks = {mark.item_id: mark for mark in _marks(items)}
    name = sha256(url.encode()).hexdigest()[:40]
    if Watch.objects.filter(store=name).exists() and not _differ(items, marks, now):
        return 0  # most of the time; nobody waits for a write lock
    with transaction.atomic():
        _, is_new = Watch.objects.get_or_create(store=name, defaults={"since": now})
        changes = [
            *_appeared(items, marks, now),
            *_settled(store, items, marks, now),
            *_overdue(items, marks, now),
        ]
        if is_new:
            return 0
        for change in _grouped(changes, now):
            _tell(change, now)
    return len(changes)


def tell_test(webhook: Webhook, now: datetime, number: str) -> Delivery:
    """Send a webhook something to try its set-up with; return the delivery."""
    notice = Notice.objects.create(
        uid=f"test:{webhook.pk}:{number}",
        kind=NoticeKind.TEST,
        severity=_NO_SEVERITY,
        at=now,
        content={"note": "A test, asked for in the console. Nothing has to be done."},
    )
    return _deliver(notice, now, webhook=webhook)


def drop_old(now: datetime) -> None:
    """Drop notices, with their deliveries, and marks of items that left long ago."""
    Notice.objects.filter(at__lt=now - KEPT).delete()
    ItemMark.objects.filter(is_open=False, left_at__lt=now - KEPT).delete()


def _everything_open(store: ReadStore) -> Iterable[Item]:
    after = None
    for _ in range(MOST_WATCHED // MAX_PAGE):
        page = open_items(store, ItemQuery(after=after, limit=MAX_PAGE))
        yield from page
        if len(page) < MAX_PAGE:
            return
        after = (page[-1].severity, page[-1].opened_at, page[-1].item_id)


def _marks(items: dict[str, Item]) -> Iterable[ItemMark]:
    """Return the marks of everything that is open, or was when we looked last."""
    known = list(ItemMark.objects.filter(is_open=True))
    yield from known
    names = list(items.keys() - {mark.item_id for mark in known})
    for start in range(0, len(names), 500):
        yield from ItemMark.objects.filter(is_open=False, item_id__in=names[start : start + 500])


def _differ(items: dict[str, Item], marks: dict[str, ItemMark], now: datetime) -> bool:
    known = {item_id for item_id, mark in marks.items() if mark.is_open}
    return known != items.keys() or any(
        _passed(mark, now) > mark.reminded for mark in marks.values() if mark.is_open
    )


def _passed(mark: ItemMark, now: datetime) -> int:
    """Return how many ages an item has waited past."""
    return sum(now - mark.appeared_at >= age for age in settings.REMIND_AFTER)


def _appeared(
    items: dict[str, Item], marks: dict[str, ItemMark], now: datetime
) -> Iterable[Change]:
    for item_id, item in items.items():
        mark = marks.get(item_id)
        if mark is not None and mark.is_open:
            continue
        if mark is None:
            mark = marks[item_id] = ItemMark(item_id=item_id, times=0)
        mark.is_open, mark.left_at, mark.appeared_at = True, None, now
        mark.times, mark.reminded, mark.severity = mark.times + 1, 0, item.severity
        mark.save()
        uid = f"{item_id}:{mark.times}:appeared"
        yield Change(uid, NoticeKind.APPEARED, item.severity, _content(item))


def _settled(
    store: ReadStore, items: dict[str, Item], marks: dict[str, ItemMark], now: datetime
) -> Iterable[Change]:
    gone = [mark for mark in marks.values() if mark.is_open and mark.item_id not in items]
    for mark in gone:
        item = store.item(mark.item_id)
        if item is None or not item.closed_at:
            continue  # the lists are being built anew, or there are more than we watch
        mark.is_open, mark.left_at = False, now
        mark.save()
        uid = f"{mark.item_id}:{mark.times}:settled"
        yield Change(uid, NoticeKind.SETTLED, item.severity, _content(item))


def _overdue(items: dict[str, Item], marks: dict[str, ItemMark], now: datetime) -> Iterable[Change]:
    """Return what has waited past the next age; of several ages passed at once, the last."""
    for item_id, item in items.items():
        mark = marks[item_id]
        passed = _passed(mark, now)
        if passed <= mark.reminded:
            continue
        mark.reminded = passed
        mark.save(update_fields=["reminded"])
        uid = f"{item_id}:{mark.times}:reminder:{passed}"
        yield Change(uid, NoticeKind.REMINDER, item.severity, _content(item))


def _grouped(changes: list[Change], now: datetime) -> Iterable[Change]:
    """Return the changes one by one, but of very many of a kind the rest as one."""
    for kind in (NoticeKind.APPEARED, NoticeKind.SETTLED, NoticeKind.REMINDER):
        alike = sorted((one for one in changes if one.kind is kind), key=lambda one: one.severity)
        yield from alike[:MOST_SINGLE]
        rest = alike[MOST_SINGLE:]
        if rest:
            digest = sha256(json.dumps([one.uid for one in rest]).encode()).hexdigest()[:20]
            uid = f"more:{kind}:{now:%Y%m%dT%H%M%S}:{digest}"
            yield Change(uid, kind, rest[0].severity, {"more": len(rest)})


def _tell(change: Change, now: datetime) -> None:
    """Put one change into the outbox of everybody who wants it."""
    people = [
        wish.user
        for wish in MailWish.objects.select_related("user").filter(user__is_active=True)
        if wish.wants(change.kind, change.severity)
    ]
    hooks = [
        hook
        for hook in Webhook.objects.filter(enabled=True)
        if hook.wants(change.kind, change.severity)
    ]
    if not people and not hooks:
        return
    notice, is_new = Notice.objects.get_or_create(
        uid=change.uid,
        defaults={
            "kind": change.kind,
            "severity": change.severity,
            "at": now,
            "content": change.content,
        },
    )
    if not is_new:
        return
    for user in people:
        _deliver(notice, now, user=user)
    for hook in hooks:
        _deliver(notice, now, webhook=hook)


def _deliver(notice: Notice, now: datetime, **receiver: Any) -> Delivery:
    text = f"{notice.uid}:{sorted((name, one.pk) for name, one in receiver.items())}"
    uid = sha256(text.encode()).hexdigest()[:32]
    return Delivery.objects.create(
        uid=uid, notice=notice, next_at=now, state=State.WAITING, **receiver
    )


def _content(item: Item) -> dict[str, Any]:
    """Return what is told about an item; agents' words are cut and made plain."""
    return {
        "item_id": item.item_id,
        "run_id": item.run_id,
        "kind": item.kind,
        "target": item.target if item.kind == "action" else "",
        "title": plain(item.title, MAX_PAYLOAD_TEXT),
        "reason": plain(item.detail, MAX_PAYLOAD_TEXT),
        "goal": plain(item.goal, MAX_PAYLOAD_TEXT),
        "opened_at": item.opened_at,
        "claimed_by": item.claimed_by,
        "closed_at": item.closed_at,
        "closed_by": item.closed_by,
        "closed_via": item.closed_via,
    }
