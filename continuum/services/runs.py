"""Runs: starting them, listing them, and how they hang together."""

from __future__ import annotations

from continuum.core.clock import column_time
from continuum.core.errors import (
    Conflict,
    InvalidInput,
    NoActiveRun,
    Refused,
    UnreadableRecord,
)
from continuum.core.records import NamedTuple
from continuum.domain.events import Draft, EventType, Origin
from continuum.domain.runs import Run, RunStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from typing import Any

    from continuum.store.base import ReadStore, Store, Writer
    from continuum.store.modelport import RunCursor

MAX_RUN_ID = 512
MAX_TREE_DEPTH = 64


class ListedRun(NamedTuple):
    """A run with the sequence its live log has reached.

    Attributes:
        run: goal and status as the log says where the row denies it.
    """

    run: Run
    last_sequence: int


class NewRun(NamedTuple):
    """What starting a run takes.

    Attributes:
        source: who asserts the goal; a person's start is trusted, an agent's
            has to be confirmed.
    """

    run_id: str
    goal: str
    source: Origin = Origin.HUMAN
    parent: str | None = None
    metadata: Mapping[str, Any] = {}
    members: Mapping[str, Any] = {}


def start_run(store: Store, new: NewRun, *, at: datetime) -> Run:
    """Create a run: its row and its RUN_STARTED, in one transaction; return the row.

    Raises:
        InvalidInput: the id is blank, too long or holds control characters.
        RunExists: the id is taken.
        RunNotFound: the parent does not exist.
        Refused: the parent is completed.
    """
    ensure_run_id(new.run_id)
    with store.writing() as writer:
        if new.parent is not None:
            _ensure_open_parent(store, new.parent)
        return insert_started(writer, new, at=at)


def insert_started(writer: Writer, new: NewRun, *, at: datetime) -> Run:
    """Insert row and start inside an open transaction; return the row."""
    run = Run(
        run_id=new.run_id,
        goal=new.goal,
        status=RunStatus.STARTED,
        created_at=column_time(at),
        updated_at=column_time(at),
        metadata=dict(new.metadata),
        parent_run_id=new.parent,
    )
    writer.insert_run(run)
    payload = {"goal": new.goal, **new.members}
    writer.append(run.run_id, [Draft(EventType.RUN_STARTED, payload, new.source, at)])
    return run


def list_runs(store: ReadStore, *, limit: int, before: RunCursor | None = None) -> list[ListedRun]:
    """Return runs newest first, with how far each log has got."""
    with store.reading():
        return [
            ListedRun(_as_logged(store, run), store.head(run.run_id).sequence)
            for run in store.runs(limit=limit, before=before)
        ]


def pick_run(store: ReadStore, run_id: str | None) -> Run:
    """Return the run named, or the active one when none is.

    Raises:
        RunNotFound: no run of that id.
        NoActiveRun: none is named and none is open.
    """
    if run_id is not None:
        return store.run(run_id)
    run = store.active_run()
    if run is None:
        raise NoActiveRun('no run is open; start one with `continuum start RUN --goal "…"`')
    return run


def ancestors(store: ReadStore, run: Run) -> list[Run]:
    """Return the run's parents, root first; a cycle or a missing row ends the walk."""
    found: list[Run] = []
    seen = {run.run_id}
    parent_id = run.parent_run_id
    while parent_id and parent_id not in seen and len(found) < MAX_TREE_DEPTH:
        seen.add(parent_id)
        parent = store.find_run(parent_id)
        if parent is None:
            break
        found.append(parent)
        parent_id = parent.parent_run_id
    return found[::-1]


class TreeNode(NamedTuple):
    """A run in its family: how deep it lies below the run that was asked for."""

    run: Run
    depth: int


def family(store: ReadStore, run_id: str, *, limit: int = 1000) -> list[TreeNode]:
    """Return the run and everything below it, depth first, newest child first.

    Each run appears once, so a cycle of parents ends; at most `limit` nodes.

    Raises:
        RunNotFound: no such run.
    """
    with store.reading():
        nodes = [
            node for node, _ in zip(_walk(store, store.run(run_id)), range(limit), strict=False)
        ]
    return nodes


