"""The read model: one row per run, one per thing that needs a person.

Triggers mark a run stale when any client appends to it. `catch_up` judges
stale runs again, a bounded number at a time; lists, counts and badges then
come from the rows. The rows are no record: deleting them all and catching up
gives the same lists again.
"""

from __future__ import annotations

import json
from contextlib import suppress

from continuum.core.clock import column_time
from continuum.core.errors import (
    ContinuumError,
    Corrupted,
    NoEvents,
    NotReadYet,
    Unprojectable,
)
from continuum.core.records import NamedTuple
from continuum.domain.events import Head
from continuum.recovery.validation import valid_until
from continuum.services.chain import untouched_since
from continuum.services.inbox import Severity, corrupted_item, items_of
from continuum.services.recovery import assess_at_once, assess_run
from continuum.store.modelport import RunCursor as RunCursor
from continuum.store.modelport import Summary
from continuum.store.modelport import SummaryQuery as SummaryQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from continuum.services.recovery import Assessed
    from continuum.store.base import ReadStore, Store, Writer
    from continuum.store.modelport import HeadMark, Item

SHOWN_REASONS = 5
_NOT_READ = json.dumps(["Its log has grown by more than is read at once; it is being read."])
_MOST_UNREAD = 100
_NO_REVISION = -1


class CaughtUp(NamedTuple):
    """What a round of judging came to.

    Attributes:
        refreshed: how many runs were judged again.
        unread: runs that are too long to be read while somebody waits.
    """

    refreshed: int
    unread: tuple[str, ...]


class _Fresh(NamedTuple):
    """A run judged anew, ready to be stored.

    Attributes:
        verified: how far the chain was found healthy; None when it was not.
        mark: the head mark as it was before judging.
    """

    summary: Summary
    items: list[Item]
    verified: Head | None = None
    mark: HeadMark | None = None


def catch_up(store: Store, *, limit: int, at: datetime) -> int:
    """Judge up to `limit` stale runs again, however long they are; return how many.

    Children are refreshed before their parents notice: a changed child marks
    its parent stale, and the next round takes it.
    """
    done = 0
    while done < limit:
        stale = store.stale_runs(limit - done, at)
        if not stale:
            break
        _save_all(store, [_judge_anew(store, run_id, at) for run_id in stale], at)
        done += len(stale)
    return done


def catch_up_at_once(store: Store, *, limit: int, at: datetime) -> CaughtUp:
    """Judge up to `limit` stale runs again, but none with so many unread events that it takes long.

    Those stay stale, for `catch_up_run`, and their rows say so until then.
    """
    done = 0
    unread: list[str] = []
    while done < limit and len(unread) < _MOST_UNREAD:
        stale = store.stale_runs(limit - done + len(unread), at)
        stale = [run_id for run_id in stale if run_id not in unread]
        if not stale:
            break
        fresh = []
        for run_id in stale:
            try:
                fresh.append(_judge_anew(store, run_id, at, assess_at_once))
            except NotReadYet:
                unread.append(run_id)
        _save_all(store, fresh, at)
        done += len(fresh)
    _say_unread(store, unread, at)
    return CaughtUp(done, tuple(unread))


def catch_up_run(store: Store, run_id: str, *, at: datetime) -> None:
    """Judge one run again, however long it is.

    Raises:
        RunNotFound: no such run.
    """
    _save_all(store, [_judge_anew(store, run_id, at)], at)


def write_summary(store: Store, writer: Writer, run_id: str, *, at: datetime) -> None:
    """Refresh one run inside the transaction that changed it."""
    if store.has_read_model:
        _save(store, writer, _judge_anew(store, run_id, at), at)


def refresh_if_behind(store: Store, run_id: str, *, by: int, at: datetime) -> bool:
    """Refresh a run's row when its log is `by` events ahead of it; return whether it was.

    A fold starts at the snapshot in that row, so this keeps it short.

    Raises:
        RunNotFound: no such run.
    """
    if not store.has_read_model:
        return False
    summary = store.summary(run_id)
    if store.head(run_id).sequence - (summary.sequence if summary else 0) < by:
        return False
    with store.writing(run_id) as writer:
        write_summary(store, writer, run_id, at=at)
    return True


def events_since_checkpoint(store: ReadStore, run_id: str) -> int:
    """Return how many events no checkpoint of the run covers."""
    checkpoint = store.newest_checkpoint(run_id)
    covered = int(checkpoint.state["source_sequence"]) if checkpoint else 0
    return store.head(run_id).sequence - covered


def judged_anew(store: ReadStore, run_id: str, at: datetime) -> tuple[Summary, list[Item]]:
    """Return the list row and the inbox items that a run should have now; nothing is written."""
    fresh = _judge_anew(store, run_id, at)
    return fresh.summary, fresh.items


def is_read(store: ReadStore, run_id: str) -> bool:
    """Return whether a run that was too long for a page has been read since."""
    summary = store.summary(run_id)
    return summary is not None and summary.reasons != _NOT_READ


def list_summaries(store: ReadStore, query: SummaryQuery) -> list[Summary]:
    """Return one page of the runs list, newest first."""
    return store.summaries(query)


def _save_all(store: Store, fresh: list[_Fresh], at: datetime) -> None:
    for together in _transactions(store, fresh):
        with store.writing() as writer:
            for one in together:
                _save(store, writer, one, at)


def _say_unread(store: Store, run_ids: Sequence[str], at: datetime) -> None:
    """Let the rows of runs that were not read claim nothing; they stay stale."""
    for run_id in run_ids:
        known = store.summary(run_id)
        if known is not None and known.reasons == _NOT_READ:
            continue
        row = (known or _bare(store, run_id, at))._replace(
            mode="request_human", own_mode="request_human", safe=False, reasons=_NOT_READ
        )
        with store.writing() as writer:
            writer.save_summary(row, revision=_NO_REVISION)


