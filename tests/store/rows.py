"""Rows of the read model for tests, with plain defaults."""

from __future__ import annotations

from typing import Any

from continuum.core.clock import column_time
from continuum.store.modelport import DecisionRow, Item, Summary
from tests.conftest import NOON


def summary_of(store, run_id: str, **members: Any) -> Summary:
    """Return a summary of a run at its head; `members` replace defaults."""
    run = store.run(run_id)
    return Summary(
        run_id=run_id,
        sequence=store.head(run_id).sequence,
        mode="resume",
        safe=True,
        own_mode="resume",
        severity=9,
        status=str(run.status),
        goal=run.goal,
        parent_run_id=run.parent_run_id,
        created_at=run.created_at,
        last_event_at=column_time(NOON),
        last_event_type="TASK_UPDATED",
        completed=0,
        failed=0,
        total=None,
        open_actions=0,
        actions=0,
        children=0,
        blocked_children=0,
        caller=None,
        reasons="[]",
        oldest_open_at=None,
        valid_until=None,
        computed_at=column_time(NOON),
        snapshot="{}",
    )._replace(**members)


def item_of(run_id: str, item_id: str, **members: Any) -> Item:
    """Return an open inbox item; `members` replace defaults."""
    return Item(
        item_id=item_id,
        run_id=run_id,
        kind="verdict",
        target="review:goal",
        severity=2,
        title="Confirm the goal",
        detail="It rests on the agent's word alone",
        goal="Process 3 invoices",
        action_type=None,
        caller=None,
        parent_run_id=None,
        opened_at=column_time(NOON),
        opened_sequence=1,
    )._replace(**members)


def decision_of(run_id: str, request_id: str, **members: Any) -> DecisionRow:
    """Return a decision; `members` replace defaults."""
    return DecisionRow(
        request_id=request_id,
        run_id=run_id,
        verb="confirm",
        person="ann",
        via="console",
        at=column_time(NOON),
        seen_digest=None,
        sequence=2,
        event_id=f"event_{request_id}",
        event_hash="0" * 64,
    )._replace(**members)
