"""Events as the pages show them: a line, a preview, and what cannot be read."""

from __future__ import annotations

import json
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from continuum.core.errors import NotFound, UnreadableRecord
from continuum.domain.events import ACTION_EVENTS, EventType, Origin, event_from_row

if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.events import EventRow
    from continuum.store.base import PagedEvent, ReadStore

PAGE = 50
SUMMARY_CHARACTERS = 140
PREVIEW_CHARACTERS = 2048
PREVIEW_BYTES = 4096
FULL_CHARACTERS = 200_000
FULL_BYTES = 200_000
_LONGEST_ESCAPE = len("&quot;")
MOST_LAID_OUT = 4
"""A payload longer than this many times what is shown of it stays as stored."""
STRIP = 40
LOOKED_THROUGH = 20_000
"""How many events a filtered page looks through at most."""
_RARE = 2000
_ORIGINS = frozenset(map(str, Origin))
_MEMBERS_SHOWN = 8
_NESTED = frozenset({dict, list})
_CONSTANTS = {True: "true", False: "false", None: "null"}
_TEXT = json.JSONEncoder(ensure_ascii=False).encode
_MEMBERS = json.JSONEncoder(ensure_ascii=False, separators=(",\n  ", ": ")).encode


class EventLine(NamedTuple):
    """One event in a list.

    Attributes:
        summary: one line of its payload.
        preview: the payload laid out, at most `PREVIEW_CHARACTERS`.
        size: of the stored payload, in bytes of UTF-8.
        unreadable: why the row is no event, or empty.
    """

    sequence: int
    type: str
    timestamp: str
    source: str
    hash: str
    prev_hash: str | None
    event_id: str
    summary: str
    preview: str
    size: int
    is_cut: bool
    archived: bool
    unreadable: str

    @property
    def previous(self) -> int:
        """The number before."""
        return self.sequence - 1

    @property
    def following(self) -> int:
        """The number after."""
        return self.sequence + 1


class Link(NamedTuple):
    """One event as the chain is drawn."""

    sequence: int
    type: str
    source: str
    unreadable: bool


class EventPage(NamedTuple):
    """Fifty events, newest first, and how to go on.

    Attributes:
        floor: where a filtered page stopped looking, though there may be more below; 0 when
            it looked through all.
    """

    lines: list[EventLine]
    older: int | None
    newest: bool
    type: str
    origin: str
    floor: int

    @property
    def is_top(self) -> bool:
        """True where the newest events of all are shown, none of them left out."""
        return self.newest and not (self.type or self.origin)

    @property
    def older_query(self) -> str:
        """The address of the next page behind the run's own."""
        asked = {"tab": "events", "before": self.older, "type": self.type, "origin": self.origin}
        return "?" + urlencode({name: value for name, value in asked.items() if value})


def build_page(
    store: ReadStore, run_id: str, *, before: int | None, kind: str = "", origin: str = ""
) -> EventPage:
    """Return the newest events below `before`, of one type and origin where they are named.

    A filter that few events of a long log fit would have to look through all of it, so a page
    looks through a stretch only and says how far it came. Rare types need no such limit: their
    events are taken from an index.
    """
    types = [EventType(kind)] if kind in EventType.__members__ else None
    origins = [Origin(origin)] if origin in _ORIGINS else None
    is_rare = types is not None and store.count_types(run_id, types, most=_RARE) < _RARE
    floor = 0
    if (types or origins) and not is_rare:
        top = before or store.head(run_id).sequence + 1
        floor = max(0, top - 1 - LOOKED_THROUGH)
    rows = store.event_page(
        run_id,
        before=before,
        after=floor or None,
        limit=PAGE + 1,
        types=types,
        origins=origins,
        sparse=is_rare,
    )
    lines = [line_of(row) for row in rows[:PAGE]]
    has_more = len(rows) > PAGE
    older = lines[-1].sequence if has_more else floor + 1 if floor else None
    return EventPage(
        lines=lines,
        older=older,
        newest=before is None,
        type=kind if types else "",
        origin=origin if origins else "",
        floor=0 if has_more else floor,
    )


def head_of(store: ReadStore, run_id: str, shown: EventPage | None = None) -> int:
    """Return the number of the newest event; `shown` may begin with it."""
    if shown and shown.is_top and shown.lines:
        return shown.lines[0].sequence
    return store.head(run_id).sequence


def strip_of(store: ReadStore, run_id: str, shown: EventPage | None = None) -> list[Link]:
    """Return the newest links of the chain, oldest first; `shown` may hold them already."""
    if shown and shown.is_top:
        lines = shown.lines[STRIP - 1 :: -1]
        return [Link(one.sequence, one.type, one.source, bool(one.unreadable)) for one in lines]
    page = store.event_page(run_id, limit=STRIP)
    links = [
        Link(one.row.sequence, one.row.type, one.row.source, one.event is None) for one in page
    ]
    return links[::-1]


