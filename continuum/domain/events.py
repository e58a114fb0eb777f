"""Events: the sealed links of a run's hash chain.

The digest is SHA-256 over the canonical JSON of nine members (store.md 4.3):
every column but the hash itself, with the time normalised to UTC and the
payload parsed, so blanks and member order in the column do not matter.

Values here are named tuples rather than dataclasses: `dataclasses` and
`inspect` cost more at start-up than the whole command line may (ADR 0003).
"""

from __future__ import annotations

import json
from enum import StrEnum

from continuum.core.canonical import canonical_payload, canonical_text, digest_text, quote
from continuum.core.clock import column_time, is_column_time, parse_time
from continuum.core.errors import InvalidInput, UnreadableRecord
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any


class EventType(StrEnum):
    """The 38 types both clients know; an unknown one stops the other client."""

    RUN_STARTED = "RUN_STARTED"
    RUN_COMPLETED = "RUN_COMPLETED"
    RUN_ABORTED = "RUN_ABORTED"
    TASK_UPDATED = "TASK_UPDATED"
    RUN_FORKED = "RUN_FORKED"
    TOOL_CALLED = "TOOL_CALLED"
    TOOL_COMPLETED = "TOOL_COMPLETED"
    TOOL_FAILED = "TOOL_FAILED"
    DECISION_CREATED = "DECISION_CREATED"
    DECISION_INVALIDATED = "DECISION_INVALIDATED"
    EVIDENCE_ADDED = "EVIDENCE_ADDED"
    FINDING_ADDED = "FINDING_ADDED"
    FINDING_INVALIDATED = "FINDING_INVALIDATED"
    WORK_ADDED = "WORK_ADDED"
    WORK_COMPLETED = "WORK_COMPLETED"
    DEPENDENCY_DECLARED = "DEPENDENCY_DECLARED"
    CONSTRAINT_PINNED = "CONSTRAINT_PINNED"
    CONSTRAINT_RETRACTED = "CONSTRAINT_RETRACTED"
    APPROVAL_REQUESTED = "APPROVAL_REQUESTED"
    APPROVAL_GRANTED = "APPROVAL_GRANTED"
    APPROVAL_REVOKED = "APPROVAL_REVOKED"
    MODEL_CHANGED = "MODEL_CHANGED"
    MODEL_ASSUMPTION_RECORDED = "MODEL_ASSUMPTION_RECORDED"
    STATE_CHECKPOINTED = "STATE_CHECKPOINTED"
    STATE_VALIDATED = "STATE_VALIDATED"
    ENVIRONMENT_CHANGED = "ENVIRONMENT_CHANGED"
    RECOVERY_STARTED = "RECOVERY_STARTED"
    RECOVERY_COMPLETED = "RECOVERY_COMPLETED"
    RECOVERY_BLOCKED = "RECOVERY_BLOCKED"
    REVIEW_CONFIRMED = "REVIEW_CONFIRMED"
    REASONING_SUMMARY = "REASONING_SUMMARY"
    EVENT_LOG_ANCHORED = "EVENT_LOG_ANCHORED"
    PERCEPTION_OBSERVED = "PERCEPTION_OBSERVED"
    BRANCH_RESOLVED = "BRANCH_RESOLVED"
    ACTION_RECORDED = "ACTION_RECORDED"
    ACTION_RECONCILED = "ACTION_RECONCILED"
    ACTION_COMPENSATED = "ACTION_COMPENSATED"
    GRANT_DENIED = "GRANT_DENIED"


class Origin(StrEnum):
    """Who asserted an event."""

    DETERMINISTIC = "deterministic"
    HUMAN = "human"
    LLM = "llm"
    EXTERNAL_AGENT = "external_agent"
    IMPORTED = "imported"


SELF_CERTIFIED = frozenset({Origin.LLM, Origin.EXTERNAL_AGENT, Origin.IMPORTED})
"""Origins whose word alone does not make goal or progress trustworthy."""

ACTION_EVENTS = frozenset(
    {EventType.ACTION_RECORDED, EventType.ACTION_RECONCILED, EventType.ACTION_COMPENSATED}
)
"""The three types the ledger is folded from."""

KNOWN_TYPES = {str(member): member for member in EventType}
KNOWN_ORIGINS = {str(member): member for member in Origin}

UNREADABLE = (InvalidInput, ValueError, TypeError, RecursionError)
"""What reading a damaged row may raise; callers that go on report it."""


class EventRow(NamedTuple):
    """The ten columns of an event as a store holds them, nothing interpreted."""

    run_id: str
    sequence: int
    event_id: str
    type: str
    timestamp: str
    payload: str
    causer_event_id: str | None
    source: str
    prev_hash: str | None
    hash: str


class Event(NamedTuple):
    """One sealed link of a run's hash chain.

    Attributes:
        sequence: position in the run: 1, 2, 3 … without gaps.
        timestamp: UTC, the column form `…+00:00`.
        prev_hash: hash of the link before; None for the first.
        hash: SHA-256 over the nine other members, 64 lowercase hex digits.
    """

    run_id: str
    sequence: int
    event_id: str
    type: EventType
    timestamp: str
    payload: dict[str, Any]
    causer_event_id: str | None
    source: Origin
    prev_hash: str | None
    hash: str

    @property
    def at(self) -> datetime:
        """The instant of the event, aware UTC."""
        return parse_time(self.timestamp)


