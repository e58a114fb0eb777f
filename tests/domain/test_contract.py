"""Contracts: their seal, and what it protects."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from continuum.core.canonical import canonical_text, digest_text
from continuum.domain.contract import (
    Contract,
    RecoveryStatus,
    contract_digest,
    contract_document,
    seal_contract,
    verify_contract,
)
from tests.vectors import load_vectors

CASES = load_vectors("contract_seal")["cases"]
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
MEMBERS = [
    "run_id",
    "checkpoint_version",
    "recovery_status",
    "verified",
    "invalidated",
    "required_actions",
    "next_allowed_action",
    "evidence",
    "reason",
    "post_checkpoint_observations",
    "created_at",
    "integrity_hash",
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_seals_are_accepted_and_refused_as_by_the_reference_client(case):
    assert verify_contract(case["contract"]) is case["verifies"]


@pytest.mark.parametrize(
    "case", [case for case in CASES if "hashed_text" in case], ids=lambda case: case["name"]
)
def test_hashed_text_is_exact(case):
    contract = case["contract"]
    sealed = {
        name: one for name, one in contract.items() if name not in ("integrity_hash", "created_at")
    }

    text = canonical_text(sealed)

    older = text != case["hashed_text"]
    assert older is case["name"].startswith("older")
    assert digest_text(case["hashed_text"]) == contract["integrity_hash"]
    assert (contract_digest(contract) == contract["integrity_hash"]) is not older


def test_sealed_contract_has_its_members_in_order_and_verifies():
    contract = seal_contract(Contract("r", 0, RecoveryStatus.SAFE_TO_RESUME), at=NOON)

    document = contract_document(contract)

    assert list(document) == MEMBERS
    assert document["created_at"] == "2026-12-01T12:00:00Z"
    assert contract.integrity_hash == (
        "2d95db8604d340b7c17fc784ce3fe8da562f165999393592760cf14c13c2901f"
    )
    assert verify_contract(document)


@pytest.mark.parametrize("member", [name for name in MEMBERS if name != "created_at"])
def test_edit_of_any_sealed_member_is_found(member):
    document = contract_document(
        seal_contract(Contract("r", 0, RecoveryStatus.REQUIRES_HUMAN), at=NOON)
    )

    document[member] = "edited"

    assert not verify_contract(document)


def test_contract_without_a_seal_is_not_verified():
    assert not verify_contract(contract_document(Contract("r", 0, RecoveryStatus.BLOCKED)))
    assert not verify_contract({})


def test_document_json_cannot_say_is_not_verified():
    assert not verify_contract({"run_id": float("nan"), "integrity_hash": "0" * 64})
