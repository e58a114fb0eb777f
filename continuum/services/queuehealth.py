"""How the desk does: what is open and how long, how fast people decide, how often they overrule.

The page of operators and `/metrics` come from here, so they say the same. Only
the rows of open items and of the last days are read, and of closed ones no
more than `MOST_CLOSED`.
"""

from __future__ import annotations

from datetime import timedelta

from continuum.core.clock import column_time, parse_time
from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple
from continuum.services.inbox import Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from continuum.domain.callerrows import RefusalCount
    from continuum.store.base import ReadStore
    from continuum.store.policyport import ClosedItem, DecisionCount, ProposalRow

MOST_CLOSED = 10_000
DAYS = 7
_PERCENTILES = (50, 90)


class OpenGroup(NamedTuple):
    """Open items of a kind and severity; how long the oldest waits, in seconds."""

    kind: str
    severity: Severity
    items: int
    oldest_seconds: float


class Pace(NamedTuple):
    """How long items were open before somebody decided them.

    Attributes:
        decided: how many were decided by a person.
        elsewhere: how many left without a decision made here.
        p50_seconds, p90_seconds: None when nothing was decided.
    """

    decided: int
    elsewhere: int
    p50_seconds: float | None
    p90_seconds: float | None


class Day(NamedTuple):
    """A day of UTC: items decided by people, and half of them within how many seconds."""

    date: str
    decided: int
    p50_seconds: float | None


class Refused(NamedTuple):
    """How often a caller was refused in the last day, for which reason."""

    caller: str
    reason: str
    times: int


class QueueHealth(NamedTuple):
    """Everything the page and the metrics say.

    Attributes:
        days: the last seven, oldest first.
        refused: of the last day, most refused first.
        decisions: of the last seven days.
        is_capped: True when more items left than are read.
    """

    at: datetime
    open: tuple[OpenGroup, ...]
    today: Pace
    week: Pace
    days: tuple[Day, ...]
    decisions: tuple[DecisionCount, ...]
    refused: tuple[Refused, ...]
    proposals: tuple[ProposalRow, ...]
    is_capped: bool

    @property
    def open_items(self) -> int:
        """How many items are open."""
        return sum(group.items for group in self.open)

    @property
    def oldest_seconds(self) -> float:
        """How long the oldest open item waits; 0 when nothing does."""
        return max((group.oldest_seconds for group in self.open), default=0.0)

    @property
    def decided(self) -> int:
        """How many decisions were written in the last seven days."""
        return sum(row.decisions for row in self.decisions)

    @property
    def overturned(self) -> int:
        """How many of them overruled what the engine held."""
        return sum(row.overturned for row in self.decisions)


def read_health(store: ReadStore, at: datetime) -> QueueHealth:
    """Return how the desk does now."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    since = column_time(midnight - timedelta(days=DAYS - 1))
    with store.reading():
        closed = store.queue_closed(since=since, limit=MOST_CLOSED)
        today = [row for row in closed if row.closed_at >= column_time(midnight)]
        refusals = store.refusals(since_hour=column_time(at - timedelta(days=1))[:13])
        return QueueHealth(
            at=at,
            open=_open(store, at),
            today=_pace(today),
            week=_pace(closed),
            days=_days(closed, midnight),
            decisions=tuple(store.queue_decisions(since=since)),
            refused=_refused(refusals),
            proposals=tuple(store.open_proposals()),
            is_capped=len(closed) == MOST_CLOSED,
        )


def _open(store: ReadStore, at: datetime) -> tuple[OpenGroup, ...]:
    return tuple(
        OpenGroup(row.kind, _severity(row.severity), row.items, _seconds(row.oldest, at) or 0.0)
        for row in store.queue_open()
    )


def _severity(number: int) -> Severity:
    return Severity(number) if number in set(Severity) else Severity.BLOCKED


def _pace(rows: Sequence[ClosedItem]) -> Pace:
    waits = _waits(rows)
    decided = sum(1 for row in rows if row.closed_by)
    p50, p90 = (_percentile(waits, percent) for percent in _PERCENTILES)
    return Pace(decided, len(rows) - decided, p50, p90)


def _days(rows: Sequence[ClosedItem], midnight: datetime) -> tuple[Day, ...]:
    days = []
    for back in range(DAYS - 1, -1, -1):
        date = column_time(midnight - timedelta(days=back))[:10]
        of_day = [row for row in rows if row.closed_at[:10] == date and row.closed_by]
        days.append(Day(date, len(of_day), _percentile(_waits(of_day), 50)))
    return tuple(days)


def _waits(rows: Iterable[ClosedItem]) -> list[float]:
    waits = []
    for row in rows:
        if row.closed_by:
            seconds = _seconds(row.opened_at, parse_time(row.closed_at))
            if seconds is not None:
                waits.append(seconds)
    return sorted(waits)


def _seconds(since: str, until: datetime) -> float | None:
    try:
        return max(0.0, (until - parse_time(since)).total_seconds())
    except InvalidInput:
        return None  # another client's text; it is no time


def _percentile(ordered: Sequence[float], percent: int) -> float | None:
    """The nearest rank: the smallest value that `percent` of all do not exceed."""
    if not ordered:
        return None
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _refused(rows: Iterable[RefusalCount]) -> tuple[Refused, ...]:
    times: dict[tuple[str, str], int] = {}
    for row in rows:
        place = (row.caller, str(row.reason))
        times[place] = times.get(place, 0) + row.times
    ordered = sorted(times.items(), key=lambda one: (-one[1], one[0]))
    return tuple(Refused(*place, count) for place, count in ordered)
