"""Search: runs, actions and event text by words; ids and hashes exactly.

What can be found is taken in behind the log, a bounded piece at a time, so an
append costs nothing for it. A query is plain text: it is cut into words here,
and a back end never sees anything that could be its syntax.
"""

from __future__ import annotations

import json
import re

from continuum.core.records import NamedTuple
from continuum.domain.events import ACTION_EVENTS, KNOWN_TYPES
from continuum.domain.searching import MAX_QUERY, excerpt, phrases_of, plain, words_in
from continuum.store.searchport import SearchDoc, SearchName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from continuum.domain.searching import Part, Phrase
    from continuum.store.base import ReadStore, Store, Writer
    from continuum.store.searchport import SearchRow

KINDS = ("run", "action", "event")
SHOWN = 8
PAGE = 50
MAX_TEXT = 2048
EVENTS_PER_ROUND = 500
EVENTS_PER_TRANSACTION = 50
"""Agents wait for the write lock meanwhile, so it is given back often."""

HASH_DIGITS = 8

_HASH = re.compile(rf"[0-9a-f]{{{HASH_DIGITS},64}}")
_WHOLE_HASH = re.compile(r"[0-9a-f]{64}")
_MOST_NAME = 512
_SAID_BY_PEOPLE = ("by", "reason", "note", "proposed_by", "proposed_reason")
_NO_TEXT = frozenset({"arguments_hash", "created_at", "key", "timestamp", "via"})


class Hit(NamedTuple):
    """Something that was found.

    Attributes:
        ref: empty for a run, the ledger key of an action, the sequence of an event.
        parts: the text around what was asked for.
        exact: what of it was named exactly, in a word; empty where words were found.
    """

    kind: str
    run_id: str
    ref: str
    sequence: int
    type: str
    at: str
    parts: tuple[Part, ...]
    number: int = 0
    exact: str = ""


class Group(NamedTuple):
    """Hits of one kind, newest first.

    Attributes:
        before: where the next page goes on; None when this is all.
    """

    kind: str
    hits: tuple[Hit, ...]
    before: int | None


class Found(NamedTuple):
    """The answer to a query.

    Attributes:
        exact: what carries the query as its name, id or hash.
        behind: True when not everything has been taken in yet.
    """

    query: str
    exact: tuple[Hit, ...]
    groups: tuple[Group, ...]
    behind: bool

    @property
    def is_empty(self) -> bool:
        """True when nothing was found."""
        return not self.exact and not any(group.hits for group in self.groups)


def search(store: ReadStore, query: str) -> Found:
    """Return what carries the query as a name, then what holds its words, by kind."""
    text = plain(query.strip()[:MAX_QUERY])
    phrases = phrases_of(text)
    with store.reading():
        exact = _exact(store, text) if text else ()
        groups = tuple(_group(store, kind, phrases, None, SHOWN) for kind in KINDS)
        behind = bool(store.search_behind(limit=1))
    return Found(text, exact, groups, behind)


def search_page(store: ReadStore, query: str, kind: str, *, before: int | None = None) -> Group:
    """Return one page of the hits of a kind, newest first."""
    with store.reading():
        return _group(store, kind, phrases_of(plain(query)), before, PAGE)


def catch_up(store: Store, *, events: int = EVENTS_PER_ROUND) -> int:
    """Take in up to `events` further events; return how many were."""
    done = 0
    while done < events:
        room = min(events - done, EVENTS_PER_TRANSACTION)
        behind = store.search_behind(limit=room)
        if not behind:
            break
        done += _take_in_some(store, behind, room)
    return done


def rebuild(store: Store) -> None:
    """Forget what was taken in; `catch_up` starts again from every first event."""
    with store.writing() as writer:
        writer.restart_search()


# -- finding


def _group(
    store: ReadStore, kind: str, phrases: list[Phrase], before: int | None, size: int
) -> Group:
    docs = store.search(kind, phrases, before=before, limit=size + 1)
    hits = tuple(_hit(doc, phrases) for doc in docs[:size])
    return Group(kind, hits, hits[-1].number if len(docs) > size else None)


def _hit(doc: SearchDoc, phrases: list[Phrase], exact: str = "") -> Hit:
    return Hit(
        kind=doc.kind,
        run_id=doc.run_id,
        ref=doc.ref,
        sequence=doc.sequence,
        type=doc.type,
        at=doc.at,
        parts=tuple(excerpt(doc.text, phrases)),
        number=doc.number,
        exact=exact,
    )


def _exact(store: ReadStore, text: str) -> tuple[Hit, ...]:
    hits = [*_runs_named(store, text), *_events_named(store, text), *_things_named(store, text)]
    if _HASH.fullmatch(text.lower()):
        hits += _hashes(store, text.lower())
    return tuple(hits[:SHOWN])


def _runs_named(store: ReadStore, text: str) -> Iterator[Hit]:
    run = store.find_run(text)
    if run is not None:
        goal = plain(run.goal)[:MAX_TEXT]
        doc = SearchDoc(text, "run", "", 0, "", run.created_at, goal)
        yield _hit(doc, [], "run id")


def _events_named(store: ReadStore, text: str) -> Iterator[Hit]:
    for run_id, sequence in store.event_places(text):
        yield _event_hit(store, run_id, sequence, "event id")


def _things_named(store: ReadStore, text: str) -> Iterator[Hit]:
    for name in store.search_names(text, limit=SHOWN):
        doc = store.search_doc(name.run_id, name.kind, name.ref)
        if doc is not None and not name.name.startswith(_HASH_MARK):
            yield _hit(doc, [], "key or id")


