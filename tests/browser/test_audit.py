"""A reviewer at work in Chromium: finds the tampered run, sees the bad event, takes it away."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Group, User

from continuum import open_store
from continuum.core.clock import utc_now
from continuum.domain.events import Draft, EventType, Origin
from continuum.domain.signing import KeyPair
from continuum.services import summaries, verifyjobs
from continuum.services.acts import Act
from continuum.services.chainlists import list_chains
from continuum.services.decisions import confirm
from continuum.services.runs import NewRun, start_run
from continuum.services.verifications import Order, run_job
from continuum.services.verifyjobs import open_job, start_job
from runs import jobs
from tests.browser.conftest import HOSTILE, PASSWORD
from tests.browser.test_accessibility import OVERFLOWS
from tests.commands import run_ours
from tests.conftest import NOON
from tests.outsiders import execute
from tests.stores import progressed

STORES = Path(__file__).parents[1] / "data" / "stores"
NO_PRELOAD = {"preload": False}


@pytest.fixture
def reviewer(site, console):
    """The console with a reviewer signed in."""
    user = User.objects.create_user("rev-1", password=PASSWORD)
    user.groups.set(Group.objects.filter(name="reviewer"))
    site.sign_in("rev-1")
    yield site
    jobs.wait(30)


@pytest.fixture
def payouts(console, store_url):
    """A verified run of six events, one of which somebody edited in the file."""
    start_run(console, NewRun("payouts", "Pay out to 25 merchants", Origin.HUMAN), at=NOON)
    console.append("payouts", [progressed(number, at=NOON) for number in range(1, 6)])
    list(run_job(console, Order("payouts", "ada", "cli"), clock=utc_now))
    execute(
        store_url,
        'UPDATE events SET payload = \'{"completed": 9, "failed": 0}\' '
        "WHERE run_id = 'payouts' AND sequence = 4",
    )
    summaries.catch_up(console, limit=50, at=utc_now())
    return console


def downloaded(page, click, folder):
    """Click on a link and return the file it hands out."""
    with page.expect_download() as waiting:
        page.click(click)
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def unpacked(archive, folder):
    """Unpack a bundle after checking its own sums; return the folder."""
    with ZipFile(archive) as zipped:
        zipped.extractall(folder)
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    return folder


def test_a_reviewer_finds_the_tampered_run_and_takes_the_evidence_away(
    reviewer, payouts, tmp_path, monkeypatch
):
    page = reviewer.page
    reviewer.open("/?tab=all")
    page.click(".item:has-text('Integrity') .item-title")
    page.click("a[href='/runs/payouts/'] >> nth=0")
    assert "The chain does not verify" in page.inner_text("main")

    page.click("text=Verify and look closer")
    page.click("#verify")
    jobs.wait(30)
    page.goto(page.url)
    page.wait_for_selector("text=Broken at event 4")
    bad = page.locator("[data-trust=bad]")
    assert "not that of its content" in bad.inner_text()
    assert '"completed": 9' in bad.inner_text()
    assert "fits its content" in page.locator("[data-trust=trusted]").inner_text()

    page.click("text=event 4 in the walk")
    assert page.locator("tr[data-state=bad]").get_attribute("id") == "e-4"
    assert page.locator("tr[data-state=untrusted]").count() == 2

    page.go_back()
    file = downloaded(page, "text=Evidence bundle", tmp_path)
    monkeypatch.chdir(unpacked(file, tmp_path / "bundle"))
    checked = run_ours("verify", "--file", "events.jsonl")
    assert checked.exit_code == 3
    assert "event 4" in checked.stdout


def test_a_healthy_run_is_attested_taken_away_and_checked_offline(
    reviewer, console, settings, tmp_path, monkeypatch
):
    pair = KeyPair.generate()
    (tmp_path / "key.pem").write_text(pair.private_pem)
    (tmp_path / "key.pub").write_text(pair.public_pem)
    settings.SIGNER_KEY = str(tmp_path / "key.pem")
    page = reviewer.page

    reviewer.open("/chain/")
    page.click("text=Attest or check >> nth=0")
    page.fill("#password", PASSWORD)
    page.click("text=Verify and sign")
    jobs.wait(30)
    page.goto(page.url)
    document = downloaded(page, "#newest-document", tmp_path)
    reviewer.open("/chain/invoices/")
    events = downloaded(page, "text=Events as JSON lines", tmp_path)
    reviewer.open("/chain/-/attest/")
    page.set_input_files("#document", document)
    page.fill("#public_key", pair.public_pem)
    page.click("text=Check it")
    page.wait_for_selector("text=Everything it proves is in its place")

    key = str(tmp_path / "key.pub")
    assert run_ours("attest-verify", "--file", str(document), "--pub", key).exit_code == 0
    assert run_ours("verify", "--file", str(events)).exit_code == 0
    document.write_text(document.read_text().replace('"tree_size": 5', '"tree_size": 6'))
    assert run_ours("attest-verify", "--file", str(document), "--pub", key).exit_code == 3


def test_the_progress_of_a_job_is_followed_and_stopped(reviewer, console, javascript, open_other):
    page = reviewer.page
    job = start_job(console, Order("invoices", "ada", "console"), at=utc_now())
    reviewer.open("/chain/invoices/")
    assert page.locator("progress").get_attribute("value") == "0"

    verifyjobs._beat(console, job._replace(done=1, total=2), utc_now())
    if not javascript:
        page.click("#refresh-job")
    page.wait_for_selector("progress[value='50']")
    page.click("#stop-verification")
    page.wait_for_selector("text=Stopping, as rev-1 asked")

    verifyjobs.work(console, open_other(), job, clock=utc_now)
    if not javascript:
        page.click("#refresh-job")
    page.wait_for_selector("#verify")
    assert open_job(console, "invoices") is None
    assert page.locator("progress").count() == 0


@pytest.fixture
def odd_store(console, settings, tmp_path):
    """The console on a store of odd and large payloads, every chain verified; return its runs."""
    file = tmp_path / "odd.db"
    shutil.copy(STORES / "unicode_and_big.db", file)
    settings.CONTINUUM_DB = str(file)
    with open_store(str(file)) as opened:
        summaries.catch_up(opened, limit=50, at=utc_now())
        runs = [chain.run.run_id for chain in list_chains(opened)]
        for run_id in runs:
            list(run_job(opened, Order(run_id, "ada", "cli"), clock=utc_now))
    return runs


@pytest.fixture
def hostile(console):
    """A run whose every text attacks the reader, with acts of people; return its id."""
    run_id = "odd/../run"
    for text in (HOSTILE, "=HYPERLINK(1)", "</title><script>alert(3)</script>", "javascript:x"):
        payload = {"by": text, "reason": text, text: text, "caller": {"client": text}}
        console.append(run_id, [Draft(EventType.REASONING_SUMMARY, payload, Origin.HUMAN, NOON)])
    summaries.catch_up(console, limit=50, at=utc_now())
    confirm(console, "pages", Act(HOSTILE, "console", utc_now(), reason=HOSTILE))
    return run_id


def test_nothing_an_agent_wrote_acts_on_any_audit_page(reviewer, hostile):
    page = reviewer.page
    reviewer.open("/chain/")
    url = page.locator("a[href*='/chain/~']").first.get_attribute("href")
    base = url.split("/chain/")[1]

    for path in (f"/chain/{base}", f"/chain/{base}walk/", f"/chain/{base}attest/", "/acts/"):
        reviewer.open(path)
        assert page.locator("main script, main img, main iframe").count() == 0
        assert page.locator("a[href^='javascript:']").count() == 0
        assert not page.evaluate(OVERFLOWS)
    assert HOSTILE[:20] in page.inner_text("main")


@pytest.mark.parametrize("javascript", [True])
def test_the_report_of_a_hostile_run_is_inert(reviewer, hostile, chromium, tmp_path):
    reviewer.open("/chain/")
    url = reviewer.page.locator("a[href*='/chain/~']").first.get_attribute("href")
    reviewer.open(url)
    file = downloaded(reviewer.page, "text=Evidence bundle", tmp_path)

    requests, troubles, text = opened_report(chromium, unpacked(file, tmp_path / "b"))

    assert requests == ["report.html"]
    assert troubles == []
    assert "<script>alert(2)</script>" in text


@pytest.mark.parametrize("javascript", [True])
def test_a_printed_report_keeps_words_whole(reviewer, payouts, chromium, tmp_path):
    reviewer.open("/chain/payouts/")
    file = downloaded(reviewer.page, "text=Evidence bundle", tmp_path)
    page = chromium.new_page(viewport={"width": 680, "height": 900})
    page.emulate_media(media="print")
    page.goto(f"file://{unpacked(file, tmp_path / 'b')}/report.html")

    types = page.locator(".fixed td:nth-child(3) bdi")
    lines = types.evaluate_all("(all) => all.map((one) => one.getClientRects().length)")
    overflows = page.evaluate(OVERFLOWS)
    page.close()
    assert set(lines) == {1}
    assert not overflows


@pytest.mark.parametrize("javascript", [True])
def test_odd_and_large_payloads_are_shown_and_stay_text(reviewer, odd_store, chromium, tmp_path):
    page = reviewer.page
    reviewer.open("/chain/")
    links = page.locator("#content td a[href^='/chain/']")
    urls = [links.nth(number).get_attribute("href") for number in range(links.count())]
    assert len(urls) == len(odd_store) > 0

    for number, url in enumerate(urls):
        for path in (url, f"{url}walk/"):
            reviewer.open(path)
            assert page.locator("main script, main img").count() == 0
            assert not page.evaluate(OVERFLOWS), path
        reviewer.open(url)
        file = downloaded(page, "text=Evidence bundle", tmp_path)
        requests, troubles, _ = opened_report(chromium, unpacked(file, tmp_path / str(number)))
        assert (requests, troubles) == (["report.html"], [])


def opened_report(chromium, folder):
    """Open the report of a bundle; return what it asked for, what it did, and its text."""
    context = chromium.new_context()
    page = context.new_page()
    requests: list[str] = []
    troubles: list[str] = []
    page.on("request", lambda sent: requests.append(sent.url.rpartition("/")[2]))
    page.on("dialog", lambda dialog: troubles.append(dialog.message))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(f"file://{folder}/report.html")
    page.wait_for_timeout(200)
    if page.locator("script, img, iframe, link, object").count():
        troubles.append("the report holds more than text")
    text = page.inner_text("body")
    context.close()
    return requests, troubles, text


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("javascript", [True])
def test_axe_finds_nothing_on_the_audit_pages(reviewer, payouts, hostile, settings, tmp_path):
    settings.SIGNER_KEY = str(tmp_path / "key.pem")
    list(run_job(payouts, Order("invoices", "ada", "cli"), clock=utc_now))
    start_job(payouts, Order("release", "ada", "console"), at=utc_now())
    start_job(payouts, Order("build", "ada", "console"), at=utc_now() - verifyjobs.DEAD_AFTER)
    paths = ["/chain/", "/chain/?show=broken", "/chain/?q=nothing+like+it", "/acts/"]
    paths += ["/acts/?person=nobody", "/chain/-/attest/", "/chain/-/attest/check/"]
    for run_id in ("payouts", "invoices", "release", "build"):
        paths += [f"/chain/{run_id}/", f"/chain/{run_id}/walk/"]
    paths += ["/chain/payouts/attest/", "/chain/payouts/attest/check/"]
    found = []

    for width in (1440, 390):
        reviewer.page.set_viewport_size({"width": width, "height": 900})
        for path in paths:
            reviewer.open(path)
            assert not reviewer.page.evaluate(OVERFLOWS), (path, width)
            violations = Axe().run(reviewer.page, options=NO_PRELOAD).response["violations"]
            found += [(path, width, one["id"], one["nodes"][0]["target"]) for one in violations]

    assert found == []
