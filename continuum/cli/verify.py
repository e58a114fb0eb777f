"""verify: whether what is recorded can be trusted, for a run, a store or a file."""

from __future__ import annotations

from continuum.cli.colour import Painted, ok_mark
from continuum.cli.failures import EXIT_CORRUPTED, print_failure
from continuum.cli.guarding import Guarding, guards_text, look_at_guards
from continuum.cli.main import load_module
from continuum.cli.parsing import person_named
from continuum.cli.progress import followed
from continuum.core.clock import utc_now
from continuum.core.errors import InvalidInput
from continuum.services.verifications import Keeper, Order, steps_of
from continuum.services.walks import Progress, StoreReport, VerifyReport, all_run_ids
from continuum.wire import audit as audit_wire
from continuum.wire import chain as chain_wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any

    from continuum.cli.output import Terminal
    from continuum.cli.session import Session
    from continuum.domain.chain import Verification
    from continuum.services.imports import FileReport
    from continuum.services.projections import Drift
    from continuum.services.verifications import Steps
    from continuum.store.base import ReadStore, Store

_SHOWN = 20


def add_verify(parser: ArgumentParser) -> None:
    """Options of `verify`."""
    parser.add_argument("run_id", metavar="RUN", nargs="?", help="run id")
    parser.add_argument("--all", action="store_true", help="every run of the store")
    parser.add_argument("--file", metavar="FILE", help="an export, without a store; - for stdin")
    parser.add_argument(
        "--index", action="store_true", help="also compare what is computed from the log"
    )
    parser.add_argument(
        "--repair-index", action="store_true", help="compute it anew (with --index)"
    )
    parser.add_argument("--record", action="store_true", help="keep the result in the store")
    parser.add_argument("--by", metavar="NAME", help="who verifies; else the system user")


def run_verify(session: Session, options: Namespace) -> int:
    """Audit chains, archive first, and fold the logs; exits 3 when anything is wrong."""
    _ensure_one_subject(options)
    if options.repair_index and not options.index:
        raise InvalidInput("--repair-index needs --index")
    if options.file:
        return _verify_file(session, options)
    if options.all:
        return _verify_store(session, options)
    return _verify_run(session, options)


def _ensure_one_subject(options: Namespace) -> None:
    if sum(map(bool, (options.run_id, options.all, options.file))) != 1:
        raise InvalidInput("name one RUN, --all for the whole store, or --file FILE")
    if options.file and (options.index or options.record):
        raise InvalidInput("--file needs no store, so there is nothing to compare or record")


def _verify_run(session: Session, options: Namespace) -> int:
    order = Order(options.run_id, person_named(options.by), "cli")
    with _opened(session, options) as store:
        guards = _guards(session, options, store, order)
        report = followed(session.terminal, _run_steps(_steps(options, store, order)))
        sound = [order.run_id] if report.verification.ok and order.run_id else []
        drift, repair = _compare(session, options, store, order, sound=sound)
    report = report._replace(index_drift=drift.action_index if drift else None, index_repair=repair)
    if session.terminal.as_json:
        document = chain_wire.verification(report, with_index=options.index)
        session.terminal.document(_with_drift(document, options, drift, repair, guards))
    else:
        _print_run(session.terminal, report)
        _print_drift(session.terminal, options, drift, repair)
    return _status(report.ok, options, guards)


def _verify_store(session: Session, options: Namespace) -> int:
    order = Order(None, person_named(options.by), "cli")
    with _opened(session, options) as store:
        guards = _guards(session, options, store, order)
        report = followed(session.terminal, _store_steps(_steps(options, store, order)))
        sound = [*all_run_ids(store)] if options.index and report.ok else []
        drift, repair = _compare(session, options, store, order, sound=sound)
    if session.terminal.as_json:
        document = audit_wire.store_report(report)
        session.terminal.document(_with_drift(document, options, drift, repair, guards))
    else:
        _print_store(session.terminal, report)
        _print_drift(session.terminal, options, drift, repair)
    return _status(report.ok, options, guards)


def _verify_file(session: Session, options: Namespace) -> int:
    report: FileReport = load_module("filechecks").checked(session, options.file)
    if session.terminal.as_json:
        session.terminal.document(audit_wire.file_report(report))
    else:
        _print_file(session.terminal, report)
    return 0 if report.ok else EXIT_CORRUPTED


