"""init, start, runs, tree: stores, runs and families."""

from __future__ import annotations

from continuum.cli.colour import Painted, ok_mark
from continuum.cli.output import Column, shorten
from continuum.cli.parsing import add_run
from continuum.core.errors import ContinuumError
from continuum.services.recovery import assess
from continuum.services.runs import NewRun, family, list_runs, start_run
from continuum.wire import runs as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from continuum.cli.output import Piece
    from continuum.cli.session import Session
    from continuum.services.runs import TreeNode
    from continuum.store.base import ReadStore

_COLUMNS = (
    Column("RUN", 23),
    Column("STATUS", 12),
    Column("EVENTS", 6, right=True),
    Column("GOAL", 0),
)
_GOAL_WIDTH = 44


def add_init(parser: ArgumentParser) -> None:
    """Options of `init`: none."""


def run_init(session: Session, options: Namespace) -> int:
    """Create the store, or find that it is there."""
    with session.writing() as store:
        where = store.description()
    if session.terminal.as_json:
        session.terminal.document({"database": session.db, "schema": "ready"})
    else:
        session.terminal.line("Store ready: ", where)
    return 0


def add_start(parser: ArgumentParser) -> None:
    """Options of `start`."""
    add_run(parser)
    parser.add_argument("--goal", required=True, help="what the run is to achieve")
    parser.add_argument("--parent", metavar="RUN", help="the run this one works for")
    parser.add_argument("--a2a-task", metavar="ID", help="id of the task in another system")


def run_start(session: Session, options: Namespace) -> int:
    """Start a run."""
    metadata = {"a2a_task_id": options.a2a_task} if options.a2a_task else {}
    new = NewRun(options.run_id, options.goal, parent=options.parent, metadata=metadata)
    with session.writing() as store:
        run = start_run(store, new, at=session.at)
    if session.terminal.as_json:
        session.terminal.document(wire.started_run(run))
    else:
        session.terminal.line(f"Started {run.run_id}: {run.goal}")
    return 0


def add_runs(parser: ArgumentParser) -> None:
    """Options of `runs`."""
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most N runs (20)")


def run_runs(session: Session, options: Namespace) -> int:
    """List runs, newest first."""
    with session.reading() as store:
        listed = list_runs(store, limit=options.limit)
    if session.terminal.as_json:
        session.terminal.document({"runs": [wire.listed_run(one) for one in listed]})
        return 0
    if not listed:
        session.terminal.line("There are no runs.")
        return 0
    session.terminal.table(
        _COLUMNS,
        (
            (
                one.run.run_id,
                one.run.status,
                str(one.last_sequence),
                shorten(one.run.goal, _GOAL_WIDTH),
            )
            for one in listed
        ),
    )
    return 0


def add_tree(parser: ArgumentParser) -> None:
    """Options of `tree`."""
    add_run(parser)


def run_tree(session: Session, options: Namespace) -> int:
    """Show a run and everything below it."""
    with session.reading() as store, store.reading():
        nodes = family(store, options.run_id)
        if session.terminal.as_json:
            children = [node.run for node in nodes if node.depth == 1]
            session.terminal.document(wire.family(options.run_id, children))
            return 0
        for node in nodes:
            session.terminal.line(*_tree_line(session, store, node))
    if len(nodes) == 1:
        session.terminal.line("  (no children)")
    return 0


def _tree_line(session: Session, store: ReadStore, node: TreeNode) -> list[Piece]:
    run = node.run
    mark, verdict = _judged(session, store, run.run_id)
    pieces: list[Piece] = ["  " * node.depth, mark, f" {run.run_id}"]
    if run.is_fork:
        pieces.append(" [fork]")
    pieces.append(f"  {verdict}  {shorten(run.goal, _GOAL_WIDTH)}")
    task = run.metadata.get("a2a_task_id")
    if task:
        pieces.append(f"  (task {task})")
    return pieces


def _judged(session: Session, store: ReadStore, run_id: str) -> tuple[Painted, str]:
    """A run that cannot be judged does not hide its family."""
    try:
        verdict = assess(store, run_id, at=session.at)
    except ContinuumError as exc:
        return ok_mark(False), f"cannot be judged: {exc}"
    if verdict.closed:
        done = not verdict.uncertain and verdict.chain.ok
        return ok_mark(done), f"{verdict.closed.status}{_open_actions(len(verdict.uncertain))}"
    return ok_mark(verdict.safe), f"{verdict.mode}{_open_actions(len(verdict.uncertain))}"


def _open_actions(count: int) -> str:
    return f", {count} unsettled" if count else ""
