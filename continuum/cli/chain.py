"""events: what is recorded."""

from __future__ import annotations

import json

from continuum.cli.parsing import add_run
from continuum.services.events import list_events
from continuum.wire import events as events_wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from continuum.cli.session import Session
    from continuum.domain.events import Event
    from continuum.store.base import ReadStore


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