def _hashes(store: ReadStore, digits: str) -> Iterator[Hit]:
    for name in store.search_names(_HASH_MARK + digits[:HASH_DIGITS]):
        row = store.event_row(name.run_id, int(name.ref))
        if row is not None and row.row.hash.startswith(digits):
            yield _event_hit(store, name.run_id, int(name.ref), "hash")


def _event_hit(store: ReadStore, run_id: str, sequence: int, exact: str) -> Hit:
    doc = store.search_doc(run_id, "event", str(sequence)) if store.has_search else None
    if doc is None:
        paged = store.event_row(run_id, sequence)
        row = paged.row if paged else None
        kind, at, text = (row.type, row.timestamp, row.hash) if row else ("", "", "")
        doc = SearchDoc(run_id, "event", str(sequence), sequence, plain(kind), at, text)
    return _hit(doc, [], exact)


# -- taking in

_HASH_MARK = "#"


def _take_in_some(store: Store, behind: list[str], room: int) -> int:
    """Take in up to `room` events of several runs in one transaction; return how many.

    A run without any counts as one, so that each round gets somewhere.
    """
    done = 0
    with store.writing() as writer:
        writer.hold_search()
        for run_id in behind:
            if done >= room:
                break
            done += max(1, _take_in(store, writer, run_id, room - done))
    return done


def _take_in(store: Store, writer: Writer, run_id: str, limit: int) -> int:
    place = store.search_place(run_id)
    if place.sequence >= place.wanted:
        return 0
    if place.sequence < 0:
        writer.clear_search(run_id)
        _save_run(store, writer, run_id)
    rows = store.search_rows(run_id, after=max(place.sequence, 0), limit=limit)
    for row in rows:
        _save_row(writer, run_id, row)
    # A log that ends before its mark lost events; what is there has been taken in.
    last = rows[-1].sequence if rows and len(rows) == limit else place.wanted
    writer.save_search_place(run_id, max(last, rows[-1].sequence if rows else 0))
    return len(rows)


def _save_run(store: Store, writer: Writer, run_id: str) -> None:
    row = store.run_row(run_id)
    text = f"{row.goal} · {run_id}"
    _save(writer, SearchDoc(run_id, "run", "", 0, "", row.created_at, text))


def _save_row(writer: Writer, run_id: str, row: SearchRow) -> None:
    mark = _HASH_MARK + str(row.hash)[:HASH_DIGITS].lower()
    writer.save_search_name(SearchName(mark, run_id, "event", str(row.sequence)))
    payload = _payload(row)
    text = _text_of(row, payload)
    if text:
        kind = plain(row.type)
        doc = SearchDoc(run_id, "event", str(row.sequence), row.sequence, kind, row.timestamp, text)
        _save(writer, doc)
    if KNOWN_TYPES.get(row.type) in ACTION_EVENTS:
        _save_action(writer, run_id, row, payload)


def _save_action(writer: Writer, run_id: str, row: SearchRow, payload: Mapping[str, Any]) -> None:
    key, action = payload.get("key"), payload.get("action")
    if not isinstance(key, str) or not isinstance(action, dict):
        return
    kind = str(action.get("action_type", ""))
    external_id = str(action.get("external_id") or "")
    said = (
        kind,
        external_id,
        *_texts(action.get("arguments"), (str, int, float)),
        str(action.get("last_error") or ""),
    )
    names = (plain(key), plain(str(action.get("action_id", ""))), plain(external_id))
    text = " · ".join(part for part in said if part)
    doc = SearchDoc(
        run_id, "action", names[0], row.sequence, plain(kind)[:200], row.timestamp, text
    )
    _save(writer, doc, unseen=" ".join(names[:2]))
    for name in names:
        if 0 < len(name) <= _MOST_NAME:
            writer.save_search_name(SearchName(name, run_id, "action", names[0]))


def _save(writer: Writer, doc: SearchDoc, *, unseen: str = "") -> None:
    """Take a thing in; `unseen` is found, and not shown among its text."""
    text = plain(doc.text)[:MAX_TEXT]
    words = [word.folded for part in (text, unseen) for word in words_in(part)]
    writer.save_found(doc._replace(text=text), words)


def _payload(row: SearchRow) -> Mapping[str, Any]:
    try:
        payload = json.loads(row.payload)
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _text_of(row: SearchRow, payload: Mapping[str, Any]) -> str:
    """Return what an event says in words; an action's own words belong to the action."""
    if KNOWN_TYPES.get(row.type) in ACTION_EVENTS:
        said = [str(payload[name]) for name in _SAID_BY_PEOPLE if payload.get(name)]
        return " · ".join(said)[:MAX_TEXT]
    return " · ".join(_texts(payload))[:MAX_TEXT]


def _texts(value: Any, kinds: tuple[type, ...] = (str,)) -> list[str]:
    """Return the values of `kinds` in a JSON value, in order, no more than fit.

    Ids and hashes are left out; they are found as names.
    """
    found: list[str] = []
    waiting, room = [value], MAX_TEXT
    while waiting and room > 0:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [part for name, part in reversed(one.items()) if _speaks(name)]
        elif isinstance(one, list):
            waiting += reversed(one)
        elif isinstance(one, kinds) and not isinstance(one, bool):
            text = str(one)[:MAX_TEXT]
            if text.strip() and not _WHOLE_HASH.fullmatch(text):
                found.append(text)
                room -= len(text)
    return found


def _speaks(name: str) -> bool:
    """Return whether a member holds words, not an id or a hash that is found as a name."""
    if name == "external_id":
        return True
    return name not in _NO_TEXT and not name.endswith(("_id", "_ids", "_hash"))
