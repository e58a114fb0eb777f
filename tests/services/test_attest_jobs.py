"""Attestations as jobs: signed at the end of a walk, given up in the middle, kept for a while."""

from __future__ import annotations

import json

import pytest

from continuum.core.clock import utc_now
from continuum.core.errors import Conflict, Corrupted, Refused
from continuum.domain.attestation import signature_valid
from continuum.domain.signing import KeyPair, check_signature
from continuum.services import verifyjobs
from continuum.services.attestations import Signature
from continuum.services.attestjobs import attest, attesting, start_attesting, stop_attesting
from continuum.services.verifications import Order
from tests.conftest import NOON
from tests.outsiders import change, execute

RUN = "run_a"


@pytest.fixture
def signature():
    return Signature(KeyPair.generate(), "Audit desk", NOON)


def ordered(run_id=RUN):
    return Order(run_id, "ada", "console")


@pytest.mark.parametrize("run_id", [RUN, None], ids=["a run", "the whole store"])
def test_a_job_signs_at_its_end_and_keeps_the_document(
    store, open_other, make_run, signature, run_id
):
    make_run(RUN, progress=3)
    job = start_attesting(store, ordered(run_id), at=utc_now())
    assert attesting(store, run_id).job is not None

    attest(store, open_other(), job, signature, clock=utc_now)

    known = attesting(store, run_id)
    assert known.job is None and known.trouble is None
    [made] = known.made
    document = json.loads(store.attestation_document(run_id, made.attestation_id) or "")
    signed = document.get("statement", document)
    assert signature_valid(signed, check_signature)
    assert (made.signer, made.by_name, made.runs) == ("Audit desk", "ada", 1)
    assert (made.head_sequence, signed.get("trusted_through_seq", 0)) == (
        (4, 4) if run_id else (0, 0)
    )


@pytest.mark.parametrize("run_id", [RUN, None], ids=["a run", "the whole store"])
def test_a_broken_chain_is_not_signed_and_that_is_kept(
    store, store_url, open_other, make_run, signature, run_id
):
    make_run(RUN, progress=3)
    change(store_url, "events", {"run_id": RUN, "sequence": 3}, {"payload": "{}"})
    job = start_attesting(store, ordered(run_id), at=utc_now())

    with pytest.raises(Corrupted, match="broken at event 3"):
        attest(store, open_other(), job, signature, clock=utc_now)

    known = attesting(store, run_id)
    assert known.job is None and known.made == ()
    assert known.trouble is not None
    assert known.trouble.outcome == "failed" and "nothing was signed" in known.trouble.detail


@pytest.mark.parametrize("run_id", [RUN, None], ids=["a run", "the whole store"])
def test_a_job_that_is_stopped_signs_nothing(
    store, open_other, make_run, signature, run_id, monkeypatch
):
    monkeypatch.setattr(verifyjobs, "BEAT_SECONDS", 0)
    make_run(RUN, progress=3)
    job = start_attesting(store, ordered(run_id), at=utc_now())
    assert stop_attesting(store, run_id, by="bob", at=utc_now())

    attest(store, open_other(), job, signature, clock=utc_now)

    known = attesting(store, run_id)
    assert known.job is None and known.made == ()
    assert known.trouble is not None and known.trouble.outcome == "cancelled"
    assert not stop_attesting(store, run_id, by="bob", at=utc_now())


def test_only_one_of_a_run_goes_on(store, make_run):
    make_run(RUN)
    start_attesting(store, ordered(), at=utc_now())

    with pytest.raises(Conflict, match="ada started an attestation already"):
        start_attesting(store, ordered(), at=utc_now())


def test_a_run_without_events_is_refused(store, store_url, make_run):
    make_run(RUN)
    execute(store_url, "DELETE FROM events")

    with pytest.raises(Refused, match="nothing to attest"):
        start_attesting(store, ordered(), at=utc_now())
