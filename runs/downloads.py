"""Handing out records as files: made while they are sent, in constant memory.

Each download has a connection of its own, since it holds a snapshot for as long
as somebody reads.
"""

from __future__ import annotations

import re
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from continuum.services.bundles import write_bundle
from continuum.services.deeds import export_deeds
from continuum.services.exports import export_lines
from runs.engine import open_apart

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from datetime import datetime
    from typing import Any, TypeVar

    from continuum.services.attestations import Signature
    from continuum.services.deeds import DeedQuery

    Answer = TypeVar("Answer", bound=HttpResponseBase)

CHUNK = 64 * 1024
TYPES = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "zip": "application/zip",
    "json": "application/json",
}
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_MOST_NAME = 60


def export(
    url: str, run_ids: Sequence[str] | None, form: str, *, at: datetime
) -> StreamingHttpResponse:
    """Hand out the events of runs, or of all, as `jsonl` or `csv`.

    Raises:
        RunNotFound: a run does not exist.
        InvalidInput: there is no such form.
    """
    name = "all-runs" if run_ids is None else f"{len(run_ids)}-runs"
    name = run_ids[0] if run_ids and len(run_ids) == 1 else name
    return streamed(_export(url, run_ids, form, at), f"{stem(name)}-events", form)


def deeds(url: str, query: DeedQuery) -> StreamingHttpResponse:
    """Hand out what people did as CSV."""
    return streamed(_deeds(url, query), "who-did-what", "csv")


def bundle(
    url: str, run_id: str, *, at: datetime, signature: Signature | None
) -> StreamingHttpResponse:
    """Hand out the evidence of a run as a zip, signed where a signature is given.

    Raises:
        RunNotFound: no such run.
    """
    return streamed(_bundle(url, run_id, at, signature), f"{stem(run_id)}-evidence", "zip")


def streamed(pieces: Generator[bytes, None, None], name: str, form: str) -> StreamingHttpResponse:
    """Send pieces as a file; what is refused before the first one is an error page."""
    first = next(pieces, b"")
    response = StreamingHttpResponse(chain((first,), pieces), content_type=TYPES[form])
    response._resource_closers.append(pieces.close)  # type: ignore[attr-defined]  # of a chain
    return _as_file(response, name, form)


def document(text: str, name: str) -> HttpResponse:
    """Send a JSON document as a file."""
    response = HttpResponse(text, content_type=TYPES["json"])
    return _as_file(response, name, "json")


def stem(name: str) -> str:
    """Return a run id as the beginning of a file name, harmless on every system."""
    return _UNSAFE.sub("-", name)[:_MOST_NAME].strip("-") or "run"


def packed(texts: Iterator[str]) -> Generator[bytes, None, None]:
    """Put lines together to pieces worth sending."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size >= CHUNK:
            yield "".join(waiting).encode("utf-8", "backslashreplace")
            waiting, size = [], 0
    yield "".join(waiting).encode("utf-8", "backslashreplace")


def _as_file(response: Answer, name: str, form: str) -> Answer:
    response["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _export(
    url: str, run_ids: Sequence[str] | None, form: str, at: datetime
) -> Generator[bytes, None, None]:
    with open_apart(url) as store:
        lines: Any = export_lines(store, run_ids, form, at=at)
        with closing(lines):  # before the store is
            yield from packed(line for line in lines if isinstance(line, str))


def _deeds(url: str, query: DeedQuery) -> Generator[bytes, None, None]:
    with open_apart(url) as store:
        yield from packed(export_deeds(store, query))


def _bundle(
    url: str, run_id: str, at: datetime, signature: Signature | None
) -> Generator[bytes, None, None]:
    sink: Any = _Sink()
    with open_apart(url) as store:
        steps: Any = write_bundle(store, run_id, sink, at=at, signature=signature)
        with closing(steps):
            for _ in steps:
                if piece := sink.take():
                    yield piece
            yield sink.take()


class _Sink:
    """What a zip writes into, emptied as it is sent."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        """Keep a piece until it is taken."""
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Nothing waits anywhere else."""

    def take(self) -> bytes:
        """Return what has come since, and forget it."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken
