"""A whole run, driven by the SDK's client over each transport and in both eras."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import anyio
import httpx2
import pytest
from mcp.client.sse import sse_client

from continuum import open_store
from continuum.core.clock import utc_now
from continuum.ledger.transitions import Settlement
from continuum.services.acts import Act
from continuum.services.chain import verify_run
from continuum.services.decisions import confirm, settle
from continuum.services.runs import NewRun, start_run
from tests.conftest import NOON
from tests.mcp.clients import LEGACY, MODERN, Http, Stdio, connected
from tests.mcp.wire import ROOT, Server

ALLOWED = {"CONTINUUM_MCP_MUTATING_CLIENTS": "probe other"}


@pytest.fixture(params=[Stdio, Http], ids=["stdio", "http"])
def server(request, tmp_path):
    running = request.param(tmp_path, "store.db", ALLOWED)
    yield running
    running.stop()


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "store.db")


async def worked(agent):
    """Work up to a claim that is never settled; return its action id."""
    await agent.data("record_progress", run_id="run-a", completed=0, total=2, goal="Pay the bills")
    units = [{"id": "pay", "title": "Pay"}, {"id": "file", "title": "File", "depends_on": ["pay"]}]
    plan = await agent.data("record_plan", run_id="run-a", plan_id="main", units=units)
    assert plan["remaining"] == ["pay", "file"]
    await agent.data("record_summary", run_id="run-a", plan_stack=["pay"], note="bank is slow")
    await agent.data("checkpoint", run_id="run-a", env={"bank": 3}, model_id="m-1")
    claim = await agent.data("intercept_action", run_id="run-a", action_type="pay", key="bill:1")
    assert claim["proceed"] is True
    listed = await agent.data("list_actions", run_id="run-a")
    return listed["actions"][0]["action_id"]


def settled_by_a_person(place, action_id):
    act = Act(by="ada", via="test", at=utc_now(), reason="the bank shows the payment")
    with open_store(place) as store:
        settle(store, "run-a", action_id, act, Settlement(True, external_id="tx-1"))
        confirm(store, "run-a", act)


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_a_killed_run_waits_for_a_person_and_goes_on_afterwards(server, place, era):
    async def interrupted():
        async with connected(server, era) as agent:
            action_id = await worked(agent)
            server.kill()
            found.append(action_id)
            await agent.data("resume")

    async def resumed():
        async with connected(server, era) as agent:
            return await agent.data("resume", env={"bank": "3"}, expected_model="m-1")

    found: list[str] = []
    with suppress(Exception, BaseExceptionGroup):
        anyio.run(interrupted)
    (action_id,) = found

    before = anyio.run(resumed)
    settled_by_a_person(place, action_id)
    after = anyio.run(resumed)

    assert (before["run_id"], before["mode"]) == ("run-a", "request_human")
    assert before["next_allowed_action"] == f"reconcile_action:{action_id}"
    assert [one["action_id"] for one in before["uncertain_actions"]] == [action_id]
    assert {unit["id"]: unit["depends_on"] for unit in before["plan"]} == {
        "pay": [],
        "file": ["pay"],
    }
    assert (after["mode"], after["safe"]) == ("resume", True)


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_the_modern_era_is_refused_and_let_in_like_the_other(server, place, era):
    async def stranger():
        async with connected(server, era, name="stranger") as agent:
            assert len(await agent.tools()) == 13
            return await agent.refusal("record_progress", run_id="r", completed=0, goal="g")

    assert anyio.run(stranger)["reason"] == "unknown"
    with open_store(place, read_only=True) as store:
        assert store.runs(limit=9) == []


def test_without_a_handshake_each_request_proves_itself(tmp_path):
    environment = {**ALLOWED, "CONTINUUM_MCP_CLIENT_TOKENS": "probe:s-probe other:s-other"}
    server = Http(tmp_path, "store.db", environment)

    async def recorded(name, secret):
        async with connected(server, MODERN, name=name, secret=secret) as agent:
            arguments = {"run_id": f"run-{name}", "completed": 0, "goal": "g"}
            return await agent.data("record_progress", **arguments)

    async def refused(name, secret):
        async with connected(server, MODERN, name=name, secret=secret) as agent:
            return await agent.refusal("record_progress", run_id="r", completed=0, goal="g")

    try:
        assert anyio.run(recorded, "probe", "s-probe")["source_sequence"] == 2
        assert anyio.run(recorded, "other", "s-other")["source_sequence"] == 2
        for name, secret in (("probe", "s-other"), ("probe", None), ("stranger", "s-probe")):
            assert anyio.run(refused, name, secret)["code"] == "not_allowed"
    finally:
        server.stop()


def test_every_event_names_its_caller(server, place):
    async def work():
        async with connected(server, LEGACY) as agent:
            await worked(agent)
            claim = await agent.data("intercept_action", run_id="run-a", action_type="x", key="2")
            failure = {"action_key": claim["action_key"], "error": "no"}
            await agent.data("fail_action", run_id="run-a", **failure)

    anyio.run(work)

    with open_store(place, read_only=True) as store:
        events = list(store.events("run-a"))
    caller = {"client": "probe", "version": "1.0", "via": "mcp"}
    assert [event.payload.get("caller") for event in events] == [caller] * len(events)
    sources = {str(event.type): str(event.source) for event in events}
    assert sources == {
        "RUN_STARTED": "external_agent",
        "TASK_UPDATED": "external_agent",
        "TOOL_CALLED": "external_agent",
        "REASONING_SUMMARY": "external_agent",
        "DEPENDENCY_DECLARED": "external_agent",
        "MODEL_CHANGED": "external_agent",
        "STATE_CHECKPOINTED": "deterministic",
        "ACTION_RECORDED": "external_agent",
    }
    assert all("caller" not in event.payload.get("action", {}) for event in events)


def test_the_older_pair_of_stream_and_posts_is_served_too(tmp_path):
    server = Http(tmp_path, "store.db", ALLOWED, transport="sse")

    async def work():
        async with connected(sse_client(server.target()), LEGACY) as agent:
            await agent.data("record_progress", run_id="run-a", completed=1, goal="g")
            claim = await agent.data("intercept_action", run_id="run-a", action_type="t", key="k")
            again = await agent.data("intercept_action", run_id="run-a", action_type="t", key="k")
            return claim["proceed"], again["in_flight"]

    try:
        assert anyio.run(work) == (True, True)
    finally:
        server.stop()


CALLS = 50


async def many_calls(agent, name):
    """Record progress and claim in turns; return the answers."""
    answers = []
    for number in range(CALLS):
        if number % 2:
            counts = {"run_id": f"run-{name}", "completed": number, "goal": "g"}
            answers.append(await agent.data("record_progress", **counts))
        else:
            wanted = {"run_id": "shared", "action_type": "send", "key": f"{name}:{number}"}
            answers.append(await agent.data("intercept_action", **wanted))
    return answers


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"], indirect=True)
def test_two_clients_at_once_lose_and_double_nothing(store, store_url, tmp_path):
    start_run(store, NewRun("shared", "g"), at=NOON)
    answers = []

    async def keep(name):
        server = Stdio(tmp_path, store_url, ALLOWED)
        async with connected(server, LEGACY, name=name) as agent:
            answers.extend(await many_calls(agent, name))

    async def both():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keep, "probe")
            tasks.start_soon(keep, "other")

    anyio.run(both)

    assert all(verify_run(store, run.run_id).ok for run in store.runs(limit=9))
    heads = {run.run_id: store.head(run.run_id).sequence for run in store.runs(limit=9)}
    assert heads == {"shared": 1 + CALLS, "run-probe": 1 + CALLS // 2, "run-other": 1 + CALLS // 2}
    claims = [one for one in answers if "proceed" in one]
    assert all(one["proceed"] for one in claims)
    assert len({one["action_key"] for one in claims}) == CALLS


@pytest.mark.parametrize("announced", [True, False], ids=["length given", "chunked"])
def test_a_message_that_is_too_large_is_refused_over_http_in_words_of_the_protocol(
    tmp_path, announced
):
    server = Http(tmp_path, "store.db", ALLOWED)
    try:
        url = server.target()
        body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"x" * 4194304 + b'"}}'
        headers = {"content-type": "application/json", "accept": "application/json"}
        answer = httpx2.post(url, content=body if announced else iter([body]), headers=headers)
        assert answer.status_code == 413
        error = answer.json()["error"]
        assert (error["code"], error["data"]["code"]) == (-32600, "too_large")
        assert (answer.json()["jsonrpc"], answer.json()["id"]) == ("2.0", None)
        assert httpx2.post(url, content=b"{no", headers=headers).status_code == 400
        other_site = {**headers, "origin": "https://example.org"}
        assert httpx2.post(url, content=b"{}", headers=other_site).status_code == 403
    finally:
        server.stop()


def test_the_command_line_never_imports_the_sdk():
    script = (
        "import sys; import continuum.cli.dispatch, continuum.services.decisions; "
        "print(sorted(m for m in sys.modules if m.split('.')[0] in ('mcp', 'pydantic')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


def test_automatic_checkpoints_follow_settled_actions(tmp_path):
    environment = {**ALLOWED, "CONTINUUM_MCP_AUTO_CHECKPOINT": "1"}
    with Server(tmp_path, environment=environment) as server:
        server.hello()
        server.data("continuum_record_progress", run_id="r", completed=0, goal="g")
        claim = server.data("continuum_intercept_action", run_id="r", action_type="t", key="k")
        server.data("continuum_complete_action", run_id="r", action_key=claim["action_key"])
        assert server.close() == 0

    with open_store(str(tmp_path / "continuum.db"), read_only=True) as store:
        (checkpoint,) = store.checkpoints("r")
    assert checkpoint.trigger == "external_side_effect"
