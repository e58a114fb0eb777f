"""A run over time: buckets that add up, samples of long logs, spans and marks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from continuum.core.clock import body_time
from continuum.core.errors import RunNotFound
from continuum.domain.actions import ActionStatus
from continuum.domain.events import Draft, EventType, Origin
from continuum.services import timelines
from continuum.services.checkpoints import take_checkpoint
from continuum.services.timelines import timeline
from tests.conftest import NOON
from tests.outsiders import change
from tests.store.test_ledger import action
from tests.stores import action_event, claimed_action


def minute(number):
    return NOON + timedelta(minutes=number)


def report(number, source=Origin.EXTERNAL_AGENT, kind=EventType.TASK_UPDATED):
    """Return an event `number` minutes after noon."""
    return Draft(kind, {"completed": 1, "failed": 0}, source, minute(number))


@pytest.fixture
def busy(store, make_run):
    """A run of an hour: a start, 30 reports of an agent, 10 of the system, one person."""
    make_run()
    store.append("run_a", [report(number) for number in range(30)])
    store.append("run_a", [report(50, Origin.DETERMINISTIC) for _ in range(10)])
    confirmed = Draft(
        EventType.REVIEW_CONFIRMED, {"components": ["goal"]}, Origin.HUMAN, minute(60)
    )
    store.append("run_a", [confirmed])
    return store


def test_buckets_add_up_to_all_events_by_origin(busy):
    line = timeline(busy, "run_a")

    assert line is not None
    assert (line.events, line.sampled, line.is_estimated) == (42, 42, False)
    assert sum(one.total for one in line.buckets) == 42
    sums = [
        sum(getattr(one, kind) for one in line.buckets) for kind in ("human", "system", "agent")
    ]
    assert sums == [2, 10, 30]
    assert len(line.buckets) == timelines.BUCKETS
    assert (line.start, line.end) == (minute(0), minute(60))


def test_a_bucket_names_its_events(busy):
    line = timeline(busy, "run_a")

    assert line is not None
    assert (line.buckets[0].first, line.buckets[0].last) == (1, 3)
    system = next(one for one in line.buckets if one.system)
    assert (system.first, system.last, system.total) == (32, 41, 10)
    assert [one.first for one in line.buckets if not one.total] == [0] * sum(
        not one.total for one in line.buckets
    )


def test_a_long_log_is_sampled_and_says_so(busy, monkeypatch):
    monkeypatch.setattr(timelines, "SAMPLES", 12)

    line = timeline(busy, "run_a")

    assert line is not None
    assert (line.sampled, line.is_estimated) == (12, True)
    assert sum(one.total for one in line.buckets) == 42
    assert (line.start, line.end) == (minute(0), minute(60))


def test_archived_events_count(busy):
    with busy.writing("run_a") as writer:
        writer.archive("run_a", 20)

    line = timeline(busy, "run_a")

    assert line is not None
    assert sum(one.total for one in line.buckets) == 42


def test_a_run_of_one_moment_is_one_bucket(store, make_run):
    make_run(progress=3)

    line = timeline(store, "run_a")

    assert line is not None
    assert [one.total for one in line.buckets] == [4]


def test_claims_are_spans_to_their_outcome(store, make_run):
    make_run()
    began = {"started_at": body_time(minute(1))}
    store.append("run_a", [claimed_action("run_a", key, at=NOON, **began) for key in "ab"])
    done = action("a", status=ActionStatus.COMPLETED, completed_at=body_time(minute(4)), **began)
    store.append("run_a", [action_event("a", done, at=minute(4))])

    line = timeline(store, "run_a")

    assert line is not None
    spans = {one.key: (one.start, one.end, one.status) for one in line.spans}
    assert spans == {
        "a": (minute(1), minute(4), "completed"),
        "b": (minute(1), None, "started"),
    }


def test_the_newest_claims_are_shown_and_every_open_one(store, make_run, monkeypatch):
    monkeypatch.setattr(timelines, "SPANS", 2)
    make_run(claimed=["open"])
    for key in "abc":
        done = action(key, status=ActionStatus.COMPLETED)
        store.append("run_a", [action_event(key, done, at=NOON)])

    line = timeline(store, "run_a")

    assert line is not None
    assert {one.key for one in line.spans} == {"open", "b", "c"}
    assert line.left_out


def test_checkpoints_and_acts_of_people_are_marked(busy):
    take_checkpoint(busy, "run_a", at=minute(10))

    line = timeline(busy, "run_a")

    assert line is not None
    assert [(one.kind, one.text, one.at) for one in line.marks] == [
        ("human", "RUN_STARTED", minute(0)),
        ("checkpoint", "v0", minute(10)),
        ("human", "REVIEW_CONFIRMED", minute(60)),
    ]


def test_acts_of_people_are_found_among_many_settlements(busy, monkeypatch):
    monkeypatch.setattr(timelines, "_RARE", 2)

    line = timeline(busy, "run_a")

    assert line is not None
    assert [one.text for one in line.marks] == ["RUN_STARTED", "REVIEW_CONFIRMED"]


def test_events_without_a_time_are_left_out(busy, store_url):
    change(store_url, "events", {"run_id": "run_a", "sequence": 5}, {"timestamp": "nonsense"})
    change(store_url, "events", {"run_id": "run_a", "sequence": 6}, {"source": "nobody"})

    line = timeline(busy, "run_a")

    assert line is not None
    assert line.sampled == 41
    assert sum(one.agent for one in line.buckets) == 30


def test_a_run_without_events_has_no_timeline(store, store_url, make_run):
    make_run()
    with pytest.raises(RunNotFound):
        timeline(store, "nobody")
    change(store_url, "events", {"run_id": "run_a", "sequence": 1}, {"timestamp": ""})

    assert timeline(store, "run_a") is None
