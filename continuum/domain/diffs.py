"""What changed in meaning between two states of one run (state.md 5).

Pins, the plan, provenance and times of items are not compared.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple
from continuum.domain.conversions import printed_time
from continuum.domain.state import UNRELIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from continuum.domain.state import SemanticState

    Item = Mapping[str, Any]


class DiffKind(StrEnum):
    """What happened to a component."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    INVALIDATED = "invalidated"


class DiffEntry(NamedTuple):
    """One difference.

    Attributes:
        component_id: the item's id, the counter's name, or None.
        before, after: texts, numbers, booleans and None as they are; lists and
            times as Python prints them.
    """

    kind: DiffKind
    component: str
    component_id: str | None
    detail: str
    before: Any
    after: Any


class _Collection(NamedTuple):
    """How the items of one collection are named, described and compared."""

    component: str
    member: str
    id_member: str
    describe: Callable[[Item], str]
    fields: tuple[str, ...]


_COLLECTIONS = (
    _Collection(
        "decision",
        "decisions",
        "decision_id",
        lambda item: str(item["decision"]),
        ("decision", "reason", "status", "evidence"),
    ),
    _Collection(
        "finding",
        "findings",
        "finding_id",
        lambda item: str(item["claim"]),
        ("claim", "confidence", "status", "evidence"),
    ),
    _Collection(
        "evidence",
        "evidence",
        "evidence_id",
        lambda item: str(item["summary"] or item["evidence_id"]),
        ("summary", "source", "checksum", "status"),
    ),
    _Collection(
        "pending_work",
        "pending_work",
        "task_id",
        lambda item: str(item["description"]),
        ("description", "status", "prerequisite"),
    ),
    _Collection(
        "approval",
        "approvals",
        "approval_id",
        lambda item: str(item["subject"]),
        ("subject", "status", "expires_at"),
    ),
    _Collection(
        "external_dependency",
        "external_dependencies",
        "resource",
        lambda item: " ".join(filter(None, (item["resource"], item["version"]))),
        ("version", "checksum", "status", "kind"),
    ),
)


def diff_states(before: SemanticState, after: SemanticState) -> list[DiffEntry]:
    """Return the differences, in the fixed order of components.

    Raises:
        InvalidInput: the states are of two runs.
    """
    if before["run_id"] != after["run_id"]:
        raise InvalidInput(
            f"a state of run {before['run_id']!r} cannot be compared with one of "
            f"{after['run_id']!r}"
        )
    entries = [*_goal(before["goal"], after["goal"])]
    for counter in ("total", "completed", "pending", "failed"):
        entries += _field("progress", counter, counter, before["progress"], after["progress"])
    for collection in _COLLECTIONS:
        entries += _items(collection, before, after)
    return [*entries, *_field("model", None, "model", before["model"] or {}, after["model"] or {})]


def _goal(before: Item, after: Item) -> Iterator[DiffEntry]:
    yield from _field("goal", None, "description", before, after)
    old, new = before["version"], after["version"]
    if old != new:
        yield DiffEntry(DiffKind.CHANGED, "goal", None, f"version: v{old} → v{new}", old, new)
    old, new = before["constraints"], after["constraints"]
    if old != new:
        detail = f"constraints: {len(old)} → {len(new)}"
        yield DiffEntry(DiffKind.CHANGED, "goal", None, detail, ", ".join(old), ", ".join(new))


def _items(collection: _Collection, before: Item, after: Item) -> Iterator[DiffEntry]:
    old = {item[collection.id_member]: item for item in before[collection.member]}
    new = {item[collection.id_member]: item for item in after[collection.member]}
    for name in sorted(new.keys() - old.keys()):
        text = collection.describe(new[name])
        yield DiffEntry(DiffKind.ADDED, collection.component, name, text, None, text)
    for name in sorted(old.keys() - new.keys()):
        text = collection.describe(old[name])
        yield DiffEntry(DiffKind.REMOVED, collection.component, name, text, text, None)
    for name in sorted(old.keys() & new.keys()):
        for field in collection.fields:
            yield from _field(collection.component, name, field, old[name], new[name])


def _field(
    component: str, component_id: str | None, field: str, before: Item, after: Item
) -> Iterator[DiffEntry]:
    old, new = _printed(field, before.get(field)), _printed(field, after.get(field))
    if old != new:
        lost = field == "status" and new in UNRELIABLE
        kind = DiffKind.INVALIDATED if lost else DiffKind.CHANGED
        yield DiffEntry(kind, component, component_id, f"{field}: {old} → {new}", old, new)


def _printed(field: str, value: Any) -> Any:
    if value is not None and field == "expires_at":
        return printed_time(value)
    return str(value) if isinstance(value, list) else value
