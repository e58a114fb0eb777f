"""Notices in words: a mail's subject and text, a webhook's JSON. Nothing in them acts.

Agents' words are one line each, without control characters or direction
marks, and no address in them stays one: mail programs make links of anything
that looks like one. The only link is ours, and it only opens a page.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.conf import settings
from django.urls import get_script_prefix, reverse

from continuum.core.clock import parse_time
from continuum.core.errors import InvalidInput
from runs import words
from runs.notices.models import NoticeKind

if TYPE_CHECKING:
    from datetime import datetime

    from runs.notices.models import Delivery, Notice

MAX_SUBJECT = 150
FORMAT = "continuum.notice.v1"
_SPACE = re.compile(r"\s+")
_ACTING = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_HOST = re.compile(r"\b(www|[\w-]+)\.(?=[A-Za-z]{2,}\b)")


def plain(text: str, limit: int) -> str:
    """Return text on one line, without characters that act, cut to `limit`."""
    visible = "".join(
        " " if unicodedata.category(char) in _ACTING else char for char in text[: limit * 2]
    )
    line = _SPACE.sub(" ", visible).strip()
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def inert(text: str) -> str:
    """Return text in which no mail program finds an address to make a link of."""
    return _HOST.sub(r"\1[.]", text.replace("://", "[:]//").replace("@", "[at]"))


def subject(notice: Notice) -> str:
    """Return the subject of a mail: what, and about which run."""
    content = notice.content
    if "more" in content:
        return f"[Continuum] {content['more']} more {_items(content['more'])} {_VERBS[notice.kind]}"
    head = f"{_HEADS[notice.kind]}: {inert(content['title'])}"
    run = inert(plain(content["run_id"], 60))
    return plain(f"[Continuum] {head} ({run})", MAX_SUBJECT)


def body(notice: Notice, now: datetime) -> str:
    """Return the text of a mail."""
    content = notice.content
    if "more" in content:
        return _frame(
            [f"{content['more']} more {_items(content['more'])} {_VERBS[notice.kind]} at once."],
            address_of(reverse("runs:inbox")),
        )
    lines = [
        f"{_HEADS[notice.kind]}: {inert(content['title'])}",
        "",
        f"Why:    {inert(content['reason'])}",
        f"Run:    {inert(plain(content['run_id'], 200))}",
        f"Goal:   {inert(content['goal'])}",
        f"Since:  {_since(content['opened_at'], now)}",
        *_who(notice),
    ]
    return _frame(lines, link_of(notice))


def document(delivery: Delivery) -> bytes:
    """Return the body of a webhook: JSON in ASCII, the same bytes at every try."""
    notice = delivery.notice
    told: dict[str, Any] = {
        "format": FORMAT,
        "event": f"item.{notice.kind}" if notice.kind != NoticeKind.TEST else "test",
        "delivery": delivery.uid,
        "at": notice.at.isoformat(),
        "link": link_of(notice),
    }
    if notice.kind != NoticeKind.TEST:
        told["severity"] = words.asked_word(notice.severity).text.lower()
    told["item"] = notice.content
    return json.dumps(told, sort_keys=True).encode("ascii")


def link_of(notice: Notice) -> str:
    """Return the address of the page about it; opening it decides nothing."""
    content = notice.content
    if "item_id" not in content:
        return address_of(reverse("runs:inbox"))
    if notice.kind == NoticeKind.SETTLED:
        return address_of(reverse("runs:run", args=[content["run_id"]]))
    query = urlencode({"tab": "all", "item": content["item_id"]})
    return f"{address_of(reverse('runs:inbox'))}?{query}"


def address_of(path: str) -> str:
    """Return a path of the console as others reach it."""
    below = path.removeprefix(get_script_prefix().rstrip("/"))
    return f"{settings.CONSOLE_ADDRESS}{below}"


_HEADS: dict[str, str] = {
    NoticeKind.APPEARED: "Needs a person",
    NoticeKind.REMINDER: "Still waits",
    NoticeKind.SETTLED: "Settled",
}
_VERBS: dict[str, str] = {
    NoticeKind.APPEARED: "need a person",
    NoticeKind.REMINDER: "still wait",
    NoticeKind.SETTLED: "were settled",
}


def _items(count: int) -> str:
    return "item" if count == 1 else "items"


def _who(notice: Notice) -> list[str]:
    content = notice.content
    if notice.kind == NoticeKind.SETTLED:
        by = content["closed_by"] or "nobody here"
        return [f"By:     {inert(plain(by, 100))}, {inert(plain(content['closed_via'] or '', 20))}"]
    if content["claimed_by"]:
        return [f"Claim:  {inert(plain(content['claimed_by'], 100))} works on it"]
    return []


def _since(opened_at: str, now: datetime) -> str:
    try:
        seconds = max(0.0, (now - parse_time(opened_at)).total_seconds())
    except InvalidInput:
        return "an unknown time"
    return f"{opened_at[:19].replace('T', ' ')} UTC ({words.span(seconds)} ago)"


def _frame(lines: list[str], link: str) -> str:
    return "\n".join(
        [
            *lines,
            "",
            f"Open:   {link}",
            "The link only opens the page; whatever is decided is decided there, signed in.",
            "",
            "-- ",
            f"Continuum. Which messages you get: {address_of(reverse('runs:notifications'))}",
            "",
        ]
    )
