"""Chromium on a live console, with and without JavaScript; nothing leaves the host."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db import connection
from playwright.sync_api import Page, sync_playwright

from continuum.domain.events import Draft, EventType, Origin
from continuum.services import summaries
from continuum.services.runs import NewRun, start_run
from runs.engine import drop_store
from tests.browser.chromium import ARGUMENTS, EXECUTABLE
from tests.conftest import NOON
from tests.stores import claimed_action

PASSWORD = "a rather long pass phrase 7"
HOSTILE = "<img src=x onerror=alert(1)> ![x](https://evil.example/p.png) <script>alert(2)</script>"

_migration = import_module("runs.migrations.0001_roles")

# Playwright's own loop runs in this thread; the ORM calls of fixtures are ours alone.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


def pytest_collection_modifyitems(items):
    """Mark what is in this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


class Site(NamedTuple):
    """A live console."""

    url: str
    page: Page
    foreign: list[str]
    errors: list[str]

    def open(self, path):
        """Go to an address of the console."""
        self.page.goto(self.url + path)

    def sign_in(self, name="op-1"):
        """Sign in as a person would."""
        self.open("/login/")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", PASSWORD)
        self.page.click("text=Sign in >> nth=-1")
        self.page.wait_for_url(self.url + "/")


@pytest.fixture
def backend():
    """Pages are the same on both back ends."""
    return "sqlite"


@pytest.fixture(scope="session")
def chromium():
    """One browser for the session."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def roles(transactional_db):
    """The roles of the first migration, which every flush of the database takes away."""
    _migration.create_roles(apps, SimpleNamespace(connection=connection))


@pytest.fixture
def console(roles, store, store_url, settings):
    """A store with one run of every kind a person meets, and an operator."""
    settings.CONTINUUM_DB = store_url
    user = User.objects.create_user("op-1", password=PASSWORD)
    user.groups.set(Group.objects.filter(name="operator"))
    start_run(store, NewRun("invoices", "Process 10 invoices"), at=NOON)
    start_run(store, NewRun("pages", "Move 9 pages", Origin.EXTERNAL_AGENT), at=NOON)
    start_run(store, NewRun("odd/../run", HOSTILE, Origin.EXTERNAL_AGENT), at=NOON)
    start_run(store, NewRun("release", "Release"), at=NOON)
    start_run(store, NewRun("build", "Build", Origin.EXTERNAL_AGENT, parent="release"), at=NOON)
    with store.writing("invoices") as writer:
        writer.append("invoices", [claimed_action("invoices", "INV-001", at=NOON)])
    with store.writing("odd/../run") as writer:
        hostile = {"key": HOSTILE, "note": HOSTILE}
        draft = Draft(EventType.TOOL_COMPLETED, hostile, Origin.EXTERNAL_AGENT, NOON)
        claim = claimed_action("odd/../run", HOSTILE, at=NOON, action_type=HOSTILE)
        writer.append("odd/../run", [draft, claim])
    summaries.catch_up(store, limit=50, at=NOON)
    yield store
    drop_store()


@pytest.fixture(params=[True, False], ids=["javascript", "no javascript"])
def javascript(request):
    """Both kinds of browser."""
    return request.param


@pytest.fixture
def color_scheme():
    """The theme the browser prefers."""
    return "light"


@pytest.fixture
def site(chromium, live_server, console, javascript, color_scheme):
    """A live console in a fresh browser window."""
    context = chromium.new_context(
        java_script_enabled=javascript,
        color_scheme=color_scheme,
        viewport={"width": 1440, "height": 900},
    )
    page = context.new_page()
    page.set_default_timeout(10_000)
    foreign: list[str] = []
    errors: list[str] = []
    page.on("request", lambda sent: _note_foreign(sent.url, live_server.url, foreign))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(f"dialog: {dialog.message}"))
    yield Site(live_server.url, page, foreign, errors)
    context.close()
    assert foreign == []
    assert errors == []


def _note_foreign(url, own, foreign):
    if not url.startswith((own, "data:")):
        foreign.append(url)
