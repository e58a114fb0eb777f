"""The walk page: a chain link by link, and the way to one of its events."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from continuum.services.chainwalks import Fit, WalkQuery, find_in_run, walk_page
from continuum.services.standings import StandingState, standing
from runs.chainwords import FITS, STATES

if TYPE_CHECKING:
    from continuum.services.chainwalks import WalkedRow
    from continuum.services.standings import Standing
    from continuum.store.base import ReadStore
    from runs.words import Word


ROWS_ABOVE = 5
"""Events that came after the one that was looked for, shown above it."""


class WalkLine(NamedTuple):
    """One row with its marks in words.

    Attributes:
        is_sound: both marks fit.
        trusted: False from the first bad event on.
        missing: numbers missing below it, in words.
    """

    walked: WalkedRow
    content: Word
    link: Word
    is_sound: bool
    trusted: bool
    missing: str


class WalkScreen(NamedTuple):
    """One page of the walk.

    Attributes:
        at: the event that was looked for.
        asked: what was looked for and not found.
    """

    standing: Standing
    word: Word
    lines: list[WalkLine]
    older: int | None
    searched_to: int | None
    at: int | None
    asked: str
    query: WalkQuery

    @property
    def run_id(self) -> str:
        """The run."""
        return self.standing.run_id

    @property
    def missing_tail(self) -> int | None:
        """The last event that was recorded once, where newer ones than the newest are gone."""
        is_cut = self.standing.state is StandingState.BROKEN and self.query.before is None
        bad, head = self.standing.bad_sequence, self.standing.head.sequence
        return bad if is_cut and bad is not None and bad > head else None


def build(store: ReadStore, run_id: str, query: WalkQuery, asked: str) -> WalkScreen:
    """Return a page of a chain, around the event that is looked for.

    Raises:
        RunNotFound: no such run.
    """
    with store.reading():
        known = standing(store, run_id)
        at = find_in_run(store, run_id, asked) if asked else None
        if at is not None:
            query = query._replace(before=at + 1 + ROWS_ABOVE)
        page = walk_page(store, run_id, query)
    is_there = at is not None and any(one.row.sequence == at for one in page.rows)
    bad = known.bad_sequence if known.state is StandingState.BROKEN else None
    return WalkScreen(
        standing=known,
        word=STATES[known.state],
        lines=[_line(one, bad) for one in page.rows],
        older=page.next,
        searched_to=page.searched_to,
        at=at if is_there else None,
        asked=asked if asked and not is_there else "",
        query=query,
    )


def _line(walked: WalkedRow, bad: int | None) -> WalkLine:
    return WalkLine(
        walked=walked,
        content=FITS[walked.content],
        link=FITS[walked.link],
        is_sound=walked.content is not Fit.DIFFERS and walked.link is not Fit.DIFFERS,
        trusted=bad is None or walked.row.sequence < bad,
        missing=_missing(walked.gap),
    )


def _missing(gap: tuple[int, int] | None) -> str:
    if gap is None:
        return ""
    first, last = gap
    return f"Event {first} is missing" if first == last else f"Events {first} to {last} are missing"
