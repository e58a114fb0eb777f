"""The state of a run: now, as stored, and what lies between two of them."""

from __future__ import annotations

from continuum.core.errors import InvalidInput, NoEvents, Unprojectable
from continuum.core.records import NamedTuple
from continuum.domain.diffs import diff_states
from continuum.domain.projection import Projection
from continuum.domain.versions import fingerprint
from continuum.services.checkpoints import without_annotation
from continuum.services.facts import load_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.domain.checkpoints import StateVersion
    from continuum.domain.diffs import DiffEntry
    from continuum.domain.projection import ProjectionFailure
    from continuum.domain.state import Provenance, SemanticState
    from continuum.store.base import ReadStore


class CurrentState(NamedTuple):
    """The fold of a run's log; the good prefix where the log stops folding."""

    state: SemanticState
    failure: ProjectionFailure | None


class StateDiff(NamedTuple):
    """What changed between two states of one run."""

    run_id: str
    from_version: int
    to_version: int
    entries: tuple[DiffEntry, ...]


class Replay(NamedTuple):
    """A fold from the first event, beside what was stored.

    Attributes:
        events_replayed: how many events were folded.
        verified: whether the refolded prefix has the fingerprint of the newest
            stored version; None when there is no version.
    """

    run_id: str
    state: SemanticState
    failure: ProjectionFailure | None
    events_replayed: int
    version: StateVersion | None
    verified: bool | None


def current_state(store: ReadStore, run_id: str) -> CurrentState:
    """Return the state of the run as its log says.

    Raises:
        RunNotFound, NoEvents: there is nothing to fold.
        Unprojectable: the log has no start.
        Corrupted: a row, or the newest checkpoint, cannot be read.
    """
    with store.reading():
        store.run(run_id)
        facts = load_facts(store, run_id)
        if not facts.sequence:
            raise NoEvents(run_id)
        checkpoint = store.newest_checkpoint(run_id)
        state = without_annotation(store, facts.projection.state(), checkpoint)
    if checkpoint is not None:
        state = {**state, "version": checkpoint.version}
    return CurrentState(state, facts.projection.failure)


def stored_version(store: ReadStore, run_id: str, number: int) -> StateVersion:
    """Return a stored version, its fingerprint checked.

    Raises:
        RunNotFound, VersionNotFound, UnreadableRecord.
    """
    with store.reading():
        store.run(run_id)
        return store.version(run_id, number)


def diff_versions(store: ReadStore, run_id: str, before: int, after: int) -> StateDiff:
    """Return what changed from one stored version to another.

    Raises:
        RunNotFound, VersionNotFound, UnreadableRecord.
    """
    with store.reading():
        store.run(run_id)
        old, new = store.version(run_id, before), store.version(run_id, after)
    return StateDiff(run_id, before, after, tuple(diff_states(old.state, new.state)))


def diff_since_checkpoint(store: ReadStore, run_id: str) -> StateDiff | None:
    """Return what changed since the newest checkpoint; None without one."""
    with store.reading():
        checkpoint = store.newest_checkpoint(run_id)
        if checkpoint is None:
            return None
        now = current_state(store, run_id).state
    entries = diff_states(checkpoint.state, now)
    return StateDiff(run_id, checkpoint.version, now["version"], tuple(entries))


def replay(store: ReadStore, run_id: str, *, upto: int | None = None) -> Replay:
    """Fold the log from its first event, archive included, and compare with what is stored.

    Raises:
        RunNotFound: no such run.
        InvalidInput: `upto` lies before the first event, or there is no event.
        Unprojectable: the log has no start.
    """
    with store.reading():
        store.run(run_id)
        projection, count = _fold(store, run_id, upto)
        if not count:
            raise InvalidInput(f"run {run_id!r} has no event up to the sequence asked for")
        version = store.newest_version(run_id)
        verified = _matches(store, version) if version else None
    return Replay(run_id, projection.state(), projection.failure, count, version, verified)


def provenance_rows(state: SemanticState) -> list[dict[str, str]]:
    """Return who said what about evidence, findings and decisions.

    Rows are {kind, id, who, trust, state}; see `cli.md` 3, `status --provenance`.
    """
    items: list[tuple[str, str, Provenance, str]] = [
        *(("evidence", o["evidence_id"], o["provenance"], o["status"]) for o in state["evidence"]),
        *(("finding", o["finding_id"], o["provenance"], o["status"]) for o in state["findings"]),
        *(("decision", o["decision_id"], o["provenance"], o["status"]) for o in state["decisions"]),
    ]
    return [
        {
            "kind": kind,
            "id": item_id,
            "who": _WHO[provenance["origin"]],
            "trust": "unknown",
            "state": _STATE[status],
        }
        for kind, item_id, provenance, status in items
    ]


_WHO = {
    "deterministic": "observed",
    "human": "verified",
    "llm": "agent_asserted",
    "external_agent": "agent_asserted",
    "imported": "inferred",
}
_STATE = {
    "valid": "verified",
    "stale": "stale",
    "expired": "stale",
    "conflicted": "contradicted",
    "invalid": "contradicted",
    "unknown": "unknown",
    "requires_review": "requires_review",
}


def _fold(store: ReadStore, run_id: str, upto: int | None) -> tuple[Projection, int]:
    projection, count = Projection(run_id), 0
    for event in store.events(run_id, upto=upto):
        count += 1
        if not projection.failure:
            projection.apply_or_degrade(event)
    return projection, count


def _matches(store: ReadStore, version: StateVersion) -> bool:
    covered = int(version.state["source_sequence"])
    projection, _ = _fold(store, version.run_id, covered)
    try:
        return projection.failure is None and fingerprint(projection.state()) == version.fingerprint
    except Unprojectable:
        return False