def one_event(store: ReadStore, run_id: str, sequence: int) -> PagedEvent:
    """Return one row.

    Raises:
        NotFound: the run has no event of that number.
    """
    row = store.event_row(run_id, sequence)
    if row is None:
        store.run_row(run_id)
        raise NotFound(f"run {run_id!r} has no event {sequence}")
    return row


def line_of(paged: PagedEvent) -> EventLine:
    """Return what a list says about a row, readable or not."""
    row = paged.row
    preview, is_cut = _preview(paged)
    return EventLine(
        sequence=row.sequence,
        type=row.type,
        timestamp=row.timestamp,
        source=row.source,
        hash=row.hash,
        prev_hash=row.prev_hash,
        event_id=row.event_id,
        summary=_summary(paged),
        preview=preview,
        size=len(row.payload.encode("utf-8", "replace")),
        is_cut=is_cut,
        archived=paged.archived,
        unreadable="" if paged.event else _why_unreadable(row),
    )


def whole_payload(payload: str) -> tuple[str, bool]:
    """Return a payload as its own page shows it, and whether some of it had to be left out."""
    return _fitting(laid_out(payload, FULL_CHARACTERS + 1), FULL_CHARACTERS, FULL_BYTES)


def _preview(paged: PagedEvent) -> tuple[str, bool]:
    payload = paged.row.payload
    if paged.event is None or len(payload) > MOST_LAID_OUT * PREVIEW_CHARACTERS:
        text = laid_out(payload, PREVIEW_CHARACTERS + 1)
    else:
        text = _indented(paged.event.payload, "\n")[: PREVIEW_CHARACTERS + 1]
    return _fitting(text, PREVIEW_CHARACTERS, PREVIEW_BYTES)


def _fitting(text: str, most: int, most_bytes: int) -> tuple[str, bool]:
    """Cut a text to what it may take in a page, in characters and in bytes once escaped."""
    shown = text[:most]
    while len(shown) * _LONGEST_ESCAPE > most_bytes:
        size = len(escape(shown).encode("utf-8", "replace"))
        if size <= most_bytes:
            break
        shown = shown[: len(shown) * most_bytes // size]
    return shown, len(shown) < len(text)


def laid_out(payload: str, limit: int) -> str:
    """Return a payload indented for reading, at most `limit` characters of it.

    Text that is no JSON, or is far larger than what is shown, stays as stored:
    parsing eight megabytes to show two kilobytes would freeze the page.
    """
    if len(payload) > MOST_LAID_OUT * limit:
        return payload[:limit]
    try:
        text = _indented(json.loads(payload), "\n")
    except (ValueError, RecursionError):
        text = payload
    return text[:limit]


def _indented(value: Any, margin: str) -> str:
    """Return JSON as `indent=2` lays it out, in far less time than that pure-Python encoder."""
    inner = f"{margin}  "
    if margin == "\n" and isinstance(value, dict) and value and _is_flat(value):
        return f"{{{inner}{_MEMBERS(value)[1:-1]}{margin}}}"
    if isinstance(value, dict) and value:
        members = (f"{_TEXT(name)}: {_indented(one, inner)}" for name, one in value.items())
        return f"{{{inner}{f',{inner}'.join(members)}{margin}}}"
    if isinstance(value, list) and value:
        return f"[{inner}{f',{inner}'.join(_indented(one, inner) for one in value)}{margin}]"
    return _TEXT(value)


def _is_flat(value: dict[str, Any]) -> bool:
    return _NESTED.isdisjoint(map(type, value.values()))


def _why_unreadable(row: EventRow) -> str:
    try:
        event_from_row(row)
    except UnreadableRecord as exc:
        return str(exc)
    return ""


def _summary(paged: PagedEvent) -> str:
    if paged.event is None:
        return paged.row.payload[:SUMMARY_CHARACTERS]
    payload = paged.event.payload
    if paged.event.type in ACTION_EVENTS:
        return _action_summary(payload)[:SUMMARY_CHARACTERS]
    return " · ".join(_members(payload))[:SUMMARY_CHARACTERS]


def _action_summary(payload: dict[str, Any]) -> str:
    words = [str(payload.get("action_type", "")), str(payload.get("status", ""))]
    if payload.get("external_id"):
        words.append(str(payload["external_id"])[:60])
    return " · ".join(word for word in words if word)


def _members(payload: dict[str, Any]) -> list[str]:
    leading = islice(payload.items(), _MEMBERS_SHOWN)
    return [f"{name}: {_said(value)[:80]}" for name, value in leading]


def _said(value: Any) -> str:
    """Return a member's value as JSON, a text as it is; encoders are costly to begin."""
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    if value is True or value is False or value is None:
        return _CONSTANTS[value]
    return _TEXT(value)
