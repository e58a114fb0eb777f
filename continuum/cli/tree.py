"""tree: a run and everything below it, each judged."""

from __future__ import annotations

from continuum.cli.colour import Painted, ok_mark
from continuum.cli.output import shorten
from continuum.cli.parsing import add_run
from continuum.cli.runs import GOAL_WIDTH
from continuum.core.errors import ContinuumError
from continuum.services.recovery import assess
from continuum.services.runs import family
from continuum.wire import runs as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from continuum.cli.output import Piece
    from continuum.cli.session import Session
    from continuum.services.runs import TreeNode
    from continuum.store.base import ReadStore


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
    pieces.append(f"  {verdict}  {shorten(run.goal, GOAL_WIDTH)}")
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
