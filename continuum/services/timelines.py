"""A run over time: how many events came when and from whom, claims as spans, marks.

A long log is sampled: some hundred events at even distances stand for those
between them, so a run of a million events is drawn as quickly as one of a
thousand. Claims, checkpoints and what people did are taken from their own
rows, the newest of each.
"""

from __future__ import annotations

from itertools import pairwise

from continuum.core.clock import parse_time
from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple
from continuum.domain.actions import UNRESOLVED
from continuum.domain.events import EventType, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime, timedelta

    from continuum.domain.actions import Slot
    from continuum.store.base import PagedEvent, ReadStore
    from continuum.store.logport import EventStub

SAMPLES = 600
BUCKETS = 48
SPANS = 60
MARKS = 40

_PEOPLE = (
    EventType.RUN_STARTED,
    EventType.RUN_FORKED,
    EventType.RUN_COMPLETED,
    EventType.RUN_ABORTED,
    EventType.REVIEW_CONFIRMED,
    EventType.ACTION_RECONCILED,
    EventType.ACTION_COMPENSATED,
    EventType.APPROVAL_GRANTED,
    EventType.APPROVAL_REVOKED,
)
_RARE = 2000


class Bucket(NamedTuple):
    """A stretch of time with its events.

    Attributes:
        first, last: the numbers of its events; both 0 where it has none.
        human, system, agent: how many, estimated where the log was sampled.
    """

    start: datetime
    end: datetime
    first: int
    last: int
    human: int
    system: int
    agent: int

    @property
    def total(self) -> int:
        """How many events there are."""
        return self.human + self.system + self.agent


class Span(NamedTuple):
    """A claimed effect from its beginning to its outcome.

    Attributes:
        end: None while nobody knows the outcome.
    """

    key: str
    action_type: str
    status: str
    start: datetime
    end: datetime | None
    sequence: int


class Mark(NamedTuple):
    """Something that happened at one moment.

    Attributes:
        kind: `checkpoint` or `human`.
        sequence: of the event; None for a checkpoint, which has a version instead.
    """

    kind: str
    text: str
    at: datetime
    sequence: int | None


class Timeline(NamedTuple):
    """A run over time.

    Attributes:
        events: how many there are.
        sampled: how many of them were looked at.
        left_out: True when there are more claims or marks than are shown.
    """

    start: datetime
    end: datetime
    events: int
    sampled: int
    buckets: tuple[Bucket, ...]
    spans: tuple[Span, ...]
    marks: tuple[Mark, ...]
    left_out: bool

    @property
    def is_estimated(self) -> bool:
        """True when the buckets were estimated."""
        return self.sampled < self.events

    @property
    def most(self) -> int:
        """How many events the fullest bucket has."""
        return max(one.total for one in self.buckets)


class _Point(NamedTuple):
    """An event in time, and how many events it stands for."""

    at: datetime
    sequence: int
    weight: int
    source: str


def timeline(store: ReadStore, run_id: str) -> Timeline | None:
    """Return the run over time; None without an event that says when it was.

    Raises:
        RunNotFound: no such run.
        UnreadableRecord: a record of the ledger is malformed.
    """
    with store.reading():
        store.run_row(run_id)
        events = store.head(run_id).sequence
        points = _points(store.event_stubs(run_id, _numbers(events)))
        if not points:
            return None
        spans, more_spans = _spans(store, run_id)
        marks, more_marks = _marks(store, run_id)
    times = [
        *(one.at for one in points),
        *(time for one in spans for time in (one.start, one.end) if time),
        *(one.at for one in marks),
    ]
    start, end = min(times), max(times)
    return Timeline(
        start=start,
        end=end,
        events=events,
        sampled=len(points),
        buckets=tuple(_buckets(points, start, end)),
        spans=tuple(spans),
        marks=tuple(marks),
        left_out=more_spans or more_marks,
    )


