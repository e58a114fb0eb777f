"""Attestations: the signed text, and a document held against a chain."""

from __future__ import annotations

import pytest

from continuum.core.errors import NoEvents
from continuum.domain.attestation import (
    ALGORITHM,
    compare_with_chain,
    signature_valid,
    signed_text,
    unsigned_document,
)
from continuum.domain.chain import ChainWalk
from continuum.domain.events import NO_HEAD, Head
from tests.domain.logs import NOON, RUN, START, make_rows
from tests.vectors import load_vectors

CASES = load_vectors("attestation")["cases"]
SIGNED = [case for case in CASES if "signed_text" in case]
ROWS = make_rows(START, ("TOOL_CALLED", {}))


def yes(public_key, signature, message):
    return True


def verified(rows):
    walk = ChainWalk(RUN)
    walk.live(rows)
    return walk.result()


def document(rows=ROWS, **members):
    head = Head(rows[-1].sequence, rows[-1].hash)
    made = unsigned_document(RUN, head, signer="ops", public_key="PEM\n", at=NOON)
    return {**made, "signature": "AAAA", **members}


@pytest.mark.parametrize("case", SIGNED)
def test_the_signed_text_is_that_of_the_vector(case):
    assert signed_text(case["document"]) == case["signed_text"]


def test_unknown_members_are_signed_too():
    assert '"extra":1' in signed_text({"signature": "x", "extra": 1})


def test_a_document_names_the_head_and_the_time():
    head = Head(5, "ab" * 32)

    assert unsigned_document(RUN, head, signer=None, public_key="PEM\n", at=NOON) == {
        "run_id": RUN,
        "trusted_through_seq": 5,
        "chain_hash": "ab" * 32,
        "signer": None,
        "timestamp": "2026-03-01T12:00:00.250000+00:00",
        "public_key": "PEM\n",
        "algorithm": ALGORITHM,
    }


def test_a_run_without_events_is_not_attested():
    with pytest.raises(NoEvents):
        unsigned_document(RUN, NO_HEAD, signer=None, public_key="PEM\n", at=NOON)


@pytest.mark.parametrize(
    "members",
    [
        {"algorithm": "rsa"},
        {"public_key": None},
        {"signature": 5},
        {"extra": float("nan")},
    ],
)
def test_a_document_that_cannot_be_checked_is_not_valid(members):
    assert not signature_valid(document(**members), yes)


def test_a_signed_document_of_the_newest_event_is_signed():
    result = compare_with_chain(document(), verified(ROWS), valid=True)

    assert result.verdict == "SIGNED"
    assert (result.chain_match, result.chain_intact) == (True, True)
    assert (result.signed_sequence, result.live_sequence) == (2, 2)


def test_a_document_whose_signature_fails_is_untrusted():
    assert compare_with_chain(document(), verified(ROWS), valid=False).verdict == "UNTRUSTED"


@pytest.mark.parametrize(
    "rows",
    [
        ROWS[:1],
        make_rows(START, ("TOOL_CALLED", {}), ("TOOL_CALLED", {})),
        [ROWS[0]._replace(source="llm"), ROWS[1]],
        [],
    ],
    ids=["shortened", "grown", "changed before", "emptied"],
)
def test_a_chain_that_is_not_the_signed_one_is_altered(rows):
    assert compare_with_chain(document(), verified(rows), valid=True).verdict == "ALTERED"


def test_a_document_with_another_sequence_is_altered():
    result = compare_with_chain(document(trusted_through_seq=1), verified(ROWS), valid=True)

    assert (result.verdict, result.chain_match) == ("ALTERED", True)
