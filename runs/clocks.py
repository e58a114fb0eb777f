"""Times as a reader sees them: in their own zone, with UTC in the title.

What time it is and which zone the reader is in are looked up once for a clock,
because a list shows a hundred times.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

from django.utils import timezone
from django.utils.html import escape
from django.utils.safestring import SafeString

from continuum.core.clock import is_column_time
from runs import words

NO_TIME = SafeString("–")
_IN_TEXT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?\+00:00)")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class Clock(NamedTuple):
    """A reader's clock.

    Attributes:
        now: the present, in the reader's zone.
        today: its date, as in ISO 8601.
        is_utc: the reader's zone is UTC itself, so nothing has to be converted.
    """

    now: datetime
    today: str
    is_utc: bool

    def ago(self, value: str | datetime | None) -> SafeString:
        """Show how long ago something was."""
        at = words.instant(value)
        if at is None:
            return NO_TIME
        return _shown(at, words.span(max(0.0, (self.now - at).total_seconds())))

    def clock(self, value: str | datetime | None) -> SafeString:
        """Show a time of day, or a date when that is not today's."""
        at = words.instant(value)
        if at is None:
            return NO_TIME
        return _shown(at, words.clock(at.astimezone(self.now.tzinfo), self.now))

    def in_words(self, value: str | datetime | None) -> str:
        """Return what `clock` shows, as plain text; empty for no time."""
        at = words.instant(value)
        return words.clock(at.astimezone(self.now.tzinfo), self.now) if at else ""

    def second(self, value: str | datetime | None) -> SafeString:
        """Show a time to the second, with the date when that is not today's."""
        iso = _exact(value)
        if not iso:
            return NO_TIME
        here = iso if self.is_utc else self._here(iso)
        is_today = here[:10] == self.today
        day = "" if is_today else f"{int(here[8:10])} {_MONTHS[int(here[5:7]) - 1]} "
        return _marked(iso, day + here[11:19])

    def _here(self, iso: str) -> str:
        return datetime.fromisoformat(iso).astimezone(self.now.tzinfo).isoformat()

    def in_sentence(self, text: str) -> SafeString:
        """Show a sentence of the engine, with the times in it as `second` shows them."""
        parts = _IN_TEXT.split(text)
        parts[::2] = map(escape, parts[::2])
        parts[1::2] = map(self._named, parts[1::2])
        return SafeString("".join(parts))

    def _named(self, value: str) -> str:
        if words.instant(value) is None:
            return escape(value)
        return f"{self.second(value)} {escape(self.now.tzname())}"


def clock_at(now: datetime) -> Clock:
    """Return a clock that shows a time, in the zone it is given in."""
    return Clock(now, now.isoformat()[:10], str(now.tzinfo) == "UTC")


def reader_clock() -> Clock:
    """Return a clock of the reader this request is answered for."""
    return clock_at(timezone.localtime())


def _exact(value: str | datetime | None) -> str:
    """Return a time in UTC as ISO 8601; columns hold nearly all of them in this very form."""
    try:
        if type(value) is str and is_column_time(value):
            return value
    except ValueError:
        return ""
    at = words.instant(value)
    return at.isoformat() if at else ""


def _shown(at: datetime, text: str) -> SafeString:
    return _marked(at.isoformat(), text)


def _marked(iso: str, text: str) -> SafeString:
    # Neither it nor a time in words has anything to escape.
    title = f"{iso[:10]} {iso[11:19]} UTC"
    return SafeString(f'<time datetime="{iso}" title="{title}">{text}</time>')
