"""Attesting from the console: a job with the key's password, its document kept to be fetched."""

from __future__ import annotations

import io
import json
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from continuum import open_store
from continuum.domain.signing import KeyPair
from continuum.services.attestjobs import KEPT, start_attesting
from continuum.services.verifications import Order
from continuum.services.verifyjobs import DEAD_AFTER, Purpose, open_job
from continuum.store.attestport import AttestationRow
from runs import engine, jobs, signing
from tests.runs.conftest import HTMX, PASSWORD, written
from tests.runs.test_chain import RUN, body_of, key, logged, reviewer, text_of
from tests.stores import progressed

__all__ = ["key", "logged", "reviewer"]


def test_without_a_key_the_page_says_how_to_make_one(reviewer, logged, settings):
    settings.SIGNER_KEY = ""

    page = text_of(reviewer.get(f"/chain/{RUN}/attest/"))
    response = reviewer.post(f"/chain/{RUN}/attest/")

    assert "continuum attest-keygen" in page
    assert response.status_code == 422


def test_signing_asks_for_the_password_and_verifies_first(reviewer, logged, key):
    refused = reviewer.post(f"/chain/{RUN}/attest/")
    wrong = reviewer.post(f"/chain/{RUN}/attest/", {"password": "not it"})
    signed = signed_by(reviewer)

    document = json.loads(signed.content)
    assert (refused.status_code, wrong.status_code, signed.status_code) == (422, 422, 200)
    assert document["trusted_through_seq"] == 5
    assert document["chain_hash"] == logged.head(RUN).hash
    assert document["signer"] == "Audit desk (rev-1)"
    assert document["public_key"] == key.public_pem
    assert [row.outcome for row in logged.verifications(RUN)] == ["signed", "verified"]
    assert "private" not in text_of(signed).lower()


