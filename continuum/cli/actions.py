"""actions: external side effects."""

from __future__ import annotations

from continuum.cli.output import Column
from continuum.cli.parsing import add_run
from continuum.services.actions import list_actions
from continuum.wire import actions as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from continuum.cli.session import Session

EXIT_UNRESOLVED = 20

_COLUMNS = (
    Column("STATUS", 16),
    Column("TYPE", 28),
    Column("EXTERNAL ID", 20),
    Column("ACTION", 0),
)


def add_actions(parser: ArgumentParser) -> None:
    """Options of `actions`."""
    add_run(parser)


def run_actions(session: Session, options: Namespace) -> int:
    """List a run's actions, first seen first; exit 20 while one is unresolved."""
    with session.reading() as store:
        slots = list_actions(store, options.run_id)
    unresolved = sum(1 for slot in slots if slot.action.is_unresolved)
    terminal = session.terminal
    if terminal.as_json:
        terminal.document(wire.listed_actions(slots))
    elif not slots:
        terminal.line("There are no actions.")
    else:
        terminal.table(
            _COLUMNS,
            (
                (one.status, one.action_type, one.external_id or "-", one.action_id)
                for one in (slot.action for slot in slots)
            ),
        )
    if unresolved and not terminal.as_json:
        terminal.line()
        terminal.line(f"{unresolved} with an unknown outcome; `continuum reconcile` settles them.")
    return EXIT_UNRESOLVED if unresolved else 0
