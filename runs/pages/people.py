"""Sessions and the history of access as their pages show them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from continuum.services.exports import csv_line
from runs.trust import history, sessions
from runs.trust.models import AccessEntry, AccessKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.contrib.auth.models import User

    from runs.trust.history import Wanted
    from runs.trust.sessions import Listed

MOST_EXPORTED = 100_000
_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("python", "Python"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
_TONES = {
    AccessKind.SIGN_IN_FAILED: ("warn", "alert"),
    AccessKind.STEP_UP_FAILED: ("warn", "alert"),
    AccessKind.LOCKED_OUT: ("bad", "ban"),
    AccessKind.DISABLED: ("bad", "ban"),
    AccessKind.SESSION_ENDED: ("warn", "log-out"),
    AccessKind.SIGNED_IN: ("ok", "check"),
    AccessKind.ADDED: ("info", "plus"),
    AccessKind.ENABLED: ("ok", "check"),
    AccessKind.ROLES_CHANGED: ("info", "users"),
    AccessKind.RIGHTS_CHANGED: ("bad", "users"),
    AccessKind.PASSWORD_CHANGED: ("info", "lock"),
    AccessKind.WEBHOOK_CHANGED: ("info", "bell"),
}
_COLUMNS = ("at", "what", "person", "by", "via", "address", "browser", "detail", "times")


class SessionLine(NamedTuple):
    """A session, and the words for the browser it is in."""

    session: Listed
    browser: str


class EntryLine(NamedTuple):
    """An entry of the history with its word, colour and icon."""

    entry: AccessEntry
    word: str
    tone: str
    icon: str
    browser: str
    is_failure: bool


def session_lines(current: str | None, *, of: User | None = None) -> list[SessionLine]:
    """Return open sessions, the one last used first."""
    return [SessionLine(one, browser_of(one.agent)) for one in sessions.listed(current, of=of)]


def entry_line(entry: AccessEntry) -> EntryLine:
    """Return an entry as its row shows it."""
    kind = AccessKind(entry.kind) if entry.kind in AccessKind.values else None
    tone, icon = _TONES.get(kind, ("", "note")) if kind else ("", "note")
    word = str(kind.label) if kind else entry.kind
    return EntryLine(
        entry,
        f"{word[:1].upper()}{word[1:]}",
        tone,
        icon,
        browser_of(entry.agent),
        kind in history.FAILURES,
    )


def csv_lines(wanted: Wanted) -> Iterator[str]:
    """Yield a header and a line per entry, newest first, at most `MOST_EXPORTED`."""
    yield csv_line(_COLUMNS)
    for entry in history.entries(wanted)[:MOST_EXPORTED].iterator(chunk_size=500):
        yield csv_line(
            (
                entry.at.isoformat(),
                entry.kind,
                entry.person,
                entry.by,
                entry.via,
                entry.address,
                entry.agent,
                entry.detail,
                entry.times,
            )
        )


def browser_of(agent: str) -> str:
    """Return what a user agent calls itself, in two words; anybody can send anything."""
    browser = next((name for mark, name in _BROWSERS if mark in agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    if browser and system:
        return f"{browser} on {system}"
    known = browser or system
    return known or re.sub(r"\s+", " ", agent)[:40] or "unknown browser"
