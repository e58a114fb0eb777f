"""Recovery-ledger records: a hash-chained list of decisions, gates and attempts.

One JSON object per line in a file per run (recovery.md 14). This module makes
and checks the records; reading and writing the file is the caller's. The
chain proves order and content, not authorship: it has no key.
"""

from __future__ import annotations

import json
from enum import StrEnum

from continuum.core.canonical import stable_hash
from continuum.core.clock import column_time
from continuum.core.errors import InvalidInput, UnreadableRecord
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

GENESIS = "genesis"
DEFAULT_ATTEMPTS = 3
DEFAULT_KEEP = 50


class RecordKind(StrEnum):
    """What a record is about."""

    DECISION = "decision"
    GATE = "gate"
    ATTEMPT = "attempt"


class Gate(StrEnum):
    """What a person is asked, or has said."""

    REQUIRED = "required"
    APPROVED = "approved"
    REJECTED = "rejected"
    HUMAN_REQUIRED = "human_required"


class Record(NamedTuple):
    """One line of the file.

    Attributes:
        sequence: from 0; kept when older records are dropped.
        prev_hash: content hash of the record before, `genesis` for the first.
        anchor: never dropped by compaction.
        created_at: UTC, the column form `…+00:00`.
        content_hash: stable hash over the other members.
    """

    entry_id: str
    run_id: str
    sequence: int
    prev_hash: str
    kind: RecordKind
    contract: dict[str, Any] | None
    gate: Gate | None
    anchor: bool
    created_at: str
    note: str
    content_hash: str


class Note(NamedTuple):
    """What is to be recorded, before it has a place in the chain."""

    kind: RecordKind
    contract: dict[str, Any] | None = None
    gate: Gate | None = None
    anchor: bool = False
    text: str = ""


def file_name(run_id: str) -> str:
    """Return the name of a run's file."""
    return f"ledger-{run_id.replace('/', '_')}.jsonl"


def follow(records: Sequence[Record], note: Note, *, run_id: str, at: datetime) -> Record:
    """Return the record that `note` becomes behind `records`."""
    last = records[-1] if records else None
    sequence = last.sequence + 1 if last else 0
    return _sealed(
        Record(
            entry_id=f"ledger_{sequence}",
            run_id=run_id,
            sequence=sequence,
            prev_hash=last.content_hash if last else GENESIS,
            kind=note.kind,
            contract=note.contract,
            gate=note.gate,
            anchor=note.anchor,
            created_at=column_time(at),
            note=note.text,
            content_hash="",
        )
    )


def note_attempt(
    records: Sequence[Record],
    *,
    run_id: str,
    at: datetime,
    text: str = "",
    limit: int = DEFAULT_ATTEMPTS,
) -> list[Record]:
    """Return the records one more attempt adds: itself, and at the limit the gate behind it."""
    attempt = follow(records, Note(RecordKind.ATTEMPT, text=text), run_id=run_id, at=at)
    added = [attempt]
    seen = [*records, attempt]
    if count_attempts(seen) >= limit and not _has_human_gate(records):
        gate = Note(
            RecordKind.GATE,
            gate=Gate.HUMAN_REQUIRED,
            anchor=True,
            text=f"{count_attempts(seen)} attempts of at most {limit}: a person has to decide",
        )
        added.append(follow(seen, gate, run_id=run_id, at=at))
    return added


def count_attempts(records: Iterable[Record]) -> int:
    """Return how many attempts were recorded."""
    return sum(record.kind is RecordKind.ATTEMPT for record in records)


def needs_human(records: Sequence[Record], *, limit: int = DEFAULT_ATTEMPTS) -> bool:
    """Say whether recovering must wait for a person."""
    return _has_human_gate(records) or count_attempts(records) >= limit


def compacted(records: Sequence[Record], *, keep: int = DEFAULT_KEEP) -> list[Record]:
    """Return the newest `keep` records and all anchors, chained anew from `genesis`."""
    if keep < 0:
        raise InvalidInput(f"cannot keep {keep} records; give 0 or more")
    cut = max(len(records) - keep, 0)
    kept = [record for place, record in enumerate(records) if place >= cut or record.anchor]
    previous, chained = GENESIS, []
    for record in kept:
        linked = _sealed(record._replace(prev_hash=previous))
        chained.append(linked)
        previous = linked.content_hash
    return chained


def first_broken(records: Iterable[Record]) -> int | None:
    """Return the sequence of the first record that does not fit, or None."""
    previous, after = GENESIS, -1
    for record in records:
        linked = record.prev_hash == previous and record.sequence > after
        if not linked or record.content_hash != content_hash(record_document(record)):
            return record.sequence
        previous, after = record.content_hash, record.sequence
    return None


def content_hash(document: Mapping[str, Any]) -> str:
    """Return the hash a record document should carry."""
    return stable_hash({name: one for name, one in document.items() if name != "content_hash"})


def record_document(record: Record) -> dict[str, Any]:
    """Return the JSON object of a record, members in format order."""
    gate = None if record.gate is None else str(record.gate)
    return {**record._asdict(), "kind": str(record.kind), "gate": gate}


def record_line(record: Record) -> str:
    """Return the line of a record, without the line end."""
    return json.dumps(record_document(record), sort_keys=True)


def record_from_line(line: str) -> Record:
    """Return the record a line holds. Its place in the chain is checked by `first_broken`.

    Raises:
        UnreadableRecord: no JSON object, an unknown or missing member, kind or gate.
    """
    try:
        document = json.loads(line)
        members = {**document, "kind": RecordKind(document["kind"])}
        if document["gate"] is not None:
            members["gate"] = Gate(document["gate"])
        return Record(**members)
    except (ValueError, KeyError, TypeError) as exc:
        raise UnreadableRecord(f"a recovery-ledger line is unreadable: {exc}") from exc


def _has_human_gate(records: Iterable[Record]) -> bool:
    return any(record.gate is Gate.HUMAN_REQUIRED for record in records)


def _sealed(record: Record) -> Record:
    return record._replace(content_hash=content_hash(record_document(record)))
