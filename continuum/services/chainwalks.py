"""One page of a chain as it is linked: every row with its marks, and what lies between rows.

For looking, not for proving: `chain.verify_run` walks the whole chain. A mark here
says whether a row fits the row before it, and whether it still has its hash.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum

from continuum.core.clock import column_time
from continuum.core.records import NamedTuple
from continuum.domain.callers import caller_name
from continuum.domain.events import UNREADABLE, Origin, exact_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from typing import Any

    from continuum.domain.events import EventRow, EventType
    from continuum.store.base import PagedEvent, ReadStore

PAGE = 50
ROWS_SEARCHED = 5000
CHARACTERS_SEARCHED = 32 << 20
"""Of a search that looks into payloads, for one page; the next page goes on from there."""

HASHED_CHARACTERS = 1 << 18
"""A larger payload is not hashed for a page; a verification does it."""

_HASH = re.compile(r"[0-9a-f]{6,64}")
_MARKED_DIGITS = 8


class Fit(StrEnum):
    """Whether something fits what it should be."""

    FITS = "fits"
    DIFFERS = "differs"
    ANCHOR = "anchor"
    UNKNOWN = "unknown"


class WalkQuery(NamedTuple):
    """Which rows; empty members do not filter.

    Attributes:
        before: rows below this number; None for the newest.
        person: exactly as events name who decided.
        caller: exactly as events name the program that wrote.
        since, until: aware; `until` is not included.
    """

    before: int | None = None
    type: EventType | None = None
    origin: Origin | None = None
    person: str = ""
    caller: str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def looks_inside(self) -> bool:
        """True when rows are read to find those that are wanted."""
        return bool(self.person or self.caller or self.since or self.until)

    @property
    def is_whole(self) -> bool:
        """True when no row is left out."""
        return not (self.looks_inside or self.type or self.origin)


class WalkedRow(NamedTuple):
    """One row and its marks.

    Attributes:
        content: whether what it holds hashes to the hash it carries; `unknown`
            for one too large to hash here.
        link: whether its link is the hash of the row before; `anchor` for the
            first one, `unknown` where there is no row before.
        gap: numbers missing below it, first and last, where neighbours are shown.
        is_archive_edge: the row below is archived, this one is not.
    """

    row: EventRow
    archived: bool
    person: str
    caller: str
    content: Fit
    link: Fit
    gap: tuple[int, int] | None = None
    is_archive_edge: bool = False


class WalkPage(NamedTuple):
    """Rows newest first.

    Attributes:
        next: where the next page goes on; None at the end of the chain.
        searched_to: the lowest number that was looked at, where the search
            ended before the page was full.
    """

    rows: tuple[WalkedRow, ...]
    next: int | None
    searched_to: int | None = None


def walk_page(store: ReadStore, run_id: str, query: WalkQuery) -> WalkPage:
    """Return one page of a chain, newest first.

    Raises:
        RunNotFound: no such run.
    """
    with store.reading():
        store.run_row(run_id)
        found, last = _found(store, run_id, query)
        if len(found) > PAGE:
            found, last = found[:PAGE], found[PAGE - 1].row.sequence
            return WalkPage(_marked(store, found, query), last)
        searched = last if last is not None and query.looks_inside else None
        return WalkPage(_marked(store, found, query), last, searched)


def find_in_run(store: ReadStore, run_id: str, text: str) -> int | None:
    """Return the event of a run that a number, a hash, an event id or another name means.

    Hashes may be cut; of several the first found is taken.
    """
    if text.isascii() and text.isdigit():
        return int(text) if len(text) < 19 else None
    with store.reading():
        for place in _places(store, run_id, text):
            return place
        return _searched(store, run_id, text)


def _places(store: ReadStore, run_id: str, text: str) -> Iterator[int]:
    yield from (sequence for found, sequence in store.event_places(text) if found == run_id)
    for name in store.search_names(text):
        if name.run_id == run_id and not name.name.startswith("#"):
            doc = store.search_doc(run_id, name.kind, name.ref)
            if doc is not None and doc.sequence:
                yield doc.sequence
    yield from _hashed(store, run_id, text.lower())


def _hashed(store: ReadStore, run_id: str, digits: str) -> Iterator[int]:
    if len(digits) < _MARKED_DIGITS or not _HASH.fullmatch(digits):
        return
    for name in store.search_names(f"#{digits[:_MARKED_DIGITS]}"):
        if name.run_id == run_id and _carries(store.event_row(run_id, int(name.ref)), digits):
            yield int(name.ref)


def _searched(store: ReadStore, run_id: str, text: str) -> int | None:
    """Look at the newest rows themselves; what is searched by may lag, or leave the archive out."""
    digits = text.lower() if _HASH.fullmatch(text.lower()) else ""
    for one in _rows(store, run_id, WalkQuery()):
        named = (one.row.event_id, _payload(one.row).get("external_id"))
        if text in named or (digits and _carries(one, digits)):
            return one.row.sequence
    return None


def _carries(one: PagedEvent | None, digits: str) -> bool:
    return one is not None and one.row.hash.startswith(digits)


def _found(store: ReadStore, run_id: str, query: WalkQuery) -> tuple[list[PagedEvent], int | None]:
    """Return up to a page of rows and one, and where a search was given up, if it was."""
    found: list[PagedEvent] = []
    last, room = 0, CHARACTERS_SEARCHED
    for number, one in enumerate(_rows(store, run_id, query), 1):
        last = one.row.sequence
        room -= len(one.row.payload)
        if _is_wanted(one.row, query):
            found.append(one)
        if len(found) > PAGE:
            return found, None
        if query.looks_inside and (number >= ROWS_SEARCHED or room <= 0):
            return found, last
    return found, None


def _rows(store: ReadStore, run_id: str, query: WalkQuery) -> Iterator[PagedEvent]:
    """Yield rows newest first, at most `ROWS_SEARCHED` and one."""
    before, seen = query.before, 0
    types = [query.type] if query.type else None
    origins = [query.origin] if query.origin else None
    while seen <= ROWS_SEARCHED:
        page = store.event_page(run_id, before=before, limit=PAGE + 1, types=types, origins=origins)
        yield from page
        if len(page) <= PAGE:
            return
        seen += len(page)
        before = page[-1].row.sequence


def _is_wanted(row: EventRow, query: WalkQuery) -> bool:
    if query.since and row.timestamp < column_time(query.since):
        return False
    if query.until and row.timestamp >= column_time(query.until):
        return False
    if not (query.person or query.caller):
        return True
    payload = _payload(row)
    if query.person and payload.get("by") != query.person:
        return False
    return not query.caller or caller_name(payload) == query.caller


def _marked(store: ReadStore, found: list[PagedEvent], query: WalkQuery) -> tuple[WalkedRow, ...]:
    marked = []
    for number, one in enumerate(found, 1):
        before = found[number] if number < len(found) else None
        if before is None or before.row.sequence != one.row.sequence - 1:
            before = _before(store, one)
        marked.append(_walked(one, before, is_next=query.is_whole))
    return tuple(marked)


def _before(store: ReadStore, one: PagedEvent) -> PagedEvent | None:
    page = store.event_page(one.row.run_id, before=one.row.sequence, limit=1)
    return page[0] if page else None


def _walked(one: PagedEvent, before: PagedEvent | None, *, is_next: bool) -> WalkedRow:
    payload = _payload(one.row)
    by = payload.get("by")
    return WalkedRow(
        row=one.row,
        archived=one.archived,
        person=by if isinstance(by, str) else "",
        caller=caller_name(payload) or "",
        content=_content(one.row),
        link=_link(one.row, before),
        gap=_gap(one.row, before) if is_next else None,
        is_archive_edge=is_next and not one.archived and before is not None and before.archived,
    )


def _content(row: EventRow) -> Fit:
    if len(row.payload) > HASHED_CHARACTERS:
        return Fit.UNKNOWN
    try:
        return Fit.FITS if exact_digest(row) == row.hash else Fit.DIFFERS
    except UNREADABLE:
        return Fit.DIFFERS


def _link(row: EventRow, before: PagedEvent | None) -> Fit:
    if before is None:
        is_first = row.sequence == 1 and row.prev_hash is None
        return Fit.ANCHOR if is_first else Fit.UNKNOWN
    return Fit.FITS if row.prev_hash == before.row.hash else Fit.DIFFERS


def _gap(row: EventRow, before: PagedEvent | None) -> tuple[int, int] | None:
    last = before.row.sequence if before else 0
    return (last + 1, row.sequence - 1) if row.sequence > last + 1 else None


def _payload(row: EventRow) -> Mapping[str, Any]:
    try:
        payload = json.loads(row.payload)
    except (ValueError, TypeError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}
