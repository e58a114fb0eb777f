"""What changed in the meaning of a run between two of its states, and who said so."""

from __future__ import annotations

from continuum.core.records import NamedTuple
from continuum.domain.diffs import DiffKind, diff_states
from continuum.services.states import current_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from continuum.domain.diffs import DiffEntry
    from continuum.domain.state import SemanticState
    from continuum.store.base import ReadStore
    from continuum.store.logport import VersionStub

MOST_CHANGES = 200
VERSIONS = 100

_COLLECTIONS = {
    "decision": ("decisions", "decision_id"),
    "finding": ("findings", "finding_id"),
    "evidence": ("evidence", "evidence_id"),
    "pending_work": ("pending_work", "task_id"),
    "external_dependency": ("external_dependencies", "resource"),
}


class Change(NamedTuple):
    """One difference.

    Attributes:
        name: the item's id, or the counter's name; empty for a component there is one of.
        field: what of it changed; empty where all of it came or went.
        origin: who asserted how it stands now; empty where the state does not say.
        sequence: of the event that said so.
    """

    kind: str
    component: str
    name: str
    field: str
    before: str
    after: str
    origin: str
    sequence: int | None


class Comparison(NamedTuple):
    """Two states of a run.

    Attributes:
        before, after: versions; `after` is None for the state now.
        since_checkpoint: True when `before` is the newest checkpoint, its seal checked.
        changes: the first of them; `total` counts all.
        versions: what can be compared, newest first.
    """

    before: int
    after: int | None
    since_checkpoint: bool
    changes: tuple[Change, ...]
    total: int
    versions: tuple[VersionStub, ...]


def compare(
    store: ReadStore, run_id: str, *, before: int | None = None, after: int | None = None
) -> Comparison | None:
    """Return what changed from `before` to `after`.

    Args:
        before: a version; None is the newest checkpoint.
        after: a version; None is the state now.

    Returns:
        None where no checkpoint is there to compare with and none is named.

    Raises:
        RunNotFound, VersionNotFound, NoEvents: there is nothing to compare.
        UnreadableRecord: a stored state does not have its fingerprint or seal.
    """
    with store.reading():
        store.run_row(run_id)
        old = _state_before(store, run_id, before)
        if old is None:
            return None
        new = current_state(store, run_id).state if after is None else _stored(store, run_id, after)
        versions = store.version_stubs(run_id, limit=VERSIONS)
    entries = diff_states(old, new)
    return Comparison(
        before=old["version"],
        after=after,
        since_checkpoint=before is None,
        changes=tuple(_change(entry, old, new) for entry in entries[:MOST_CHANGES]),
        total=len(entries),
        versions=tuple(versions),
    )


def _state_before(store: ReadStore, run_id: str, number: int | None) -> SemanticState | None:
    if number is not None:
        return _stored(store, run_id, number)
    checkpoint = store.newest_checkpoint(run_id)
    return checkpoint.state if checkpoint else None


def _stored(store: ReadStore, run_id: str, number: int) -> SemanticState:
    return store.version(run_id, number).state


def _change(entry: DiffEntry, old: SemanticState, new: SemanticState) -> Change:
    is_whole = entry.kind in (DiffKind.ADDED, DiffKind.REMOVED)
    field = "" if is_whole else entry.detail.partition(":")[0]
    name = "" if entry.component == "progress" else entry.component_id or ""
    said = _provenance(entry, old if entry.kind is DiffKind.REMOVED else new)
    return Change(
        kind=str(entry.kind),
        component=entry.component,
        name=name,
        field=field,
        before=_text(entry.before),
        after=_text(entry.after),
        origin=str(said.get("origin") or ""),
        sequence=said.get("source_sequence"),
    )


def _provenance(entry: DiffEntry, state: SemanticState) -> Mapping[str, Any]:
    members: Mapping[str, Any] = state
    if entry.component in ("goal", "progress"):
        return members[entry.component].get("provenance") or {}
    member, id_member = _COLLECTIONS.get(entry.component, ("", ""))
    for item in members.get(member, ()):
        if item[id_member] == entry.component_id:
            return item.get("provenance") or {}
    return {}


def _text(value: Any) -> str:
    return "" if value is None else str(value)
