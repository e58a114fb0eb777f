"""Attestations: signing how far chains reach, and holding documents against them.

The chain is verified before it is signed, and again before a document is
believed. Keys and signatures are `continuum.domain.signing`, an optional
extra; whoever calls brings them along.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.errors import Corrupted, Refused, RunNotFound
from continuum.core.records import NamedTuple, Protocol
from continuum.domain.attestation import (
    Attestation,
    compare_with_chain,
    is_same_key,
    is_sequence,
    signature_valid,
    signed_text,
    unsigned_document,
)
from continuum.domain.chain import Verification
from continuum.domain.events import Head
from continuum.domain.merkle import MerkleTree
from continuum.domain.storeattestation import (
    RunHead,
    leaf_of,
    listed_run,
    unsigned_statement,
)
from continuum.domain.storeattestation import StoreCheck as StoreCheck
from continuum.domain.storeattestation import check_document as check_document
from continuum.services.chain import verify_run
from continuum.services.walks import (
    Progress,
    VerifyReport,
    all_run_ids,
    verify_with_progress,
    walk_with_progress,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from datetime import datetime
    from typing import Any

    from continuum.domain.attestation import Check
    from continuum.store.base import ReadStore

MAX_LISTED = 100_000
"""Runs listed with their proofs in one document; name runs where there are more."""


class Key(Protocol):
    """A signing key, as `continuum.domain.signing.KeyPair`."""

    @property
    def public_pem(self) -> str: ...
    def sign(self, message: bytes) -> str: ...


class Signature(NamedTuple):
    """Who signs, with what, and when."""

    key: Key
    signer: str | None
    at: datetime


class RunStanding(StrEnum):
    """What became of a run since its store was attested."""

    SIGNED = "SIGNED"
    EXTENDED = "EXTENDED"
    ALTERED = "ALTERED"
    MISSING = "MISSING"


def attest_run(store: ReadStore, run_id: str, signature: Signature) -> dict[str, Any]:
    """Verify a run and return a signed document that says how far its chain reaches.

    Raises:
        RunNotFound: no such run.
        Refused: it has no events.
        Corrupted: its chain is broken; nothing was signed.
    """
    return attest_walked(verify_run(store, run_id).verification, signature)


def attest_walked(walked: Verification, signature: Signature) -> dict[str, Any]:
    """Return a signed document on a run that was just verified.

    Raises:
        Refused: it has no events.
        Corrupted: its chain is broken; nothing was signed.
    """
    ensure_whole(walked)
    if not walked.head_sequence:
        raise Refused(f"run {walked.run_id!r} has no events, so there is nothing to attest")
    document = unsigned_document(
        walked.run_id,
        Head(walked.head_sequence, walked.head_hash),
        signer=signature.signer,
        public_key=signature.key.public_pem,
        at=signature.at,
    )
    return _signed(document, signature)


def check_run(
    store: ReadStore,
    run_id: str,
    document: Mapping[str, Any],
    check: Check,
    *,
    trusted_key: str | None = None,
) -> Iterator[Progress | Attestation]:
    """Verify a run, and hold a document against it; what came of it is yielded last.

    Args:
        check: as for `signature_valid`.
        trusted_key: public PEM that must have signed; else the document's own
            key is taken as it is.

    Raises:
        RunNotFound: no such run.
    """
    valid = signature_valid(document, check)
    if trusted_key is not None and not is_same_key(document, trusted_key):
        valid = False
    found = None
    with store.reading():
        sequence = document.get("trusted_through_seq")
        place = store.event_row(run_id, sequence) if is_sequence(sequence) else None
        in_place = place.row.hash if place else None
        for step in verify_with_progress(store, run_id):
            if isinstance(step, VerifyReport):
                walked = step.verification
                found = compare_with_chain(document, walked, valid=valid, hash_in_place=in_place)
            else:
                yield step
    if found is None:
        raise RuntimeError("a walk ended without a report")
    yield found


def attest_store(
    store: ReadStore, signature: Signature, *, only: Collection[str] = ()
) -> Iterator[Progress | dict[str, Any]]:
    """Verify every run, and return a signed document over all heads, last.

    Args:
        only: list just these runs; all runs are under the root all the same.

    Raises:
        Corrupted: a chain is broken; nothing was signed.
        Refused: a run to list does not exist, or there are too many to list.
    """
    heads: list[RunHead] = []
    runs = max(store.run_estimate(), 1)
    for number, run_id in enumerate(all_run_ids(store), 1):
        for step in walk_with_progress(store, run_id):
            if isinstance(step, Verification):
                ensure_whole(step)
                heads.append(RunHead(run_id, step.head_sequence, step.head_hash))
            else:
                yield step._replace(run_number=number, runs=max(runs, number))
    tree = MerkleTree(leaf_of(head) for head in heads)
    statement = unsigned_statement(
        tree, signer=signature.signer, public_key=signature.key.public_pem, at=signature.at
    )
    listed = _listed(heads, tree, frozenset(only))
    yield {"statement": _signed(statement, signature), "runs": listed}


def check_store(
    store: ReadStore, proven: StoreCheck
) -> Iterator[Progress | tuple[str, RunStanding]]:
    """Yield what became of each run that a document proves, walking every one."""
    for number, head in enumerate(proven.heads.values(), 1):
        for step in _standing(store, head):
            if isinstance(step, Progress):
                yield step._replace(run_number=number, runs=len(proven.heads))
            else:
                yield head.run_id, step


def ensure_whole(walked: Verification) -> None:
    """Refuse to vouch for a broken chain.

    Raises:
        Corrupted: it is one.
    """
    first = walked.first
    if first is not None:
        raise Corrupted(
            f"the chain of run {walked.run_id!r} is broken at event {first.sequence} "
            f"({first.kind}: {first.detail}); nothing was signed"
        )


def _signed(document: dict[str, Any], signature: Signature) -> dict[str, Any]:
    return {**document, "signature": signature.key.sign(signed_text(document).encode("ascii"))}


def _listed(heads: list[RunHead], tree: MerkleTree, only: frozenset[str]) -> list[dict[str, Any]]:
    unknown = only - {head.run_id for head in heads}
    if unknown:
        raise Refused(f"run {min(unknown)!r} does not exist, so it cannot be listed")
    chosen = len(only) if only else len(heads)
    if chosen > MAX_LISTED:
        raise Refused(
            f"{chosen} runs are more than the {MAX_LISTED} a document lists; name those to list"
        )
    return [
        listed_run(head, index, tree)
        for index, head in enumerate(heads)
        if not only or head.run_id in only
    ]


def _standing(store: ReadStore, head: RunHead) -> Iterator[Progress | RunStanding]:
    walked = None
    try:
        for step in walk_with_progress(store, head.run_id):
            if isinstance(step, Progress):
                yield step
            else:
                walked = step
    except RunNotFound:
        yield RunStanding.MISSING
        return
    yield _held_against(store, head, walked)


def _held_against(store: ReadStore, head: RunHead, walked: Verification | None) -> RunStanding:
    if walked is None or not walked.ok:
        return RunStanding.ALTERED
    if (walked.head_sequence, walked.head_hash) == (head.sequence, head.hash):
        return RunStanding.SIGNED
    place = store.event_row(head.run_id, head.sequence) if head.sequence else None
    grew = walked.head_sequence > head.sequence
    if grew and (not head.sequence or (place is not None and place.row.hash == head.hash)):
        return RunStanding.EXTENDED
    return RunStanding.ALTERED
