"""Working off the outbox: a row is claimed, sent, and written down as sent or to be tried again.

Claiming is one conditional update, so two processes never send one row at the
same time. Whoever dies while sending leaves a claim that runs out; the row is
then tried again under the same id, since nobody knows whether it arrived.
"""

from __future__ import annotations

import logging
import smtplib
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F, Q

from runs.notices import outside, texts
from runs.notices.models import MAX_ERROR, Delivery, MailWish, NoticeKind, State
from runs.notices.signing import headers_of
from runs.roles import Right, holds

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet

    from runs.notices.models import Webhook

_log = logging.getLogger(__name__)

CLAIM = timedelta(minutes=2)
BACKOFF = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 3 * 60, 6 * 60, 12 * 60, 24 * 60)
)
_BATCH = 50
_GONE = 410
_OK = range(200, 300)


class NotDelivered(Exception):
    """One try came to nothing.

    Attributes:
        is_final: another try is of no use.
    """

    def __init__(self, text: str, *, is_final: bool = False) -> None:
        super().__init__(text)
        self.is_final = is_final


class Dropped(Exception):
    """The receiver does not want it any more, or may not have it."""


def send_due(now: datetime) -> int:
    """Send what is due; return how many rows were worked on."""
    due = _due(now).order_by("next_at", "pk").values_list("pk", flat=True)[:_BATCH]
    return sum(send_one(pk, now) for pk in list(due))


def send_one(pk: int, now: datetime) -> bool:
    """Claim a row and send it; False where somebody else has it."""
    claimed = (
        _due(now)
        .filter(pk=pk)
        .update(state=State.SENDING, claimed_until=now + CLAIM, attempts=F("attempts") + 1)
    )
    if not claimed:
        return False
    delivery = Delivery.objects.select_related("notice", "user", "webhook").get(pk=pk)
    try:
        said = _send(delivery, now)
    except NotDelivered as exc:
        _try_again(delivery, exc, now)
    except Dropped as exc:
        _finish(delivery, State.DROPPED, str(exc), now)
    else:
        _finish(delivery, State.SENT, said, now)
    return True


def retry(delivery: Delivery, now: datetime) -> bool:
    """Try a row again that was given up; False where it was not."""
    return bool(
        Delivery.objects.filter(pk=delivery.pk, state=State.FAILED).update(
            state=State.WAITING, attempts=0, next_at=now, said="tried again by hand"
        )
    )


def _due(now: datetime) -> QuerySet[Delivery]:
    return Delivery.objects.filter(
        Q(state=State.WAITING, next_at__lte=now) | Q(state=State.SENDING, claimed_until__lte=now)
    )


def _send(delivery: Delivery, now: datetime) -> str:
    if delivery.webhook is not None:
        return _call(delivery, delivery.webhook, now)
    return _mail(delivery, now)


def _call(delivery: Delivery, webhook: Webhook, now: datetime) -> str:
    notice = delivery.notice
    if not webhook.enabled and notice.kind != NoticeKind.TEST:
        raise Dropped("the webhook is disabled")
    body = texts.document(delivery)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "continuum-console",
        "X-Continuum-Event": "test" if notice.kind == NoticeKind.TEST else f"item.{notice.kind}",
        **headers_of(webhook, delivery.uid, body, now),
    }
    try:
        reply = outside.post(webhook.url, body, headers, allow_private=webhook.allow_private)
    except outside.Unreachable as exc:
        raise NotDelivered(str(exc)) from exc
    said = f"answered {reply.status} {texts.plain(reply.reason, 60)}".strip()
    if reply.status not in _OK:
        raise NotDelivered(said, is_final=reply.status == _GONE)
    return said


def _mail(delivery: Delivery, now: datetime) -> str:
    user, notice = delivery.user, delivery.notice
    wish = MailWish.objects.filter(user=user).first()
    if user is None or not user.is_active or not holds(user, Right.VIEW):
        raise Dropped("the person may not look at the console any more")
    if wish is None or not wish.address or not wish.wants(notice.kind, notice.severity):
        raise Dropped("the person does not want it any more")
    message = EmailMessage(
        subject=texts.subject(notice),
        body=texts.body(notice, now),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[wish.address],
        headers=_mail_headers(delivery),
    )
    try:
        sent = message.send()
    except (OSError, smtplib.SMTPException, ValueError) as exc:
        raise NotDelivered(texts.plain(str(exc) or type(exc).__name__, MAX_ERROR)) from exc
    return "handed to the mail server" if sent else "no mail server is set up"


def _mail_headers(delivery: Delivery) -> dict[str, str]:
    """Return headers by which mail programs tell repeats, and put an item's mails together."""
    host = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].strip("> ") or "localhost"
    item = str(delivery.notice.content.get("item_id", "inbox"))
    headers = {
        "Message-ID": f"<{delivery.uid}@{host}>",
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
    }
    if item.isalnum():
        headers["References"] = f"<item-{item}@{host}>"
    return headers


def _try_again(delivery: Delivery, why: NotDelivered, now: datetime) -> None:
    if why.is_final or delivery.attempts > len(BACKOFF):
        _log.warning("delivery %s is given up: %s", delivery.uid, why)
        _finish(delivery, State.FAILED, str(why), now)
        return
    delivery.state, delivery.claimed_until = State.WAITING, None
    delivery.next_at = now + BACKOFF[delivery.attempts - 1]
    delivery.said = str(why)[:MAX_ERROR]
    delivery.save(update_fields=["state", "claimed_until", "next_at", "said"])


def _finish(delivery: Delivery, state: State, said: str, now: datetime) -> None:
    delivery.state, delivery.claimed_until, delivery.done_at = state, None, now
    delivery.said = said[:MAX_ERROR]
    delivery.save(update_fields=["state", "claimed_until", "done_at", "said"])
