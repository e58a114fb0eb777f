"""status, inspect, history, diff, replay, checkpoint: states, now and as stored."""

from __future__ import annotations

from continuum.cli.colour import Painted
from continuum.cli.failures import exit_of, print_failure
from continuum.cli.output import Column
from continuum.cli.parsing import add_environment, add_run, read_versions
from continuum.services.checkpoints import history, take_checkpoint
from continuum.services.states import (
    current_state,
    diff_versions,
    provenance_rows,
    replay,
    stored_version,
)
from continuum.wire import failures as failures_wire
from continuum.wire import states as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from continuum.cli.output import Terminal
    from continuum.cli.session import Session
    from continuum.domain.diffs import DiffEntry
    from continuum.domain.projection import ProjectionFailure
    from continuum.domain.state import SemanticState
    from continuum.services.states import Replay

EXIT_MISMATCH = 3

_CHECKPOINTS = (
    Column("CHECKPOINT", 10),
    Column("VERSION", 8),
    Column("TRIGGER", 24),
    Column("PROGRESS", 0),
)
_SIGNS = {
    "added": Painted("+", "green"),
    "removed": Painted("-", "red"),
    "changed": Painted("~", "yellow"),
    "invalidated": Painted("!", "red"),
}


def add_status(parser: ArgumentParser) -> None:
    """Options of `status`."""
    add_run(parser)
    parser.add_argument(
        "--provenance", action="store_true", help="show who said what instead of the figures"
    )


def run_status(session: Session, options: Namespace) -> int:
    """Show where a run stands, or who said what."""
    with session.reading() as store:
        current = current_state(store, options.run_id)
    terminal = session.terminal
    if options.provenance:
        _print_provenance(terminal, current.state, current.failure)
    elif terminal.as_json:
        terminal.document(wire.standing(current))
    else:
        _print_standing(terminal, current.state)
        print_failure(terminal, current.failure)
    return exit_of(current.failure)


def add_inspect(parser: ArgumentParser) -> None:
    """Options of `inspect`."""
    add_run(parser)
    parser.add_argument("--version", type=int, metavar="N", help="a stored version")


def run_inspect(session: Session, options: Namespace) -> int:
    """Show the whole state, as it is now or as it was stored."""
    with session.reading() as store:
        if options.version is None:
            state, failure = current_state(store, options.run_id)
        else:
            state, failure = stored_version(store, options.run_id, options.version).state, None
    if session.terminal.as_json:
        session.terminal.document(wire.full_state(state, failure))
        return exit_of(failure)
    _print_standing(session.terminal, state)
    _print_contents(session.terminal, state)
    print_failure(session.terminal, failure)
    return exit_of(failure)


def add_history(parser: ArgumentParser) -> None:
    """Options of `history`."""
    add_run(parser)


def run_history(session: Session, options: Namespace) -> int:
    """List every checkpoint by version."""
    with session.reading() as store:
        checkpoints = history(store, options.run_id)
    if session.terminal.as_json:
        rows = [wire.listed_checkpoint(one) for one in checkpoints]
        session.terminal.document({"checkpoints": rows})
        return 0
    if not checkpoints:
        session.terminal.line("There are no checkpoints.")
        return 0
    session.terminal.table(
        _CHECKPOINTS,
        (
            (
                one.checkpoint_id.rpartition("_")[2][:10],
                f"v{one.version}",
                one.trigger,
                f"{one.state['progress']['completed']} completed",
            )
            for one in checkpoints
        ),
    )
    return 0


def add_diff(parser: ArgumentParser) -> None:
    """Options of `diff`."""
    add_run(parser)
    parser.add_argument("from_version", type=int, metavar="A", help="the earlier version")
    parser.add_argument("to_version", type=int, metavar="B", help="the later version")


def run_diff(session: Session, options: Namespace) -> int:
    """Show what changed in meaning between two stored versions."""
    with session.reading() as store:
        diff = diff_versions(store, options.run_id, options.from_version, options.to_version)
    terminal = session.terminal
    if terminal.as_json:
        terminal.document(wire.state_diff(diff))
    elif not diff.entries:
        terminal.line(f"v{diff.from_version} and v{diff.to_version} mean the same.")
    else:
        terminal.line(f"v{diff.from_version} → v{diff.to_version}: {len(diff.entries)} changes")
        for entry in diff.entries:
            terminal.line("  ", _SIGNS[entry.kind], " ", _diff_text(entry))
    return 0


