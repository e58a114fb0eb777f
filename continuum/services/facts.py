"""Reading a run's facts: the newest snapshot, and the tail of the log behind it."""

from __future__ import annotations

import json

from continuum.domain.runfacts import RunFacts
from continuum.services.chain import ensure_short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.store.base import ReadStore


def load_facts(store: ReadStore, run_id: str, *, most_events: int | None = None) -> RunFacts:
    """Return the facts of `run_id` up to its head.

    A snapshot is used only while the log still holds the event it was taken
    at, with the same hash; anything else is folded from the start.

    Args:
        most_events: how many may be folded; None for all there are.

    Raises:
        NotReadYet: there are more.
        UnreadableRecord: a row of the log cannot be read.
    """
    facts = _from_snapshot(store, run_id) or RunFacts(run_id)
    if most_events is not None:
        ensure_short(run_id, store.head(run_id).sequence - facts.sequence, most_events)
    return facts.apply_all(store.events(run_id, after=facts.sequence))


def fold_facts(store: ReadStore, run_id: str) -> RunFacts:
    """Return the facts of `run_id`, folded from its first event."""
    return RunFacts(run_id).apply_all(store.events(run_id))


def _from_snapshot(store: ReadStore, run_id: str) -> RunFacts | None:
    summary = store.summary(run_id) if store.has_read_model else None
    if summary is None or not summary.snapshot:
        return None
    facts = RunFacts.restore(run_id, json.loads(summary.snapshot))
    if facts is None or not facts.sequence:
        return None
    place = store.event_row(run_id, facts.sequence)
    return facts if place is not None and place.row.hash == facts.hash else None
