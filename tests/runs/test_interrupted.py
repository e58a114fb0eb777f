"""An agent is killed in the middle; the console settles what it left, and the agent goes on."""

from __future__ import annotations

from contextlib import suppress

import anyio
import pytest

from tests.mcp.clients import LEGACY, MODERN, Http, Stdio, connected
from tests.mcp.test_runs import ALLOWED, worked
from tests.runs.conftest import form_of


@pytest.fixture(params=[Stdio, Http], ids=["stdio", "http"])
def server(request, tmp_path, store_url):
    """A real server on the console's store."""
    running = request.param(tmp_path, store_url, ALLOWED)
    yield running
    running.stop()


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_a_killed_agent_waits_for_the_console_and_goes_on(server, console, operator, era):
    found: list[str] = []

    async def interrupted():
        async with connected(server, era) as agent:
            found.append(await worked(agent))
            server.kill()
            await agent.data("resume")

    async def resumed():
        async with connected(server, era) as agent:
            return await agent.data("resume", env={"bank": "3"}, expected_model="m-1")

    with suppress(Exception, BaseExceptionGroup):
        anyio.run(interrupted)
    (action_id,) = found
    assert anyio.run(resumed)["mode"] == "request_human"

    settle_page, confirm_page = f"/runs/run-a/actions/{action_id}/settle/", "/runs/run-a/confirm/"
    outcome = {"outcome": "occurred", "external_id": "tx-1", "reason": "the bank shows it"}
    settled = operator.post(settle_page, form_of(operator.get(settle_page)) | outcome)
    scope = {"scope": "goal,progress", "reason": "checked"}
    confirmed = operator.post(confirm_page, form_of(operator.get(confirm_page)) | scope)

    assert (settled.status_code, confirmed.status_code) == (302, 302)
    after = anyio.run(resumed)
    assert (after["mode"], after["safe"]) == ("resume", True)
    by = [event.payload.get("by") for event in console.events("run-a") if event.source == "human"]
    assert by == ["op-1", "op-1"]
