"""Checkpoints and state versions: sealed copies of a state (state.md 4 and 6).

A checkpoint's seal covers everything in its body but itself; the columns
beside it only serve look-ups. A version is checked by its fingerprint. States
in memory carry the bookkeeping members, stored ones never do.
"""

from __future__ import annotations

from continuum.core.canonical import canonical_text, digest_text
from continuum.core.clock import body_time, column_time
from continuum.core.errors import ContinuumError, InvalidInput
from continuum.core.records import NamedTuple
from continuum.domain.bodies import compact_text, load_object, read_shape, unreadable
from continuum.domain.body_shapes import CHECKPOINT, read_state
from continuum.domain.state import StateStatus, stored_state
from continuum.domain.versions import fingerprint as fingerprint_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from continuum.domain.environment import Environment
    from continuum.domain.state import SemanticState


class Checkpoint(NamedTuple):
    """One sealed copy of a state and of the environment around it.

    Attributes:
        created_at: body text (`…Z`); the column holds the `+00:00` form.
        integrity_hash: SHA-256 over all other members, 64 lowercase hex digits.
    """

    checkpoint_id: str
    run_id: str
    version: int
    trigger: str
    reason: str
    state: SemanticState
    environment: Environment | None
    created_at: str
    integrity_hash: str


class StateVersion(NamedTuple):
    """One stored meaning of a run, numbered from 0.

    Attributes:
        prev_fingerprint: that of the version before, None for the first.
        created_at: column text (`…+00:00`).
    """

    run_id: str
    version: int
    fingerprint: str
    prev_fingerprint: str | None
    reason: str
    created_at: str
    state: SemanticState


def make_checkpoint(
    *,
    checkpoint_id: str,
    run_id: str,
    version: int,
    trigger: str,
    reason: str,
    state: SemanticState,
    environment: Environment | None,
    at: datetime,
) -> Checkpoint:
    """Return a sealed checkpoint of `state`, whose version becomes `version`.

    Raises:
        InvalidInput: the state is degraded, or cannot be written as JSON.
    """
    _ensure_whole(state)
    checkpoint = Checkpoint(
        checkpoint_id=checkpoint_id,
        run_id=run_id,
        version=version,
        trigger=trigger,
        reason=reason,
        state={**state, "version": version},
        environment=environment,
        created_at=body_time(at),
        integrity_hash="",
    )
    return checkpoint._replace(integrity_hash=digest_text(sealed_text(checkpoint)))


def make_version(
    *,
    run_id: str,
    version: int,
    previous: StateVersion | None,
    reason: str,
    state: SemanticState,
    at: datetime,
) -> StateVersion:
    """Return `state` as version `version`, linked to the one before.

    Raises:
        InvalidInput: the state is degraded, or cannot be written as JSON.
    """
    _ensure_whole(state)
    return StateVersion(
        run_id=run_id,
        version=version,
        fingerprint=fingerprint_of(state),
        prev_fingerprint=previous.fingerprint if previous else None,
        reason=reason,
        created_at=column_time(at),
        state={**state, "version": version},
    )


def sealed_text(checkpoint: Checkpoint) -> str:
    """Return the canonical text the seal of a checkpoint is taken over."""
    body = _body(checkpoint)
    del body["integrity_hash"]
    return canonical_text(body)


def checkpoint_body(checkpoint: Checkpoint) -> str:
    """Return the text of the body column.

    Raises:
        InvalidInput: a text holds half a surrogate pair, which no column can hold.
    """
    return compact_text(_body(checkpoint))


def checkpoint_from_body(text: str) -> Checkpoint:
    """Return the checkpoint a body column holds, its seal checked.

    Blanks, member order, left-out defaults and `+00:00` times may differ from
    what this client writes.

    Raises:
        UnreadableRecord: broken JSON, an unknown, missing or wrong member, or
            a seal that does not fit.
    """
    try:
        checkpoint = Checkpoint(**read_shape(CHECKPOINT, load_object(text)))
        _ensure_own(checkpoint.state, checkpoint.run_id)
        digest = digest_text(sealed_text(checkpoint))
    except (ContinuumError, ValueError, RecursionError) as exc:
        raise unreadable("a checkpoint", exc) from exc
    if digest != checkpoint.integrity_hash:
        wrong = ValueError("its content does not hash to its seal")
        raise unreadable(f"checkpoint {checkpoint.checkpoint_id!r}", wrong)
    return checkpoint


def version_state_text(state: SemanticState) -> str:
    """Return the text of a version's state column.

    Raises:
        InvalidInput: a text holds half a surrogate pair, which no column can hold.
    """
    return compact_text(stored_state(state))


def version_from_row(
    run_id: str,
    version: int,
    fingerprint: str,
    prev_fingerprint: str | None,
    reason: str,
    created_at: str,
    state_text: str,
) -> StateVersion:
    """Return the version a row holds, its fingerprint recomputed.

    Raises:
        UnreadableRecord: the state cannot be read, or has another fingerprint.
    """
    what = f"version {version} of run {run_id!r}"
    try:
        state = read_state(load_object(state_text))
        _ensure_own(state, run_id)
        recomputed = fingerprint_of(state)
    except (ContinuumError, ValueError, RecursionError) as exc:
        raise unreadable(what, exc) from exc
    if recomputed != fingerprint:
        raise unreadable(what, ValueError("its state does not have the stored fingerprint"))
    return StateVersion(run_id, version, fingerprint, prev_fingerprint, reason, created_at, state)


def _body(checkpoint: Checkpoint) -> dict[str, Any]:
    return {**checkpoint._asdict(), "state": stored_state(checkpoint.state)}


def _ensure_whole(state: SemanticState) -> None:
    if state["status"] != StateStatus.VALID:
        raise InvalidInput(
            f"the state of run {state['run_id']!r} stops at event "
            f"{state['unprojectable_at_sequence']}; only a whole state can be stored"
        )


def _ensure_own(state: Mapping[str, Any], run_id: str) -> None:
    if state["run_id"] != run_id:
        raise ValueError(f"it holds a state of run {state['run_id']!r}")
