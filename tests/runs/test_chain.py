"""The chain pages: kept results with their age, jobs that outlive a page, and evidence to take."""

from __future__ import annotations

import io
import json
import shutil
from datetime import timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.utils import timezone

from continuum import open_store
from continuum.core.clock import utc_now
from continuum.domain.signing import KeyPair
from continuum.services.imports import verify_file
from continuum.services.verifications import Order, run_job
from continuum.services.verifyjobs import DEAD_AFTER, open_job, start_job
from continuum.services.walks import Progress
from runs import engine, jobs
from runs.forms.audit import WalkForm
from tests.conftest import NOON
from tests.runs.conftest import HTMX, refresh
from tests.stores import progressed

RUN = "run_a"
STORES = Path(__file__).parents[1] / "data" / "stores"


@pytest.fixture
def reviewer(sign_in):
    """A browser in which a reviewer is signed in."""
    return sign_in("reviewer", name="rev-1")


@pytest.fixture
def logged(console, make_run):
    """A run of five events."""
    make_run(RUN, progress=4)
    refresh(console)
    return console


@pytest.fixture
def key(settings, tmp_path):
    """The console's signing key."""
    pair = KeyPair.generate()
    file = tmp_path / "signer.pem"
    file.write_text(pair.private_pem)
    settings.SIGNER_KEY, settings.SIGNER = str(file), "Audit desk"
    return pair


def verify(store, run_id=RUN, by="ada", at=None):
    list(run_job(store, Order(run_id, by, "cli"), clock=lambda: at or utc_now()))


def text_of(response):
    return response.content.decode()


def body_of(response):
    return b"".join(response.streaming_content)


# -- how a chain stands


def test_a_chain_is_not_green_before_somebody_verified_it(reviewer, logged):
    page = text_of(reviewer.get(f"/chain/{RUN}/"))

    assert "Not verified" in page
    assert 'data-tone="ok">' not in page.split('id="chain-state"')[1].split("</header>")[0]
    assert f"continuum verify {RUN}" in page


def test_a_verified_chain_names_range_head_person_and_age(reviewer, logged):
    verify(logged, at=utc_now() - timedelta(hours=3))

    page = text_of(reviewer.get(f"/chain/{RUN}/"))

    assert "Verified to event 5" in page
    assert logged.head(RUN).hash in page
    assert "3 h" in page and "ada" in page


def test_green_is_withdrawn_when_the_head_moves(reviewer, logged):
    verify(logged)
    logged.append(RUN, [progressed(9, at=NOON)])

    page = text_of(reviewer.get(f"/chain/{RUN}/"))
    listing = text_of(reviewer.get("/chain/"))

    assert "Not verified beyond event 5" in page
    assert "withdrawn" in page
    assert "Grown since" in listing and ">Verified<" not in listing


def test_the_run_page_takes_the_green_away_too(reviewer, logged):
    verify(logged)
    before = text_of(reviewer.get(f"/runs/{RUN}/")).split('id="chain"')[1]
    logged.append(RUN, [progressed(9, at=NOON)])
    after = text_of(reviewer.get(f"/runs/{RUN}/")).split('id="chain"')[1]

    assert '<span class="chip" data-tone="ok">' in before.split("</header>")[0]
    assert '<span class="chip" data-tone="ok">' not in after.split("</header>")[0]
    assert "verified to 5 of 6" in after


def test_a_broken_chain_shows_the_event_beside_its_neighbours(reviewer, logged, execute):
    verify(logged)
    execute("UPDATE events SET payload = '{\"evil\": 1}' WHERE sequence = 3")

    response = reviewer.get(f"/chain/{RUN}/")
    page = text_of(response)
    broken = response.context["screen"].broken

    assert "Broken at event 3" in page
    assert [one.near.row.sequence for one in broken.neighbours] == [2, 3, 4]
    assert [one.fits for one in broken.neighbours] == [True, False, True]
    assert [str(one.kind) for _, one in broken.differences] == ["content"]
    assert page.count('data-state="broken" title') == 3
    assert "evil" in page
    assert "Verified</span>" not in page.split("Verifications")[0]


