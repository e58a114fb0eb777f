"""Where a log stops folding, as JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.projection import ProjectionFailure


def projection_failure(failure: ProjectionFailure) -> dict[str, Any]:
    """Return which event does not fold, and why."""
    return {
        "sequence": failure.sequence,
        "type": failure.event_type,
        "reason": failure.reason,
    }


def with_failure(document: dict[str, Any], failure: ProjectionFailure | None) -> dict[str, Any]:
    """Return `document`, marked where the log behind it stops folding."""
    if failure is None:
        return document
    return {**document, "projection_failed_at": projection_failure(failure)}
