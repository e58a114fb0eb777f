"""Counting refused calls, without letting a flood of them slow the store down.

The first refusals of a minute are written one by one. What comes beyond is
added up in memory and written once a second, so whoever hammers at the door
costs one small transaction a second and stays counted.
"""

from __future__ import annotations

from datetime import timedelta

from continuum.core.clock import as_utc, column_time
from continuum.core.errors import StoreUnavailable
from continuum.domain.allowlist import storable_name
from continuum.domain.callerrows import OTHERS, RefusalCount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from continuum.domain.allowlist import DenialReason, Identity
    from continuum.store.base import ReadStore, Store

EXACT_A_MINUTE = 60
KEPT_DAYS = 7
_MAX_PENDING = 100
_MINUTE = timedelta(minutes=1)
_SECOND = timedelta(seconds=1)


class RefusalMeter:
    """Decides which counts are written now; one per process that keeps a door."""

    def __init__(self) -> None:
        self._minute: datetime | None = None
        self._written = 0
        self._last_write: datetime | None = None
        self._pending: dict[tuple[str, str, str], RefusalCount] = {}

    def take(self, refusal: RefusalCount, at: datetime) -> list[RefusalCount]:
        """Return what is to be written now, `refusal` included or kept for later."""
        if self._minute is None or not self._minute <= at < self._minute + _MINUTE:
            self._minute, self._written = at, 0
        if self._written >= EXACT_A_MINUTE:
            self._keep(refusal)
            return self.due(at)
        self._written += 1
        return [*self.due(at), refusal]

    def due(self, at: datetime) -> list[RefusalCount]:
        """Return what was kept, if the last write is a second ago."""
        if not self._pending:
            return []
        if self._last_write is not None and at - self._last_write < _SECOND:
            return []
        self._last_write = at
        kept, self._pending = self._pending, {}
        return list(kept.values())

    def _keep(self, refusal: RefusalCount) -> None:
        key = (refusal.caller, refusal.reason, refusal.hour)
        if key not in self._pending and len(self._pending) >= _MAX_PENDING:
            refusal = refusal._replace(caller=OTHERS)
            key = (OTHERS, refusal.reason, refusal.hour)
        known = self._pending.get(key)
        times = refusal.times + (known.times if known else 0)
        self._pending[key] = refusal._replace(times=times)


def count_refusal(
    store: Store,
    meter: RefusalMeter | None,
    identity: Identity,
    reason: DenialReason,
    *,
    tool: str,
    at: datetime,
) -> None:
    """Count one refusal; a store that cannot be written is left alone."""
    refusal = RefusalCount(
        caller=storable_name(identity.name),
        reason=str(reason),
        hour=hour_of(at),
        times=1,
        last_at=column_time(at),
        last_tool=storable_name(tool),
        last_via=identity.via,
    )
    write_counts(store, [refusal] if meter is None else meter.take(refusal, at), at)


def write_counts(store: Store, counts: Iterable[RefusalCount], at: datetime) -> None:
    """Add counts to the store's, in one transaction, or in none where there is nothing to add."""
    counts = list(counts)
    if not counts or not store.has_callers:
        return
    keep_from = hour_of(at - timedelta(days=KEPT_DAYS))
    try:
        with store.writing() as writer:
            for refusal in counts:
                writer.count_refusal(refusal, keep_from=keep_from)
    except StoreUnavailable:
        return  # the refusal stands, counted or not


def list_refusals(
    store: ReadStore, *, since: datetime, caller: str | None = None
) -> list[RefusalCount]:
    """Return the counts from the hour of `since` on, newest hour first."""
    return store.refusals(since_hour=hour_of(since), caller=caller)


def hour_of(at: datetime) -> str:
    """Return the hour of an instant as counts name it: `YYYY-MM-DDThh`, UTC."""
    return as_utc(at).isoformat()[:13]
