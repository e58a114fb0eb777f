"""Digests of many rows at a time, at two thirds of the price of one by one.

The payloads of a batch are read and written as one JSON list, with a mark
between them, and taken apart at the marks. Each part is exactly what
`exact_digest` hashes; only the price of a call is shared. Whatever does not fit this path
(broken JSON, a payload that holds the mark, a column of an odd kind, a time in
another form) gives no digest here and is left to `exact_digest`.
"""

from __future__ import annotations

from itertools import islice
from json import JSONDecoder

from continuum.core.canonical import canonical_text, quote
from continuum.core.clock import is_column_time
from continuum.core.errors import InvalidInput
from continuum.core.hashing import hash_maker
from continuum.domain.events import KNOWN_ORIGINS, KNOWN_TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from continuum.domain.events import EventRow

_BATCH_ROWS = 128
_BATCH_CHARACTERS = 1 << 20
_MARK = ',"#",'


def with_digests(rows: Iterable[EventRow]) -> Iterator[tuple[EventRow, str | None]]:
    """Yield every row with its digest, or None where `exact_digest` has to look."""
    for batch, digests in digest_batches(rows):
        yield from zip(batch, digests, strict=True)


def digest_batches(
    rows: Iterable[EventRow],
) -> Iterator[tuple[list[EventRow], list[str | None]]]:
    """Yield a hundred rows or so at a time, with a digest for each as `with_digests` does.

    The payloads of a batch have a million characters at most when it holds
    more than one row.
    """
    source = iter(rows)
    while batch := _next_batch(source):
        yield batch, _digests(batch)


def _next_batch(source: Iterator[EventRow]) -> list[EventRow]:
    batch: list[EventRow] = []
    room = _BATCH_CHARACTERS
    for row in islice(source, _BATCH_ROWS):
        batch.append(row)
        room -= len(row.payload)
        if room <= 0:
            break
    return batch


def _digests(rows: Sequence[EventRow]) -> list[str | None]:
    try:
        payloads = _canonical_payloads([row.payload for row in rows])
        return _sealed(rows, payloads)
    except (ValueError, TypeError, StopIteration, RecursionError, InvalidInput):
        # Look for the odd one out by halves, so that it spoils no whole batch.
        if len(rows) == 1:
            return [None]
        half = len(rows) // 2
        return [*_digests(rows[:half]), *_digests(rows[half:])]


def _canonical_payloads(texts: Sequence[str]) -> list[str]:
    """Return the canonical form of every text; more than that if one holds the mark.

    Texts that are no JSON by themselves could still be some together. A mark
    that ends up inside an object or a string is no JSON, one inside a list is
    found when the parts are counted, and what a text brings along between two
    marks is no mark or makes the list too long.

    Raises:
        ValueError: a text is no JSON by itself.
    """
    joined = f"[{_MARK.join(texts)}]"
    values, end = _scan(joined, 0)
    if end != len(joined) or values[1::2] != ["#"] * (len(texts) - 1):
        raise ValueError("a payload is no JSON by itself")
    return canonical_text(values)[1:-1].split(_MARK)


def _sealed(rows: Sequence[EventRow], payloads: Sequence[str]) -> list[str | None]:
    previous: str | None = None
    digests: list[str | None] = []
    sha256 = hash_maker(len(rows))
    for row, payload in zip(rows, payloads, strict=True):
        text = _hashed_text(row, payload, previous)
        previous = None if text is None else sha256(text.encode("ascii")).hexdigest()
        digests.append(previous)
    return digests


def _hashed_text(row: EventRow, payload: str, before: str | None) -> str | None:
    # Unpacked and written in one go: this runs once for every event of a walk.
    run_id, sequence, event_id, kind, timestamp, _, causer_id, source, prev_hash, _ = row
    if kind not in KNOWN_TYPES or source not in KNOWN_ORIGINS or payload[0] != "{":
        return None
    if not is_column_time(timestamp):
        return None
    causer = "null" if causer_id is None else quote(causer_id)
    if prev_hash == before and before:
        previous = f'"{before}"'  # a digest has nothing to escape
    else:
        previous = "null" if prev_hash is None else quote(prev_hash)
    return (
        f'{{"causer_event_id":{causer},"event_id":{quote(event_id)},"payload":{payload},'
        f'"prev_hash":{previous},"run_id":{quote(run_id)},"sequence":{sequence},'
        f'"source":"{source}","timestamp":"{timestamp}","type":"{kind}"}}'
    )


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


_decoder = JSONDecoder(parse_constant=_refuse)
_scan = _decoder.scan_once  # type: ignore[attr-defined]  # the stubs leave it out
