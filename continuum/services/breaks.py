"""The place where a chain breaks: the first bad event, its neighbours, and what differs.

This only looks at the rows around one place; `chain.verify_run` finds the place.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.records import NamedTuple
from continuum.domain.events import UNREADABLE, exact_digest
from continuum.services.chain import row_disagreement, walk_chain
from continuum.services.facts import fold_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from continuum.domain.chain import Violation
    from continuum.domain.events import EventRow
    from continuum.store.base import PagedEvent, ReadStore


class DifferenceKind(StrEnum):
    """How the log differs from one that could have been recorded."""

    CONTENT = "content"
    HASH = "hash"
    LINK = "link"
    GAP = "gap"
    UNREADABLE = "unreadable"
    REPLACED = "replaced"
    MISSING_TAIL = "missing_tail"
    MISSING_ARCHIVE = "missing_archive"
    RUN_ROW = "run_row"


class Difference(NamedTuple):
    """One thing that does not fit: what there should be, what there is."""

    kind: DifferenceKind
    text: str
    expected: str = ""
    found: str = ""


class Neighbour(NamedTuple):
    """A row as stored, and the hash of what it holds; None for one that cannot be read."""

    row: EventRow
    archived: bool
    digest: str | None


class Break(NamedTuple):
    """The neighbourhood of the first bad event.

    Attributes:
        sequence: from here on nothing is to be trusted.
        before, bad, after: rows around the place; None where there is none.
        violation: what a walk reports for it, when one was made.
    """

    run_id: str
    sequence: int
    before: Neighbour | None
    bad: Neighbour | None
    after: Neighbour | None
    differences: tuple[Difference, ...]
    violation: Violation | None = None


def explain_break(store: ReadStore, run_id: str, sequence: int | None = None) -> Break | None:
    """Return the neighbourhood of the first bad event, or None for a healthy chain.

    Args:
        sequence: where a verification found it; without it the chain is walked.

    Raises:
        RunNotFound: no such run.
    """
    with store.reading():
        store.run_row(run_id)
        violation = None
        if sequence is None:
            violation = walk_chain(store, run_id).first
            if violation is None:
                return _row_break(store, run_id)
            sequence = violation.sequence
        return _around(store, run_id, sequence)._replace(violation=violation)


def _around(store: ReadStore, run_id: str, sequence: int) -> Break:
    below = store.event_page(run_id, before=sequence, limit=1)
    before = _neighbour(below[0]) if below else None
    place = store.event_row(run_id, sequence)
    bad = _neighbour(place) if place else None
    after = _next(store, run_id, sequence)
    found = Break(run_id, sequence, before, bad, after, ())
    return found._replace(differences=tuple(_differences(store, found)))


def _differences(store: ReadStore, found: Break) -> Iterator[Difference]:
    if found.bad is None:
        yield _absence(found)
    else:
        yield from _own(found.bad, found.after)
        yield from _towards(found.before, found.bad)
    for lost in store.lost_hashes(found.run_id, limit=50):
        if lost.sequence == found.sequence:
            now = found.bad.row.hash if found.bad else ""
            text = f"the event recorded here was changed, replaced or deleted at {lost.at}"
            yield Difference(DifferenceKind.REPLACED, text, lost.hash, now)


def _own(bad: Neighbour, after: Neighbour | None) -> Iterator[Difference]:
    """What is wrong with a row by itself; the link behind it tells which side was changed."""
    row, digest = bad.row, bad.digest
    if digest is None:
        yield Difference(DifferenceKind.UNREADABLE, "the row cannot be read as an event")
        return
    if digest == row.hash:
        return
    linked = after.row.prev_hash if after else None
    if linked == digest:
        text = "the hash was changed; the content still fits the link behind it"
        yield Difference(DifferenceKind.HASH, text, digest, row.hash)
        return
    text = "the content was changed: it does not hash to the value recorded for it"
    yield Difference(DifferenceKind.CONTENT, text, row.hash, digest)


def _towards(before: Neighbour | None, bad: Neighbour) -> Iterator[Difference]:
    expected = before.row.sequence + 1 if before else 1
    if bad.row.sequence != expected:
        last = bad.row.sequence - 1
        missing = f"event {expected}" if last == expected else f"events {expected} to {last}"
        kind = DifferenceKind.GAP
        if before is None and not bad.archived and bad.row.prev_hash is not None:
            kind = DifferenceKind.MISSING_ARCHIVE
        yield Difference(kind, f"{missing} missing before it", str(expected), str(bad.row.sequence))
    hashes = (before.row.hash, before.digest) if before else (None,)
    if bad.row.prev_hash not in hashes:
        text = "the link is not the hash of the event before"
        yield Difference(
            DifferenceKind.LINK, text, str(hashes[0] or "none"), str(bad.row.prev_hash or "none")
        )


def _absence(found: Break) -> Difference:
    after = found.after
    if after is None:
        text = f"the log ends at event {found.sequence - 1}, but more was recorded once"
        return Difference(DifferenceKind.MISSING_TAIL, text, str(found.sequence), "")
    last = after.row.sequence - 1
    text = f"event {found.sequence} is missing"
    if last > found.sequence:
        text = f"events {found.sequence} to {last} are missing"
    kind = DifferenceKind.GAP
    if found.before is None and not after.archived and after.row.prev_hash is not None:
        kind = DifferenceKind.MISSING_ARCHIVE
        text += "; what is left is linked to an event that is neither live nor archived"
    return Difference(kind, text, str(found.sequence), str(after.row.sequence))


def _row_break(store: ReadStore, run_id: str) -> Break | None:
    """The chain is healthy; the run's row may still deny it."""
    text = row_disagreement(store.run(run_id), fold_facts(store, run_id))
    if not text:
        return None
    head = store.head(run_id).sequence
    difference = Difference(DifferenceKind.RUN_ROW, text)
    return _around(store, run_id, head)._replace(differences=(difference,))


def _next(store: ReadStore, run_id: str, sequence: int) -> Neighbour | None:
    for archived in (True, False):
        for row in store.event_rows(run_id, archived=archived, after=sequence):
            return Neighbour(row, archived, _digest(row))
    return None


def _neighbour(place: PagedEvent) -> Neighbour:
    return Neighbour(place.row, place.archived, _digest(place.row))


def _digest(row: EventRow) -> str | None:
    try:
        return exact_digest(row)
    except UNREADABLE:
        return None
