"""What somebody writes into a run's row around the product: what the log denies is found.

On both back ends, at every door. What no log tells takes the green away until
somebody verifies again, which is all that can be known.
"""

from __future__ import annotations

import pytest

from continuum.core.clock import utc_now
from continuum.services.summaries import catch_up
from continuum.services.verifications import Order, run_job
from runs import jobs
from runs.engine import drop_store
from tests.commands import run_ours
from tests.outsiders import execute
from tests.runs.test_chain_tampering import backend, records, reviewer

__all__ = ["backend", "records", "reviewer"]

RUN, HEAD = "run_a", 3
DENIED = {
    "goal": "goal = 'EVIL'",
    "goal, a letter": "goal = 'Process 4 invoices'",
    "completed": "status = 'completed'",
    "aborted": "status = 'aborted'",
}
UNREADABLE = {"status": "status = 'finished'", "metadata": "metadata = '{\"a\": 1'"}
UNKNOWN_TO_THE_LOG = {
    "another status": "status = 'crashed'",
    "metadata": 'metadata = \'{"fork": "true"}\'',
    "creation": "created_at = '2020-01-01T00:00:00+00:00'",
    "parent": "parent_run_id = 'run_b'",
}
EVERY = DENIED | UNREADABLE | UNKNOWN_TO_THE_LOG


@pytest.fixture
def console(db, store, store_url, settings, make_run):
    """A console on a verified run of three events, and one that could be its parent."""
    settings.CONTINUUM_DB = store_url
    make_run("run_b")
    make_run(RUN, progress=HEAD - 1)
    verify(store)
    catch_up(store, limit=10, at=utc_now())
    yield store
    jobs.wait(20)
    drop_store()


def verify(store):
    list(run_job(store, Order(RUN, "ada", "cli"), clock=utc_now))


def edit(store_url, columns):
    """Change the run's row as an intruder does, leaving the time it was updated alone."""
    execute(store_url, f"UPDATE runs SET {columns} WHERE run_id = 'run_a'")


@pytest.mark.django_db(databases=["default", "store"])
@pytest.mark.parametrize("kind", DENIED)
def test_a_row_that_its_log_denies_is_found_at_every_door(
    reviewer, console, records, store_url, kind, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    edit(store_url, DENIED[kind])

    found = run_ours("--db", store_url, "--json", "verify", RUN)
    acted = run_ours("--db", store_url, "--json", "resume", RUN)
    run_page = reviewer.get(f"/runs/{RUN}/").content.decode()
    verify(console)
    page = reviewer.get(f"/chain/{RUN}/").content.decode()
    listed = reviewer.get("/admin/runs/runrecord/").content.decode()
    admin = reviewer.get(f"/admin/runs/runrecord/{RUN}/change/").content.decode()

    assert [one["kind"] for one in found.document["violations"]] == ["ROW_MISMATCH"]
    assert found.exit_code == 3 and acted.exit_code != 0
    assert '"safe": true' not in acted.stdout
    assert ">safe" not in run_page and "· safe" not in run_page
    for text in (page, listed, admin):
        assert f"Broken at event {HEAD}" in text


@pytest.mark.django_db(databases=["default", "store"])
@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_row_that_cannot_be_read_is_safe_at_no_door(
    reviewer, console, records, store_url, kind, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    edit(store_url, UNREADABLE[kind])

    answers = [run_ours("--db", store_url, "--json", verb, RUN) for verb in ("verify", "resume")]
    everything = run_ours("--db", store_url, "--json", "verify", "--all")
    run_page = reviewer.get(f"/runs/{RUN}/").content.decode()
    chain_page = reviewer.get(f"/chain/{RUN}/")
    listed = reviewer.get(f"/admin/runs/runrecord/?q={RUN}").content.decode()

    assert [one.exit_code for one in (*answers, everything)] == [3, 3, 3]
    assert not any("Traceback" in one.stderr for one in answers)
    assert [one["run_id"] for one in everything.document["broken"]] == [RUN]
    assert ">safe" not in run_page and "· safe" not in run_page
    assert not chain_page.context["screen"].standing.is_green
    assert "Verified" not in listed


@pytest.mark.django_db(databases=["default", "store"])
@pytest.mark.parametrize("kind", EVERY)
def test_any_edit_of_the_row_takes_the_green_away(reviewer, console, records, store_url, kind):
    edit(store_url, EVERY[kind])

    page = reviewer.get(f"/chain/{RUN}/")
    listed = reviewer.get(f"/admin/runs/runrecord/?q={RUN}").content.decode()
    admin = reviewer.get(f"/admin/runs/runrecord/{RUN}/change/").content.decode()

    assert not page.context["screen"].standing.is_green
    assert "row has changed since" in page.content.decode()
    assert "row has changed since" in admin
    for text in (listed, admin):
        assert "Verified to event" not in text


@pytest.mark.parametrize("kind", UNKNOWN_TO_THE_LOG)
def test_what_no_log_tells_is_told_by_nothing_once_it_is_verified_again(console, store_url, kind):
    edit(store_url, UNKNOWN_TO_THE_LOG[kind])

    found = run_ours("--db", store_url, "--json", "verify", RUN)

    assert found.exit_code == 0  # docs/guide/security.md names these columns


def test_a_row_under_another_name_leaves_events_without_one(console, store_url):
    statement = "UPDATE runs SET run_id = 'run_x' WHERE run_id = 'run_a'"
    if console.backend == "postgresql":
        statement = f"SET session_replication_role = replica; {statement}"
    execute(store_url, statement)

    found = run_ours("--db", store_url, "--json", "verify", "--all")

    assert found.exit_code == 3
    assert found.document["runs_without_row"] == [RUN]
