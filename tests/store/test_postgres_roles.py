"""The roles of docs/guide/sql: what each may do, tried on a real server."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from continuum import open_store
from continuum.domain.runfacts import CONFIRMABLE
from continuum.services import verifyjobs
from continuum.services.acts import Act
from continuum.services.chain import verify_run
from continuum.services.checkpoints import take_checkpoint
from continuum.services.decisions import confirm
from continuum.services.exports import export_jsonl
from continuum.services.recovery import assess
from continuum.services.standings import standing
from continuum.services.summaries import catch_up
from continuum.services.verifications import Order, VerificationRow, run_job
from continuum.services.verifyjobs import open_job, start_job, stop_job
from tests.conftest import NOON
from tests.interop.peer import ask_peer
from tests.services.acting import completed, reported, started

FOLDER = Path(__file__).parents[2] / "docs" / "guide" / "sql"
MEMBERS = {"agent": "claims_agent", "console": "the_console", "reviewer": "rev_iewer"}
REFUSED = psycopg.errors.InsufficientPrivilege

pytestmark = pytest.mark.postgres


def run_file(url, name):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute((FOLDER / name).read_text(encoding="utf-8"))


@pytest.fixture
def urls(postgres_url):
    """Addresses of one store for a member of each role, and for its owner."""
    for _ in range(2):
        run_file(postgres_url, "roles.sql")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for role, name in MEMBERS.items():
            if not connection.execute(
                "SELECT 1 FROM pg_roles WHERE rolname = %s", (name,)
            ).fetchone():
                connection.execute(f"CREATE ROLE {name} LOGIN IN ROLE continuum_{role}")
    found = {role: postgres_url.replace("postgres@", f"{name}@") for role, name in MEMBERS.items()}
    return {**found, "owner": postgres_url}


def marked(store, run_id):
    """Return the newest event the triggers noted."""
    mark = store.head_mark(run_id)
    assert mark is not None
    return mark.sequence


def kept(job):
    """Return what a verification ended with."""
    *_, row = job
    assert isinstance(row, VerificationRow)
    return row.outcome


def as_role(url, statement):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


def work(url):
    """Do what an agent does; return the run."""
    with open_store(url) as store:
        run_id = started(store, agent=True)
        reported(store, run_id, 1, 3)
        completed(store, run_id)
        take_checkpoint(store, run_id, at=NOON)
    return run_id


def test_agents_work_and_their_chain_is_whole(urls):
    run_id = work(urls["agent"])

    with open_store(urls["reviewer"], read_only=True) as store:
        assert verify_run(store, run_id).ok
        assert marked(store, run_id) == store.head(run_id).sequence
        assert [str(one.action.status) for one in store.slots(run_id)] == ["completed"]


def test_agents_go_on_working_when_the_owner_updates_the_store(urls):
    work(urls["agent"])
    as_role(urls["owner"], "UPDATE cx_meta SET value = '8' WHERE key = 'schema_version'")
    open_store(urls["owner"]).close()

    with open_store(urls["agent"]) as store:
        reported(store, "run-a", 2, 3)
        assert marked(store, "run-a") == store.head("run-a").sequence
    with pytest.raises(REFUSED):
        as_role(urls["agent"], "SELECT cx_note_append()")


FORBIDDEN_TO_AGENTS = [
    "UPDATE events SET payload = '{}'",
    "DELETE FROM events",
    "TRUNCATE events",
    "INSERT INTO events_archive SELECT *, now() FROM events",
    "DELETE FROM events_archive",
    "UPDATE events_archive SET payload = '{}'",
    "UPDATE runs SET goal = 'EVIL'",
    "DELETE FROM runs",
    "UPDATE cx_heads SET verified_sequence = 99",
    "UPDATE cx_heads SET touched_sequence = NULL",
    "DELETE FROM cx_heads",
    "DELETE FROM cx_touched",
    "INSERT INTO cx_touched (run_id, sequence, hash, at) VALUES ('r', 1, 'x', 'y')",
    "SELECT cx_keep_hash('r', 1, 'x')",
    "SELECT cx_note_touch('r', 1)",
    "DELETE FROM cx_verifications",
    "UPDATE cx_callers SET enabled = 1",
    "INSERT INTO cx_decisions SELECT * FROM cx_decisions",
    "UPDATE cx_summaries SET mode = 'resume'",
    "ALTER TABLE events DISABLE TRIGGER ALL",
    "DROP TRIGGER cx_keep_deleted ON events",
    "CREATE TABLE mine (a INTEGER)",
    "SET session_replication_role = replica",
]


@pytest.mark.parametrize("statement", FORBIDDEN_TO_AGENTS)
def test_agents_can_only_add(urls, statement):
    work(urls["agent"])

    with pytest.raises(REFUSED):
        as_role(urls["agent"], statement)


def test_an_agent_cannot_put_a_table_of_its_own_in_the_way_of_the_triggers(urls):
    run_id = work(urls["agent"])
    with open_store(urls["owner"]) as store:
        before = marked(store, run_id)
        rows = [*store.event_rows(run_id, archived=False)]
    with psycopg.connect(urls["agent"], autocommit=True) as connection:
        connection.execute("CREATE TEMP TABLE cx_heads (LIKE public.cx_heads)")
        connection.execute(
            "INSERT INTO public.events SELECT run_id, sequence + 100, event_id || 'x', type, "
            "timestamp, payload, causer_event_id, source, prev_hash, hash FROM public.events "
            "WHERE run_id = %s AND sequence = %s",
            (run_id, len(rows)),
        )

    with open_store(urls["owner"]) as store:
        after = marked(store, run_id)
    assert after == before + 100


def test_the_console_runs_verifications_as_jobs_and_finds_damage(urls):
    run_id = work(urls["agent"])
    order = Order(run_id, "ada", "console")
    with open_store(urls["console"]) as store, open_store(urls["console"]) as beats:
        for outcome in ("verified", "broken"):
            job = start_job(store, order, at=NOON)
            assert open_job(beats, run_id) == job
            row = verifyjobs.work(store, beats, job, clock=lambda: NOON)
            assert row is not None and row.outcome == outcome
            as_role(urls["owner"], "UPDATE events SET payload = '{}' WHERE sequence = 2")
        assert open_job(store, run_id) is None
        start_job(store, order, at=NOON)
        assert stop_job(store, run_id, by="eve", at=NOON + verifyjobs.DEAD_AFTER)


def test_the_console_decides_verifies_and_keeps_its_lists(urls):
    run_id = work(urls["agent"])
    with open_store(urls["console"]) as store:
        catch_up(store, limit=10, at=NOON)
        confirm(store, run_id, Act("ada", "console", NOON), scope=CONFIRMABLE)
        for subject in (run_id, None):
            order = Order(subject, "ada", "console")
            assert kept(run_job(store, order, clock=lambda: NOON)) == "verified"

        assert standing(store, run_id).is_green
        assert assess(store, run_id, at=NOON).chain.ok


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET payload = '{}'",
        "DELETE FROM events",
        "TRUNCATE events",
        "DELETE FROM events_archive",
        "UPDATE events_archive SET payload = '{}'",
        "UPDATE runs SET goal = 'EVIL'",
        "DELETE FROM runs",
        "DELETE FROM cx_touched",
        "UPDATE cx_touched SET hash = 'x'",
        "DELETE FROM cx_caller_entries",
        "DELETE FROM cx_decisions",
        "UPDATE cx_verifications SET outcome = 'verified'",
        "SELECT cx_keep_hash('r', 1, 'x')",
        "ALTER TABLE events DISABLE TRIGGER ALL",
    ],
)
def test_the_console_cannot_change_or_remove_what_was_recorded(urls, statement):
    work(urls["agent"])

    with pytest.raises(REFUSED):
        as_role(urls["console"], statement)


def test_reviewers_verify_and_export(urls):
    run_id = work(urls["agent"])
    with open_store(urls["reviewer"], read_only=True) as store:
        assert verify_run(store, run_id).ok
        assert [*export_jsonl(store, [run_id], at=NOON)]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO cx_decisions SELECT * FROM cx_decisions",
        "UPDATE events SET payload = '{}'",
        "DELETE FROM cx_verifications",
        "UPDATE cx_heads SET stale_since = NULL",
        "SELECT secret FROM cx_callers",
        "SELECT nextval('action_index_ord_seq')",
        "SELECT cx_note_stale('r')",
        "CREATE TABLE mine (a INTEGER)",
    ],
)
def test_reviewers_only_read(urls, statement):
    with pytest.raises(REFUSED):
        as_role(urls["reviewer"], statement)


@pytest.mark.interop
def test_the_reference_client_cannot_be_restrained_to_adding(urls, tmp_path):
    """It wants to own the tables at every start, as the guide says."""
    answer = ask_peer(urls["agent"], "start", "r", "--goal", "g", folder=tmp_path)

    assert answer.exit != 0
    assert "InsufficientPrivilege" in answer.err
