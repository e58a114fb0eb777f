"""events, verify: what is recorded, and whether it can be trusted."""

from __future__ import annotations

import json

from continuum.cli.colour import ok_mark
from continuum.cli.failures import EXIT_CORRUPTED, print_failure
from continuum.cli.parsing import add_run
from continuum.core.errors import InvalidInput
from continuum.services.chain import repair_index, verify_run
from continuum.services.events import list_events
from continuum.wire import chain as chain_wire
from continuum.wire import events as events_wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from continuum.cli.output import Terminal
    from continuum.cli.session import Session
    from continuum.domain.events import Event
    from continuum.services.chain import VerifyReport
    from continuum.store.base import ReadStore

_SHOWN = 20


def add_events(parser: ArgumentParser) -> None:
    """Options of `events`."""
    add_run(parser)
    parser.add_argument("--after", type=int, default=0, metavar="N", help="only behind event N")
    parser.add_argument("--upto", type=int, metavar="M", help="only up to event M")


def run_events(session: Session, options: Namespace) -> int:
    """List the live events of a run; archived ones are not shown."""
    with session.reading() as store, store.reading():
        if session.terminal.as_json:
            rows = [events_wire.listed_event(event) for event in _events(store, options)]
            session.terminal.document({"events": rows})
            return 0
        # An unreadable row is an error, and on an error nothing is printed.
        for _ in _events(store, options):
            continue
        for event in _events(store, options):
            payload = json.dumps(event.payload, ensure_ascii=False, sort_keys=True)
            session.terminal.line(f"{event.sequence:>6}  {event.type:<25}  {payload}")
    return 0


def _events(store: ReadStore, options: Namespace) -> Iterator[Event]:
    return list_events(store, options.run_id, after=options.after, upto=options.upto)


def add_verify(parser: ArgumentParser) -> None:
    """Options of `verify`."""
    add_run(parser)
    parser.add_argument(
        "--index", action="store_true", help="also compare the store-wide action index"
    )
    parser.add_argument(
        "--repair-index", action="store_true", help="rewrite the index from the log (with --index)"
    )


def run_verify(session: Session, options: Namespace) -> int:
    """Audit the whole chain of a run, archive first, and fold its whole log."""
    if options.repair_index and not options.index:
        raise InvalidInput("--repair-index needs --index")
    report = _audit(session, options)
    if session.terminal.as_json:
        session.terminal.document(chain_wire.verification(report, with_index=options.index))
    else:
        _print_report(session.terminal, report, with_index=options.index)
    return 0 if report.ok else EXIT_CORRUPTED


def _audit(session: Session, options: Namespace) -> VerifyReport:
    if not options.repair_index:
        with session.reading() as store:
            return verify_run(store, options.run_id, index=options.index)
    with session.writing() as store:
        report = verify_run(store, options.run_id, index=True)
        return repair_index(store, report)


def _print_report(terminal: Terminal, report: VerifyReport, *, with_index: bool) -> None:
    walked = report.verification
    if walked.ok:
        archived = f" and {walked.archived} archived" if walked.archived else ""
        terminal.line(ok_mark(True), f" chain whole: {walked.checked} events{archived}")
    else:
        terminal.line(ok_mark(False), f" chain broken: {len(walked.violations)} violations")
        for one in walked.violations[:_SHOWN]:
            terminal.line(f"  event {one.sequence}: {one.kind}, {one.detail}")
        if len(walked.violations) > _SHOWN:
            terminal.line(f"  … and {len(walked.violations) - _SHOWN} more; --json shows all")
        terminal.line(f"  trusted through event {walked.trusted_through}")
    print_failure(terminal, report.failure)
    if with_index:
        drift = "not compared" if report.index_drift is None else f"{report.index_drift} rows off"
        terminal.line(f"action index: {drift}")
    if report.index_repair:
        terminal.line(f"action index repair: {report.index_repair}")
