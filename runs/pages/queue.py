"""The queue's figures as a page shows them: words, lengths of time, and widths of bars."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from runs.words import asked_word, span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from continuum.services.queuehealth import Pace, QueueHealth
    from continuum.store.policyport import DecisionCount
    from runs.words import Word

_KINDS = {"action": "actions to settle", "verdict": "runs to decide on"}
_CHART_HEIGHT = 100


class OpenRow(NamedTuple):
    """Open items of one kind; `width` in per cent of the longest bar."""

    word: Word
    kind: str
    items: int
    oldest: str
    width: int


class PaceRow(NamedTuple):
    """How fast items were decided within a window."""

    window: str
    decided: int
    elsewhere: int
    half: str
    most: str


class DayColumn(NamedTuple):
    """A day of the chart; `top` and `height` on a scale of 100."""

    label: str
    decided: int
    half: str
    top: int
    height: int


class PersonRow(NamedTuple):
    """What one person decided: (verb, count) pairs in the order of the page's columns."""

    person: str
    counts: list[tuple[str, int]]
    total: int
    overturned: int


class QueueScreen(NamedTuple):
    """Everything the page shows."""

    health: QueueHealth
    oldest: str
    open: list[OpenRow]
    pace: list[PaceRow]
    days: list[DayColumn]
    verbs: list[str]
    people: list[PersonRow]

    @property
    def overturned_share(self) -> str:
        """How many of all decisions overruled the engine, in per cent."""
        decided = self.health.decided
        return f"{100 * self.health.overturned / decided:.0f} %" if decided else "–"


def build(health: QueueHealth) -> QueueScreen:
    """Return the page of these figures."""
    verbs = sorted({row.verb for row in health.decisions})
    return QueueScreen(
        health=health,
        oldest=span(health.oldest_seconds) if health.open else "–",
        open=_open(health),
        pace=[_pace("Today", health.today), _pace("7 days", health.week)],
        days=_days(health),
        verbs=verbs,
        people=_people(health.decisions, verbs),
    )


def _open(health: QueueHealth) -> list[OpenRow]:
    most = max((group.items for group in health.open), default=1)
    return [
        OpenRow(
            asked_word(group.severity),
            _KINDS.get(group.kind, group.kind),
            group.items,
            span(group.oldest_seconds),
            _share(group.items, most),
        )
        for group in health.open
    ]


def _pace(window: str, pace: Pace) -> PaceRow:
    half, most = _length(pace.p50_seconds), _length(pace.p90_seconds)
    return PaceRow(window, pace.decided, pace.elsewhere, half, most)


def _days(health: QueueHealth) -> list[DayColumn]:
    most = max((day.decided for day in health.days), default=0) or 1
    columns = []
    for day in health.days:
        height = _share(day.decided, most)
        label = f"{date.fromisoformat(day.date):%a}"
        columns.append(
            DayColumn(label, day.decided, _length(day.p50_seconds), _CHART_HEIGHT - height, height)
        )
    return columns


def _people(rows: Iterable[DecisionCount], verbs: list[str]) -> list[PersonRow]:
    by_person: dict[str, dict[str, int]] = {}
    overturned: dict[str, int] = {}
    for row in rows:
        by_person.setdefault(row.person, {})[row.verb] = row.decisions
        overturned[row.person] = overturned.get(row.person, 0) + row.overturned
    people = [
        PersonRow(
            person,
            [(verb, counts.get(verb, 0)) for verb in verbs],
            sum(counts.values()),
            overturned[person],
        )
        for person, counts in by_person.items()
    ]
    return sorted(people, key=lambda one: (-one.total, one.person))


def _length(seconds: float | None) -> str:
    return "–" if seconds is None else span(seconds)


def _share(part: int, whole: int) -> int:
    return round(100 * part / whole)
