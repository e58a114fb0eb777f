"""Exporting logs: JSON lines that can be checked without a store, and CSV to look at."""

from __future__ import annotations

import json

from continuum.core.clock import column_time
from continuum.core.errors import InvalidInput
from continuum.domain.exportlines import FORMAT, event_lines, line_of, run_line
from continuum.services.walks import Progress, all_run_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from typing import Any

    from continuum.domain.events import EventRow
    from continuum.store.base import ReadStore

    Lines = Iterator[str | Progress]

ROWS_BETWEEN_PROGRESS = 2048
CHARACTERS_BETWEEN_PROGRESS = 4 << 20
"""Whoever packs an export holds as much at a time."""

CSV_COLUMNS = (
    "run_id",
    "sequence",
    "archived",
    "timestamp",
    "type",
    "source",
    "by",
    "event_id",
    "causer_event_id",
    "prev_hash",
    "hash",
    "payload",
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class ExportEnd:
    """Counts what an export has written."""

    def __init__(self) -> None:
        self.runs = 0
        self.events = 0


def export_jsonl(store: ReadStore, run_ids: Sequence[str] | None, *, at: datetime) -> Lines:
    """Yield the lines of runs, or of all; each run is read in a snapshot of its own.

    Raises:
        RunNotFound: a run does not exist; nothing was yielded.
    """
    end = ExportEnd()
    _ensure_runs(store, run_ids)
    yield line_of("export", {"format": FORMAT, "exported_at": column_time(at)})
    for run_id in all_run_ids(store) if run_ids is None else run_ids:
        yield from _run_lines(store, run_id, end)
    yield line_of("export_end", {"runs": end.runs, "events": end.events})


def export_csv(store: ReadStore, run_ids: Sequence[str] | None) -> Lines:
    """Yield a header and a line per event; no cell can be taken for a formula.

    Raises:
        RunNotFound: a run does not exist; nothing was yielded.
    """
    _ensure_runs(store, run_ids)
    yield csv_line(CSV_COLUMNS)
    for run_id in all_run_ids(store) if run_ids is None else run_ids:
        with store.reading():
            store.run_row(run_id)
            for row, archived in _rows(store, run_id):
                yield csv_line(_cells(row, archived))
                if row.sequence % ROWS_BETWEEN_PROGRESS == 0:
                    yield Progress(run_id, row.sequence, store.head(run_id).sequence)


def export_lines(
    store: ReadStore, run_ids: Sequence[str] | None, form: str, *, at: datetime
) -> Lines:
    """Return the lines of an export in the form `jsonl` or `csv`.

    Raises:
        InvalidInput: there is no such form.
    """
    if form == "jsonl":
        return export_jsonl(store, run_ids, at=at)
    if form == "csv":
        return export_csv(store, run_ids)
    raise InvalidInput(f"there is no export in the form {form!r}; there are jsonl and csv")


def csv_line(cells: Iterable[Any]) -> str:
    """Return a line of CSV (RFC 4180), every cell quoted and safe to open in a spreadsheet."""
    return ",".join(f'"{_safe(cell)}"' for cell in cells) + "\r\n"


def _safe(cell: Any) -> str:
    text = "" if cell is None else str(cell)
    if text.lstrip(" \u00a0\u200b\ufeff").startswith(_FORMULA_STARTS) and type(cell) is not int:
        text = f"'{text}"
    return text.replace('"', '""').replace("\0", "\\0")


def _run_lines(store: ReadStore, run_id: str, end: ExportEnd) -> Lines:
    counts, room = {True: 0, False: 0}, CHARACTERS_BETWEEN_PROGRESS
    with store.reading():
        yield run_line(store.run_row(run_id))
        head = store.head(run_id)
        for archived in (True, False):
            rows = store.event_rows(run_id, archived=archived)
            for _, line in event_lines(rows, archived=archived):
                yield line
                counts[archived] += 1
                done = counts[True] + counts[False]
                room -= len(line)
                if done % ROWS_BETWEEN_PROGRESS == 0 or room <= 0:
                    room = CHARACTERS_BETWEEN_PROGRESS
                    yield Progress(run_id, done, head.sequence, end.runs + 1, end.runs + 1)
    end.runs += 1
    end.events += counts[True] + counts[False]
    members = {
        "run_id": run_id,
        "events": counts[True] + counts[False],
        "archived": counts[True],
        "head_sequence": head.sequence,
        "head_hash": head.hash,
    }
    yield line_of("run_end", members)


def _ensure_runs(store: ReadStore, run_ids: Sequence[str] | None) -> None:
    for run_id in run_ids or ():
        store.run_row(run_id)


def _rows(store: ReadStore, run_id: str) -> Iterator[tuple[EventRow, bool]]:
    for archived in (True, False):
        for row in store.event_rows(run_id, archived=archived):
            yield row, archived


def _cells(row: EventRow, archived: bool) -> tuple[Any, ...]:
    return (
        row.run_id,
        row.sequence,
        "yes" if archived else "no",
        row.timestamp,
        row.type,
        row.source,
        _by(row.payload),
        row.event_id,
        row.causer_event_id,
        row.prev_hash,
        row.hash,
        row.payload,
    )


def _by(payload: str) -> str:
    try:
        members = json.loads(payload)
    except (ValueError, TypeError, RecursionError):
        return ""
    by = members.get("by") if isinstance(members, dict) else None
    return by if isinstance(by, str) else ""