def _numbers(events: int) -> list[int]:
    """Return all numbers of a short log, evenly spaced ones with both ends of a long one."""
    if events <= SAMPLES:
        return [*range(1, events + 1)]
    return [1 + place * (events - 1) // (SAMPLES - 1) for place in range(SAMPLES)]


def _points(stubs: Sequence[EventStub]) -> list[_Point]:
    points: list[_Point] = []
    before = 0
    for stub in stubs:
        at = _moment(stub.timestamp)
        if at is None:
            continue
        points.append(_Point(at, stub.sequence, stub.sequence - before, stub.source))
        before = stub.sequence
    return points


def _buckets(points: Sequence[_Point], start: datetime, end: datetime) -> Iterator[Bucket]:
    """Cut the time into equal stretches; a run of one moment has one."""
    count = BUCKETS if end > start else 1
    step = (end - start) / count
    inside: list[list[_Point]] = [[] for _ in range(count)]
    for point in points:
        inside[_place(point.at - start, step, count)].append(point)
    edges = [start + step * number for number in range(count + 1)]
    for (left, right), found in zip(pairwise(edges), inside, strict=True):
        yield _bucket(left, right, found)


def _place(since: timedelta, step: timedelta, count: int) -> int:
    return min(int(since / step), count - 1) if step else 0


def _bucket(start: datetime, end: datetime, points: Sequence[_Point]) -> Bucket:
    numbers = {"human": 0, "system": 0, "agent": 0}
    for point in points:
        numbers[_kind(point.source)] += point.weight
    first = min((one.sequence - one.weight + 1 for one in points), default=0)
    last = max((one.sequence for one in points), default=0)
    return Bucket(start, end, first, last, **numbers)


def _kind(source: str) -> str:
    return _KINDS.get(source, "agent")


_KINDS = {str(Origin.HUMAN): "human", str(Origin.DETERMINISTIC): "system"}


def _spans(store: ReadStore, run_id: str) -> tuple[list[Span], bool]:
    """Return the newest claims, and older ones that are still open."""
    newest = store.slot_page(run_id, limit=SPANS + 1)
    shown = {slot.key: slot for slot in newest[:SPANS]}
    for slot in store.slots(run_id, statuses=UNRESOLVED)[:SPANS]:
        shown.setdefault(slot.key, slot)
    spans = [span for slot in shown.values() if (span := _span(slot))]
    return sorted(spans, key=lambda one: (one.start, one.sequence)), len(newest) > SPANS


def _span(slot: Slot) -> Span | None:
    action = slot.action
    start = _moment(action.started_at or action.created_at)
    if start is None:
        return None
    end = None if action.is_unresolved else _moment(action.completed_at) or start
    return Span(
        slot.key,
        action.action_type,
        str(action.status),
        start,
        max(start, end) if end else None,
        slot.first_sequence,
    )


def _marks(store: ReadStore, run_id: str) -> tuple[list[Mark], bool]:
    checkpoints = store.checkpoint_stubs(run_id, limit=MARKS + 1)
    acts = _acts(store, run_id)
    marks = [
        *_timed(
            ("checkpoint", f"v{one.version}", one.created_at, None) for one in checkpoints[:MARKS]
        ),
        *_timed(
            ("human", one.row.type, one.row.timestamp, one.row.sequence) for one in acts[:MARKS]
        ),
    ]
    more = len(checkpoints) > MARKS or len(acts) > MARKS
    return sorted(marks, key=lambda one: one.at), more


def _acts(store: ReadStore, run_id: str) -> list[PagedEvent]:
    """Return what people did last; probes settle too, so that those may be many."""
    types: Iterable[EventType] = _PEOPLE
    if store.count_types(run_id, _PEOPLE, most=_RARE) >= _RARE:
        types = [kind for kind in _PEOPLE if kind is not EventType.ACTION_RECONCILED]
    return store.event_page(run_id, types=types, origins=[Origin.HUMAN], limit=MARKS + 1)


def _timed(rows: Iterable[tuple[str, str, str, int | None]]) -> Iterator[Mark]:
    for kind, text, time, sequence in rows:
        at = _moment(time)
        if at is not None:
            yield Mark(kind, text, at, sequence)


def _moment(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except InvalidInput:
        return None
