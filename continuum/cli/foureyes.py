"""policy and proposals: what takes two people, and what the second one does."""

from __future__ import annotations

from continuum.cli.decisions import act_of
from continuum.cli.output import Column
from continuum.cli.parsing import add_person, add_run
from continuum.core.errors import InvalidInput
from continuum.services.decisions import second
from continuum.services.foureyes import (
    OVER_OPEN_ITEMS,
    Subject,
    actions_of,
    clear,
    list_changes,
    read_rules,
    require_two,
)
from continuum.services.proposals import list_proposals, withdraw
from continuum.services.recovery import assess_run
from continuum.wire import decisions as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from continuum.cli.session import Session
    from continuum.services.proposals import ProposalRow

_COLUMNS = (
    Column("STATUS", 10),
    Column("SINCE (UTC)", 16),
    Column("PERSON", 16),
    Column("ID", 41),
    Column("WHAT", 0),
)


def add_policy(parser: ArgumentParser) -> None:
    """The verbs of `policy` and their options."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    summary = "list what takes two people"
    listing = verbs.add_parser("list", help=summary, description=f"{summary.capitalize()}.")
    listing.add_argument("--history", action="store_true", help="list changes, newest first")
    for name, summary in (
        ("set", "have two people decide from now on"),
        ("clear", "let one person decide from now on"),
    ):
        verb = verbs.add_parser(name, help=summary, description=f"{summary.capitalize()}.")
        verb.add_argument("action_type", metavar="TYPE", nargs="?", help="a type of action, or *")
        verb.add_argument(
            "--over-open-items", action="store_true", help="completing a run over open items"
        )
        add_person(verb, reason="why; needed")


def run_policy(session: Session, options: Namespace) -> int:
    """Look at the rules, or change them."""
    if options.verb == "list":
        return _list_rules(session, options)
    subject = _subject(options)
    change = require_two if options.verb == "set" else clear
    with session.writing() as store:
        row = change(store, subject, act_of(session, options))
        rules = read_rules(store)
    if session.terminal.as_json:
        session.terminal.document({"rules": [wire.listed_rule(one) for one in rules.rows]})
        return 0
    count = "two people" if options.verb == "set" else "one person"
    again = "" if row else " already; nothing was changed"
    words = subject.words
    session.terminal.line(f"{words[0].upper()}{words[1:]} takes {count}{again}.")
    return 0


def add_proposals(parser: ArgumentParser) -> None:
    """The verbs of `proposals` and their options."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    def verb(name: str, summary: str) -> Any:
        added = verbs.add_parser(name, help=summary, description=f"{summary.capitalize()}.")
        add_run(added)
        return added

    verb("list", "list what was proposed about a run, newest first")
    for name, summary, reason in (
        ("confirm", "confirm, as a second person, what somebody proposed", "what you checked"),
        (
            "withdraw",
            "take your own proposal back, or decline another's",
            "why; needed to decline",
        ),
    ):
        added = verb(name, summary)
        added.add_argument("proposal_id", metavar="ID", help="id of the proposal")
        add_person(added, reason=reason)


def run_proposals(session: Session, options: Namespace) -> int:
    """Look at proposals, confirm one, or take one back."""
    if options.verb == "list":
        return _list_proposals(session, options)
    if options.verb == "withdraw":
        with session.writing() as store:
            act = act_of(session, options)
            row = withdraw(store, options.run_id, options.proposal_id, act)
        _tell(session, wire.listed_proposal(row), f"The proposal is {row.status}.")
        return 0
    with session.writing() as store:
        act = act_of(session, options)
        decision = second(store, options.run_id, options.proposal_id, act)
    last = decision.events[-1]
    text = f"Written as event {last.sequence}; the run is now {decision.verdict.mode}."
    _tell(session, wire.written(decision), text)
    return 0


def _list_rules(session: Session, options: Namespace) -> int:
    with session.reading() as store:
        rows = list_changes(store) if options.history else list(read_rules(store).rows)
    if session.terminal.as_json:
        session.terminal.document({"rules": [wire.listed_rule(one) for one in rows]})
        return 0
    if not rows:
        session.terminal.line("No rule: every decision takes one person.")
    for row in rows:
        count = "two people" if row.two_people else "one person"
        words = Subject(row.subject, row.action_type).words
        session.terminal.line(
            f"{row.at[:16].replace('T', ' ')}  {words}: {count} ({row.by}: {row.reason})"
        )
    return 0


def _list_proposals(session: Session, options: Namespace) -> int:
    with session.reading() as store:
        shown = list_proposals(store, assess_run(store, options.run_id, at=session.at))
    rows = [one.row for one in shown]
    if session.terminal.as_json:
        session.terminal.document({"proposals": [wire.listed_proposal(row) for row in rows]})
    elif rows:
        session.terminal.table(_COLUMNS, (_cells(row) for row in rows))
    else:
        session.terminal.line("Nothing was proposed.")
    return 0


def _cells(row: ProposalRow) -> tuple[str, ...]:
    about = f"{row.verb} {row.action_type}".strip()
    since = row.at[:16].replace("T", " ")
    return row.status, since, row.person, row.proposal_id, f"{about}: {row.answer} {row.reason}"


def _subject(options: Namespace) -> Subject:
    if options.over_open_items == bool(options.action_type):
        raise InvalidInput("name a type of action, or --over-open-items")
    return OVER_OPEN_ITEMS if options.over_open_items else actions_of(options.action_type)


def _tell(session: Session, document: dict[str, Any], text: str) -> None:
    if session.terminal.as_json:
        session.terminal.document(document)
    else:
        session.terminal.line(text)
