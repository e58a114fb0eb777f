"""What agents report: progress, and any other event, folded before it is appended.

Nothing that does not fold enters the log: an event is tried on the state in
memory first, under the same lock that appends it.
"""

from __future__ import annotations

from continuum.core.errors import Conflict, InvalidInput, NotFound, Refused, Unprojectable
from continuum.core.records import NamedTuple
from continuum.domain.events import Draft, EventType, Head, Origin, event_from_row, seal
from continuum.services.facts import load_facts
from continuum.services.runs import NewRun, ensure_run_id, insert_started
from continuum.services.summaries import write_summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from continuum.domain.events import Event
    from continuum.domain.runfacts import RunFacts
    from continuum.domain.state import SemanticState
    from continuum.store.base import Store, Writer

MAX_COUNT = 2**53 - 1
"""The largest counter: the largest integer every JSON reader keeps exactly."""


REFRESH_EVERY = 200
"""Events after which the snapshot an append folds from is taken anew."""


class Progress(NamedTuple):
    """How far an agent says it is. Counters are whole numbers ≥ 0."""

    completed: int
    failed: int = 0
    total: int | None = None
    goal: str | None = None
    """What the run is for; needed when the run does not exist yet."""


class Appended(NamedTuple):
    """An event with the state around it.

    Attributes:
        before: None when the event was the first one of the run to be counted.
    """

    event: Event
    before: SemanticState | None
    after: SemanticState


def record_progress(
    store: Store,
    run_id: str,
    progress: Progress,
    *,
    at: datetime,
    source: Origin = Origin.EXTERNAL_AGENT,
    caller: Mapping[str, Any] | str | None = None,
) -> Event:
    """Record an agent's progress as `report_progress` does; return the event."""
    return report_progress(store, run_id, progress, at=at, source=source, caller=caller).event


def report_progress(
    store: Store,
    run_id: str,
    progress: Progress,
    *,
    at: datetime,
    source: Origin = Origin.EXTERNAL_AGENT,
    caller: Mapping[str, Any] | str | None = None,
) -> Appended:
    """Record an agent's progress; start the run if it is new and a goal is given.

    Row, start and progress are one transaction. A run that has a row and no
    event gets its start now.

    Args:
        caller: the program that reports, kept in the event (`domain.callers`).

    Raises:
        InvalidInput: a counter is no whole number, negative, or done exceeds the total.
        NotFound: the run is new and no goal is given.
        Refused: the run is closed.
    """
    ensure_run_id(run_id)
    _ensure_counts(progress)
    members = {"caller": caller} if caller else {}
    draft = Draft(EventType.TASK_UPDATED, {**_counters(progress), **members}, source, at)
    with store.writing() as writer:
        run = store.find_run(run_id)
        if run is None:
            _start(writer, run_id, progress, source, members, at)
        elif not store.head(run_id).sequence:
            start = Draft(EventType.RUN_STARTED, {"goal": run.goal, **members}, source, at)
            append_foldable(store, writer, run_id, start)
        return append_foldable(store, writer, run_id, draft)


def append_event(store: Store, run_id: str, draft: Draft) -> Event:
    """Append one event that folds, in one transaction; return it as stored.

    Raises:
        RunNotFound: no such run.
        InvalidInput: the payload is not plain JSON, too large, or does not fold.
        Refused: the run is closed.
    """
    with store.writing(run_id) as writer:
        return append_foldable(store, writer, run_id, draft).event


def append_foldable(store: Store, writer: Writer, run_id: str, draft: Draft) -> Appended:
    """Append one event that folds, inside an open transaction; as `append_event` otherwise."""
    facts = load_facts(store, run_id)
    _ensure_running(facts)
    before = facts.projection.state() if facts.projection.has_goal else None
    after = _ensure_folds(facts, draft)
    event = writer.append(run_id, [draft])[0]
    if facts.sequence - facts.restored_at >= REFRESH_EVERY:
        # The next fold starts here, so an append costs the same in a long run.
        write_summary(store, writer, run_id, at=draft.at)
    return Appended(event, before, after)


def _start(
    writer: Writer,
    run_id: str,
    progress: Progress,
    source: Origin,
    members: dict[str, Any],
    at: datetime,
) -> None:
    if progress.goal is None:
        raise NotFound(f"run {run_id!r} does not exist; give a goal to start it")
    insert_started(writer, NewRun(run_id, progress.goal, source=source, members=members), at=at)


def _ensure_running(facts: RunFacts) -> None:
    if facts.closed:
        status, sequence = facts.closed
        raise Refused(
            f"run {facts.run_id!r} was {status} at event {sequence}; start a new run instead"
        )


def _ensure_folds(facts: RunFacts, draft: Draft) -> SemanticState:
    if facts.projection.failure:
        raise Conflict(
            f"the log of run {facts.run_id!r} stopped folding at event "
            f"{facts.projection.failure.sequence}; a person has to look at it first"
        )
    trial = facts.projection.copy()
    row = seal(draft, run_id=facts.run_id, head=Head(facts.sequence, facts.hash))
    try:
        trial.apply(event_from_row(row))
        return trial.state()
    except Unprojectable as exc:
        raise InvalidInput(f"not recorded, because it does not fold: {exc}") from exc


def _ensure_counts(progress: Progress) -> None:
    for name in ("completed", "failed", "total"):
        value = getattr(progress, name)
        if value is None and name == "total":
            continue
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidInput(f"{name} must be a whole number, not {value!r}")
        if not 0 <= value <= MAX_COUNT:
            raise InvalidInput(f"{name} must lie between 0 and {MAX_COUNT}, not {value}")
    done = progress.completed + progress.failed
    if progress.total is not None and done > progress.total:
        raise InvalidInput(f"completed and failed are {done} together, more than {progress.total}")


def _counters(progress: Progress) -> dict[str, int]:
    counters = {"completed": progress.completed, "failed": progress.failed}
    if progress.total is None:
        return counters
    pending = max(progress.total - progress.completed - progress.failed, 0)
    return {**counters, "total": progress.total, "pending": pending}
