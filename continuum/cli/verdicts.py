"""validate, resume, show-contract: may this run go on?"""

from __future__ import annotations

import json
import os

from continuum.cli.main import load_module
from continuum.cli.parsing import add_environment, add_question, add_run, read_versions
from continuum.cli.verdict_text import print_context, print_verdict
from continuum.services.recovery import HostFacts, Question, assess
from continuum.services.runs import pick_run
from continuum.wire import verdicts as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from continuum.cli.output import Terminal
    from continuum.cli.session import Session
    from continuum.recovery.verdict import Verdict
    from continuum.store.base import ReadStore

_SURROUNDINGS = "surroundings"
_REGISTRIES = ".continuum"
_HINT = "Not safe to go on: take the steps above first; --repair records the plan as an attempt."


def add_validate(parser: ArgumentParser) -> None:
    """Options of `validate`."""
    add_run(parser)
    add_question(parser)
    parser.add_argument(
        "--dashboard", action="store_true", help="always print text, also with --json"
    )


def run_validate(session: Session, options: Namespace) -> int:
    """Judge a run and show what the verdict rests on."""
    with session.reading() as store:
        verdict = _judge(session, store, options.run_id, options)
    if session.terminal.as_json and not options.dashboard:
        session.terminal.document(wire.validation(verdict))
    else:
        print_verdict(session.terminal, verdict)
    return verdict.exit_status


def add_resume(parser: ArgumentParser) -> None:
    """Options of `resume`."""
    parser.add_argument("run_id", metavar="RUN", nargs="?", help="run id; else the active run")
    add_question(parser)
    parser.add_argument(
        "--repair", action="store_true", help="record the plan as an attempt, if there is one"
    )
    parser.add_argument(
        "--pinning", metavar="JSON", help="prompt, tools, model and policy as they are now"
    )


def run_resume(session: Session, options: Namespace) -> int:
    """Judge whether a run may go on; exit 0 only where that is safe."""
    pinned = None
    if options.pinning is not None:
        pinned = load_module(_SURROUNDINGS).read_pinning(options.pinning)
    with session.reading() as store, store.reading():
        run_id = pick_run(store, options.run_id).run_id
        verdict = _judge(session, store, run_id, options)
        drift: Sequence[str] = ()
        if pinned is not None:
            drift = load_module(_SURROUNDINGS).pinning_drift(store, run_id, pinned)
    _print_resumption(session.terminal, verdict, drift)
    if options.repair and verdict.plan:
        load_module("attempts").record_plan(session, verdict)
    elif not verdict.safe:
        session.terminal.note(_HINT)
    return verdict.exit_status


def add_show_contract(parser: ArgumentParser) -> None:
    """Options of `show-contract`."""
    add_run(parser)
    add_environment(parser)


def run_show_contract(session: Session, options: Namespace) -> int:
    """Print the sealed next step of a run."""
    with session.reading() as store:
        question = read_question(session, store, options.run_id, env=options.env)
        verdict = assess(store, options.run_id, question, at=session.at, audit=True, host=_host())
    document = wire.contract(verdict)
    if session.terminal.as_json:
        session.terminal.document(document)
        return verdict.exit_status
    for name, value in document.items():
        if isinstance(value, list):
            session.terminal.line(f"{name}:" if value else f"{name}: none")
            for entry in value:
                session.terminal.line(
                    "  - ", entry if isinstance(entry, str) else json.dumps(entry)
                )
        else:
            session.terminal.line(f"{name}: ", "none" if value is None else str(value))
    return verdict.exit_status


def read_question(
    session: Session,
    store: ReadStore,
    run_id: str,
    *,
    env: Sequence[str] | None,
    model: str | None = None,
    strict: bool = True,
) -> Question:
    """Return what a command line asks about a run."""
    versions, environment = read_versions(env), None
    if versions is not None:
        observe = load_module(_SURROUNDINGS).observed_environment
        environment = observe(store, run_id, versions, at=session.at)
    return Question(environment=environment, expected_model=model, strict=strict)


def _judge(session: Session, store: ReadStore, run_id: str, options: Namespace) -> Verdict:
    """The whole chain is walked first: somebody acts on this answer."""
    question = read_question(
        session,
        store,
        run_id,
        env=options.env,
        model=options.model,
        strict=not options.tolerate_unknown,
    )
    return assess(store, run_id, question, at=session.at, audit=True, host=_host())


def _host() -> HostFacts:
    """Return what this machine contributes; without a folder for registries that is its files."""
    if not os.path.isdir(_REGISTRIES):
        return HostFacts(directory=os.getcwd())
    host: HostFacts = load_module(_SURROUNDINGS).read_host()
    return host


def _print_resumption(terminal: Terminal, verdict: Verdict, drift: Sequence[str]) -> None:
    if terminal.as_json:
        terminal.document(wire.resumption(verdict, pinning_drift=drift))
        return
    print_verdict(terminal, verdict)
    print_context(terminal, verdict)
    terminal.lines("Pinned versions that moved (for your information):", drift)
