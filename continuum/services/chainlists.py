"""Lists of chains with what their kept results are worth; no chain is walked for them."""

from __future__ import annotations

from continuum.core.errors import RunNotFound
from continuum.core.records import NamedTuple
from continuum.domain.events import Head
from continuum.services.chain import digest_of_row
from continuum.services.standings import NEVER, Standing, StandingState, judged, standing
from continuum.services.traces import breaks_in_sight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from continuum.domain.runs import RunRow
    from continuum.store.auditport import ChainRow
    from continuum.store.base import ReadStore
    from continuum.store.modelport import HeadMark, RunCursor

MAX_LISTED = 100
SUSPECTS_SEARCHED = 500
_BAD = (StandingState.BROKEN, StandingState.TOUCHED)


class ListedChain(NamedTuple):
    """A run and how its chain stands."""

    run: RunRow
    standing: Standing


class TroubledPage(NamedTuple):
    """Chains that are broken or were touched, by run id; with `next` there may be more."""

    chains: tuple[ListedChain, ...]
    next: str


def list_chains(
    store: ReadStore, *, before: RunCursor | None = None, limit: int = 50
) -> list[ListedChain]:
    """Return a page of all runs, newest first: three statements at most."""
    limit = min(limit, MAX_LISTED)
    with store.reading():
        if not store.has_audit:
            runs = [store.run_row(run.run_id) for run in store.runs(limit=limit, before=before)]
            return [ListedChain(run, standing(store, run.run_id)) for run in runs]
        rows = store.chain_rows(before=before, limit=limit)
        known = _standings(store, rows)
        return [ListedChain(row.run, known[row.run.run_id]) for row in rows]


def standings_of(store: ReadStore, run_ids: Collection[str]) -> dict[str, Standing]:
    """Return how the chains of some runs stand: three statements at most, for all of them.

    Runs without a row are left out; without the tables of an audit nothing was ever verified.
    """
    wanted = list(dict.fromkeys(run_ids))
    if not store.has_audit:
        return {
            run_id: Standing(run_id, StandingState.UNVERIFIED, None, Head(0, None), reason=NEVER)
            for run_id in wanted
        }
    with store.reading():
        return _standings(store, store.chain_rows_of(wanted))


def list_troubled(store: ReadStore, *, after: str = "", limit: int = 50) -> TroubledPage:
    """Return a page of the runs whose chain is broken, or was touched and not verified since."""
    limit = min(limit, MAX_LISTED)
    found: list[ListedChain] = []
    last = ""
    with store.reading():
        for number, run_id in enumerate(_suspects(store, after), 1):
            last = run_id
            chain = _listed(store, run_id)
            if chain is not None and chain.standing.state in _BAD:
                found.append(chain)
            if len(found) >= limit or number >= SUSPECTS_SEARCHED:
                return TroubledPage(tuple(found), last)
    return TroubledPage(tuple(found), "")


def _suspects(store: ReadStore, after: str) -> Iterator[str]:
    while page := store.troubled_runs(after=after, limit=MAX_LISTED):
        yield from page
        after = page[-1]


def _listed(store: ReadStore, run_id: str) -> ListedChain | None:
    try:
        return ListedChain(store.run_row(run_id), standing(store, run_id))
    except RunNotFound:
        return None


def _standings(store: ReadStore, rows: Sequence[ChainRow]) -> dict[str, Standing]:
    """Return what the rows tell; those that give any doubt are looked at closer, all at once."""
    marks = {row.run.run_id: _caught_up(row) for row in rows}
    doubtful = {
        row.run.run_id: (marks[row.run.run_id], row.live.sequence or row.archived)
        for row in rows
        if _is_doubtful(row, marks[row.run.run_id])
    }
    broken = breaks_in_sight(store, doubtful) if doubtful else {}
    return {
        run_id: judged(
            Standing(run_id, StandingState.UNVERIFIED, row.result, row.live, reason=NEVER),
            broken.get(run_id),
            marks[run_id],
            digest_of_row(row.run),
        )
        for run_id, row in zip(marks, rows, strict=True)
    }


def _is_doubtful(row: ChainRow, mark: HeadMark | None) -> bool:
    if row.was_touched or mark is None or mark.touched_sequence is not None:
        return True
    return mark.sequence > row.live.sequence


def _caught_up(row: ChainRow) -> HeadMark | None:
    """Return the mark; live events may follow the newest one that was noted."""
    if row.mark is not None and row.live.sequence > row.mark.sequence:
        return row.mark._replace(sequence=row.live.sequence, hash=row.live.hash)
    return row.mark
