"""init, start, runs: stores and runs."""

from __future__ import annotations

from continuum.cli.output import Column, shorten
from continuum.cli.parsing import add_run
from continuum.core.errors import InvalidInput
from continuum.services.runs import NewRun, list_runs, start_run
from continuum.wire import runs as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from continuum.cli.session import Session

_COLUMNS = (
    Column("RUN", 23),
    Column("STATUS", 12),
    Column("EVENTS", 6, right=True),
    Column("GOAL", 0),
)
GOAL_WIDTH = 44


def add_init(parser: ArgumentParser) -> None:
    """Options of `init`: none."""


def run_init(session: Session, options: Namespace) -> int:
    """Create the store, or find that it is there."""
    with session.creating() as store:
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
    with session.creating() as store:
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
    if options.limit < 1:
        raise InvalidInput("--limit must be at least 1")
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
                shorten(one.run.goal, GOAL_WIDTH),
            )
            for one in listed
        ),
    )
    return 0