def test_the_list_puts_broken_chains_first_and_has_a_page_of_them(reviewer, logged, execute):
    logged.append(RUN, [progressed(9, at=NOON)])
    execute("UPDATE events SET payload = '{}' WHERE sequence = 3")

    first = reviewer.get("/chain/").context["screen"]
    only = reviewer.get("/chain/?show=broken").context["screen"]

    assert [line.run.run_id for line in first.troubled] == [RUN]
    assert [line.word.text for line in only.troubled] == ["Broken"]
    assert only.rows == []


def test_the_list_goes_on_page_by_page(reviewer, console, make_run):
    names = {f"run-{number:03}" for number in range(120)}
    for name in names:
        make_run(name)

    url, seen = "/chain/", []
    for _ in range(3):
        screen = reviewer.get(url).context["screen"]
        seen += [line.run.run_id for line in screen.rows]
        url = f"/chain/?before={screen.older}".replace("+", "%2B")

    assert set(seen) == names and len(seen) == 120
    assert screen.older == ""


def test_a_page_view_walks_nothing_and_keeps_nothing(reviewer, logged, monkeypatch, execute):
    verify(logged)
    execute("UPDATE events SET payload = '{}' WHERE sequence = 3")
    before = logged.verifications()

    def walked(*_args, **_more):
        raise AssertionError("a page walked a chain")

    monkeypatch.setattr("continuum.domain.chain.ChainWalk.live", walked)
    for url in ("/chain/", f"/chain/{RUN}/", f"/chain/{RUN}/walk/", "/chain/-/attest/"):
        assert reviewer.get(url).status_code == 200

    assert logged.verifications() == before


@pytest.mark.parametrize("what", ["run", "event id", "hash", "missing"])
def test_the_box_leads_to_what_it_names(reviewer, logged, what):
    row = logged.event_row(RUN, 4).row
    asked = {"run": RUN, "event id": row.event_id, "hash": row.hash, "missing": "nobody"}[what]

    response = reviewer.get("/chain/", {"q": asked})

    if what == "missing":
        assert "Nothing is called exactly" in text_of(response)
    elif what == "run":
        assert response["Location"] == f"/chain/{RUN}/"
    elif what == "event id":
        assert response["Location"] == f"/chain/{RUN}/walk/?q=4#e-4"
        assert reviewer.get(response["Location"]).context["screen"].at == 4


# -- jobs


def test_a_job_verifies_in_the_background_and_its_result_is_kept(reviewer, logged):
    response = reviewer.post(f"/chain/{RUN}/verify/")
    jobs.wait(20)

    assert response["Location"] == f"/chain/{RUN}/"
    assert "Verified to event 5" in text_of(reviewer.get(f"/chain/{RUN}/"))
    [row] = logged.verifications(RUN)
    assert (row.by_name, row.via, row.outcome) == ("rev-1", "console", "verified")


def test_the_whole_store_is_verified_in_the_background(reviewer, logged, make_run):
    make_run("run_b")

    reviewer.post("/chain/-/verify/")
    jobs.wait(20)

    page = text_of(reviewer.get("/chain/"))
    assert "2 runs, 6 events: every chain was whole" in page


@pytest.mark.parametrize(("url", "run_id"), [(f"/chain/{RUN}/", RUN), ("/chain/", None)])
def test_a_job_is_seen_by_everybody_and_polled_while_it_goes_on(
    reviewer, viewer, logged, url, run_id
):
    job = start_job(logged, Order(run_id, "ada", "console"), at=utc_now())

    page, part = text_of(reviewer.get(url)), text_of(reviewer.get(url, headers=HTMX))

    assert "<progress" in page and "started by ada" in page
    assert 'hx-trigger="every 1s"' in part and part.strip().startswith("<section")
    assert viewer.get(url).status_code == 403
    assert open_job(logged, run_id) == job


@pytest.mark.parametrize("url", [f"/chain/{RUN}/", "/chain/"])
def test_a_page_that_followed_a_job_to_its_end_is_made_anew(reviewer, logged, url):
    ended = reviewer.get(url, headers=HTMX)
    start_job(logged, Order(RUN, "ada", "console"), at=utc_now())
    start_job(logged, Order(None, "ada", "console"), at=utc_now())
    going_on = reviewer.get(url, headers=HTMX)

    assert ended["HX-Refresh"] == "true"
    assert "HX-Refresh" not in going_on
    assert "HX-Request" in reviewer.get(url)["Vary"]
    assert "HX-Request" in ended["Vary"]


