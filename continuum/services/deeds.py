"""Everything people did, in one list: what they did in runs, and what they changed about callers.

Both are found in hash-chained logs, the runs' own and that of the callers; there is
no other log that could say something else.
"""

from __future__ import annotations

from itertools import takewhile

from continuum.core.clock import column_time
from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple
from continuum.services.acts_log import VERBS, ActPage, ActQuery, human_acts
from continuum.services.callerlists import list_entries
from continuum.services.exports import csv_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from continuum.services.acts_log import HumanAct, Place
    from continuum.services.callerlists import ListedEntry
    from continuum.store.base import ReadStore

PAGE = 50
ENTRIES_SEARCHED = 1000
CALLER_VERBS = {
    "caller_added": "CALLER_ADDED",
    "caller_allowed": "CALLER_ALLOWED",
    "caller_denied": "CALLER_DENIED",
    "caller_edited": "CALLER_EDITED",
    "caller_secret": "CALLER_SECRET_SET",
    "caller_disabled": "CALLER_DISABLED",
    "caller_enabled": "CALLER_ENABLED",
}
ALL_VERBS = (*VERBS, *CALLER_VERBS)
RUNS = "runs"
CALLERS = "callers"
END: Place = ("", "", 0)
"""Behind the last act."""

CSV_COLUMNS = (
    "at",
    "person",
    "verb",
    "run_id",
    "caller",
    "sequence",
    "subject",
    "reason",
    "via",
    "origin",
    "hash",
)
_VERB_OF_ENTRY = {kind: verb for verb, kind in CALLER_VERBS.items()}


class Deed(NamedTuple):
    """One thing a person did.

    Attributes:
        run_id: empty for a change of a caller.
        caller: whom a change is about; empty for acts in runs.
        sequence: of the event, or of the entry in the callers' history.
        origin: what the writer of the event asserted; empty for callers.
        readable: False for a damaged row, of which only columns are shown.
    """

    at: str
    person: str
    verb: str
    run_id: str
    caller: str
    sequence: int
    subject: str
    reason: str
    via: str
    origin: str
    hash: str
    readable: bool = True


class DeedQuery(NamedTuple):
    """Filters; empty ones do not filter.

    Attributes:
        about: `runs`, `callers`, or empty for both.
        since, until: aware; `until` is not included.
        before, entry: where the page before ended, in runs and in the callers' history.
    """

    person: str = ""
    verb: str = ""
    run_id: str = ""
    about: str = ""
    since: datetime | None = None
    until: datetime | None = None
    before: Place | None = None
    entry: int | None = None


class DeedPage(NamedTuple):
    """Deeds newest first; `more` when there may be others, from `before` and `entry` on."""

    deeds: tuple[Deed, ...]
    more: bool
    before: Place
    entry: int


def deeds_page(store: ReadStore, query: DeedQuery) -> DeedPage:
    """Return one page of everything people did.

    Both logs are read as far as a page goes; what only one of them reached is
    left for the next page, so that nothing comes out of order.

    Raises:
        InvalidInput: no such verb.
    """
    if query.verb and query.verb not in ALL_VERBS:
        raise InvalidInput(f"there is no verb {query.verb!r}; there are {', '.join(ALL_VERBS)}")
    with store.reading():
        acts, entries = _acts(store, query), _entries(store, query)
    horizon = max(acts.next[0] if acts.next else "", entries.reached)
    shown_acts = [one for one in acts.acts if one.at >= horizon]
    shown_entries = list(takewhile(lambda one: one.row.timestamp >= horizon, entries.listed))
    deeds = [*map(_deed_of_act, shown_acts), *map(_deed_of_entry, shown_entries)]
    deeds.sort(key=lambda one: one.at, reverse=True)
    before = _act_cursor(query, acts, shown_acts)
    entry = _entry_cursor(query, entries, shown_entries)
    more = before != END or entry > 1
    return DeedPage(tuple(deeds), more, before, entry)