def ensure_run_id(run_id: str) -> None:
    """Refuse ids that cannot be told apart, printed or typed.

    Raises:
        InvalidInput: blank, surrounded by blanks, over 512 characters, or with
            control characters.
    """
    if not run_id.strip():
        raise InvalidInput("a run id must not be blank")
    if run_id != run_id.strip():
        raise InvalidInput(f"run id {run_id!r} begins or ends with a blank; leave it out")
    if len(run_id) > MAX_RUN_ID:
        raise InvalidInput(f"the run id is longer than {MAX_RUN_ID} characters")
    if not run_id.isprintable():
        raise InvalidInput(f"run id {run_id!r} holds characters that cannot be printed")


def ensure_started(
    store: Store, run_id: str, *, source: Origin, members: Mapping[str, Any], at: datetime
) -> None:
    """Write the start of a run that has a row and no event; refuse one that begins otherwise.

    Raises:
        RunNotFound: no such run.
        Conflict: the log begins with something else, which nothing repairs.
    """
    if not store.head(run_id).sequence:
        with store.writing(run_id) as writer:
            if not store.head(run_id).sequence:
                payload = {"goal": store.run(run_id).goal, **members}
                writer.append(run_id, [Draft(EventType.RUN_STARTED, payload, source, at)])
    first = store.event_row(run_id, 1)
    if first is None or first.row.type != EventType.RUN_STARTED:
        raise Conflict(
            f"the log of run {run_id!r} does not begin with its start; a person has to look at it "
            f"first: `continuum verify {run_id}`"
        )


def ensure_short_if_new(store: ReadStore, run_id: str, *, limit: int) -> None:
    """Refuse to start a run under an id longer than a door allows; old ones stay usable.

    Raises:
        InvalidInput: there is no such run yet, and the id is too long.
    """
    if len(run_id) > limit and store.find_run(run_id) is None:
        raise InvalidInput(
            f"the run id has {len(run_id)} of at most {limit} characters", field="run_id"
        )


def _as_logged(store: ReadStore, run: Run) -> Run:
    """Return the row with what its log says, where the two disagree.

    A log that cannot be read leaves the row as it is; the verdict tells.
    """
    try:
        told = list(store.events(run.run_id, types=_TELLING))
        goals = [event.payload.get("goal") for event in told if event.type is _STARTED]
        if goals and run.goal not in goals:
            goals += _later_goals(store, run.run_id)
    except UnreadableRecord:
        return run
    known = not goals or run.goal in goals
    return run._replace(
        status=_told_status(run.status, [event.type for event in told]),
        goal=run.goal if known else str(goals[-1]),
    )


def _told_status(row: RunStatus, told: list[EventType]) -> RunStatus:
    """The row's word, unless it is a closing that never happened, or misses one that did."""
    closings = [_CLOSING[kind] for kind in told if kind in _CLOSING]
    if closings:
        return row if row in closings else closings[0]
    return RunStatus.STARTED if told and row in _CLOSING.values() else row


def _later_goals(store: ReadStore, run_id: str) -> list[object]:
    updates = store.events(run_id, types=(EventType.TASK_UPDATED,))
    return [event.payload["goal"] for event in updates if event.payload.get("goal") is not None]


_STARTED = EventType.RUN_STARTED
_CLOSING = {
    EventType.RUN_COMPLETED: RunStatus.COMPLETED,
    EventType.RUN_ABORTED: RunStatus.ABORTED,
}
_TELLING = (_STARTED, *_CLOSING)


def _ensure_open_parent(store: ReadStore, parent: str) -> None:
    row = store.run(parent)
    if row.status is RunStatus.COMPLETED:
        raise Refused(f"parent {parent!r} is completed; a closed run takes no new children")


def _walk(store: ReadStore, root: Run) -> Iterator[TreeNode]:
    seen: set[str] = set()
    stack = [TreeNode(root, 0)]
    while stack:
        node = stack.pop()
        if node.run.run_id in seen:
            continue
        seen.add(node.run.run_id)
        yield node
        if node.depth < MAX_TREE_DEPTH:
            children = store.children(node.run.run_id)
            stack += [TreeNode(child, node.depth + 1) for child in reversed(children)]