def test_a_second_start_is_told_that_one_goes_on(reviewer, logged):
    start_job(logged, Order(RUN, "ada", "console"), at=utc_now())

    page = text_of(reviewer.post(f"/chain/{RUN}/verify/", follow=True))

    assert "Ada started a verification already" in page
    assert len(logged.verifications()) == 0


def test_a_job_is_stopped_by_anybody_with_the_right(reviewer, logged):
    start_job(logged, Order(RUN, "ada", "console"), at=utc_now())

    page = text_of(reviewer.post(f"/chain/{RUN}/verify/stop/", follow=True))

    assert "Stopping, as rev-1 asked" in page
    job = open_job(logged, RUN)
    assert job is not None and job.stopped_by == "rev-1"


def test_stopping_what_has_ended_says_so(reviewer, logged):
    page = text_of(reviewer.post(f"/chain/{RUN}/verify/stop/", follow=True))

    assert "No verification goes on" in page


def test_a_dead_job_is_seen_as_dead_and_started_again(reviewer, logged):
    start_job(logged, Order(RUN, "ada", "console"), at=utc_now() - DEAD_AFTER)

    page = text_of(reviewer.get(f"/chain/{RUN}/"))
    assert "was interrupted" in page and "Start again" in page
    assert "hx-trigger" not in page.split('id="chain-state"')[1].split(">")[0]

    reviewer.post(f"/chain/{RUN}/verify/")
    jobs.wait(20)

    assert [row.outcome for row in logged.verifications(RUN)] == ["verified", "failed"]


def test_a_run_that_does_not_exist_is_404_on_every_page(reviewer, console):
    for page in ("", "walk/", "export/", "bundle/", "attest/", "attest/check/"):
        assert reviewer.get(f"/chain/nobody/{page}").status_code == 404
    assert reviewer.post("/chain/nobody/verify/").status_code == 404


# -- the walk


def test_the_walk_marks_what_differs_and_everything_behind_it(reviewer, logged, execute):
    execute("UPDATE events SET payload = '{}' WHERE sequence = 3")

    screen = reviewer.get(f"/chain/{RUN}/walk/").context["screen"]

    assert [(one.walked.row.sequence, one.is_sound, one.trusted) for one in screen.lines] == [
        (5, True, False),
        (4, True, False),
        (3, False, False),
        (2, True, True),
        (1, True, True),
    ]


def test_the_walk_tells_gaps_anchor_and_missing_tail(reviewer, logged, execute):
    assert "Anchor: the chain begins here" in text_of(reviewer.get(f"/chain/{RUN}/walk/"))

    execute("DELETE FROM events WHERE sequence IN (3, 5)")
    page = text_of(reviewer.get(f"/chain/{RUN}/walk/"))

    assert "Event 3 is missing" in page


def test_the_walk_tells_a_tail_that_is_gone(reviewer, logged, execute):
    execute("DELETE FROM events WHERE sequence = 5")

    assert "Events from 5 on were recorded once" in text_of(reviewer.get(f"/chain/{RUN}/walk/"))


def test_the_walk_finds_by_number_hash_person_and_time(reviewer, logged):
    row = logged.event_row(RUN, 2).row
    base = f"/chain/{RUN}/walk/"

    assert reviewer.get(base, {"q": "2"}).context["screen"].at == 2
    assert reviewer.get(base, {"q": row.hash[:12]}).context["screen"].at == 2
    assert reviewer.get(base, {"q": "zebra"}).context["screen"].asked == "zebra"
    assert reviewer.get(base, {"person": "nobody"}).context["screen"].lines == []
    assert reviewer.get(base, {"until": "2026-12-01T11:00"}).context["screen"].lines == []
    assert len(reviewer.get(base, {"since": "2026-12-01T12:00"}).context["screen"].lines) == 5


def test_times_of_a_filter_are_those_of_the_readers_zone():
    with timezone.override("Europe/Berlin"):
        query = WalkForm({"since": "2026-12-01T13:00"}).query()

    assert query.since == NOON


