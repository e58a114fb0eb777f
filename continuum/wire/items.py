"""The inbox as JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.store.modelport import Item

_MEMBERS = (
    "item_id",
    "run_id",
    "kind",
    "target",
    "severity",
    "title",
    "detail",
    "goal",
    "action_type",
    "caller",
    "parent_run_id",
    "opened_at",
    "opened_sequence",
    "claimed_by",
)


def listed_item(item: Item) -> dict[str, Any]:
    """Return one open item; `severity` 0 is worst."""
    members = item._asdict()
    return {**{name: members[name] for name in _MEMBERS}, "severity": int(item.severity)}