def _guards(session: Session, options: Namespace, store: Any, order: Order) -> Guarding:
    """Look at the triggers first: a repair of them makes the walk count from then on."""
    guards = look_at_guards(store, order, repair=options.repair_index, at=session.at)
    if guards.missing and not session.terminal.as_json:
        done = ": made again" if guards.restored else ""
        session.terminal.note(f"warning: {guards_text(guards.missing)}{done}")
    return guards


def _status(ok: bool, options: Namespace, guards: Guarding) -> int:
    """Missing triggers are no damage of a chain; who asks for more than chains is told."""
    return 0 if ok and (guards.ok or not options.index) else EXIT_CORRUPTED


def _opened(session: Session, options: Namespace) -> Store | ReadStore:
    return session.writing() if options.record or options.repair_index else session.reading()


def _steps(options: Namespace, store: Any, order: Order) -> Steps:
    return Keeper(store, order, clock=utc_now).steps() if options.record else steps_of(store, order)


def _run_steps(steps: Steps) -> Iterator[Progress | VerifyReport]:
    return (step for step in steps if not isinstance(step, StoreReport))


def _store_steps(steps: Steps) -> Iterator[Progress | StoreReport]:
    return (step for step in steps if not isinstance(step, VerifyReport))


def _compare(
    session: Session, options: Namespace, store: Any, order: Order, *, sound: Sequence[str]
) -> tuple[Drift | None, str | None]:
    if not options.index:
        return None, None
    found: tuple[Drift | None, str | None] = load_module("drift").compare(
        session, options, store, order, sound=sound
    )
    return found


def _with_drift(
    document: dict[str, Any],
    options: Namespace,
    drift: Drift | None,
    repair: str | None,
    guards: Guarding,
) -> dict[str, Any]:
    if not options.index:
        return document
    more = {"projection_drift": drift._asdict() if drift else None, **guards.document()}
    return {**document, **more, **({"action_index_repair": repair} if repair else {})}


def _print_run(terminal: Terminal, report: VerifyReport) -> None:
    _print_walk(terminal, report.verification)
    print_failure(terminal, report.failure)


def _print_walk(terminal: Terminal, walked: Verification) -> None:
    if walked.ok:
        archived = f" and {walked.archived} archived" if walked.archived else ""
        terminal.line(ok_mark(True), f" chain whole: {walked.checked} events{archived}")
        return
    terminal.line(ok_mark(False), f" chain broken: {len(walked.violations)} violations")
    for one in walked.violations[:_SHOWN]:
        terminal.line(f"  event {one.sequence}: {one.kind}, {one.detail}")
    if len(walked.violations) > _SHOWN:
        terminal.line(f"  … and {len(walked.violations) - _SHOWN} more; --json shows all")
    terminal.line(f"  trusted through event {walked.trusted_through}")


def _print_store(terminal: Terminal, report: StoreReport) -> None:
    text = f" {report.runs} runs, {report.events} events: "
    if report.ok:
        terminal.line(ok_mark(True), text, "every chain whole")
        return
    lost = len(report.without_row)
    terminal.line(ok_mark(False), text, f"{report.broken_runs} runs broken, {lost} without a row")
    for one in report.broken[:_SHOWN]:
        terminal.line(Painted(one.verification.run_id, "bold"))
        _print_run(terminal, one)
    for run_id in report.without_row[:_SHOWN]:
        terminal.line(f"run {run_id} has or had events, and no row")


def _print_file(terminal: Terminal, report: FileReport) -> None:
    text = f" {report.run_count} runs, {report.events} events in the file"
    terminal.line(ok_mark(report.ok), text)
    for problem in report.problems:
        terminal.line(f"  {problem}")
    for one in report.runs[:_SHOWN]:
        if not one.ok or report.run_count == 1:
            terminal.line(Painted(one.run_id, "bold"))
            _print_walk(terminal, one)
            terminal.line(f"  newest event {one.head_sequence}, hash {one.head_hash or 'none'}")


def _print_drift(
    terminal: Terminal, options: Namespace, drift: Drift | None, repair: str | None
) -> None:
    if not options.index:
        return
    if drift is None:
        terminal.line("computed tables: not compared, because the chain failed")
    else:
        for name, rows in drift._asdict().items():
            terminal.line(f"{name}: {rows} rows off")
    if repair:
        terminal.line(f"repair: {repair}")
