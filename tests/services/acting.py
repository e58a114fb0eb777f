"""Agents and people for service tests: what they do, with every time given."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from continuum.domain.events import Draft, EventType, Origin
from continuum.services.actions import Claim, claim_action, complete_action, fail_action
from continuum.services.acts import Act
from continuum.services.progress import Progress, append_event, record_progress
from continuum.services.runs import NewRun, start_run
from continuum.store.base import Store

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)


def started(store: Store, run_id: str = "run-a", *, agent: bool = False, **more: Any) -> str:
    """Start a run, by a person unless an agent does; return its id."""
    source = Origin.EXTERNAL_AGENT if agent else Origin.HUMAN
    start_run(store, NewRun(run_id, "Process the invoices", source=source, **more), at=NOON)
    return run_id


def reported(store: Store, run_id: str, completed: int, total: int | None = None) -> None:
    """Let an agent report progress."""
    record_progress(store, run_id, Progress(completed, 0, total), at=NOON)


def claimed(store: Store, run_id: str, key: str = "invoice:1", kind: str = "send_email") -> str:
    """Let an agent claim a side effect; return the ledger key."""
    return claim_action(store, run_id, Claim(kind, {"ref": key}, key=key), at=NOON).key


def completed(store: Store, run_id: str, key: str = "invoice:1", receipt: str = "x1") -> str:
    """Let an agent claim and complete a side effect; return the ledger key."""
    ledger_key = claimed(store, run_id, key)
    complete_action(store, run_id, ledger_key, external_id=receipt, at=NOON)
    return ledger_key


def failed(store: Store, run_id: str, ledger_key: str) -> None:
    """Let an agent record that a claimed effect certainly failed."""
    fail_action(store, run_id, ledger_key, error="refused", certain=True, at=NOON)


def recorded(
    store: Store,
    run_id: str,
    kind: EventType,
    payload: dict[str, Any],
    source: Origin = Origin.DETERMINISTIC,
) -> None:
    """Append one event that folds."""
    append_event(store, run_id, Draft(kind, payload, source, NOON))


def by_ada(**more: Any) -> Act:
    """A decision of one operator."""
    return Act(**{"by": "ada", "via": "cli", "at": LATER, "reason": "checked the log", **more})


def types_of(store: Store, run_id: str, *, after: int = 0) -> list[str]:
    """Return the event types of a run behind a sequence."""
    return [str(event.type) for event in store.events(run_id, after=after)]
