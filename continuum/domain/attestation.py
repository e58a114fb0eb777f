"""Attestations: signed statements about how far a chain reached (store.md 12).

A document names the newest live event of a run and its hash; the signature
covers the canonical JSON of every member but itself. This module is pure; the
Ed25519 part is `continuum.domain.signing`, an optional extra.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.canonical import canonical_text
from continuum.core.clock import column_time
from continuum.core.errors import InvalidInput, NoEvents
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import Any, TypeGuard

    from continuum.domain.chain import Verification
    from continuum.domain.events import Head

    Check = Callable[[str, str, bytes], bool]

ALGORITHM = "ed25519+sha256"
"""A label; plain Ed25519 is used, without hashing first."""


class AttestationVerdict(StrEnum):
    """What a document says about a chain.

    `EXTENDED` is ours: everything signed is in its place, and more came after.
    """

    SIGNED = "SIGNED"
    EXTENDED = "EXTENDED"
    ALTERED = "ALTERED"
    UNTRUSTED = "UNTRUSTED"


class Attestation(NamedTuple):
    """A document held against a chain.

    Attributes:
        chain_match: the document names the hash of the newest live event.
        chain_intact: the chain verifies.
        run_match: the document is about this run.
        in_place: the signed event is where it was, with the hash it had.
        live_sequence: the newest live event; 0 without events.
    """

    run_id: str
    verdict: AttestationVerdict
    signature_valid: bool
    chain_match: bool
    chain_intact: bool
    signer: str | None
    signed_sequence: int | None
    live_sequence: int
    run_match: bool = True
    in_place: bool = False


def unsigned_document(
    run_id: str, head: Head, *, signer: str | None, public_key: str, at: datetime
) -> dict[str, Any]:
    """Return the document on `head` that is still to be signed.

    Args:
        public_key: PEM, with its final line end.

    Raises:
        NoEvents: there is nothing to attest.
    """
    if not head.sequence or head.hash is None:
        raise NoEvents(run_id)
    return {
        "run_id": run_id,
        "trusted_through_seq": head.sequence,
        "chain_hash": head.hash,
        "signer": signer,
        "timestamp": column_time(at),
        "public_key": public_key,
        "algorithm": ALGORITHM,
    }


def signed_text(document: Mapping[str, Any]) -> str:
    """Return the text a signature covers: every member but the signature, also unknown ones.

    Raises:
        InvalidInput: the document holds what JSON cannot say.
    """
    return canonical_text({name: document[name] for name in document if name != "signature"})


def signature_valid(document: Mapping[str, Any], check: Check) -> bool:
    """Return whether the document's own key signed the document.

    Args:
        check: (public key PEM, base64 signature, message) → whether they fit;
            False for whatever cannot be read.
    """
    public_key, signature = document.get("public_key"), document.get("signature")
    if document.get("algorithm") != ALGORITHM:
        return False
    if not isinstance(public_key, str) or not isinstance(signature, str):
        return False
    try:
        message = signed_text(document).encode("ascii")
    except InvalidInput:
        return False
    return check(public_key, signature, message)


def compare_with_chain(
    document: Mapping[str, Any],
    verification: Verification,
    *,
    valid: bool,
    hash_in_place: str | None = None,
) -> Attestation:
    """Return what a document says about the chain it is held against.

    A document about another run vouches for nothing here: UNTRUSTED.

    Args:
        hash_in_place: the hash of the event at the signed sequence, archived
            or live, where there is one.
    """
    sequence, signer = document.get("trusted_through_seq"), document.get("signer")
    signed, live = document.get("chain_hash"), verification.head_sequence
    run_match = document.get("run_id") == verification.run_id
    match = verification.head_hash is not None and signed == verification.head_hash
    in_place = hash_in_place is not None and signed == hash_in_place and is_sequence(sequence)
    current = match and verification.ok and is_sequence(sequence) and sequence == live
    extended = in_place and verification.ok and is_sequence(sequence) and sequence < live
    return Attestation(
        run_id=verification.run_id,
        verdict=_verdict(valid and run_match, current, extended),
        signature_valid=valid,
        chain_match=match,
        chain_intact=verification.ok,
        signer=signer if isinstance(signer, str) else None,
        signed_sequence=sequence if is_sequence(sequence) else None,
        live_sequence=live,
        run_match=run_match,
        in_place=in_place or current,
    )


def is_sequence(value: Any) -> TypeGuard[int]:
    """Return whether a member of a document is a number a store can hold."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def is_same_key(document: Mapping[str, Any], public_pem: str) -> bool:
    """Return whether a document names this public key; line ends around it do not count."""
    named = document.get("public_key")
    return isinstance(named, str) and named.split() == public_pem.split()


def _verdict(valid: bool, current: bool, extended: bool) -> AttestationVerdict:
    if not valid:
        return AttestationVerdict.UNTRUSTED
    if current:
        return AttestationVerdict.SIGNED
    return AttestationVerdict.EXTENDED if extended else AttestationVerdict.ALTERED
