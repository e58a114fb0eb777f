"""Fixtures every folder shares: stores on both back ends, and what to put into them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from continuum import open_store
from tests.postgres import PostgresServer
from tests.stores import RunMaker

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server for this session; one per worker when tests run in parallel."""
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture
def postgres_url(postgres_server):
    """The address of a fresh database that holds our tables."""
    url = postgres_server.make_database(empty=False)
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def empty_postgres_url(postgres_server):
    """The address of a fresh database without any table."""
    url = postgres_server.make_database(empty=True)
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request):
    """Each back end in turn."""
    return request.param


@pytest.fixture
def store_url(backend, tmp_path, request):
    """The address of a fresh store."""
    if backend == "sqlite":
        return str(tmp_path / "store.db")
    return request.getfixturevalue("postgres_url")


@pytest.fixture
def store(store_url):
    """A fresh store, open for writing."""
    with open_store(store_url) as opened:
        yield opened


@pytest.fixture
def make_run(store):
    """Make a run in `store`; see `RunMaker`."""
    return RunMaker(store, at=NOON)


@pytest.fixture
def open_other(store_url):
    """Open the store of `store_url` once more, as another process would."""
    opened = []

    def open_it(**options):
        opened.append(open_store(store_url, **options))
        return opened[-1]

    yield open_it
    for one in opened:
        one.close()
