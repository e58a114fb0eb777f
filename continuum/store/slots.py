"""The ledger of a run as rows: `cx_actions`, and a fold of the log where it lags.

The row of `cx_heads` says up to which event the ledger's rows are right
(`ledger_sequence`) and which ledger event is the newest (`action_sequence`).
Triggers keep the second for every client, so a read knows without looking at
the log whether the rows can be used as they are. Where they lag, because the
other client wrote, the events behind are folded over them.
"""

from __future__ import annotations

import json

from continuum.core.canonical import canonical_text, digest_text
from continuum.core.errors import UnreadableRecord
from continuum.core.records import NamedTuple
from continuum.domain.actions import UNRESOLVED, ActionStatus, Slot, action_from_record
from continuum.domain.events import EventRow, event_from_row
from continuum.domain.tokens import identity_tokens, token_signature
from continuum.store.indexing import index_drift

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from continuum.domain.actions import Action
    from continuum.store.database import Database

UNREADABLE = "unreadable"
"""Status of a row whose record is malformed; reading it raises."""

_OPEN = frozenset({*map(str, UNRESOLVED), UNREADABLE})

VOID = -1
"""`ledger_sequence` of a run whose rows must be made anew."""


class LedgerRow(NamedTuple):
    """A row of `cx_actions`."""

    run_id: str
    key: str
    action_id: str
    action_type: str
    status: str
    external_id: str | None
    attempts: int
    first_sequence: int
    last_sequence: int
    signature: str | None
    record: str


class LedgerPlace(NamedTuple):
    """How far the rows of a run go, and how far its ledger events do."""

    ledger_sequence: int
    action_sequence: int

    @property
    def lags(self) -> bool:
        """True when there are events that the rows do not show."""
        return self.ledger_sequence < self.action_sequence


class LedgerReads:
    """Actions of a run."""

    _database: Database
    has_read_model: bool

    def slots(self, run_id: str, *, statuses: Iterable[ActionStatus] | None = None) -> list[Slot]:
        """Return the run's actions in order of first appearance."""
        wanted = None if statuses is None else {*map(str, statuses), UNREADABLE}
        place = self._ledger_place(run_id)
        if place.lags:
            rows = [
                row
                for row in self._folded_rows(run_id, place)
                if wanted is None or row.status in wanted
            ]
        else:
            rows = self._ledger_rows(
                "slots.of_run", run_id=run_id, statuses=self._database.values(wanted)
            )
        return [slot_from_row(row) for row in rows]

    def action_count(self, run_id: str) -> int:
        """Return how many actions the run's ledger holds."""
        place = self._ledger_place(run_id)
        if place.lags:
            return len(self._folded_rows(run_id, place))
        row = self._database.one("slots.count", run_id=run_id)
        return int(row[0]) if row else 0

    def slot(self, run_id: str, key: str) -> Slot | None:
        """Return the action under a key, or None."""
        place = self._ledger_place(run_id)
        if place.lags:
            return _first(row for row in self._folded_rows(run_id, place) if row.key == key)
        return _first(self._ledger_rows("slots.by_key", run_id=run_id, key=key))

    def slot_by_action_id(self, run_id: str, action_id: str) -> Slot | None:
        """Return the action of an id, or None."""
        place = self._ledger_place(run_id)
        if place.lags:
            rows = self._folded_rows(run_id, place)
            return _first(row for row in rows if row.action_id == action_id)
        return _first(self._ledger_rows("slots.by_id", run_id=run_id, action_id=action_id))

    def slots_sharing(self, run_id: str, action_type: str, tokens: Iterable[str]) -> list[Slot]:
        """Return slots of a type whose identity tokens have the same signature as `tokens`."""
        signature = signature_of(run_id, frozenset(tokens))
        if signature is None:
            return []
        place = self._ledger_place(run_id)
        if place.lags:
            rows = [
                row
                for row in self._folded_rows(run_id, place)
                if row.action_type == action_type
                and (row.signature == signature or row.status == UNREADABLE)
            ]
        else:
            rows = self._ledger_rows(
                "slots.by_signature", run_id=run_id, action_type=action_type, signature=signature
            )
        return [slot_from_row(row) for row in rows]

    def foreign_action(self, key: str, run_id: str) -> Action | None:
        """Return the store-wide index's record under `key` if another run holds it."""
        row = self._database.one("index.foreign", key=key, run_id=run_id)
        return action_from_record(_record(row[1])) if row else None

    def index_drift(self) -> int:
        """Return how many rows of `action_index` differ from a recomputation."""
        return index_drift(self._database)

    def _ledger_place(self, run_id: str) -> LedgerPlace:
        if not self.has_read_model:
            return LedgerPlace(VOID, 0)
        row = self._database.one("slots.place", run_id=run_id)
        return LedgerPlace._make(row) if row else LedgerPlace(VOID, 0)

    def _ledger_rows(self, name: str, **params: Any) -> list[LedgerRow]:
        return [LedgerRow._make(row) for row in self._database.all(name, **params)]

    def _folded_rows(self, run_id: str, place: LedgerPlace) -> list[LedgerRow]:
        known = (
            []
            if place.ledger_sequence == VOID
            else self._ledger_rows("slots.of_run", run_id=run_id, statuses=None)
        )
        rows = {row.key: row for row in known}
        after = max(place.ledger_sequence, 0)
        for columns in self._database.stream("events.actions", run_id=run_id, after=after):
            row = ledger_row(EventRow._make(columns))
            if row is not None:
                rows[row.key] = merged(rows.get(row.key), row)
        return list(rows.values())


