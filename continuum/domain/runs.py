"""Run rows: the entry a run has beside its log."""

from __future__ import annotations

from enum import StrEnum

from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class RunStatus(StrEnum):
    """What a run's row may say."""

    PLANNED = "planned"
    STARTED = "started"
    RUNNING = "running"
    CHECKPOINTED = "checkpointed"
    SUSPENDED = "suspended"
    COMPLETED = "completed"
    CRASHED = "crashed"
    ABORTED = "aborted"
    FAILED = "failed"


INACTIVE = frozenset({RunStatus.COMPLETED, RunStatus.CRASHED, RunStatus.ABORTED, RunStatus.FAILED})
"""Statuses that keep a run from being picked as the active one."""


class RunRow(NamedTuple):
    """The columns of `runs` as a store holds them, nothing interpreted."""

    run_id: str
    goal: str
    status: str
    created_at: str
    updated_at: str
    metadata: str
    parent_run_id: str | None


class Run(NamedTuple):
    """A row of `runs`. Times are the stored texts, UTC."""

    run_id: str
    goal: str
    status: RunStatus
    created_at: str
    updated_at: str
    metadata: dict[str, Any]
    parent_run_id: str | None

    @property
    def is_fork(self) -> bool:
        """True when the run was made by a fork."""
        return self.metadata.get("fork") == "true"