class Draft(NamedTuple):
    """An event before it has a place in a chain."""

    type: EventType
    payload: Mapping[str, Any]
    source: Origin
    at: datetime
    event_id: str | None = None
    causer_event_id: str | None = None


class Head(NamedTuple):
    """The newest link of a run: its sequence (0 without events) and hash."""

    sequence: int
    hash: str | None


NO_HEAD = Head(0, None)


def canonical_event(
    *,
    run_id: str,
    sequence: int,
    event_id: str,
    type: str,
    timestamp: str,
    payload_text: str,
    causer_event_id: str | None,
    source: str,
    prev_hash: str | None,
) -> str:
    """Return the text an event's hash is taken over.

    Args:
        timestamp: in the normalised column form.
        payload_text: the canonical JSON of the payload.
    """
    causer = "null" if causer_event_id is None else quote(causer_event_id)
    previous = "null" if prev_hash is None else quote(prev_hash)
    return (
        f'{{"causer_event_id":{causer},"event_id":{quote(event_id)},"payload":{payload_text},'
        f'"prev_hash":{previous},"run_id":{quote(run_id)},"sequence":{sequence},'
        f'"source":{quote(source)},"timestamp":{quote(timestamp)},"type":{quote(type)}}}'
    )


def seal(draft: Draft, *, run_id: str, head: Head, fresh_id: str | None = None) -> EventRow:
    """Return `draft` as the row that follows `head` in `run_id`.

    A draft without an id of its own gets `fresh_id`, or a new one.

    The payload column holds the canonical text, so that a reader can hash it
    without parsing.

    Raises:
        InvalidInput: the payload is not plain JSON, or is too large.
    """
    payload = canonical_payload(draft.payload)
    event_id = draft.event_id or fresh_id or new_id("event")
    timestamp = column_time(draft.at)
    # Plain texts: a driver looks for an adapter of every enumeration it is given.
    kind, source = str(draft.type), str(draft.source)
    sequence = head.sequence + 1
    text = canonical_event(
        run_id=run_id,
        sequence=sequence,
        event_id=event_id,
        type=kind,
        timestamp=timestamp,
        payload_text=payload,
        causer_event_id=draft.causer_event_id,
        source=source,
        prev_hash=head.hash,
    )
    return EventRow(
        run_id,
        sequence,
        event_id,
        kind,
        timestamp,
        payload,
        draft.causer_event_id,
        source,
        head.hash,
        digest_text(text),
    )


def event_from_row(row: EventRow) -> Event:
    """Return the event a row holds.

    Raises:
        UnreadableRecord: unknown type or origin, broken JSON, a payload that
            is no object, or a time that is none.
    """
    try:
        return _read(row)
    except UNREADABLE as exc:
        raise UnreadableRecord(
            f"event {row.sequence} of run {row.run_id!r} is unreadable: {exc}; "
            f"`continuum verify` shows the extent of the damage"
        ) from exc


def exact_digest(row: EventRow) -> str:
    """Return the hash a row should carry, computed from its values.

    Raises:
        InvalidInput, ValueError, TypeError, RecursionError: the row cannot be
            read as an event (these are `UNREADABLE`); the text says why.
    """
    event = _read(row)
    return digest_text(_canonical_row(row, event.timestamp, canonical_text(event.payload)))


def normal_timestamp(text: str) -> str:
    """Return a stored time in the column form; the common case is not formatted."""
    return text if is_column_time(text) else column_time(parse_time(text))


def _canonical_row(row: EventRow, timestamp: str, payload_text: str) -> str:
    return canonical_event(
        run_id=row.run_id,
        sequence=row.sequence,
        event_id=row.event_id,
        type=row.type,
        timestamp=timestamp,
        payload_text=payload_text,
        causer_event_id=row.causer_event_id,
        source=row.source,
        prev_hash=row.prev_hash,
    )


def _read(row: EventRow) -> Event:
    kind = KNOWN_TYPES.get(row.type)
    if kind is None:
        raise InvalidInput(f"unknown event type {row.type!r}")
    source = KNOWN_ORIGINS.get(row.source)
    if source is None:
        raise InvalidInput(f"unknown origin {row.source!r}")
    if type(row.sequence) is not int:
        raise InvalidInput(f"sequence {row.sequence!r} is no number")
    payload = _PAYLOADS.decode(row.payload)
    if payload is None:
        payload = {}
    if not isinstance(payload, dict):
        raise InvalidInput(f"payload is a {type(payload).__name__}, not an object")
    timestamp = normal_timestamp(row.timestamp)
    return Event(
        row.run_id,
        row.sequence,
        row.event_id,
        kind,
        timestamp,
        payload,
        row.causer_event_id,
        source,
        row.prev_hash,
        row.hash,
    )


def _refuse_constant(name: str) -> float:
    raise InvalidInput(f"payload holds {name}, which JSON cannot say")


_PAYLOADS = json.JSONDecoder(parse_constant=_refuse_constant)
