"""The set-up that `mcp config` prints starts a server that lets the client in."""

from __future__ import annotations

import json
import subprocess
import tomllib

import pytest

from continuum.cli.mcp import CLIENTS
from tests.commands import run_ours
from tests.mcp.wire import bare_environment

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "", "version": "1"},
    },
}
PROGRESS = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {
        "name": "continuum_record_progress",
        "arguments": {"run_id": "r", "completed": 0, "goal": "g"},
    },
}


def server_in(client, text):
    """Return the server that a printed set-up defines."""
    if CLIENTS[client].file.endswith(".toml"):
        return tomllib.loads(text)["mcp_servers"]["continuum"]
    return json.loads(text)["mcpServers"]["continuum"]


@pytest.mark.parametrize("client", CLIENTS)
def test_the_printed_set_up_lets_the_client_write(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = run_ours("--db", "my store.db", "mcp", "config", client)
    server = server_in(client, answer.stdout)

    hello = json.loads(json.dumps(HELLO))
    hello["params"]["clientInfo"]["name"] = CLIENTS[client].names[0]
    done = subprocess.run(
        [server["command"], *server["args"]],
        env=bare_environment(**server["env"]),
        cwd="/",
        input="\n".join(map(json.dumps, (hello, PROGRESS))) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.exit_code == 0
    assert CLIENTS[client].file in answer.stderr
    last = json.loads(done.stdout.splitlines()[-1])
    assert last["result"]["isError"] is False, last
    assert (tmp_path / "my store.db").exists()


def test_with_json_one_document_is_printed():
    answer = run_ours("--json", "mcp", "config", "codex")

    assert answer.document["file"] == ".codex/config.toml"
    assert "[mcp_servers.continuum]" in answer.document["content"]


@pytest.mark.parametrize("argv", [["mcp"], ["mcp", "config"], ["mcp", "config", "emacs"]])
def test_what_is_not_known_is_refused_with_the_usage(argv):
    answer = run_ours(*argv)

    assert answer.exit_code == 2
    assert answer.stdout == ""
