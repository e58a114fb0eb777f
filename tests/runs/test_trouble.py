"""A store that is missing, locked, read-only, newer or no store at all."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from runs.engine import drop_store
from tests.runs.conftest import form_of, report, written


@pytest.fixture
def elsewhere(operator, settings, tmp_path):
    """Point the console at another file."""

    def to(name):
        drop_store()
        settings.CONTINUUM_DB = str(tmp_path / name)
        return tmp_path / name

    yield to
    drop_store()


def test_a_missing_store_is_503_and_is_not_made(operator, elsewhere):
    path = elsewhere("nowhere.db")

    response = operator.get("/")

    assert response.status_code == 503
    assert "nowhere.db" in response.content.decode()
    assert not path.exists()


def test_a_file_that_is_no_store_is_503_and_stays_as_it_is(operator, elsewhere):
    path = elsewhere("notes.txt")
    path.write_text("not a database, but somebody's notes" * 100)
    before = path.read_bytes()

    assert operator.get("/runs/").status_code == 503
    assert path.read_bytes() == before


def test_a_newer_store_is_503_and_stays_as_it_is(operator, elsewhere):
    path = elsewhere("newer.db")
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version = 99")
    raw.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
    raw.execute("INSERT INTO meta VALUES ('schema_version', '99')")
    raw.commit()
    raw.close()
    before = path.read_bytes()

    assert operator.get("/").status_code == 503
    assert path.read_bytes() == before


def test_a_locked_store_refuses_a_decision_and_shows_pages(
    operator, console, uncertain, store_url, settings
):
    settings.STORE_WAIT_SECONDS = 0.1
    run_id, key = uncertain()
    url = f"/runs/{run_id}/actions/{key}/settle/"
    answer = form_of(operator.get(url)) | {"outcome": "occurred", "reason": "kept?"}
    report(console, run_id, 3, fresh=False)
    before = written(console, run_id)
    rival = sqlite3.connect(store_url)
    rival.execute("BEGIN IMMEDIATE")

    pages = [operator.get(path).status_code for path in (f"/runs/{run_id}/", "/", "/runs/")]
    response = operator.post(url, answer)

    rival.rollback()
    rival.close()
    assert pages == [200, 200, 200]
    assert response.status_code == 503
    assert written(console, run_id) == before


def test_a_replaced_store_file_is_noticed(operator, console, uncertain, store_url, tmp_path):
    uncertain()
    assert len(operator.get("/runs/").context["screen"].rows) == 1
    fresh = tmp_path / "fresh.db"
    from_store = sqlite3.connect(store_url)
    into = sqlite3.connect(fresh)
    with into:
        from_store.backup(into)
        into.execute("DELETE FROM events")
        into.execute("DELETE FROM runs")
    from_store.close()
    into.close()
    for suffix in ("-wal", "-shm"):
        Path(store_url + suffix).unlink(missing_ok=True)
    fresh.replace(store_url)

    assert operator.get("/runs/").context["screen"].rows == []


def test_ready_says_which_part_is_not(client, db, settings, tmp_path):
    drop_store()
    settings.CONTINUUM_DB = str(tmp_path / "nowhere.db")

    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.content.decode() == "store: store_missing\n"
    assert client.get("/healthz").status_code == 200


def test_ready_creates_no_store_where_there_is_none(client, db, settings, tmp_path):
    drop_store()
    settings.CONTINUUM_DB = str(tmp_path / "nowhere.db")

    client.get("/readyz")
    client.get("/healthz")

    assert list(tmp_path.glob("nowhere*")) == []


def test_ready_while_another_process_writes(client, console, store_url):
    writer = sqlite3.connect(store_url, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")

    response = client.get("/readyz")

    writer.execute("ROLLBACK")
    writer.close()
    assert (response.status_code, response.content) == (200, b"ready\n")
