"""The lines of an export: one JSON object each, readable and checkable by anything.

`export` opens a file, `run` a run; its `event` lines follow, archived ones
first; `run_end` says how many they were and how the chain ended; `export_end`
says how many runs. So a file that was cut off is noticed.

An event line has the ten columns. `payload` is the object itself; an event
whose payload cannot be read carries the column's text as `payload_text`.
"""

from __future__ import annotations

import json

from continuum.core.canonical import canonical_text
from continuum.core.errors import InvalidInput
from continuum.domain.digests import with_digests
from continuum.domain.events import UNREADABLE, EventRow, exact_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from continuum.domain.runs import RunRow

FORMAT = "continuum-export/1"
MAX_LINE_BYTES = 64 << 20

_COLUMNS = tuple(name for name in EventRow._fields if name != "payload")
_MEMBERS = tuple({"kind", "archived", *_COLUMNS, name} for name in ("payload", "payload_text"))


def line_of(kind: str, members: Mapping[str, Any]) -> str:
    """Return one line, with its line end."""
    return canonical_text({"kind": kind, **members}) + "\n"


def run_line(row: RunRow) -> str:
    """Return the line of a run's row; metadata that is no object stays text."""
    members = row._asdict()
    try:
        metadata = json.loads(row.metadata)
    except (ValueError, TypeError):
        metadata = None
    if isinstance(metadata, dict):
        members["metadata"] = metadata
    return line_of("run", members)


def event_lines(rows: Iterable[EventRow], *, archived: bool) -> Iterator[tuple[EventRow, str]]:
    """Yield each row with its line; rows that are damaged have one too."""
    mark = "true" if archived else "false"
    for row, digest in with_digests(rows):
        if digest is not None and _is_plain_line(row.payload):
            columns = canonical_text({name: getattr(row, name) for name in _COLUMNS})[1:]
            yield row, f'{{"archived":{mark},"kind":"event","payload":{row.payload},{columns}\n'
        else:
            yield row, _careful_line(row, archived)


def row_of_line(document: Mapping[str, Any]) -> EventRow:
    """Return the row an event line holds; hashing tells whether it is a sound one.

    Raises:
        InvalidInput: columns are missing.
    """
    if document.keys() not in _MEMBERS or type(document["archived"]) is not bool:
        raise InvalidInput("an event does not have exactly the members that it should")
    if "payload" in document:
        payload = canonical_text(document["payload"])
    else:
        payload = document["payload_text"]
    return EventRow(**{name: document[name] for name in _COLUMNS}, payload=payload)


def _is_plain_line(payload: str) -> bool:
    return payload.isascii() and payload.isprintable()


def _careful_line(row: EventRow, archived: bool) -> str:
    members: dict[str, Any] = {name: _plain(getattr(row, name)) for name in _COLUMNS}
    try:
        exact_digest(row)
        members["payload"] = json.loads(row.payload) or {}
    except UNREADABLE:
        members["payload_text"] = _plain(row.payload)
    return line_of("event", {**members, "archived": archived})


def _plain(value: Any) -> Any:
    """SQLite keeps bytes and numbers in columns of text; they are shown as what they are."""
    return value if value is None or isinstance(value, (str, int, float)) else repr(value)