def add_replay(parser: ArgumentParser) -> None:
    """Options of `replay`."""
    add_run(parser)
    parser.add_argument("--upto", type=int, metavar="M", help="fold only up to event M")


def run_replay(session: Session, options: Namespace) -> int:
    """Fold the log again and compare with the newest stored version."""
    with session.reading() as store:
        outcome = replay(store, options.run_id, upto=options.upto)
    terminal = session.terminal
    verification = _verification(outcome)
    if terminal.as_json:
        terminal.document(wire.replay(outcome, verification))
    else:
        terminal.line(
            f"Folded {outcome.events_replayed} events: "
            f"{outcome.state['progress']['completed']} completed, "
            f"{len(outcome.state['decisions'])} decisions, "
            f"{len(outcome.state['findings'])} findings"
        )
        terminal.line("Comparison: ", verification)
        print_failure(terminal, outcome.failure)
    return EXIT_MISMATCH if outcome.verified is False else exit_of(outcome.failure)


def add_checkpoint(parser: ArgumentParser) -> None:
    """Options of `checkpoint`."""
    add_run(parser)
    add_environment(parser)
    parser.add_argument("--trigger", default="manual", metavar="T", help="what led to it (manual)")
    parser.add_argument("--reason", default="", metavar="TEXT", help="why, in your own words")


def run_checkpoint(session: Session, options: Namespace) -> int:
    """Seal the state as it is now."""
    versions = read_versions(options.env)
    with session.writing() as store:
        checkpoint = take_checkpoint(
            store,
            options.run_id,
            at=session.at,
            versions=versions,
            trigger=options.trigger,
            reason=options.reason,
        )
    if session.terminal.as_json:
        session.terminal.document(wire.taken_checkpoint(checkpoint))
    else:
        completed = checkpoint.state["progress"]["completed"]
        session.terminal.line(
            f"Checkpoint {checkpoint.checkpoint_id} at v{checkpoint.version}, {completed} completed"
        )
    return 0


def _print_standing(terminal: Terminal, state: SemanticState) -> None:
    progress = state["progress"]
    total = "" if progress["total"] is None else f" of {progress['total']}"
    decisions = state["decisions"]
    valid = sum(1 for one in decisions if one["status"] == "valid")
    terminal.line("run:       ", state["run_id"])
    terminal.line("goal:      ", f"{state['goal']['description']} (v{state['goal']['version']})")
    terminal.line("version:   ", f"v{state['version']}, events 1 to {state['source_sequence']}")
    terminal.line(
        "progress:  ",
        f"{progress['completed']}{total} completed, {progress['pending']} pending, "
        f"{progress['failed']} failed",
    )
    terminal.line("decisions: ", f"{valid} of {len(decisions)} valid")


def _print_contents(terminal: Terminal, state: SemanticState) -> None:
    terminal.line("findings:  ", str(len(state["findings"])))
    terminal.line("evidence:  ", str(len(state["evidence"])))
    terminal.line("open work: ", str(len(state["pending_work"])))
    terminal.lines(
        "dependencies:",
        (
            f"{one['resource']} {one['version']} ({one['status']})"
            for one in state["external_dependencies"]
        ),
    )


def _print_provenance(
    terminal: Terminal, state: SemanticState, failure: ProjectionFailure | None
) -> None:
    rows = provenance_rows(state)
    if terminal.as_json:
        terminal.document(failures_wire.with_failure({"provenance": rows}, failure))
        return
    terminal.line("run: ", state["run_id"], ", who said what")
    for row in rows:
        terminal.line(
            f"  {row['kind']:<8}  {row['id']:<20}  by: {row['who']:<14}  "
            f"trust: {row['trust']:<8}  {row['state']}"
        )
    print_failure(terminal, failure)


def _diff_text(entry: DiffEntry) -> str:
    name = f"{entry.component} {entry.component_id}" if entry.component_id else entry.component
    return f"{name}: {entry.detail}"


def _verification(outcome: Replay) -> str:
    if outcome.version is None:
        return "nothing to compare with, no version is stored"
    covered = outcome.version.state["source_sequence"]
    how = "matches" if outcome.verified else "does NOT match"
    return f"the fold up to event {covered} {how} stored version {outcome.version.version}"
