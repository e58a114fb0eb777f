"""attest-keygen, attest, attest-verify; runs where the extra `attest` is installed."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.commands import run_ours
from tests.outsiders import change, execute
from tests.services.acting import reported, started


@pytest.fixture
def key():
    """A key pair in the folder."""
    assert run_ours("attest-keygen").exit_code == 0
    return "signer.pem"


def attested(run_id="run-a", *more, name="doc.json"):
    answer = run_ours("attest", run_id, "--key", "signer.pem", "--out", name, *more)
    assert answer.exit_code == 0, answer.stderr
    return json.loads(Path(name).read_text())


def checked(*argv):
    answer = run_ours("--json", "attest-verify", *argv)
    return answer.exit_code, answer.document


def rewrite(name, document):
    Path(name).write_text(json.dumps(document))


def test_a_private_key_is_for_its_owner_alone_whatever_the_umask():
    before = os.umask(0)
    try:
        answer = run_ours("--json", "attest-keygen", "--out", "k.pem", "--pub", "k.pub")
    finally:
        os.umask(before)

    assert answer.document == {"private_key": "k.pem", "public_key": "k.pub"}
    assert stat.S_IMODE(os.stat("k.pem").st_mode) == 0o600
    assert "BEGIN PRIVATE KEY" in Path("k.pem").read_text()
    assert "PRIVATE" not in answer.stdout + Path("k.pub").read_text()


@pytest.mark.parametrize("taken", ["signer.pem", "signer.pem.pub"])
def test_a_key_that_exists_is_never_written_over(taken):
    Path(taken).write_text("precious")

    answer = run_ours("attest-keygen")

    assert answer.exit_code == 1
    assert Path(taken).read_text() == "precious"
    assert len([one for one in os.listdir() if one.startswith("signer")]) == 1


def test_a_signed_run_is_signed_and_an_extended_one_extended(store, key):
    run_id = started(store)
    document = attested(run_id, "--signer", "ops")

    assert checked(run_id, "--attest", "doc.json") == (
        0,
        {
            "run_id": run_id,
            "verdict": "SIGNED",
            "signature_valid": True,
            "chain_match": True,
            "chain_intact": True,
            "signer": "ops",
            "signed_seq": 1,
            "live_seq": 1,
            "run_match": True,
            "in_place": True,
        },
    )
    reported(store, run_id, 1, 3)
    status, found = checked(run_id, "--attest", "doc.json")
    assert (status, found["verdict"], found["chain_match"]) == (0, "EXTENDED", False)
    assert document["chain_hash"] == store.event_row(run_id, 1).row.hash


def test_a_signed_event_that_was_archived_since_is_still_in_its_place(store, key):
    run_id = started(store)
    for number in range(3):
        reported(store, run_id, number, 9)
    attested(run_id)
    reported(store, run_id, 5, 9)
    with store.writing(run_id) as writer:
        writer.archive(run_id, 4)

    assert checked(run_id, "--attest", "doc.json")[1]["verdict"] == "EXTENDED"


def test_a_broken_chain_is_not_signed(store, key):
    run_id = started(store)
    reported(store, run_id, 1, 3)
    change("continuum.db", "events", {"sequence": 1}, {"source": "llm"})

    answer = run_ours("attest", run_id, "--key", key, "--out", "doc.json")

    assert answer.exit_code == 3
    assert "broken at event 1" in answer.stderr
    assert not Path("doc.json").exists()


def test_a_changed_run_is_altered_also_when_it_was_sealed_anew(store, key):
    run_id = started(store)
    reported(store, run_id, 1, 3)
    attested(run_id)
    execute("continuum.db", "DROP TRIGGER cx_keep_deleted")
    execute("continuum.db", "DROP TRIGGER cx_events_delete")
    execute("continuum.db", "DELETE FROM events WHERE sequence = 2")
    reported(store, run_id, 2, 3)

    status, found = checked(run_id, "--attest", "doc.json")

    assert (status, found["verdict"]) == (3, "ALTERED")
    assert found["chain_intact"] and found["signature_valid"]


def test_a_changed_document_is_untrusted(store, key):
    run_id = started(store)
    document = attested(run_id)
    for member, value in (("trusted_through_seq", 2), ("signer", "eve"), ("extra", 1)):
        rewrite("changed.json", {**document, member: value})
        assert checked(run_id, "--attest", "changed.json")[1]["verdict"] == "UNTRUSTED"


def test_a_document_about_another_run_vouches_for_nothing(store, key):
    started(store, "run-a")
    started(store, "run-b")
    attested("run-b")

    status, found = checked("run-a", "--attest", "doc.json")

    assert (status, found["verdict"], found["run_match"]) == (3, "UNTRUSTED", False)


def test_only_the_key_that_is_asked_for_is_believed(store, key):
    run_id = started(store)
    attested(run_id)
    run_ours("attest-keygen", "--out", "other.pem")

    assert checked(run_id, "--attest", "doc.json", "--pub", "signer.pem.pub")[0] == 0
    status, found = checked(run_id, "--attest", "doc.json", "--pub", "other.pem.pub")
    assert (status, found["verdict"]) == (3, "UNTRUSTED")


def test_without_out_the_document_is_printed_and_the_environment_names_the_key(store, key):
    run_id = started(store)
    environment = {"CONTINUUM_SIGNER_KEY": key, "CONTINUUM_SIGNER": "ops"}

    answer = run_ours("attest", run_id, environment=environment)

    assert answer.exit_code == 0
    assert answer.document["signer"] == "ops"


@pytest.mark.parametrize(
    ("argv", "exit_code", "says"),
    [
        (["attest", "nobody", "--key", "signer.pem"], 2, "nobody"),
        (["attest", "run-a"], 1, "--key"),
        (["attest", "run-a", "--key", "missing.pem"], 1, "missing.pem"),
        (["attest", "run-a", "--key", "signer.pem.pub"], 1, "signing key"),
        (["attest", "--key", "signer.pem"], 1, "RUN"),
        (["attest", "run-a", "--all", "--key", "signer.pem"], 1, "RUN"),
        (["attest", "--all", "--list", "nobody", "--key", "signer.pem"], 1, "nobody"),
        (["attest-verify", "run-a"], 1, "--attest"),
        (["attest-verify", "run-a", "--attest", "missing.json"], 1, "missing.json"),
        (["attest-verify", "run-a", "--attest", "signer.pem"], 1, "no JSON"),
        (["attest-verify", "run-a", "--file", "doc.json"], 1, "leave RUN"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(store, key, argv, exit_code, says):
    started(store)

    answer = run_ours(*argv)

    assert (answer.exit_code, answer.stdout) == (exit_code, "")
    assert says in answer.stderr and answer.stderr.count("\n") == 1


def test_a_run_without_events_is_not_attested(store, key):
    at = "2026-01-01T00:00:00+00:00"
    execute(
        "continuum.db",
        "INSERT INTO runs (run_id, goal, status, created_at, updated_at, metadata) "
        "VALUES ('bare', 'g', 'started', ?, ?, '{}')",
        (at, at),
    )

    answer = run_ours("attest", "bare", "--key", key)

    assert answer.exit_code == 1
    assert "no events" in answer.stderr


def test_a_whole_store_is_attested_and_checked_without_it(store, key):
    for number in range(5):
        started(store, f"run-{number}")
    assert run_ours("attest", "--all", "--key", key, "--out", "all.json").exit_code == 0
    document = json.loads(Path("all.json").read_text())
    execute("continuum.db", "DELETE FROM events WHERE run_id = 'run-2'")

    status, offline = checked("--file", "all.json")
    against, found = checked("--all", "--attest", "all.json")

    assert (status, offline["valid"], len(offline["runs"])) == (0, True, 5)
    assert document["statement"]["tree_size"] == 5
    assert against == 3
    assert found["runs"] == {
        **{f"run-{number}": "SIGNED" for number in range(5)},
        "run-2": "ALTERED",
    }


def test_one_run_can_be_shown_without_the_others(store, key):
    for number in range(7):
        started(store, f"run-{number}")
    run_ours("attest", "--all", "--list", "run-6", "--key", key, "--out", "one.json")
    text = Path("one.json").read_text()

    status, found = checked("--file", "one.json", "--pub", "signer.pem.pub")

    assert (status, found["tree_size"], found["listed"]) == (0, 7, 1)
    assert found["runs"][0]["run_id"] == "run-6"
    assert "run-5" not in text


def test_a_run_that_grew_or_went_since_is_told_apart(store, key):
    for run_id in ("grows", "goes", "stays"):
        started(store, run_id)
    run_ours("attest", "--all", "--key", key, "--out", "all.json")
    reported(store, "grows", 1, 2)
    execute("continuum.db", "DELETE FROM events WHERE run_id = 'goes'")
    execute("continuum.db", "DELETE FROM runs WHERE run_id = 'goes'")

    status, found = checked("--all", "--attest", "all.json")

    assert status == 3
    assert found["runs"] == {"goes": "MISSING", "grows": "EXTENDED", "stays": "SIGNED"}


def test_a_store_with_a_broken_run_is_not_attested(store, key):
    started(store, "run-a")
    started(store, "run-b")
    change("continuum.db", "events", {"run_id": "run-b"}, {"source": "llm"})

    answer = run_ours("attest", "--all", "--key", key, "--out", "all.json")

    assert answer.exit_code == 3
    assert "run-b" in answer.stderr
    assert not Path("all.json").exists()
