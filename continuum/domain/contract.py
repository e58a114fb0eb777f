"""Recovery contracts: the sealed next step of a run (recovery.md 7).

The seal is a plain digest without a key. It finds edits in transit; whoever
edits a contract can also seal it again, so it proves nothing about who wrote
it.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.canonical import stable_hash
from continuum.core.clock import body_time
from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any


class RecoveryStatus(StrEnum):
    """What a contract allows, as the interchange format spells it."""

    SAFE_TO_RESUME = "safe_to_resume"
    REQUIRES_REPAIR = "requires_repair"
    REQUIRES_REVALIDATION = "requires_revalidation"
    REQUIRES_HUMAN = "requires_human"
    BLOCKED = "blocked"
    UNSAFE = "unsafe"


_UNSEALED = frozenset({"integrity_hash", "created_at"})
_UNSEALED_OLD = _UNSEALED | {"evidence", "reason"}


class Contract(NamedTuple):
    """What may be done next with a run, and why.

    Attributes:
        checkpoint_version: version of the newest checkpoint; 0 also without one.
        verified: sorted names of valid components.
        invalidated: sorted `NAME (status)` of the others.
        required_actions: step identifiers in the order of the plan.
        evidence: sorted `NAME: detail`, then extra lines.
        created_at: body time of the assessment; not sealed.
        integrity_hash: the seal, None before sealing.
    """

    run_id: str
    checkpoint_version: int
    recovery_status: RecoveryStatus
    verified: tuple[str, ...] = ()
    invalidated: tuple[str, ...] = ()
    required_actions: tuple[str, ...] = ()
    next_allowed_action: str | None = None
    evidence: tuple[str, ...] = ()
    reason: str = ""
    post_checkpoint_observations: tuple[dict[str, Any], ...] = ()
    created_at: str = ""
    integrity_hash: str | None = None


def seal_contract(contract: Contract, *, at: datetime) -> Contract:
    """Return `contract` dated `at` and with its integrity hash."""
    dated = contract._replace(created_at=body_time(at), integrity_hash=None)
    return dated._replace(integrity_hash=contract_digest(contract_document(dated)))


def contract_document(contract: Contract) -> dict[str, Any]:
    """Return the JSON object of a contract, members in format order."""
    document: dict[str, Any] = contract._asdict()
    document["recovery_status"] = str(contract.recovery_status)
    for name in ("verified", "invalidated", "required_actions", "evidence"):
        document[name] = [*document[name]]
    document["post_checkpoint_observations"] = [
        {**row} for row in contract.post_checkpoint_observations
    ]
    return document


def contract_digest(document: Mapping[str, Any]) -> str:
    """Return the hash a contract document should carry.

    Raises:
        InvalidInput: the document holds a value JSON cannot say.
    """
    return _digest_without(document, _UNSEALED)


def verify_contract(document: Mapping[str, Any]) -> bool:
    """Say whether a contract document carries the seal of its own content.

    Contracts of older clients were sealed without `evidence` and `reason`;
    such a seal is accepted too, so it does not protect those two members. A
    document without a hash is never verified.
    """
    found = document.get("integrity_hash")
    if not isinstance(found, str):
        return False
    try:
        return found in (
            _digest_without(document, _UNSEALED),
            _digest_without(document, _UNSEALED_OLD),
        )
    except InvalidInput:
        return False


def _digest_without(document: Mapping[str, Any], left_out: frozenset[str]) -> str:
    return stable_hash({name: one for name, one in document.items() if name not in left_out})