def test_a_broken_page_in_the_address_is_refused(reviewer, logged):
    assert reviewer.get("/chain/?before=nonsense").status_code == 422


# -- evidence


def test_an_export_is_checked_without_a_store(reviewer, logged):
    response = reviewer.get(f"/chain/{RUN}/export/?form=jsonl")
    lines = body_of(response).splitlines(keepends=True)

    *_, report = verify_file(iter(lines))
    assert not isinstance(report, Progress) and report.ok
    assert response["Content-Disposition"] == 'attachment; filename="run_a-events.jsonl"'
    assert len(lines) == 9 or len(lines) == 8


def test_an_export_of_everything_holds_every_run(reviewer, logged, make_run):
    make_run("run_b")

    lines = body_of(reviewer.get("/chain/-/export/?form=jsonl")).splitlines()

    assert json.loads(lines[-1])["runs"] == 2


def test_no_cell_of_a_csv_is_a_formula(reviewer, console, make_run):
    make_run("=HYPERLINK(1)", goal="+1")

    text = body_of(reviewer.get("/chain/-/export/?form=csv")).decode()

    assert "'=HYPERLINK(1)" in text
    assert '"=HYPERLINK' not in text


def test_a_bundle_holds_its_evidence_and_its_sums(reviewer, logged):
    with ZipFile(io.BytesIO(body_of(reviewer.get(f"/chain/{RUN}/bundle/")))) as archive:
        assert archive.testzip() is None
        names = archive.namelist()

    assert {"events.jsonl", "report.html", "verification.json", "SHA256SUMS"} <= set(names)
    assert "attestation.json" not in names


def test_an_export_that_is_not_read_to_its_end_lets_go_of_the_store(reviewer, logged, execute):
    response = reviewer.get(f"/chain/{RUN}/export/")
    next(iter(response.streaming_content))
    response.close()

    execute("UPDATE runs SET goal = 'x' WHERE run_id = ?", RUN)


def test_file_names_are_harmless_whatever_a_run_is_called(reviewer, console, make_run):
    make_run('x"\r\n/../é.exe')
    [line] = reviewer.get("/chain/").context["screen"].rows
    page = text_of(reviewer.get("/chain/"))
    url = page.split('class="breakable"><a href="')[1].split('"')[0]

    response = reviewer.get(f"{url}export/")
    body_of(response)

    assert line.run.run_id.startswith('x"')
    assert response["Content-Disposition"] == 'attachment; filename="x-exe-events.jsonl"'


# -- stores of others


@pytest.fixture(params=["tampered_payload", "compacted", "simple_completed", "row_without_events"])
def foreign(request, settings, tmp_path, monkeypatch, console):
    """A store that only the reference client has touched, which cannot be written here."""
    file = tmp_path / "foreign.db"
    shutil.copy(STORES / f"{request.param}.db", file)
    settings.CONTINUUM_DB = str(file)
    monkeypatch.setattr(engine, "_open", lambda url: open_store(url, read_only=True, create=False))
    engine.drop_store()
    yield request.param
    engine.drop_store()


def test_a_store_that_can_only_be_read_is_shown_and_its_command_named(reviewer, foreign):
    listing = reviewer.get("/chain/")
    lines = listing.context["screen"].rows
    assert lines

    for line in lines:
        base = f"/chain/{line.run.run_id}/"
        page = text_of(reviewer.get(base))
        assert "can only be read here" in page
        assert 'id="verify"' not in page
        assert "Verified to event" not in page
        assert reviewer.get(f"{base}walk/").status_code == 200
        assert body_of(reviewer.get(f"{base}export/"))
        assert reviewer.post(f"{base}verify/").status_code == 503
    assert reviewer.get("/acts/").status_code == 200
    assert body_of(reviewer.get("/acts/export/"))


@pytest.mark.parametrize("foreign", ["tampered_payload"], indirect=True)
def test_the_walk_of_a_foreign_store_still_marks_what_differs(reviewer, foreign):
    [line, *_] = reviewer.get("/chain/").context["screen"].rows

    walk = reviewer.get(f"/chain/{line.run.run_id}/walk/").context["screen"]

    assert any(not one.is_sound for one in walk.lines)
