"""Actions: external side effects as the ledger records them.

An action's whole record travels in every ledger event; the last record under
a key wins and nothing is merged (ledger.md 1). Unknown members make a record
unreadable for the reference client, so none is ever added.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.errors import UnreadableRecord
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class ActionStatus(StrEnum):
    """Where an external side effect stands."""

    PLANNED = "planned"
    STARTED = "started"
    COMPLETED = "completed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    COMPENSATED = "compensated"
    REQUIRES_REVIEW = "requires_review"
    EXPIRED = "expired"


UNRESOLVED = frozenset({ActionStatus.STARTED, ActionStatus.UNKNOWN, ActionStatus.REQUIRES_REVIEW})
"""Statuses whose true outcome somebody has to find out. The only such list."""

PROBED = frozenset({ActionStatus.STARTED, ActionStatus.UNKNOWN})
"""Statuses a reconciliation probe is asked about."""


class Action(NamedTuple):
    """One external side effect. Times are body texts (`…Z`)."""

    action_id: str
    run_id: str
    action_type: str
    dep_scope: str | None = None
    arguments: dict[str, Any] = {}  # noqa: RUF012  # values are never changed
    arguments_hash: str | None = None
    status: ActionStatus = ActionStatus.PLANNED
    external_id: str | None = None
    result: dict[str, Any] | None = None
    result_hash: str | None = None
    side_effect_uncertain: bool = False
    compensated_by: tuple[str, ...] = ()
    last_error: str | None = None
    created_at: str = ""
    started_at: str | None = None
    completed_at: str | None = None

    @property
    def is_unresolved(self) -> bool:
        """True while nobody knows whether the effect happened."""
        return self.status in UNRESOLVED

    def record(self) -> dict[str, Any]:
        """Return the JSON object that ledger events carry, in stored order."""
        return {
            **self._asdict(),
            "status": str(self.status),
            "compensated_by": [*self.compensated_by],
        }


class Slot(NamedTuple):
    """An action in its place: the ledger key, and where the key first appeared."""

    key: str
    action: Action
    first_sequence: int
    last_sequence: int


def action_from_record(record: Mapping[str, Any]) -> Action:
    """Return the action a stored record says.

    Raises:
        UnreadableRecord: an unknown or missing member, or an unknown status.
    """
    try:
        members = {**record, "status": ActionStatus(record.get("status", "planned"))}
        members["compensated_by"] = tuple(record.get("compensated_by") or ())
        return Action(**members)
    except (TypeError, ValueError) as exc:
        raise UnreadableRecord(f"an action record is unreadable: {exc}") from exc