def ledger_row(event_row: EventRow) -> LedgerRow | None:
    """Return what one ledger event says about its key, or None without a key.

    Raises:
        UnreadableRecord: the event itself cannot be read.
    """
    return row_of_payload(event_row.run_id, event_row.sequence, event_from_row(event_row).payload)


def row_of_payload(run_id: str, sequence: int, payload: Mapping[str, Any]) -> LedgerRow | None:
    """Return what the payload of a ledger event says about its key, or None without a key."""
    key = payload.get("key")
    if not isinstance(key, str) or not key:
        return None
    record = payload.get("action")
    try:
        action = action_from_record(record if isinstance(record, dict) else {})
    except UnreadableRecord:
        return _unreadable_row(run_id, sequence, key, record)
    return LedgerRow(
        run_id=run_id,
        key=key,
        action_id=action.action_id,
        action_type=action.action_type,
        status=str(action.status),
        external_id=action.external_id,
        attempts=1 if action.status is ActionStatus.STARTED else 0,
        first_sequence=sequence,
        last_sequence=sequence,
        signature=signature_of(run_id, identity_tokens(action.arguments)),
        record=canonical_text(record),
    )


def listed_members(row: LedgerRow, at: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that lists of all actions are sorted by.

    An open action has been so since its attempt began, whatever was recorded
    about it later; any other counts from its newest event, which was `at`.
    """
    if row.status not in _OPEN:
        return {"moment": at, "is_open": 0}
    record = payload.get("action")
    members = record if isinstance(record, dict) else {}
    began = members.get("started_at") or members.get("created_at")
    if isinstance(began, str) and began.endswith("Z"):
        at = f"{began[:-1]}+00:00"
    return {"moment": at, "is_open": 1}


def merged(before: LedgerRow | None, row: LedgerRow) -> LedgerRow:
    """Return `row` in the place its key has had since `before`.

    A key that ever carried a malformed record stays unreadable, as in a fold.
    """
    if before is None:
        return row
    return row._replace(
        first_sequence=before.first_sequence,
        attempts=before.attempts + row.attempts,
        status=UNREADABLE if before.status == UNREADABLE else row.status,
    )


def signature_of(run_id: str, tokens: Collection[str]) -> str | None:
    """Return the digest that two actions must share to be the same thing, or None."""
    stems = token_signature(run_id, tokens)
    return digest_text("\n".join(sorted(stems))) if stems else None


def slot_from_row(row: LedgerRow) -> Slot:
    """Return the slot a row holds.

    Raises:
        UnreadableRecord: an event under the key carries a malformed record.
    """
    if row.status == UNREADABLE:
        raise UnreadableRecord(
            f"the ledger of run {row.run_id!r} holds a malformed record under key {row.key!r}, "
            f"in an event from {row.first_sequence} to {row.last_sequence}"
        )
    action = action_from_record(_record(row.record))
    return Slot(row.key, action, row.first_sequence, row.last_sequence)


def _unreadable_row(run_id: str, sequence: int, key: str, record: Any) -> LedgerRow:
    members = record if isinstance(record, dict) else {}
    return LedgerRow(
        run_id=run_id,
        key=key,
        action_id=str(members.get("action_id", "")),
        action_type=str(members.get("action_type", "")),
        status=UNREADABLE,
        external_id=None,
        attempts=0,
        first_sequence=sequence,
        last_sequence=sequence,
        signature=None,
        record=canonical_text(record),
    )


def _record(text: str) -> dict[str, Any]:
    record = json.loads(text)
    return record if isinstance(record, dict) else {}


def _first(rows: Iterable[LedgerRow]) -> Slot | None:
    for row in rows:
        return slot_from_row(row)
    return None
