"""A console on a fresh store, people of every role, and runs that wait for them."""

from __future__ import annotations

import sqlite3

import pytest
from django.contrib.auth.models import Group, User
from django.db import connections
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.test import Client

from continuum.domain.events import Draft, EventType, Origin
from continuum.services import summaries
from continuum.services.runs import NewRun, start_run
from runs import jobs
from runs.engine import drop_store
from tests.conftest import NOON

HTMX = {"HX-Request": "true"}
BOOSTED = HTMX | {"HX-Boosted": "true"}
HISTORY = HTMX | {"HX-History-Restore-Request": "true"}
PASSWORD = "a rather long pass phrase 7"


@pytest.fixture
def backend():
    """Pages are tested on SQLite; the store's own suite runs over both."""
    return "sqlite"


@pytest.fixture
def console(db, store, store_url, settings):
    """Point the console at `store`, the admin's alias as well."""
    settings.CONTINUUM_DB = store_url
    mirrored = connections["store"]
    connections["store"] = alias = DatabaseWrapper(
        mirrored.settings_dict | {"NAME": f"file:{store_url}?mode=rw"}, "store"
    )
    yield store
    jobs.wait(20)
    alias.close()
    connections["store"] = mirrored
    drop_store()


@pytest.fixture
def sign_in(console):
    """Return a browser in which somebody of the given roles is signed in."""

    def of(*roles, name=None):
        user = User.objects.create_user(name or "-".join(roles) or "nobody", password=PASSWORD)
        user.groups.set(Group.objects.filter(name__in=roles))
        client = Client()
        client.force_login(user, backend="runs.trust.backend.PeopleBackend")
        return client

    return of


@pytest.fixture
def operator(sign_in):
    """A browser in which an operator is signed in."""
    return sign_in("operator", name="op-1")


@pytest.fixture
def viewer(sign_in):
    """A browser in which somebody who only looks is signed in."""
    return sign_in("viewer", name="vi-1")


@pytest.fixture
def self_reported(console):
    """Make a run whose goal and progress rest on an agent's word alone."""

    def make(run_id="run_a", *, goal="Move 9 pages", done=4):
        start_run(console, NewRun(run_id, goal, Origin.EXTERNAL_AGENT), at=NOON)
        report(console, run_id, done)
        return run_id

    return make


@pytest.fixture
def uncertain(console, make_run):
    """Make a run with one action whose outcome nobody knows; return run id and key."""

    def make(run_id="run_a", key="INV-001"):
        make_run(run_id, claimed=[key])
        refresh(console)
        return run_id, key

    return make


@pytest.fixture
def execute(console, store_url):
    """Change the store's rows behind everybody's back."""

    def run(statement, *values):
        raw = sqlite3.connect(store_url)
        with raw:
            raw.execute(statement, values)
        raw.close()

    return run


def report(store, run_id, done, *, fresh=True):
    """Let an agent report progress; `fresh` says whether the lists know already."""
    payload = {"completed": done, "failed": 0, "total": 9}
    draft = Draft(EventType.TASK_UPDATED, payload, Origin.EXTERNAL_AGENT, NOON)
    with store.writing(run_id) as writer:
        writer.append(run_id, [draft])
    if fresh:
        refresh(store)


def refresh(store):
    """Bring the lists up to date, as each page does."""
    summaries.catch_up(store, limit=200, at=NOON)


def form_of(response):
    """Return the hidden fields of the decision form that a page shows."""
    return dict(response.context["hidden"])


def written(store, run_id):
    """Return the sequence and type of every event of a run."""
    return [(event.sequence, str(event.type)) for event in store.events(run_id)]
