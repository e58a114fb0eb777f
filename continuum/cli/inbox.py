"""inbox: what needs a person, worst and oldest first."""

from __future__ import annotations

from continuum.cli.output import Column
from continuum.services.inbox import Severity, open_items
from continuum.services.summaries import catch_up
from continuum.wire.items import listed_item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from continuum.cli.session import Session
    from continuum.store.base import Item

_COLUMNS = (
    Column("SEVERITY", 15),
    Column("SINCE", 16),
    Column("RUN", 23),
    Column("WHAT", 0),
)
_JUDGED_AT_ONCE = 10_000
_MOST = 200


def add_inbox(parser: ArgumentParser) -> None:
    """Options of `inbox`."""
    parser.add_argument(
        "--limit", type=int, default=50, metavar="N", help=f"at most N items (50, {_MOST} at most)"
    )


def run_inbox(session: Session, options: Namespace) -> int:
    """List what needs a person."""
    raise NotImplementedError


def _row(item: Item) -> tuple[str, str, str, str]:
    severity = Severity(item.severity).name.lower().replace("_", " ")
    return (severity, item.opened_at[:16].replace("T", " "), item.run_id, item.title)
