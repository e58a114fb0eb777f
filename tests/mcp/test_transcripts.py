"""Every MCP transcript of the reference client, replayed with our server.

A step that answers otherwise on purpose stands in `DEVIATIONS` with the name
it has in docs/reference/deviations.md. A listed step that does not differ
fails too, so the table cannot rot. Where a deviation refuses what the
reference client does, `instead` is called so that later steps are compared on
the same store. Afterwards the reference client accepts what we wrote.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from continuum import __version__
from tests.interop.peer import ask_peer
from tests.mcp.transcripts import Comparison, load, names
from tests.mcp.wire import Server

_DEVIATIONS_FILE = Path(__file__).parents[2] / "docs" / "reference" / "deviations.md"


class Deviation(NamedTuple):
    """How a step differs: its name, and arguments that make up for a refusal."""

    name: str
    instead: dict[str, Any] | None = None


DEVIATIONS: dict[tuple[str, int, int], Deviation] = {
    ("00-handshake-and-tools-list", 0, 2): Deviation("D-80"),
    ("01-denied-mutations", 1, 2): Deviation("D-08"),
    ("04-confirm-gate", 3, 3): Deviation("D-85"),
    ("04-confirm-gate", 3, 4): Deviation("D-85"),
    ("05-progress", 0, 8): Deviation("D-08"),
    ("09-interrupted-action-reconcile", 1, 10): Deviation(
        "D-84",
        instead={
            "run_id": "run-a",
            "action_key": "7fb165267c0f79731bcd972f54f2a71847dde1f7a0f2d713060ca22aa252b3a5",
            "occurred": False,
            "note": "the dashboard shows no charge",
        },
    ),
    ("13-error-shapes", 0, 10): Deviation("D-81"),
    ("14-two-clients-one-claim", 1, 2): Deviation("D-83"),
    ("14-two-clients-one-claim", 0, 4): Deviation("D-83"),
    ("14-two-clients-one-claim", 0, 5): Deviation("D-51"),
    ("14-two-clients-one-claim", 1, 3): Deviation("D-83"),
}
"""(transcript, session, request id) → deviation."""

INTERLEAVED = {"14-two-clients-one-claim": [(0, 2), (0, 3), (1, 2), (0, 4), (0, 5), (1, 3)]}
"""Transcripts whose sessions run at the same time: (session, request id) in order."""

KILLED = {("09-interrupted-action-reconcile", 0)}
"""Sessions that end with the death of the server."""

FILES = {
    ("10-retry-budget", 0, 11): {"action_types": {"pay": {"max_attempts": 5}}},
    ("10-retry-budget", 0, 12): [],
}
"""What `.continuum/budgets.json` holds from a request on."""


class Replay:
    """One transcript at work in a folder."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.surprises: list[str] = []
        self._folder = folder
        self._comparison = Comparison()
        self._sessions = load(name)["sessions"]
        self._servers: dict[int, Server] = {}

    def run(self) -> None:
        """Hold all sessions, one after the other unless they are interleaved."""
        order = INTERLEAVED.get(self.name)
        for number in range(len(self._sessions)):
            self._open(number)
            if not order:
                self._steps(number)
                self._close(number)
        for number, request_id in order or ():
            self._step(number, *self._exchange(number, request_id))
        for number in list(self._servers):
            self._close(number)

    def _open(self, number: int) -> None:
        session = self._sessions[number]
        self._servers[number] = Server(self._folder, "--db", "store.db", environment=session["env"])
        pairs = self._pairs(number)
        if pairs and pairs[0][0]["method"] == "initialize":
            self._step(number, *pairs[0])
            self._servers[number].send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _steps(self, number: int) -> None:
        for asked, answered in self._pairs(number):
            if asked["method"] != "initialize":
                self._step(number, asked, answered)

    def _close(self, number: int) -> None:
        server = self._servers.pop(number)
        if (self.name, number) in KILLED:
            server.kill()
        elif server.close() != 0:
            self.surprises.append(f"session {number} ended with an error: {server.errors()}")

    def _pairs(self, number: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        messages = [one["message"] for one in self._sessions[number]["messages"]]
        requests = [one for one in messages if "method" in one and "id" in one]
        answers = {one["id"]: one for one in messages if "method" not in one}
        return [(one, answers[one["id"]]) for one in requests]

    def _exchange(self, number: int, request_id: int) -> tuple[dict[str, Any], dict[str, Any]]:
        return next(pair for pair in self._pairs(number) if pair[0]["id"] == request_id)

    def _step(self, number: int, asked: dict[str, Any], answered: dict[str, Any]) -> None:
        place = (self.name, number, asked["id"])
        self._write_budgets(FILES.get(place))
        request = self._comparison.filled(asked)
        tool = request.get("params", {}).get("name")
        answer = self._ask(number, request)
        differences = self._comparison.differences(_ours(answered), answer, tool)
        deviation = DEVIATIONS.get(place)
        if bool(differences) is not bool(deviation):
            self.surprises.append(f"{place} {tool}: {differences or 'listed, but equal'}")
        if deviation and deviation.instead:
            params = {**request["params"], "arguments": deviation.instead}
            answer = self._ask(number, {**request, "params": self._comparison.filled(params)})
            if self._comparison.differences(answered, answer, tool):
                self.surprises.append(f"{place} {tool}: the call instead answers otherwise")

    def _ask(self, number: int, request: dict[str, Any]) -> dict[str, Any]:
        server = self._servers[number]
        server.send(request)
        return server.receive()

    def _write_budgets(self, content: Any) -> None:
        if content is not None:
            path = self._folder / ".continuum" / "budgets.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(content))


def _ours(answered: dict[str, Any]) -> dict[str, Any]:
    """The recorded answer, with the version we name where the reference client names none."""
    info = answered.get("result", {}).get("serverInfo")
    if info is None:
        return answered
    result = {**answered["result"], "serverInfo": {**info, "version": __version__}}
    return {**answered, "result": result}


@pytest.mark.interop
@pytest.mark.parametrize("name", names())
def test_transcript_replays_and_the_reference_client_accepts_the_store(name, tmp_path, peer):
    replay = Replay(name, tmp_path)

    replay.run()

    assert not replay.surprises, "\n".join(replay.surprises)
    assert not _what_the_peer_refuses(tmp_path)


def test_every_deviation_of_a_transcript_is_described():
    described = _DEVIATIONS_FILE.read_text(encoding="utf-8")

    for name in {deviation.name for deviation in DEVIATIONS.values()}:
        assert f"### {name} " in described


def _what_the_peer_refuses(folder: Path) -> list[str]:
    """Return what the reference client finds wrong with the store in `folder`."""
    listed = ask_peer("store.db", "--json", "runs", folder=folder)
    wrong = [f"runs: {listed.err}"] if listed.exit else []
    for run in listed.document["runs"]:
        run_id = run["run_id"]
        verified = ask_peer("store.db", "verify", run_id, folder=folder)
        if verified.exit:
            wrong.append(f"verify {run_id}: {verified.exit} {verified.err}")
        for command in ("actions", "resume", "events", "history"):
            answer = ask_peer("store.db", "--json", command, run_id, folder=folder)
            if answer.exit not in (0, 10, 20) or answer.document is None:
                wrong.append(f"{command} {run_id}: {answer.exit} {answer.err}")
    return wrong
