"""Attestations of both clients, each checked by the other."""

from __future__ import annotations

import json

import pytest

import continuum
from tests.commands import run_ours
from tests.interop.peer import ask_peer
from tests.outsiders import execute
from tests.services.acting import reported, started

pytestmark = pytest.mark.interop


@pytest.fixture
def run(tmp_path, monkeypatch, peer):
    """A run in a store that both clients know, and a key of each client."""
    monkeypatch.chdir(tmp_path)
    with continuum.open_store("continuum.db") as store:
        run_id = started(store)
        reported(store, run_id, 1, 3)
    assert run_ours("attest-keygen", "--out", "ours.pem").exit_code == 0
    assert theirs(tmp_path, "attest-keygen", "--out", "theirs.pem").exit == 0
    return run_id


def theirs(folder, *argv):
    return ask_peer("continuum.db", *argv, folder=folder)


@pytest.mark.parametrize("key", ["ours.pem", "theirs.pem"])
def test_our_document_is_signed_for_the_reference_client(run, tmp_path, key):
    assert run_ours("attest", run, "--key", key, "--signer", "ö", "--out", "d").exit_code == 0

    answer = theirs(tmp_path, "--json", "attest-verify", run, "--attest", "d")

    assert (answer.exit, answer.document["verdict"]) == (0, "SIGNED")


@pytest.mark.parametrize("key", ["ours.pem", "theirs.pem"])
def test_its_document_is_signed_for_us(run, tmp_path, key):
    assert theirs(tmp_path, "attest", run, "--key", key, "--out", "d").exit == 0

    answer = run_ours("--json", "attest-verify", run, "--attest", "d")

    assert (answer.exit_code, answer.document["verdict"]) == (0, "SIGNED")


def test_both_write_the_same_bytes_but_for_time_and_signature(run, tmp_path):
    run_ours("attest", run, "--key", "ours.pem", "--signer", "o", "--out", "a")
    theirs(tmp_path, "attest", run, "--key", "ours.pem", "--signer", "o", "--out", "b")
    ours, peers = ((tmp_path / name).read_text() for name in "ab")

    varying = ("timestamp", "signature")
    first, second = (
        [line for line in text.split("\n") if not any(f'"{name}"' in line for name in varying)]
        for text in (ours, peers)
    )
    assert first == second
    assert json.loads(ours).keys() == json.loads(peers).keys()


@pytest.mark.parametrize("member", ["chain_hash", "trusted_through_seq", "signer", "signature"])
def test_a_changed_document_fails_for_both(run, tmp_path, member):
    run_ours("attest", run, "--key", "ours.pem", "--signer", "ops", "--out", "d")
    document = json.loads((tmp_path / "d").read_text())
    document[member] = 1 if member == "trusted_through_seq" else "A" + str(document[member])[1:]
    (tmp_path / "d").write_text(json.dumps(document))

    ours = run_ours("--json", "attest-verify", run, "--attest", "d")
    peers = theirs(tmp_path, "--json", "attest-verify", run, "--attest", "d")

    assert (ours.exit_code, peers.exit) == (3, 3)
    assert ours.document["verdict"] == peers.document["verdict"] == "UNTRUSTED"


def test_a_changed_event_fails_for_both(run, tmp_path):
    run_ours("attest", run, "--key", "ours.pem", "--out", "d")
    execute("continuum.db", "UPDATE events SET source = 'human' WHERE sequence = 2")

    ours = run_ours("--json", "attest-verify", run, "--attest", "d")
    peers = theirs(tmp_path, "--json", "attest-verify", run, "--attest", "d")

    assert (ours.exit_code, peers.exit) == (3, 3)
    assert ours.document["verdict"] == peers.document["verdict"] == "ALTERED"


def test_a_later_event_is_extended_for_us_and_altered_for_it(run, tmp_path):
    run_ours("attest", run, "--key", "ours.pem", "--out", "d")
    with continuum.open_store("continuum.db") as store:
        reported(store, run, 2, 3)

    ours = run_ours("--json", "attest-verify", run, "--attest", "d")
    peers = theirs(tmp_path, "--json", "attest-verify", run, "--attest", "d")

    assert (ours.exit_code, ours.document["verdict"]) == (0, "EXTENDED")
    assert (peers.exit, peers.document["verdict"]) == (3, "ALTERED")
