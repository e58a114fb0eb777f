"""Deliveries as their pages list them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from runs.notices.models import Delivery, NoticeKind, State

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from runs.notices.models import Notice

PAGE = 50
_TONES = {
    State.WAITING: ("warn", "clock"),
    State.SENDING: ("warn", "clock"),
    State.SENT: ("ok", "check"),
    State.FAILED: ("bad", "x"),
    State.DROPPED: ("", "minus"),
}
_HEADS = {
    NoticeKind.APPEARED: "Needs a person",
    NoticeKind.REMINDER: "Still waits",
    NoticeKind.SETTLED: "Settled",
    NoticeKind.TEST: "Test",
}


class DeliveryLine(NamedTuple):
    """One delivery with its words.

    Attributes:
        about: the item's title, or how many items.
        run_id: empty where it is about several.
    """

    delivery: Delivery
    word: str
    tone: str
    icon: str
    head: str
    about: str
    run_id: str


def own_deliveries(user: User, most: int) -> list[DeliveryLine]:
    """Return what was last sent to somebody."""
    rows = Delivery.objects.select_related("notice", "webhook", "user").filter(user=user)
    return [_line(row) for row in rows.order_by("-id")[:most]]


def log_page(state: str, before: int | None) -> tuple[list[DeliveryLine], int | None]:
    """Return one page of everything sent, newest first, and the id the next one goes on behind."""
    rows = Delivery.objects.select_related("notice", "webhook", "user").order_by("-id")
    if state:
        rows = rows.filter(state=state)
    if before:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: PAGE + 1])
    lines = [_line(row) for row in found[:PAGE]]
    return lines, found[PAGE - 1].pk if len(found) > PAGE else None


def _line(row: Delivery) -> DeliveryLine:
    state = State(row.state)
    tone, icon = _TONES[state]
    word = str(state.label)
    return DeliveryLine(
        delivery=row,
        word=f"{word[:1].upper()}{word[1:]}",
        tone=tone,
        icon=icon,
        head=_HEADS[NoticeKind(row.notice.kind)],
        about=_about(row.notice),
        run_id=str(row.notice.content.get("run_id", "")),
    )


def _about(notice: Notice) -> str:
    content = notice.content
    if "more" in content:
        return f"{content['more']} more at once"
    return str(content.get("title") or content.get("note") or "")
