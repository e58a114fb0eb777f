"""A store in memory: what the action services need, and nothing kept."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from continuum.core.errors import RunNotFound
from continuum.domain.events import NO_HEAD, Head, event_from_row, seal
from continuum.domain.runs import Run, RunStatus
from continuum.domain.slots import fold_slots
from continuum.domain.tokens import identity_tokens, token_signature
from continuum.store.base import PagedEvent

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


class MemoryStore:
    """One process, one thread: the lock is only checked, never waited for."""

    def __init__(self, *run_ids: str) -> None:
        self.rows: dict[str, list[Any]] = {run_id: [] for run_id in run_ids}
        self.index: dict[str, Any] = {}
        self._writing: str | None = None

    @contextmanager
    def writing(self, run_id: str):
        if run_id not in self.rows:
            raise RunNotFound(run_id)
        assert self._writing is None, "transactions are not nested"
        saved = {name: list(rows) for name, rows in self.rows.items()}, dict(self.index)
        self._writing = run_id
        try:
            yield self
        except BaseException:
            self.rows, self.index = saved
            raise
        finally:
            self._writing = None

    def append(self, run_id, drafts, *, expected=None):
        assert self._writing == run_id
        events = []
        for draft in drafts:
            rows = self.rows[run_id]
            head = Head(rows[-1].sequence, rows[-1].hash) if rows else NO_HEAD
            rows.append(seal(draft, run_id=run_id, head=head))
            events.append(event_from_row(rows[-1]))
            if "action" in draft.payload:
                self.index[draft.payload["key"]] = (run_id, draft.payload["key"])
        return events

    def find_run(self, run_id):
        known = run_id in self.rows
        return Run(run_id, "g", RunStatus.RUNNING, "", "", {}, None) if known else None

    def events(self, run_id, *, after=0, upto=None, types=None, archived=True):
        for event in map(event_from_row, self.rows.get(run_id, [])):
            inside = after < event.sequence and (upto is None or event.sequence <= upto)
            if inside and (types is None or event.type in types):
                yield event

    def event_page(self, run_id, *, before=None, limit=50, types=None, origins=None):
        events = [
            one
            for one in self.events(run_id, types=types)
            if before is None or one.sequence < before
        ]
        rows = self.rows[run_id]
        return [PagedEvent(rows[e.sequence - 1], e, False) for e in reversed(events)][:limit]

    def slots(self, run_id, *, statuses=None):
        slots = fold_slots(self.events(run_id)).values()
        return [one for one in slots if statuses is None or one.action.status in statuses]

    def slot(self, run_id, key):
        return fold_slots(self.events(run_id)).get(key)

    def slot_by_action_id(self, run_id, action_id):
        return next((one for one in self.slots(run_id) if one.action.action_id == action_id), None)

    def slots_sharing(self, run_id, action_type, tokens):
        wanted = token_signature(run_id, tokens)
        return [
            one
            for one in self.slots(run_id)
            if one.action.action_type == action_type
            and token_signature(run_id, identity_tokens(one.action.arguments)) == wanted
        ]

    def foreign_action(self, key, run_id):
        holder = self.index.get(key)
        if holder is None or holder[0] == run_id:
            return None
        slot = self.slot(holder[0], key)
        return slot.action if slot else None


def memory_store(*run_ids: str) -> Any:
    """Return a fresh store with these runs; typed loosely, since it is no whole store."""
    return MemoryStore(*run_ids)
