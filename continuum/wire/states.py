"""States, checkpoints, differences and replays as JSON."""

from __future__ import annotations

from continuum.wire.failures import with_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.checkpoints import Checkpoint
    from continuum.domain.diffs import DiffEntry
    from continuum.domain.projection import ProjectionFailure
    from continuum.domain.state import SemanticState
    from continuum.services.states import CurrentState, Replay, StateDiff


def full_state(state: SemanticState, failure: ProjectionFailure | None = None) -> dict[str, Any]:
    """Return the complete state, with the members that describe a degraded fold."""
    return with_failure({**state}, failure)


def standing(current: CurrentState) -> dict[str, Any]:
    """Return the few figures that say where a run stands."""
    state = current.state
    progress = state["progress"]
    valid = sum(1 for decision in state["decisions"] if decision["status"] == "valid")
    document = {
        "run_id": state["run_id"],
        "goal": state["goal"]["description"],
        "goal_version": state["goal"]["version"],
        "version": state["version"],
        "progress": {name: progress[name] for name in ("completed", "pending", "failed", "total")},
        "decisions": {"valid": valid, "total": len(state["decisions"])},
    }
    return with_failure(document, current.failure)


def listed_checkpoint(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return one row of a run's history."""
    return {
        "checkpoint_id": checkpoint.checkpoint_id,
        "version": checkpoint.version,
        "trigger": checkpoint.trigger,
        "source_sequence": checkpoint.state["source_sequence"],
        "completed": checkpoint.state["progress"]["completed"],
    }


def taken_checkpoint(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return what taking a checkpoint answers."""
    return {
        "checkpoint_id": checkpoint.checkpoint_id,
        "version": checkpoint.version,
        "trigger": checkpoint.trigger,
        "completed": checkpoint.state["progress"]["completed"],
        "integrity_hash": checkpoint.integrity_hash,
    }


def state_diff(diff: StateDiff) -> dict[str, Any]:
    """Return what changed between two versions."""
    return {
        "run_id": diff.run_id,
        "from_version": diff.from_version,
        "to_version": diff.to_version,
        "entries": [diff_entry(entry) for entry in diff.entries],
    }


def diff_entry(entry: DiffEntry) -> dict[str, Any]:
    """Return one change."""
    return {**entry._asdict(), "kind": str(entry.kind)}


def replay(outcome: Replay, verification: str) -> dict[str, Any]:
    """Return what folding the log again gave; `verification` says it in words."""
    document = {
        "run_id": outcome.run_id,
        "events_replayed": outcome.events_replayed,
        "source_sequence": outcome.state["source_sequence"],
        "completed": outcome.state["progress"]["completed"],
        "verified": outcome.verified,
        "verification": verification,
    }
    return with_failure(document, outcome.failure)
