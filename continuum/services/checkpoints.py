"""Checkpoints: a sealed copy of the state, and the event that names it."""

from __future__ import annotations

from continuum.core.clock import column_time
from continuum.core.errors import Corrupted
from continuum.core.ids import new_id
from continuum.domain.checkpoints import Checkpoint, StateVersion, make_checkpoint
from continuum.domain.environment import UNINSPECTED, make_environment
from continuum.domain.events import Draft, EventType, Origin
from continuum.domain.projection import project
from continuum.domain.versions import fingerprint
from continuum.services.chain import walk_chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from typing import Any

    from continuum.domain.environment import Environment
    from continuum.domain.state import SemanticState
    from continuum.store.base import ReadStore, Store, Writer

    _Observed = tuple[EventType, dict[str, Any]]


def take_checkpoint(
    store: Store,
    run_id: str,
    *,
    at: datetime,
    versions: Mapping[str, str] | None = None,
    trigger: str = "manual",
    reason: str = "",
    model: str | None = None,
    provider: str | None = None,
    source: Origin = Origin.HUMAN,
    members: Mapping[str, Any] | None = None,
) -> Checkpoint:
    """Seal the state of the run as it is now; return the checkpoint.

    Everything happens in one transaction: dependencies in `versions` that are
    new or moved are declared, and the model if it changed; a state version is
    stored if the meaning changed, the checkpoint is stored and its event
    appended.

    Args:
        versions: resource name → version as observed; None observes nothing.
        model, provider: who does the work now; what is None stays as it was.
        source: who vouches for `versions` and `model`.
        members: extra payload members of every event.

    Raises:
        RunNotFound: no such run.
        Unprojectable: the log does not fold; a checkpoint would hide that.
        Corrupted: the chain is broken.
    """
    extra = members or {}
    with store.writing(run_id) as writer:
        _ensure_whole(store, run_id)
        newest = store.newest_checkpoint(run_id)
        state = without_annotation(store, project(run_id, store.events(run_id)), newest)
        observed = [*_moved(state, versions or {}), *_model_change(state, model, provider)]
        state = _declare(
            writer,
            state,
            [Draft(kind, {**payload, **extra}, source, at) for kind, payload in observed],
        )
        version = _store_version(store, writer, state, reason or trigger, at)
        checkpoint = make_checkpoint(
            checkpoint_id=new_id("checkpoint"),
            run_id=run_id,
            version=version,
            trigger=trigger,
            reason=reason,
            state=state,
            environment=make_environment(run_id, versions, at=at) if versions else None,
            at=at,
        )
        writer.insert_checkpoint(checkpoint)
        writer.append(run_id, [_annotation(checkpoint, extra, at)])
    return checkpoint


def history(store: ReadStore, run_id: str) -> list[Checkpoint]:
    """Return every checkpoint by ascending version, seals checked.

    Raises:
        RunNotFound, UnreadableRecord.
    """
    with store.reading():
        store.run(run_id)
        return list(store.checkpoints(run_id))


def observed_environment(
    store: ReadStore, run_id: str, versions: Mapping[str, str] | None, *, at: datetime
) -> Environment | None:
    """Return the world as a caller names it, for a comparison with the newest checkpoint.

    A resource of the checkpoint that the caller does not name was not looked
    at, which is not the same as removed: it counts as uninspected.
    """
    if versions is None:
        return None
    checkpoint = store.newest_checkpoint(run_id)
    recorded = checkpoint.environment if checkpoint else None
    known = recorded["resources"] if recorded else {}
    unnamed = dict.fromkeys((name for name in known if name not in versions), UNINSPECTED)
    return make_environment(run_id, {**versions, **unnamed}, at=at)


def without_annotation(
    store: ReadStore, state: SemanticState, checkpoint: Checkpoint | None
) -> SemanticState:
    """Return `state` as restored from `checkpoint`: the event that names it adds nothing.

    Both clients count a run with nothing behind its newest checkpoint as
    standing where the checkpoint was taken.
    """
    if checkpoint is None or state["source_sequence"] != _covered(checkpoint) + 1:
        return state
    last = store.event_row(state["run_id"], state["source_sequence"])
    event = last.event if last else None
    if event is None or event.type is not EventType.STATE_CHECKPOINTED:
        return state
    if event.payload.get("checkpoint_id") != checkpoint.checkpoint_id:
        return state
    return {**state, "source_sequence": _covered(checkpoint)}


def _covered(checkpoint: Checkpoint) -> int:
    covered: int = checkpoint.state["source_sequence"]
    return covered


def _ensure_whole(store: ReadStore, run_id: str) -> None:
    verification = walk_chain(store, run_id)
    if not verification.ok:
        first = verification.violations[0]
        raise Corrupted(
            f"the chain of run {run_id!r} is broken at event {first.sequence} ({first.kind}); "
            "a checkpoint would vouch for it"
        )


def _moved(state: SemanticState, versions: Mapping[str, str]) -> Iterator[_Observed]:
    known = {one["resource"]: one["version"] for one in state["external_dependencies"]}
    for name, seen in versions.items():
        if known.get(name) != seen:
            yield EventType.DEPENDENCY_DECLARED, {"resource": name, "version": seen}


def _model_change(
    state: SemanticState, model: str | None, provider: str | None
) -> Iterator[_Observed]:
    known = state["model"]
    before = (known["model"], known["provider"]) if known else (None, None)
    after = (model or before[0], provider or before[1])
    if after != before:
        yield EventType.MODEL_CHANGED, {"model": after[0], "provider": after[1]}


def _declare(writer: Writer, state: SemanticState, drafts: list[Draft]) -> SemanticState:
    if not drafts:
        return state
    run_id = state["run_id"]
    return project(run_id, writer.append(run_id, drafts), base=state)


def _store_version(
    store: ReadStore, writer: Writer, state: SemanticState, reason: str, at: datetime
) -> int:
    """Store a version if the meaning changed; return the number that holds it."""
    newest = store.newest_version(state["run_id"])
    meaning = fingerprint(state)
    if newest is not None and newest.fingerprint == meaning:
        return newest.version
    number = newest.version + 1 if newest else 0
    writer.insert_version(
        StateVersion(
            run_id=state["run_id"],
            version=number,
            fingerprint=meaning,
            prev_fingerprint=newest.fingerprint if newest else None,
            reason=reason,
            created_at=column_time(at),
            state={**state, "version": number},
        )
    )
    return number


def _annotation(checkpoint: Checkpoint, extra: Mapping[str, Any], at: datetime) -> Draft:
    payload = {
        **extra,
        "checkpoint_id": checkpoint.checkpoint_id,
        "version": checkpoint.version,
        "trigger": checkpoint.trigger,
        "reason": checkpoint.reason,
        "source_sequence": checkpoint.state["source_sequence"],
        "integrity_hash": checkpoint.integrity_hash,
    }
    return Draft(EventType.STATE_CHECKPOINTED, payload, Origin.DETERMINISTIC, at)
