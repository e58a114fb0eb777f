"""What a few rows prove about a chain without walking it.

Triggers note what is changed or deleted, whatever client does it, and kept
verifications say what was found. Whatever is told here a walk finds too; a walk
may find more, and earlier events.
"""

from __future__ import annotations

from continuum.core.clock import parse_time
from continuum.domain.chain import MAX_VIOLATIONS, Violation, ViolationKind
from continuum.domain.events import UNREADABLE, exact_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from continuum.domain.events import EventRow
    from continuum.store.auditport import TouchedRow, VerificationRow
    from continuum.store.base import ReadStore
    from continuum.store.modelport import HeadMark

TOUCHED_CHECKED = 50
TOUCHED_LISTED = 500
"""Of all runs of a list together."""


def break_in_sight(store: ReadStore, run_id: str, mark: HeadMark | None) -> Violation | None:
    """Return the first thing that a few rows prove to be wrong, or None."""
    found = lost_hashes(store, run_id)
    if mark is not None:
        newest = store.event_page(run_id, limit=1)
        last = newest[0].row.sequence if newest else 0
        found += missing_tail(run_id, last, mark)
    if mark is not None and mark.touched_sequence is not None:
        found += _changed_rows(store, run_id)
    return min(found, key=lambda one: one.sequence, default=None)


def breaks_in_sight(
    store: ReadStore, places: Mapping[str, tuple[HeadMark | None, int]]
) -> dict[str, Violation]:
    """Return what `break_in_sight` returns for each of several runs; two statements for all.

    Args:
        places: of each run its mark and the sequence of its newest event, archive included.
    """
    marks = {run_id: mark for run_id, (mark, _) in places.items() if mark is not None}
    found = [_lost(run_id, one) for run_id, one in store.first_lost([*places]).items()]
    for run_id, mark in marks.items():
        found += missing_tail(run_id, places[run_id][1], mark)
    touched = [run_id for run_id, mark in marks.items() if mark.touched_sequence is not None]
    for at, row in store.touched_rows(touched, limit=TOUCHED_LISTED):
        if _differs(row):
            found.append(_changed(row, at))
    firsts: dict[str, Violation] = {}
    for one in found:
        known = firsts.setdefault(one.run_id, one)
        if one.sequence < known.sequence:
            firsts[one.run_id] = one
    return firsts


def break_found_before(store: ReadStore, run_id: str, mark: HeadMark) -> VerificationRow | None:
    """Return the newest kept result where it found the chain broken and nothing has come since.

    Only a later walk that finds the chain whole sets a verified mark, and whoever
    mends an event touches it; either asks for a new walk.
    """
    result = store.newest_verification(run_id)
    if result is None or result.outcome != "broken" or mark.verified_sequence:
        return None
    if result.bad_kind not in _OF_A_WALK or not result.bad_sequence:
        return None
    if mark.touched_at and parse_time(mark.touched_at) >= parse_time(result.started_at):
        return None
    return result


def lost_hashes(store: ReadStore, run_id: str) -> list[Violation]:
    """Return a violation for each event whose first hash is not in its place any more."""
    return [_lost(run_id, one) for one in store.lost_hashes(run_id, limit=MAX_VIOLATIONS)]


def missing_tail(run_id: str, last: int, mark: HeadMark) -> Iterator[Violation]:
    """Yield a violation when the mark saw events behind the `last` one there is."""
    if mark.sequence > last:
        detail = f"events {last + 1} to {mark.sequence} were appended once and are gone"
        yield Violation(ViolationKind.MISSING_TAIL, run_id, last + 1, None, detail)


def _lost(run_id: str, one: TouchedRow) -> Violation:
    detail = (
        f"event {one.sequence} was recorded with hash {one.hash}; at {one.at} it was changed, "
        "replaced or deleted"
    )
    return Violation(ViolationKind.ROW_TOUCHED, run_id, one.sequence, None, detail)


def _changed_rows(store: ReadStore, run_id: str) -> Iterator[Violation]:
    for touched in store.touched(run_id, limit=TOUCHED_CHECKED):
        place = store.event_row(run_id, touched.sequence)
        if place is not None and _differs(place.row):
            yield _changed(place.row, touched.at)


def _changed(row: EventRow, at: str) -> Violation:
    detail = f"event {row.sequence} was changed at {at}"
    return Violation(ViolationKind.TAMPERED_CONTENT, row.run_id, row.sequence, row.event_id, detail)


def _differs(row: EventRow) -> bool:
    try:
        return exact_digest(row) != row.hash
    except UNREADABLE:
        return True


_OF_A_WALK = frozenset(str(one) for one in ViolationKind if one is not ViolationKind.ROW_MISMATCH)
