"""Every kind of refusal through a real server: nothing written, counted, shown to admins."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256

import pytest

from continuum.core.clock import column_time, utc_now
from continuum.domain.callerrows import Tools
from continuum.domain.callersettings import Settings
from continuum.services.callerchanges import add_caller, disable_caller
from tests.mcp.wire import Server
from tests.services.callers import ALL_WRITE, by_ada, listed

PROGRESS = {"run_id": "run_a", "completed": 1}


@pytest.fixture
def server(console, store_url, make_run, tmp_path):
    """Start a server on the console's store, which has a run and a list of callers."""
    make_run("run_a")
    listed(console, "good")
    processes = []

    def start(**environment):
        processes.append(Server(tmp_path, "--db", store_url, environment=environment))
        return processes[-1]

    yield start
    for process in processes:
        process.close()


@pytest.fixture
def admin(sign_in):
    """A browser of somebody who decides about callers."""
    return sign_in("admin", name="ada")


def record_of(store):
    """Return a digest of everything the log and the runs say."""
    rows = [tuple(row) for row in store.event_rows("run_a", archived=False)]
    runs = [tuple(store.run_row(run.run_id)) for run in store.runs(limit=10)]
    return sha256(repr((rows, runs)).encode()).hexdigest()


def disabled(store):
    listed(store, "agent")
    disable_caller(store, "agent", by_ada(), seen_version=1)


def expired(store):
    now = utc_now()
    ended = Settings(tools=ALL_WRITE, expires_at=column_time(now - timedelta(hours=1)))
    act = by_ada(at=now - timedelta(hours=2))
    add_caller(store, "agent", ended, act, with_secret=False)


def with_secret(store):
    listed(store, "agent", with_secret=True)


def one_tool(store):
    listed(store, "agent", tools=Tools(write=("continuum_checkpoint",)))


def other_runs(store):
    listed(store, "agent", run_pattern="other-*")


def nothing(store):
    """Leave the list as it is."""


@pytest.mark.parametrize(
    ("prepare", "name", "reason"),
    [
        (nothing, "agent", "unknown"),
        (nothing, "", "unidentified"),
        (disabled, "agent", "disabled"),
        (expired, "agent", "expired"),
        (with_secret, "agent", "wrong_secret"),
        (one_tool, "agent", "wrong_tool"),
        (other_runs, "agent", "wrong_run"),
    ],
)
def test_a_refused_call_writes_nothing_is_counted_and_shown(
    server, console, admin, prepare, name, reason
):
    prepare(console)
    before = record_of(console)
    talking = server()
    talking.hello(name)

    refusal = talking.refusal("continuum_record_progress", **PROGRESS)

    assert (refusal["code"], refusal["reason"]) == ("not_allowed", reason)
    assert record_of(console) == before
    [count] = console.refusals(since_hour="2")
    assert (count.caller, count.reason, count.times) == (name, reason, 1)
    page = shown_of(admin, name)
    assert (name or "And 1 call without a name") in page
    assert not name or reason.replace("_", " ") in page


def shown_of(admin, name):
    """Return what the page of callers says, and that of the caller if it is on the list."""
    pages = [admin.get("/callers/"), admin.get(f"/callers/by-name/{name or 'nobody'}/")]
    return " ".join(page.content.decode() for page in pages if page.status_code == 200)


@pytest.mark.parametrize(
    "meta",
    [
        {"authToken": "anything"},
        {"clientInfo": {"name": "good", "version": "1"}},
        {"io.modelcontextprotocol/clientInfo": {"name": "good", "version": "1"}},
    ],
    ids=["secret", "client", "client of the modern era"],
)
def test_a_forged_meta_makes_nobody_somebody_else(server, console, admin, meta):
    before = record_of(console)
    talking = server()
    talking.hello("mallory")

    result = talking.call("continuum_record_progress", meta=meta, **PROGRESS)

    assert result["_meta"]["continuum/error"]["reason"] == "unknown"
    assert record_of(console) == before
    [count] = console.refusals(since_hour="2")
    assert (count.caller, count.reason) == ("mallory", "unknown")
    assert "mallory" in admin.get("/callers/").content.decode()


def test_a_second_identity_on_one_connection_is_refused_counted_and_shown(server, console, admin):
    before = record_of(console)
    talking = server()
    talking.hello("mallory")
    handshake = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "good", "version": "1"},
    }

    assert "error" in talking.ask("initialize", handshake)
    assert talking.refusal("continuum_record_progress", **PROGRESS)["reason"] == "unknown"

    assert record_of(console) == before
    counts = {(one.caller, one.reason): one.times for one in console.refusals(since_hour="2")}
    assert counts == {("good", "second_identity"): 1, ("mallory", "unknown"): 1}
    assert "mallory" in admin.get("/callers/").content.decode()
    assert "second identity" in shown_of(admin, "good")


def test_the_same_client_is_let_in_once_it_is_who_it_says(server, console):
    talking = server()
    talking.hello("good")

    assert talking.data("continuum_record_progress", **PROGRESS)["completed"] == 1
    assert console.refusals(since_hour="2") == []