def signed_by(browser, run_id=RUN, **form):
    """Have a run, or `-` for the whole store, attested; return the answer with the document."""
    answer = browser.post(f"/chain/{run_id}/attest/", form or {"password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, f"/chain/{run_id}/attest/")
    jobs.wait(20)
    newest = browser.get(answer["Location"]).context["screen"].made[0]
    return browser.get(f"/chain/{run_id}/attest/made/{newest.attestation_id}/")


def uploaded(response, change=None):
    document = json.loads(response.content)
    text = json.dumps({**document, **(change or {})})
    return SimpleUploadedFile("a.json", text.encode(), "application/json")


@pytest.mark.parametrize(
    ("change", "grows", "said"),
    [
        (None, False, "ends with the signed event"),
        (None, True, "and went on"),
        ({"trusted_through_seq": 4}, False, "signature does not hold"),
    ],
)
def test_a_document_is_checked_against_the_run(reviewer, logged, key, change, grows, said):
    signed = signed_by(reviewer)
    if grows:
        logged.append(RUN, [progressed(9, at=timezone.now())])

    answer = reviewer.post(
        f"/chain/{RUN}/attest/check/",
        {"document": uploaded(signed, change), "public_key": key.public_pem},
    )

    assert said in text_of(answer)


def test_a_document_of_another_key_is_not_believed(reviewer, logged, key):
    signed = signed_by(reviewer)
    other = KeyPair.generate().public_pem

    answer = reviewer.post(
        f"/chain/{RUN}/attest/check/", {"document": uploaded(signed), "public_key": other}
    )

    assert "signature does not hold" in text_of(answer)


def test_a_changed_chain_fails_its_document_and_is_not_signed_again(reviewer, logged, key, execute):
    signed = signed_by(reviewer)
    execute("UPDATE events SET payload = '{}' WHERE sequence = 3")

    answer = reviewer.post(f"/chain/{RUN}/attest/check/", {"document": uploaded(signed)})
    again = reviewer.post(f"/chain/{RUN}/attest/", follow=True)

    assert "not the chain it was given for" in text_of(answer)
    assert "broken at event 3" in text_of(again) and "nothing was signed" in text_of(again)
    assert len(again.context["screen"].made) == 1


@pytest.mark.parametrize("raw", [b"", b"no json", b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_document_is_refused(reviewer, logged, raw):
    file = SimpleUploadedFile("a.json", raw, "application/json")

    answer = reviewer.post(f"/chain/{RUN}/attest/check/", {"document": file})

    assert answer.status_code == 422


def test_the_whole_store_is_attested_and_checked(reviewer, logged, key, make_run, execute):
    make_run("run_b")

    signed = signed_by(reviewer, "-")
    good = reviewer.post("/chain/-/attest/check/", {"document": uploaded(signed)})
    execute("UPDATE events SET payload = '{}' WHERE run_id = 'run_b'")
    bad = reviewer.post("/chain/-/attest/check/", {"document": uploaded(signed)})

    assert json.loads(signed.content)["statement"]["tree_size"] == 2
    assert "Everything it proves is in its place" in text_of(good)
    assert "Something it proves was altered" in text_of(bad)
    assert "nothing was signed" in text_of(reviewer.post("/chain/-/attest/", follow=True))


def test_a_bundle_is_signed_with_the_password_only(reviewer, logged, key):
    assert reviewer.post(f"/chain/{RUN}/bundle/").status_code == 422

    response = reviewer.post(f"/chain/{RUN}/bundle/", {"password": PASSWORD})

    with ZipFile(io.BytesIO(body_of(response))) as archive:
        document = json.loads(archive.read("attestation.json"))
    assert document["signer"] == "Audit desk (rev-1)"


def test_a_check_that_takes_too_long_for_a_page_is_left_to_the_command(
    reviewer, logged, key, monkeypatch
):
    signed = signed_by(reviewer)
    all_signed = signed_by(reviewer, "-")
    monkeypatch.setattr(signing, "CHECK_SECONDS", -1.0)

    one = reviewer.post(f"/chain/{RUN}/attest/check/", {"document": uploaded(signed)})
    every = reviewer.post("/chain/-/attest/check/", {"document": uploaded(all_signed)})

    assert one.status_code == 409
    assert f"continuum attest-verify {RUN} --attest FILE" in text_of(one)
    assert "continuum attest-verify --all --attest FILE" in text_of(every)
    assert "Everything it proves is in its place" not in text_of(every)


@pytest.mark.parametrize("content", ["no key", None])
def test_a_key_that_cannot_be_used_is_named_and_not_shown(
    reviewer, logged, settings, tmp_path, content
):
    file = tmp_path / "signer.pem"
    if content:
        file.write_text(content)
    settings.SIGNER_KEY = str(file)

    answer = reviewer.post(f"/chain/{RUN}/attest/", {"password": PASSWORD})

    assert answer.status_code == 500
    assert "key" in text_of(answer) and "no key" not in text_of(answer)


def test_no_evidence_changes_the_log(reviewer, logged, key):
    before = written(logged, RUN)

    reviewer.post(f"/chain/{RUN}/attest/", {"password": PASSWORD})
    body_of(reviewer.get(f"/chain/{RUN}/bundle/"))
    body_of(reviewer.get(f"/chain/{RUN}/export/"))
    reviewer.post(f"/chain/{RUN}/verify/")
    jobs.wait(20)

    assert written(logged, RUN) == before


# -- the job


@pytest.fixture
def going_on(logged):
    """An attestation that another process works on."""
    return start_attesting(logged, Order(RUN, "ada", "console"), at=timezone.now())


def test_a_job_that_goes_on_is_shown_after_a_reload_and_can_be_stopped(
    reviewer, logged, key, going_on
):
    page = text_of(reviewer.get(f"/chain/{RUN}/attest/"))
    part = reviewer.get(f"/chain/{RUN}/attest/", headers=HTMX)
    second = reviewer.post(f"/chain/{RUN}/attest/", {"password": PASSWORD}, follow=True)
    reviewer.post(f"/chain/{RUN}/attest/stop/")
    stopping = text_of(reviewer.get(f"/chain/{RUN}/attest/"))

    assert "Verifying, to sign" in page and "started by ada" in page
    assert 'hx-trigger="every 1s"' in page
    assert text_of(part).lstrip().startswith('<section id="attest-state"')
    assert "Ada started an attestation already" in text_of(second)
    assert "Stopping, as rev-1 asked" in stopping
    assert logged.attestations(RUN, limit=9) == []


def test_a_verification_of_the_same_chain_is_another_job(reviewer, logged, key, going_on):
    reviewer.post(f"/chain/{RUN}/verify/")
    jobs.wait(20)

    assert [row.outcome for row in logged.verifications(RUN)] == ["verified"]
    assert open_job(logged, RUN, Purpose.ATTEST) is not None
    assert "Verifying, to sign" not in text_of(reviewer.get(f"/chain/{RUN}/"))


def test_a_job_whose_process_died_makes_room(reviewer, logged, key):
    at = timezone.now() - 2 * DEAD_AFTER
    start_attesting(logged, Order(RUN, "ada", "console"), at=at)

    page = text_of(reviewer.get(f"/chain/{RUN}/attest/"))
    document = json.loads(signed_by(reviewer).content)

    assert "was interrupted" in page and "Nothing was signed." in page
    assert document["trusted_through_seq"] == 5


def test_stopping_what_has_ended_says_so(reviewer, logged, key):
    answer = reviewer.post("/chain/-/attest/stop/", follow=True)

    assert "No attestation goes on" in text_of(answer)


def test_a_run_without_events_is_refused_at_once(reviewer, logged, key, execute):
    execute(
        "INSERT INTO runs (run_id, goal, status, created_at, updated_at) "
        "VALUES ('bare', 'g', 'started', '2026-12-01', '2026-12-01')"
    )

    answer = reviewer.post("/chain/bare/attest/", {"password": PASSWORD})

    assert answer.status_code == 409
    assert "nothing to attest" in text_of(answer)


def test_a_document_is_handed_out_as_it_was_signed_though_the_run_went_on(reviewer, logged, key):
    signed = signed_by(reviewer)
    logged.append(RUN, [progressed(9, at=timezone.now())])
    [row] = logged.attestations(RUN, limit=9)

    again = reviewer.get(f"/chain/{RUN}/attest/made/{row.attestation_id}/")

    assert again.content == signed.content
    assert "attachment" in again["Content-Disposition"]
    assert (row.head_sequence, row.by_name, row.signer) == (5, "rev-1", "Audit desk (rev-1)")


def test_a_document_belongs_to_its_run(reviewer, logged, key, make_run):
    make_run("run_b")
    signed_by(reviewer)
    [row] = logged.attestations(RUN, limit=9)

    for other in ("run_b", "-"):
        answer = reviewer.get(f"/chain/{other}/attest/made/{row.attestation_id}/")
        assert answer.status_code == 404


def test_only_the_newest_documents_are_kept(reviewer, logged, key):
    with logged.writing() as writer:
        for number in range(KEPT + 3):
            made_at = f"2026-11-01T00:00:{number:02}+00:00"
            row = AttestationRow(f"attestation_{number}", RUN, "ada", "", made_at, 1, 1)
            writer.save_attestation(row, "{}")

    signed_by(reviewer)

    kept = logged.attestations(RUN, limit=99)
    assert len(kept) == KEPT
    assert kept[0].by_name == "rev-1" and kept[-1].attestation_id == "attestation_4"


def test_a_store_that_can_only_be_read_is_left_to_the_command(
    reviewer, logged, key, console, monkeypatch
):
    monkeypatch.setattr(engine, "_open", lambda url: open_store(url, read_only=True, create=False))
    engine.drop_store()

    page = text_of(reviewer.get("/chain/-/attest/"))
    refused = reviewer.post("/chain/-/attest/", {"password": PASSWORD})

    assert "no document could be kept" in page
    assert "Verify and sign" not in page
    assert "continuum attest --all --key FILE" in page
    assert refused.status_code >= 400
    assert not console.attestations(None, limit=5)