def export_deeds(store: ReadStore, query: DeedQuery) -> Iterator[str]:
    """Yield everything that matches as lines of CSV; no cell can be taken for a formula."""
    yield csv_line(CSV_COLUMNS)
    while True:
        page = deeds_page(store, query)
        for one in page.deeds:
            yield csv_line(getattr(one, name) for name in CSV_COLUMNS)
        if not page.more:
            return
        query = query._replace(before=page.before, entry=page.entry)


class _Entries(NamedTuple):
    """Entries that match; `reached` is the earliest time looked at, where there are more."""

    listed: tuple[ListedEntry, ...]
    reached: str
    next: int


def _acts(store: ReadStore, query: DeedQuery) -> ActPage:
    if query.about == CALLERS or query.verb in CALLER_VERBS or query.before == END:
        return ActPage((), None)
    return human_acts(
        store,
        ActQuery(
            person=query.person,
            verb=query.verb,
            run_id=query.run_id,
            since=query.since,
            until=query.until,
            before=query.before,
            limit=PAGE,
        ),
    )


def _entries(store: ReadStore, query: DeedQuery) -> _Entries:
    if query.about == RUNS or query.run_id or query.verb in VERBS or query.entry == 1:
        return _Entries((), "", 1)
    found: list[ListedEntry] = []
    times: list[str] = []
    for one in _all_entries(store, query.entry):
        times.append(one.row.timestamp)
        if _is_wanted(one, query):
            found.append(one)
        if len(found) >= PAGE or len(times) >= ENTRIES_SEARCHED:
            return _Entries(tuple(found), min(times), one.row.sequence)
    return _Entries(tuple(found), "", 1)


def _all_entries(store: ReadStore, before: int | None) -> Iterator[ListedEntry]:
    while page := list_entries(store, limit=PAGE, before=before):
        yield from page
        before = page[-1].row.sequence


def _is_wanted(one: ListedEntry, query: DeedQuery) -> bool:
    row = one.row
    if query.since and row.timestamp < column_time(query.since):
        return False
    if query.until and row.timestamp >= column_time(query.until):
        return False
    if query.verb and _VERB_OF_ENTRY.get(row.type) != query.verb:
        return False
    return query.person in ("", _said(one, "by"))


def _act_cursor(query: DeedQuery, acts: ActPage, shown: list[HumanAct]) -> Place:
    if len(shown) < len(acts.acts):
        return shown[-1].place if shown else query.before or _above(acts.acts[0].place)
    return acts.next or END


def _above(place: Place) -> Place:
    """Return a cursor from which the act at a place is the next."""
    at, run_id, sequence = place
    return at, run_id, sequence + 1


def _entry_cursor(query: DeedQuery, entries: _Entries, shown: list[ListedEntry]) -> int:
    if len(shown) < len(entries.listed):
        if shown:
            return shown[-1].row.sequence
        return query.entry or entries.listed[0].row.sequence + 1
    return entries.next


def _deed_of_act(act: HumanAct) -> Deed:
    return Deed(
        at=act.at,
        person=act.person,
        verb=act.verb,
        run_id=act.run_id,
        caller="",
        sequence=act.sequence,
        subject=act.subject,
        reason=act.reason,
        via=act.via,
        origin=act.source,
        hash=act.hash,
        readable=act.readable,
    )


def _deed_of_entry(one: ListedEntry) -> Deed:
    return Deed(
        at=one.row.timestamp,
        person=_said(one, "by"),
        verb=_VERB_OF_ENTRY.get(one.row.type, one.row.type.lower()),
        run_id="",
        caller=one.row.caller,
        sequence=one.row.sequence,
        subject="",
        reason=_said(one, "reason"),
        via=_said(one, "via"),
        origin="",
        hash=one.row.hash,
        readable=one.entry is not None,
    )


def _said(one: ListedEntry, name: str) -> str:
    value = one.entry.payload.get(name) if one.entry else None
    return value if isinstance(value, str) else ""
