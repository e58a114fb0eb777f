"""inbox: what needs a person, worst and oldest first; and comments on it."""

from __future__ import annotations

from continuum.cli.colour import Painted
from continuum.cli.output import Column
from continuum.cli.parsing import person_named
from continuum.core.errors import InvalidInput, StoreReadOnly
from continuum.services.acts import Act
from continuum.services.desk import comment
from continuum.services.inbox import MAX_PAGE, ItemQuery, Severity, open_items
from continuum.services.summaries import catch_up
from continuum.wire.items import listed_item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable

    from continuum.cli.output import Piece, Terminal
    from continuum.cli.session import Session
    from continuum.store.modelport import Item

_COLUMNS = (
    Column("SEVERITY", 15),
    Column("SINCE (UTC)", 16),
    Column("RUN", 23),
    Column("WHAT", 0),
)
_STYLES = {Severity.INTEGRITY: "red", Severity.OUTCOME_UNKNOWN: "red"}
_JUDGED_AT_ONCE = 10_000


def add_inbox(parser: ArgumentParser) -> None:
    """Options of `inbox`."""
    parser.add_argument(
        "--limit",
        type=int,
        default=50,
        metavar="N",
        help=f"at most N items (50), and no more than {MAX_PAGE}",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    summary = "say something about an item; it stays open"
    verb = verbs.add_parser("comment", help=summary, description=f"{summary.capitalize()}.")
    verb.add_argument("item_id", metavar="ITEM", help="`item_id` of `continuum --json inbox`")
    verb.add_argument("--text", metavar="TEXT", required=True, help="what to say")
    verb.add_argument("--by", metavar="NAME", help="who says it; else the operating-system user")


def run_inbox(session: Session, options: Namespace) -> int:
    """List what needs a person, or comment on it. No event is written either way.

    The lists are brought up to date first.
    """
    if options.verb == "comment":
        return _comment(session, options)
    if not 0 < options.limit <= MAX_PAGE:
        raise InvalidInput(f"--limit must lie between 1 and {MAX_PAGE}")
    items = _open_items(session, options.limit)
    if session.terminal.as_json:
        session.terminal.document({"items": [listed_item(one) for one in items]})
    elif not items:
        session.terminal.line("Nothing needs a person.")
    else:
        _print_items(session.terminal, items)
    return 0


def _comment(session: Session, options: Namespace) -> int:
    act = Act(person_named(options.by), "cli", session.at, options.text)
    with session.writing() as store:
        item = comment(store, options.item_id, act)
    if session.terminal.as_json:
        session.terminal.document({"item": listed_item(item), "comments": item.comments})
    else:
        session.terminal.line(f"Kept with “{item.title}” of {item.run_id}.")
    return 0


def _open_items(session: Session, limit: int) -> list[Item]:
    try:
        with session.writing() as store:
            catch_up(store, limit=_JUDGED_AT_ONCE, at=session.at)
            return open_items(store, ItemQuery(limit=limit))
    except StoreReadOnly:
        session.terminal.note("The store cannot be written; the list is as it was last judged.")
    with session.reading() as store:
        return open_items(store, ItemQuery(limit=limit))


def _print_items(terminal: Terminal, items: Iterable[Item]) -> None:
    terminal.table(_COLUMNS, (_row(item) for item in items))


def _row(item: Item) -> tuple[Piece, ...]:
    severity = Severity(item.severity)
    name = severity.name.lower().replace("_", " ")
    mark: Piece = Painted(name, _STYLES[severity]) if severity in _STYLES else name
    return (
        mark,
        item.opened_at[:16].replace("T", " "),
        item.run_id,
        f"{item.title}: {item.detail}",
    )
