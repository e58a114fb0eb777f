"""A verdict from snapshot and tail is the verdict of the whole log, whatever happened."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from continuum import open_store
from continuum.core.errors import (
    ActionNotFound,
    Conflict,
    InvalidInput,
    Refused,
    Unprojectable,
)
from continuum.domain.events import Draft, EventType, Origin
from continuum.services.actions import Claim, Settlement, claim_action, complete_action, fail_action
from continuum.services.acts import Act
from continuum.services.checkpoints import take_checkpoint
from continuum.services.decisions import complete, confirm, settle
from continuum.services.facts import fold_facts, load_facts
from continuum.services.progress import Progress, record_progress
from continuum.services.recovery import assess
from continuum.services.summaries import catch_up
from tests.services.acting import NOON, started

# Refusals that a run in such a state answers with; anything else is a fault.
_LEGITIMATE = (ActionNotFound, Conflict, InvalidInput, Refused, Unprojectable)

_KEYS = st.sampled_from(["a", "b"])
_SCOPES = st.sampled_from([("goal",), ("progress",), ("goal", "progress")])
_STEPS = st.one_of(
    st.tuples(st.just("progress"), st.integers(0, 5)),
    st.tuples(st.just("claim"), _KEYS),
    st.tuples(st.just("complete"), _KEYS),
    st.tuples(st.just("fail"), _KEYS),
    st.tuples(st.just("settle"), _KEYS),
    st.tuples(
        st.just("confirm"), st.sampled_from([("goal",), ("progress",), ("goal", "progress")])
    ),
    st.tuples(st.just("checkpoint"), st.sampled_from([None, "v1", "v2"])),
    st.tuples(st.just("tool"), st.integers(1, 60)),
    st.tuples(st.just("decide"), st.sampled_from(["d-1", "d-2"])),
    st.tuples(st.just("broken"), st.just(0)),
    st.tuples(st.just("close"), st.just(0)),
    st.tuples(st.just("refresh"), st.just(0)),
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(_STEPS, max_size=25), agent=st.booleans())
def test_snapshot_and_tail_equal_the_full_fold(steps, agent):
    with open_store(":memory:") as store:
        run_id = started(store, agent=agent)
        for number, (verb, value) in enumerate([*steps, ("refresh", 0)]):
            _perform(store, run_id, verb, value, NOON + timedelta(minutes=number))
            later = NOON + timedelta(days=1)

            assert load_facts(store, run_id).snapshot() == fold_facts(store, run_id).snapshot()
            shown = assess(store, run_id, at=later)
            audited = assess(store, run_id, at=later, audit=True)

            assert shown._replace(chain=audited.chain) == audited


def _perform(store, run_id, verb, value, at):
    act = Act(by="ada", via="library", at=at, reason="seen")
    verbs = {
        "progress": lambda: record_progress(store, run_id, Progress(value, 0, 5), at=at),
        "claim": lambda: claim_action(store, run_id, Claim("pay", {"n": value}, key=value), at=at),
        "complete": lambda: complete_action(store, run_id, value, at=at),
        "fail": lambda: fail_action(store, run_id, value, error="no", certain=True, at=at),
        "settle": lambda: settle(store, run_id, value, act, Settlement(True)),
        "confirm": lambda: confirm(store, run_id, act, scope=value),
        "checkpoint": lambda: take_checkpoint(
            store, run_id, at=at, versions={"data": value} if value else None
        ),
        "tool": lambda: store.append(run_id, [_tool(at, n) for n in range(value)]),
        "decide": lambda: store.append(run_id, [_decision(at, value)]),
        "broken": lambda: store.append(run_id, [_impossible(at)]),
        "close": lambda: complete(store, run_id, act, over_open_items=True),
        "refresh": lambda: catch_up(store, limit=10, at=at),
    }
    try:
        verbs[verb]()
    except _LEGITIMATE:
        return


def _tool(at, number):
    payload = {"tool": "read", "path": f"part-{number}"}
    return Draft(EventType.TOOL_COMPLETED, payload, Origin.EXTERNAL_AGENT, at)


def _decision(at, decision_id):
    payload = {"decision_id": decision_id, "decision": "go", "evidence": ["ev-1"]}
    return Draft(EventType.DECISION_CREATED, payload, Origin.DETERMINISTIC, at)


def _impossible(at):
    payload = {"completed": 9, "pending": 9, "total": 3}
    return Draft(EventType.TASK_UPDATED, payload, Origin.EXTERNAL_AGENT, at)
