"""reconcile: settle actions whose outcome nobody knows, by probe or by a person."""

from __future__ import annotations

from continuum.cli.decisions import act_of, tell_proposed
from continuum.cli.main import load_module
from continuum.cli.parsing import add_person, add_run
from continuum.core.errors import InvalidInput
from continuum.services.decisions import Settlement, settle
from continuum.wire import decisions as decisions_wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from continuum.cli.session import Session

EXIT_UNRESOLVED = 20


def add_reconcile(parser: ArgumentParser) -> None:
    """Options of `reconcile`."""
    add_run(parser)
    probing = parser.add_argument_group("asking the registered probes")
    probing.add_argument("--dry-run", action="store_true", help="ask, but write nothing")
    probing.add_argument(
        "--config", metavar="FILE", help="registry of probes (.continuum/reconcilers.json)"
    )
    person = parser.add_argument_group("settling as a person")
    person.add_argument("--action", metavar="KEY_OR_ID", help="the action you checked yourself")
    outcome = person.add_mutually_exclusive_group()
    outcome.add_argument("--occurred", action="store_true", default=None, help="it did happen")
    outcome.add_argument(
        "--not-occurred", dest="occurred", action="store_false", help="it did not happen"
    )
    person.add_argument("--external-id", metavar="X", help="its id in the other system")
    person.add_argument(
        "--override", action="store_true", help="settle again what was settled before"
    )
    add_person(parser, reason="what you checked; required for --not-occurred and --override")


def run_reconcile(session: Session, options: Namespace) -> int:
    """Settle one action as a person, or ask the probes about all."""
    if options.action is not None:
        return _settle(session, options)
    if options.occurred is not None or options.external_id or options.override:
        raise InvalidInput("say which action you checked: --action KEY_OR_ID")
    # Running commands needs modules that a person's settlement does not.
    status: int = load_module("probing").run_probes(session, options)
    return status


def _settle(session: Session, options: Namespace) -> int:
    if options.occurred is None:
        raise InvalidInput("say what you found: --occurred or --not-occurred")
    if options.dry_run or options.config:
        raise InvalidInput("--dry-run and --config are for probes; leave them out with --action")
    outcome = Settlement(options.occurred, options.external_id, correction=options.override)
    with session.writing() as store:
        decision = settle(store, options.run_id, options.action, act_of(session, options), outcome)
    if decision.is_proposed:
        return tell_proposed(session, decision)
    if session.terminal.as_json:
        session.terminal.document(decisions_wire.written(decision))
    else:
        event = decision.events[-1]
        session.terminal.line(
            f"Settled as event {event.sequence}: it {_happened(options.occurred)}; "
            f"the run is now {decision.verdict.mode}."
        )
    return EXIT_UNRESOLVED if decision.verdict.uncertain else 0


def _happened(occurred: bool) -> str:
    return "did happen" if occurred else "did not happen"
