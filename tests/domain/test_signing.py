"""Ed25519 signatures of attestations; runs where the extra `attest` is installed."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519

from continuum.core.errors import InvalidInput, NoEvents
from continuum.domain import signing
from continuum.domain.attestation import signature_valid
from continuum.domain.events import NO_HEAD, Head
from tests.domain.logs import NOON, RUN
from tests.vectors import load_vectors

CASES = load_vectors("attestation")["cases"]
SEEDED = [case for case in CASES if "seed_hex" in case]
HEAD = Head(5, "ab" * 32)


@pytest.mark.parametrize("case", CASES)
def test_a_document_is_valid_as_the_vector_says(case):
    assert signature_valid(case["document"], signing.check_signature) == case["valid"]


@pytest.mark.parametrize("case", SEEDED)
def test_a_known_key_signs_as_in_the_vector(case):
    seed = bytes.fromhex(case["seed_hex"])
    key = signing.KeyPair(ed25519.Ed25519PrivateKey.from_private_bytes(seed))
    expected = case["document"]
    head = Head(expected["trusted_through_seq"], expected["chain_hash"])

    document = signing.attest(expected["run_id"], head, key, signer=expected["signer"], at=NOON)
    message = case["signed_text"].encode()

    assert document["public_key"] == expected["public_key"]
    assert document["algorithm"] == expected["algorithm"]
    assert key.sign(message) == expected["signature"]


def test_a_new_key_survives_its_pem_and_signs_validly():
    key = signing.KeyPair.from_pem(signing.KeyPair.generate().private_pem)

    document = signing.attest(RUN, HEAD, key, signer=None, at=NOON)

    assert key.private_pem.startswith("-----BEGIN PRIVATE KEY-----\n")
    assert key.public_pem.endswith("-----END PUBLIC KEY-----\n")
    assert signature_valid(document, signing.check_signature)


def test_line_breaks_in_a_signature_are_ignored():
    document = CASES[0]["document"]
    broken = document["signature"][:40] + "\r\n" + document["signature"][40:] + "\n"

    assert signature_valid({**document, "signature": broken}, signing.check_signature)


def test_a_run_without_events_is_not_signed():
    with pytest.raises(NoEvents):
        signing.attest(RUN, NO_HEAD, signing.KeyPair.generate(), signer=None, at=NOON)


@pytest.mark.parametrize("text", ["", "not a key", CASES[0]["document"]["public_key"]])
def test_what_is_no_private_key_is_refused(text):
    with pytest.raises(InvalidInput, match="signing key"):
        signing.KeyPair.from_pem(text)


@pytest.mark.parametrize(
    ("public_key", "signature"),
    [
        ("", ""),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "AAAA"),
        (CASES[0]["document"]["public_key"], "A"),
        (CASES[0]["document"]["public_key"], "ü"),
        ("\ud800", "AAAA"),
    ],
)
def test_an_unreadable_key_or_signature_is_not_valid(public_key, signature):
    assert not signing.check_signature(public_key, signature, b"x")