def _transactions(store: Store, fresh: list[_Fresh]) -> list[list[_Fresh]]:
    """Return what to save together.

    A file is synced once a transaction, and one writer excludes all others.
    On a server every writer takes the rows of a run before those of its
    parent; several runs at once would break that order and could lock out,
    or be locked out by, a run that is being written.
    """
    return [fresh] if store.backend == "sqlite" else [[one] for one in fresh]


def _save(store: ReadStore, writer: Writer, fresh: _Fresh, at: datetime) -> None:
    summary, mark = fresh.summary, fresh.mark
    before = store.summary(summary.run_id)
    # A walk vouches for rows as they were; a later change must not be covered by it.
    if fresh.verified is not None and untouched_since(store, summary.run_id, mark):
        writer.save_verified(summary.run_id, fresh.verified, at)
    # Another client's appends are not in the ledger's rows yet, which the list of actions shows.
    with suppress(Corrupted):  # what cannot be read is in the verdict
        writer.catch_up_ledger(summary.run_id)
    writer.save_items(summary.run_id, fresh.items, at=at)
    writer.save_summary(summary, revision=mark.revision if mark else None)
    changed = before is None or (before.mode, before.safe) != (summary.mode, summary.safe)
    if changed and summary.parent_run_id:
        writer.mark_stale(summary.parent_run_id)


def _judge_anew(
    store: ReadStore, run_id: str, at: datetime, judge: Callable[..., Assessed] = assess_run
) -> _Fresh:
    mark = store.head_mark(run_id)
    return _judged(store, run_id, at, judge)._replace(mark=mark)


def _judged(store: ReadStore, run_id: str, at: datetime, judge: Callable[..., Assessed]) -> _Fresh:
    try:
        assessed = judge(store, run_id, at=at)
    except NoEvents:
        return _Fresh(_without_events(store, run_id, at), [])
    except (Corrupted, Unprojectable) as exc:
        return _corrupted(store, run_id, exc, at)
    chain = assessed.verdict.chain
    verified = Head(assessed.facts.sequence, assessed.facts.hash) if chain.ok else None
    items = items_of(assessed)
    return _Fresh(_summary(store, assessed, items, at), items, verified)


def _summary(store: ReadStore, assessed: Assessed, items: Sequence[Item], at: datetime) -> Summary:
    verdict, facts, run = assessed.verdict, assessed.facts, assessed.run
    progress = verdict.state["progress"]
    return Summary(
        run_id=run.run_id,
        sequence=facts.sequence,
        mode=str(verdict.mode),
        safe=verdict.safe,
        own_mode=str(verdict.own_mode),
        severity=min((item.severity for item in items), default=int(Severity.NONE)),
        status=verdict.closed.status if verdict.closed else str(run.status),
        goal=verdict.state["goal"]["description"],
        parent_run_id=run.parent_run_id,
        created_at=run.created_at,
        last_event_at=facts.last_at,
        last_event_type=facts.last_type,
        completed=progress["completed"],
        failed=progress["failed"],
        total=progress["total"],
        open_actions=len(verdict.uncertain),
        actions=store.action_count(run.run_id),
        children=len(store.children(run.run_id)),
        blocked_children=len(verdict.family_rationale),
        caller=facts.caller,
        reasons=json.dumps([one.text for one in verdict.findings[:SHOWN_REASONS]]),
        oldest_open_at=min((item.opened_at for item in items), default=None),
        valid_until=_valid_until(assessed, at),
        computed_at=column_time(at),
        snapshot=json.dumps(facts.snapshot(), separators=(",", ":")),
    )


def _valid_until(assessed: Assessed, at: datetime) -> str | None:
    """Return when time alone changes the row: an approval expires, or a claim's lease is over."""
    leases = [one.lease for one in assessed.facts.open_actions if one.lease and one.is_held(at)]
    ends = [column_time(lease.until) for lease in leases]
    expiry = valid_until(assessed.verdict.state, at)
    return min([*ends, expiry] if expiry else ends, default=None)


def _without_events(store: ReadStore, run_id: str, at: datetime) -> Summary:
    """A row that nothing was recorded for yet: nothing to judge, nobody to ask."""
    return _bare(store, run_id, at)._replace(mode="request_human", own_mode="request_human")


def _corrupted(store: ReadStore, run_id: str, error: ContinuumError, at: datetime) -> _Fresh:
    bare = _bare(store, run_id, at)
    items = [corrupted_item(store.run_row(run_id), str(error), at)]
    summary = bare._replace(
        mode="request_human",
        own_mode="request_human",
        severity=int(Severity.INTEGRITY),
        reasons=json.dumps([str(error)]),
        oldest_open_at=items[0].opened_at,
    )
    return _Fresh(summary, items)


def _bare(store: ReadStore, run_id: str, at: datetime) -> Summary:
    row = store.run_row(run_id)
    return Summary(
        run_id=run_id,
        sequence=store.head(run_id).sequence,
        mode="",
        safe=False,
        own_mode="",
        severity=int(Severity.NONE),
        status=row.status,
        goal=row.goal,
        parent_run_id=row.parent_run_id,
        created_at=row.created_at,
        last_event_at=None,
        last_event_type=None,
        completed=0,
        failed=0,
        total=None,
        open_actions=0,
        actions=0,
        children=0,
        blocked_children=0,
        caller=None,
        reasons="[]",
        oldest_open_at=None,
        valid_until=None,
        computed_at=column_time(at),
        snapshot="",
    )
