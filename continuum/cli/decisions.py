"""confirm, complete, compensate: what a person decides."""

from __future__ import annotations

import shlex

from continuum.cli.parsing import add_person, add_question, add_run, person_named
from continuum.cli.verdict_text import print_verdict
from continuum.cli.verdicts import read_question
from continuum.core.errors import InvalidInput
from continuum.services.acts import Act
from continuum.services.decisions import compensate, complete, confirm
from continuum.wire import decisions as decisions_wire
from continuum.wire import verdicts as verdicts_wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from continuum.cli.session import Session
    from continuum.services.decisions import Decision

EXIT_PROPOSED = 20
"""Nothing is decided yet: a second person is waited for."""

_SCOPES = ("goal", "progress")


def add_confirm(parser: ArgumentParser) -> None:
    """Options of `confirm`."""
    add_run(parser)
    add_question(parser)
    parser.add_argument(
        "--scope",
        default=",".join(_SCOPES),
        metavar="PARTS",
        help="goal, progress or both: goal,progress (both)",
    )
    add_person(parser, reason="what you checked")


def run_confirm(session: Session, options: Namespace) -> int:
    """Vouch for what the agent reported about itself; exit with the verdict afterwards."""
    scope = [part.strip() for part in options.scope.split(",")]
    with session.writing() as store:
        question = read_question(
            session,
            store,
            options.run_id,
            env=options.env,
            model=options.model,
            strict=not options.tolerate_unknown,
        )
        act = act_of(session, options)
        decision = confirm(store, options.run_id, act, scope=scope, question=question)
    if session.terminal.as_json:
        session.terminal.document(verdicts_wire.outcome(decision.verdict))
    else:
        print_verdict(session.terminal, decision.verdict)
    _note_event(session, decision)
    return decision.verdict.exit_status


def add_complete(parser: ArgumentParser) -> None:
    """Options of `complete`."""
    add_run(parser)
    parser.add_argument("--summary", default="", metavar="TEXT", help="what was achieved")
    parser.add_argument(
        "--over-open-items",
        action="store_true",
        help="close although outcomes are unknown; needs --reason",
    )
    add_person(parser, reason="why it may be closed over open items")


def run_complete(session: Session, options: Namespace) -> int:
    """Close a run as done."""
    with session.writing() as store:
        decision = complete(
            store,
            options.run_id,
            act_of(session, options),
            summary=options.summary,
            over_open_items=options.over_open_items,
        )
    if decision.is_proposed:
        return tell_proposed(session, decision)
    if session.terminal.as_json:
        session.terminal.document(decisions_wire.completion(decision, options.summary))
    elif decision.repeated:
        session.terminal.line(f"{options.run_id} was closed before; nothing was written.")
    else:
        session.terminal.line(f"Completed {options.run_id}.")
    _note_event(session, decision)
    return 0


def add_compensate(parser: ArgumentParser) -> None:
    """Options of `compensate`."""
    add_run(parser)
    parser.add_argument("action", metavar="ACTION", help="key or id of the action")
    add_person(parser, reason="how it was undone; required")


def run_compensate(session: Session, options: Namespace) -> int:
    """Record that a completed effect was undone outside."""
    with session.writing() as store:
        decision = compensate(store, options.run_id, options.action, act_of(session, options))
    if decision.is_proposed:
        return tell_proposed(session, decision)
    if session.terminal.as_json:
        session.terminal.document(decisions_wire.written(decision))
    else:
        session.terminal.line(
            f"Recorded as event {decision.events[-1].sequence}; "
            f"the run is now {decision.verdict.mode}."
        )
    return 0


def act_of(session: Session, options: Namespace) -> Act:
    """Return who decides, why and when, as the command line says.

    Raises:
        InvalidInput: `--by` names nobody.
    """
    by = person_named(options.by)
    if not by.strip():
        raise InvalidInput("--by names nobody; leave it out to act as the operating-system user")
    return Act(by=by, via="cli", at=session.at, reason=options.reason)


def tell_proposed(session: Session, decision: Decision) -> int:
    """Say that a second person has to confirm what was proposed; return the exit status."""
    row = decision.proposal
    if session.terminal.as_json:
        session.terminal.document(decisions_wire.proposed(decision))
    elif row is not None:
        session.terminal.line(
            "Proposed; nothing was written. This takes two people: somebody else has to run"
        )
        session.terminal.line(
            f"  continuum proposals confirm {shlex.quote(row.run_id)} {row.proposal_id} --reason …"
        )
    return EXIT_PROPOSED


def _note_event(session: Session, decision: Decision) -> None:
    if decision.events:
        last = decision.events[-1]
        session.terminal.note(f"Written as event {last.sequence} ({last.hash[:12]}…).")
