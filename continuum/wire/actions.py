"""Actions as JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from continuum.domain.actions import Slot


def listed_actions(slots: Iterable[Slot]) -> dict[str, Any]:
    """Return the records of a run's actions, first seen first; keys are not shown."""
    return {"actions": [slot.action.record() for slot in slots]}
