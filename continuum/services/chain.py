"""Auditing a run's chain: the walk, and the later facts that prove a gap.

Two audits exist. `audit` walks everything, every time. `glance` starts behind
the last verified mark, which triggers drop as soon as any client changes or
deletes an event row; it serves lists and pages.
"""

from __future__ import annotations

from continuum.core.canonical import stable_hash
from continuum.core.errors import Corrupted, NotReadYet
from continuum.core.records import NamedTuple
from continuum.domain.chain import (
    ChainWalk,
    Verification,
    Violation,
    ViolationKind,
)
from continuum.domain.events import Head
from continuum.domain.projection import failure_after
from continuum.domain.runfacts import RunFacts
from continuum.domain.runs import RunStatus
from continuum.recovery.facts import ChainFacts
from continuum.services import secondwalk
from continuum.services.traces import (
    break_found_before,
    break_in_sight,
    lost_hashes,
    missing_tail,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from continuum.domain.events import Event
    from continuum.domain.projection import ProjectionFailure
    from continuum.domain.runs import Run, RunRow
    from continuum.store.base import ReadStore, Store
    from continuum.store.modelport import HeadMark


_GUARDS_KEPT = "_guards_stand"
_CLOSED = (RunStatus.COMPLETED, RunStatus.ABORTED)


class VerifyReport(NamedTuple):
    """What `verify` answers for one run.

    Attributes:
        projectable: every event folds; None when the chain is not healthy.
        failure: the first event that does not fold.
        index_drift: rows of the store-wide action index that are off, if asked
            and the chain is healthy.
        index_repaired: rows rewritten; None when no repair was asked for,
            `refused` when the chain forbids it.
        mark: the run's head mark as it was when the walk began.
        row_digest: `run_row_digest` at that time.
    """

    verification: Verification
    projectable: bool | None
    failure: ProjectionFailure | None
    index_drift: int | None = None
    index_repair: str | None = None
    mark: HeadMark | None = None
    row_digest: str | None = None

    @property
    def ok(self) -> bool:
        """True when the chain is healthy and every event folds."""
        return self.verification.ok and bool(self.projectable)


def verify_run(store: ReadStore, run_id: str, *, index: bool = False) -> VerifyReport:
    """Walk the whole chain of `run_id`, then fold its whole log.

    Raises:
        RunNotFound: no such run.
    """
    with store.reading():
        mark, digest = store.head_mark(run_id), run_row_digest(store, run_id)
        run = store.run(run_id)
        report = VerifyReport(walk_chain(store, run_id), None, None)
        if report.verification.ok:
            fold = Fold(run_id)
            fold.read(store.events(run_id))
            report = report_of(run, report.verification, fold)
        drift = store.index_drift() if index and report.verification.ok else None
    return report._replace(index_drift=drift, mark=mark, row_digest=digest)


def run_row_digest(store: ReadStore, run_id: str) -> str:
    """Return a digest of a run's row, but for when it was updated.

    Raises:
        RunNotFound: no such run.
    """
    return digest_of_row(store.run_row(run_id))


def digest_of_row(row: RunRow) -> str:
    """Return the digest of a run's row that was read already."""
    return stable_hash(row._replace(updated_at="")._asdict())


def report_of(run: Run, verification: Verification, fold: Fold) -> VerifyReport:
    """Return the report of a healthy chain whose log was folded, held against the run's row."""
    verification = verification.with_more(_row_violations(run, fold.facts))
    projectable = fold.failure is None if verification.ok else None
    return VerifyReport(verification, projectable, fold.failure)


def mark_verified(store: Store, report: VerifyReport, *, at: datetime) -> None:
    """Keep a healthy full walk as the mark that lists and pages start from.

    Not where a row was changed since the walk began, which it says nothing about.
    """
    verification = report.verification
    if not verification.ok or not verification.head_sequence:
        return
    with store.writing(verification.run_id) as writer:
        if untouched_since(store, verification.run_id, report.mark):
            head = Head(verification.head_sequence, verification.head_hash)
            writer.save_verified(verification.run_id, head, at)


def untouched_since(store: ReadStore, run_id: str, mark: HeadMark | None) -> bool:
    """Return whether no event was changed or deleted since `mark` was read."""
    now = store.head_mark(run_id)
    if now is None or mark is None:
        return now is mark
    return (now.touched_sequence, now.touched_at) == (mark.touched_sequence, mark.touched_at)


def walk_chain(store: ReadStore, run_id: str) -> Verification:
    """Return the outcome of the whole walk, later facts included."""
    walk = ChainWalk(run_id)
    for _ in walk_in_steps(store, walk, run_id):
        pass
    result = walk.result()
    return result.with_more(later_facts(store, run_id, result))


def walk_in_steps(store: ReadStore, walk: ChainWalk, run_id: str) -> Iterator[int]:
    """Feed every row of a run to `walk`; yield now and then how many are done.

    A long chain is walked with two processes where there can be two.
    """
    for _ in walk.archive_in_steps(store.event_rows(run_id, archived=True)):
        yield walk.seen
    part = secondwalk.last_part(store, run_id, walk.seen + 1)
    steps = walk.live_in_steps(store.event_rows(run_id, archived=False))
    if part is None:
        for _ in steps:
            yield walk.seen
    else:
        yield from _walk_with_second(walk, steps, part)


def _walk_with_second(
    walk: ChainWalk, steps: Iterator[None], part: secondwalk.Part
) -> Iterator[int]:
    with secondwalk.SecondWalker(part) as second:
        for _ in steps:
            yield min(2 * walk.seen, part.head)
            if walk.is_sound_past(part.after) and second.has_found_it_healthy():
                walk.skip_to(part.head, part.head_hash)
                return


def audit(store: ReadStore, run_id: str) -> ChainFacts:
    """Return the outcome of a walk over the whole chain of `run_id`."""
    return chain_facts(walk_chain(store, run_id), full=True)


def glance(store: ReadStore, run_id: str, *, most_events: int | None = None) -> ChainFacts:
    """Return whether the chain of `run_id` may be trusted, from its last mark if it has one.

    Without a mark to start from, a break that a few rows prove is answer enough: a
    page of a long broken run waits for no walk.

    Args:
        most_events: how many may be walked; None for all there are.

    Raises:
        NotReadYet: there are more.
    """
    mark = store.head_mark(run_id)
    if mark is None:
        return _audit_short(store, run_id, store.head(run_id).sequence, most_events)
    if mark.verified_sequence and not mark.touched_sequence and guards_stand(store):
        ensure_short(run_id, mark.sequence - mark.verified_sequence, most_events)
        return chain_facts(_walk_tail(store, run_id, mark), full=False)
    known = _known_break(store, run_id, mark)
    return known or _audit_short(store, run_id, mark.sequence, most_events)


def ensure_short(run_id: str, events: int, most_events: int | None) -> None:
    """Raise `NotReadYet` when more `events` are to be read than somebody will wait for."""
    if most_events is not None and events > most_events:
        raise NotReadYet(run_id, events)


def _audit_short(store: ReadStore, run_id: str, events: int, most_events: int | None) -> ChainFacts:
    ensure_short(run_id, events, most_events)
    return audit(store, run_id)


def _known_break(store: ReadStore, run_id: str, mark: HeadMark) -> ChainFacts | None:
    seen = break_in_sight(store, run_id, mark)
    before = break_found_before(store, run_id, mark)
    places = [
        *(
            [(seen.sequence, f"{seen.kind} at event {seen.sequence}: {seen.detail}")]
            if seen
            else ()
        ),
        *([(before.bad_sequence or 0, before.detail)] if before else ()),
    ]
    if not places:
        return None
    sequence, detail = min(places)
    return ChainFacts(ok=False, broken_at=sequence, detail=detail, full=False)


def guards_stand(store: ReadStore) -> bool:
    """Return whether the triggers are there that take a mark down when a row is changed.

    Looked at anew only when the schema may have changed, since every verdict asks.
    """
    kept: tuple[int, bool] | None = getattr(store, _GUARDS_KEPT, None)
    mark = store.guards_mark()
    if kept is None or kept[0] != mark:
        kept = (mark, not store.missing_guards())
        setattr(store, _GUARDS_KEPT, kept)
    return kept[1]


def _walk_tail(store: ReadStore, run_id: str, mark: HeadMark) -> Verification:
    walk = ChainWalk(run_id, after=mark.verified_sequence, prev_hash=mark.verified_hash)
    if store.head(run_id).sequence > mark.verified_sequence:
        walk.archive(store.event_rows(run_id, archived=True, after=mark.verified_sequence))
        walk.live(store.event_rows(run_id, archived=False, after=mark.verified_sequence))
    result = walk.result()
    return result.with_more(missing_tail(run_id, last_sequence(result), mark))


def chain_facts(verification: Verification, *, full: bool) -> ChainFacts:
    """Return what a verdict has to know of a walk; `full` when it began at the first event."""
    if verification.ok:
        return ChainFacts(ok=True, checked_through=verification.head_sequence, full=full)
    first = verification.first or verification.violations[0]
    return ChainFacts(
        ok=False,
        broken_at=first.sequence,
        detail=f"{first.kind} at event {first.sequence}: {first.detail}",
        checked_through=verification.trusted_through,
        full=full,
    )


def later_facts(store: ReadStore, run_id: str, result: Verification) -> Iterator[Violation]:
    """Yield what proves that a log was another one, outside what a walk can see."""
    lost = lost_hashes(store, run_id)
    yield from lost
    mark = store.head_mark(run_id)
    if mark is not None:
        yield from missing_tail(run_id, last_sequence(result), mark)
        if not lost:
            yield from _rewritten(run_id, result, mark)
    yield from _beyond_head(run_id, result, "state version", _version_cover(store, run_id))
    yield from _beyond_head(run_id, result, "checkpoint", _checkpoint_cover(store, run_id))


def last_sequence(result: Verification) -> int:
    """Return the newest event there is: the last live one, else the last archived one."""
    return result.head_sequence or result.archived


def _rewritten(run_id: str, result: Verification, mark: HeadMark) -> Iterator[Violation]:
    same_place = mark.sequence == result.head_sequence
    if same_place and mark.hash and mark.hash != result.head_hash:
        at = mark.touched_sequence or mark.sequence
        detail = f"the head was appended with hash {mark.hash} and has another one now"
        yield Violation(ViolationKind.ROW_TOUCHED, run_id, at, None, detail)


def _beyond_head(
    run_id: str, result: Verification, what: str, covered: int | None
) -> Iterator[Violation]:
    last = last_sequence(result)
    if covered is not None and covered > last:
        detail = f"a {what} covers events up to {covered}, the log ends at {last}"
        yield Violation(ViolationKind.MISSING_TAIL, run_id, last + 1, None, detail)


def _version_cover(store: ReadStore, run_id: str) -> int | None:
    cover = store.newest_version_cover(run_id)
    return cover[1] if cover else None


def _checkpoint_cover(store: ReadStore, run_id: str) -> int | None:
    """The newest checkpoint's reach; a damaged one proves nothing and is reported elsewhere."""
    try:
        checkpoint = store.newest_checkpoint(run_id)
    except Corrupted:
        return None
    return int(checkpoint.state["source_sequence"]) if checkpoint else None


def row_disagreement(run: Run, facts: RunFacts) -> str:
    """Return what the run row says against its log, or empty text.

    The log is the truth. A row that lags behind (still open although the log
    closed the run) is no disagreement: the reference client closes a run in
    separate transactions.
    """
    if not facts.sequence:
        return ""
    if run.status in _CLOSED and facts.closed is None:
        return f"the run row says {run.status}, but no event closed the run"
    if facts.goals and run.goal not in facts.goals:
        return "the run row has a goal that its log never recorded"
    return ""


def _row_violations(run: Run, facts: RunFacts) -> Iterator[Violation]:
    detail = row_disagreement(run, facts)
    if detail:
        yield Violation(ViolationKind.ROW_MISMATCH, run.run_id, facts.sequence, None, detail)


class Fold:
    """One fold of a log for two questions: does every event fold, and what does it say."""

    def __init__(self, run_id: str) -> None:
        self.facts = RunFacts(run_id)
        self.failure: ProjectionFailure | None = None

    def read(self, events: Iterable[Event]) -> None:
        """Read events behind the last one."""
        for event in events:
            self.facts.apply(event)
            if self.failure is None:
                self.failure = failure_after(self.facts.projection, event)
