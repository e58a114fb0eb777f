"""Who did what: the acts of people, found in the chains themselves.

There is no log beside the chains that could say something else. An act is an
event whose origin is `human`, or a settlement or compensation that names who
made it. The origin is what the writer asserted: an agent that writes events
past every door can claim it too, which is why the page shows it.
"""

from __future__ import annotations

import json

from continuum.core.clock import column_time
from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple
from continuum.domain.events import KNOWN_TYPES, EventType, Origin
from continuum.store.auditport import HumanQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from continuum.domain.events import EventRow
    from continuum.store.auditport import HumanRow
    from continuum.store.base import ReadStore

MAX_ACTS = 200
ROWS_SEARCHED = 5000
"""Rows looked at for one page; a rare name is then found page by page."""

VERBS = {
    "start": EventType.RUN_STARTED,
    "confirm": EventType.REVIEW_CONFIRMED,
    "settle": EventType.ACTION_RECONCILED,
    "compensate": EventType.ACTION_COMPENSATED,
    "complete": EventType.RUN_COMPLETED,
    "abort": EventType.RUN_ABORTED,
    "fork": EventType.RUN_FORKED,
    "approve": EventType.APPROVAL_GRANTED,
    "revoke": EventType.APPROVAL_REVOKED,
}
_VERB_OF = {str(kind): verb for verb, kind in VERBS.items()}

Place = tuple[str, str, int]


class ActQuery(NamedTuple):
    """Filters; empty ones do not filter.

    Attributes:
        verb: one of `VERBS`, or the name of an event type.
        since, until: aware; `until` is not included.
        before: `ActPage.next` of the page before.
    """

    person: str = ""
    verb: str = ""
    run_id: str = ""
    since: datetime | None = None
    until: datetime | None = None
    before: Place | None = None
    limit: int = 50


class HumanAct(NamedTuple):
    """One act of a person.

    Attributes:
        at: column time of the event.
        person: empty where the event names nobody, as the reference client's do.
        verb: one of `VERBS`, or the event type in lower case.
        subject: the action it is about, as the event names it.
        source: the origin the writer asserted.
        readable: False for a damaged row, of which only columns are shown.
    """

    run_id: str
    sequence: int
    at: str
    person: str
    verb: str
    subject: str
    reason: str
    via: str
    request_id: str
    source: str
    hash: str
    archived: bool
    readable: bool = True

    @property
    def place(self) -> Place:
        """Where the act stands in the list."""
        return self.at, self.run_id, self.sequence


class ActPage(NamedTuple):
    """Acts newest first; with `next` there may be more behind them, even if none is shown."""

    acts: tuple[HumanAct, ...]
    next: Place | None


def human_acts(store: ReadStore, query: ActQuery) -> ActPage:
    """Return one page of what people did, newest first.

    Raises:
        InvalidInput: no such verb.
    """
    limit = min(query.limit, MAX_ACTS)
    acts: list[HumanAct] = []
    last: Place | None = None
    with store.reading():
        for number, row in enumerate(_rows(store, query), 1):
            last = (row.row.timestamp, row.row.run_id, row.row.sequence)
            act = _act(row)
            if act is not None and query.person in ("", act.person):
                acts.append(act)
            if len(acts) >= limit or number >= ROWS_SEARCHED:
                return ActPage(tuple(acts), last)
    return ActPage(tuple(acts), None)


def _rows(store: ReadStore, query: ActQuery) -> Iterator[HumanRow]:
    wanted = HumanQuery(
        before=query.before,
        run_id=query.run_id or None,
        types=_types(query.verb),
        since=column_time(query.since) if query.since else None,
        until=column_time(query.until) if query.until else None,
    )
    while page := store.human_rows(wanted):
        yield from page
        if len(page) < wanted.limit:
            return
        last = page[-1].row
        wanted = wanted._replace(before=(last.timestamp, last.run_id, last.sequence))


def _types(verb: str) -> tuple[str, ...] | None:
    if not verb:
        return None
    kind = VERBS.get(verb) or KNOWN_TYPES.get(verb.upper())
    if kind is None:
        raise InvalidInput(f"there is no act {verb!r}; there are {', '.join(VERBS)}")
    return (str(kind),)


def _act(found: HumanRow) -> HumanAct | None:
    """Return the act a row is, or None where no person stands behind it."""
    payload = _payload(found.row)
    members = payload or {}
    by = _text(members.get("by"))
    if found.row.source != Origin.HUMAN and not by:
        return None
    kind = found.row.type
    return HumanAct(
        run_id=found.row.run_id,
        sequence=found.row.sequence,
        at=found.row.timestamp,
        person=by,
        verb=_VERB_OF.get(kind, kind.lower()),
        subject=_text(members.get("action_type")) or _text(members.get("goal")),
        reason=_text(members.get("reason")),
        via=_text(members.get("via")) or _text(members.get("closed_by")),
        request_id=_text(members.get("request_id")),
        source=found.row.source,
        hash=found.row.hash,
        archived=found.archived,
        readable=payload is not None,
    )


def _payload(row: EventRow) -> dict[str, Any] | None:
    try:
        payload = json.loads(row.payload)
    except (ValueError, TypeError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
