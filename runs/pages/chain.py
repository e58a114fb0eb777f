"""The chain pages: what the kept results are worth now, and where a chain breaks.

Nothing here walks a chain; a page view is a few look-ups, whatever a run's length.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from continuum.services.breaks import explain_break
from continuum.services.chainlists import TroubledPage, list_chains, list_troubled
from continuum.services.guards import missing_guards
from continuum.services.search import search
from continuum.services.standings import StandingState, standing, store_standing
from continuum.services.verifyjobs import open_job
from runs.chainwords import DIFFERENCES, OUTCOMES, STATES, outcome_word, standing_title
from runs.pages.events import PREVIEW_CHARACTERS, laid_out, strip_of
from runs.pages.run_list import cursor_text, read_cursor

if TYPE_CHECKING:
    from datetime import datetime

    from continuum.domain.runs import RunRow
    from continuum.services.breaks import Break, Difference, Neighbour
    from continuum.services.chainlists import ListedChain
    from continuum.services.standings import Standing
    from continuum.services.verifications import VerificationRow
    from continuum.services.verifyjobs import Job
    from continuum.store.base import ReadStore
    from runs.pages.events import Link
    from runs.words import Word

PAGE = 50
HISTORY = 20
_NEVER = OUTCOMES["failed"]._replace(text="Never verified", icon="question", tone="")


class ShownJob(NamedTuple):
    """A walk that goes on, or that its process left behind."""

    job: Job
    is_alive: bool


class ChainLine(NamedTuple):
    """One run in a list of chains."""

    run: RunRow
    standing: Standing
    word: Word

    @property
    def place(self) -> str:
        """Where it breaks, for the word; empty where nothing is known to be wrong."""
        bad = self.standing.bad_sequence
        return f"at {bad:,}" if bad else ""


class StorePanel(NamedTuple):
    """What was found when the whole store was verified last."""

    result: VerificationRow | None
    word: Word
    job: ShownJob | None
    command: str
    may_verify: bool


class ChainList(NamedTuple):
    """The page of all chains.

    Attributes:
        troubled: broken and touched ones, on the first page and their own.
        more_troubled, older: cursors for the address, or empty.
        asked: what was looked for and not found.
        missing_guards: triggers that are gone, off or altered.
    """

    store: StorePanel
    troubled: list[ChainLine]
    more_troubled: str
    rows: list[ChainLine]
    older: str
    only_troubled: bool
    asked: str
    missing_guards: list[str]


class ShownNeighbour(NamedTuple):
    """A row near the break: where it stands, what it carries, what fits.

    Attributes:
        trust: `trusted`, `bad` or `untrusted`.
        fits: whether its content has the hash it carries; None where it cannot be read.
    """

    label: str
    trust: str
    near: Neighbour | None
    fits: bool | None
    links: bool
    payload: str


class ShownBreak(NamedTuple):
    """The first bad event beside its neighbours, and what differs."""

    found: Break
    differences: list[tuple[Word, Difference]]
    neighbours: list[ShownNeighbour]


class ChainScreen(NamedTuple):
    """The page of one chain."""

    run: RunRow
    standing: Standing
    word: Word
    job: ShownJob | None
    strip: list[Link]
    broken: ShownBreak | None
    history: list[tuple[Word, VerificationRow]]
    command: str
    may_verify: bool

    @property
    def run_id(self) -> str:
        """The run."""
        return self.run.run_id

    @property
    def is_broken(self) -> bool:
        """True when something is known to be wrong."""
        return self.standing.state is StandingState.BROKEN

    @property
    def broken_at(self) -> int | None:
        """The first event that is not to be trusted."""
        return self.standing.bad_sequence if self.is_broken else None

    @property
    def title(self) -> str:
        """How it stands, in a line."""
        return standing_title(self.standing)

    @property
    def events_behind(self) -> int:
        """How many events came after the last verification."""
        result = self.standing.result
        return max(0, self.standing.head.sequence - result.head_sequence) if result else 0


class ChainsWanted(NamedTuple):
    """What the address asks for."""

    before: str = ""
    after: str = ""
    show: str = ""
    asked: str = ""


def build_list(store: ReadStore, wanted: ChainsWanted, *, now: datetime) -> ChainList:
    """Return a page of all chains, or of the troubled ones alone.

    Raises:
        InvalidInput: a cursor in the address is none.
    """
    only_troubled = wanted.show == "broken"
    troubled = TroubledPage((), "")
    if only_troubled or not wanted.before:
        troubled = list_troubled(store, after=wanted.after, limit=PAGE)
    listed: list[ListedChain] = []
    if not only_troubled:
        listed = list_chains(store, before=read_cursor(wanted.before), limit=PAGE + 1)
    rows = listed[:PAGE]
    last = rows[-1].run if len(listed) > PAGE else None
    return ChainList(
        store=store_panel(store, now=now),
        troubled=[_line(one) for one in troubled.chains],
        more_troubled=troubled.next,
        rows=[_line(one) for one in rows],
        older=cursor_text(last) if last else "",
        only_troubled=only_troubled,
        asked=wanted.asked,
        missing_guards=missing_guards(store),
    )


def store_panel(store: ReadStore, *, now: datetime) -> StorePanel:
    """Return how the whole store stood when it was verified last."""
    result = store_standing(store)
    return StorePanel(
        result=result,
        word=outcome_word(result.outcome) if result else _NEVER,
        job=_job(store, None, now),
        command="continuum verify --all",
        may_verify=_may_verify(store),
    )


def build(store: ReadStore, run_id: str, *, now: datetime) -> ChainScreen:
    """Return the page of one chain, read in one snapshot.

    Raises:
        RunNotFound: no such run.
    """
    with store.reading():
        known = standing(store, run_id)
        screen = ChainScreen(
            run=store.run_row(run_id),
            standing=known,
            word=STATES[known.state],
            job=_job(store, run_id, now),
            strip=strip_of(store, run_id),
            broken=None,
            history=[
                (outcome_word(row.outcome), row)
                for row in store.verifications(run_id, limit=HISTORY)
            ],
            command=shlex.join(["continuum", "verify", run_id]),
            may_verify=_may_verify(store),
        )
        if not screen.broken_at:  # nothing is wrong, or there is no event to show
            return screen
        return screen._replace(broken=_broken(store, run_id, screen.broken_at))


def find(store: ReadStore, asked: str) -> tuple[str, int] | None:
    """Return the run and event that an id, a hash or another exact name means; 0 for no event."""
    for hit in search(store, asked).exact:
        return hit.run_id, hit.sequence
    return None


def _line(listed: ListedChain) -> ChainLine:
    return ChainLine(listed.run, listed.standing, STATES[listed.standing.state])


def shown_job(job: Job | None, now: datetime) -> ShownJob | None:
    """Return a job with whether its worker is still there."""
    return ShownJob(job, job.is_alive(now)) if job else None


def _job(store: ReadStore, run_id: str | None, now: datetime) -> ShownJob | None:
    return shown_job(open_job(store, run_id), now)


def _may_verify(store: ReadStore) -> bool:
    """Return whether a result could be kept."""
    return store.has_audit and not store.read_only


def _broken(store: ReadStore, run_id: str, sequence: int) -> ShownBreak | None:
    found = explain_break(store, run_id, sequence)
    if found is None:
        return None
    before, bad, after = found.before, found.bad, found.after
    return ShownBreak(
        found,
        [(DIFFERENCES[one.kind], one) for one in found.differences],
        [
            _shown("The event before", "trusted", before, None),
            _shown("The first bad event", "bad", bad, before),
            _shown("The event after", "untrusted", after, bad or before),
        ],
    )


def _shown(
    label: str, trust: str, near: Neighbour | None, before: Neighbour | None
) -> ShownNeighbour:
    if near is None:
        return ShownNeighbour(label, trust, None, None, links=False, payload="")
    links = before is None or near.row.prev_hash == before.row.hash
    fits = None if near.digest is None else near.digest == near.row.hash
    payload = laid_out(near.row.payload, PREVIEW_CHARACTERS)
    return ShownNeighbour(label, trust, near, fits, links=links, payload=payload)
