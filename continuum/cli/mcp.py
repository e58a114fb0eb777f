"""mcp: set up the programs that agents run in."""

from __future__ import annotations

import json
import os
import sys

from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from continuum.cli.session import Session

SERVER_NAME = "continuum"
ALLOWLIST_VARIABLE = "CONTINUUM_MCP_MUTATING_CLIENTS"


class Client(NamedTuple):
    """A program that starts MCP servers.

    Attributes:
        title: as people call it.
        names: what it calls itself when it connects.
        file: where its set-up of one project is kept.
    """

    title: str
    names: tuple[str, ...]
    file: str


CLIENTS = {
    "claude-code": Client("Claude Code", ("claude-code",), ".mcp.json"),
    "gemini": Client(
        "Gemini CLI",
        ("gemini-cli-mcp-client", f"gemini-cli-mcp-client-{SERVER_NAME}"),
        ".gemini/settings.json",
    ),
    "codex": Client("Codex", ("codex-mcp-client",), ".codex/config.toml"),
    "cursor": Client("Cursor", ("cursor-vscode",), ".cursor/mcp.json"),
}


def add_mcp(parser: ArgumentParser) -> None:
    """Options of `mcp`."""
    parser.add_argument("what", metavar="config", choices=["config"], help="print a set-up")
    parser.add_argument(
        "client", metavar="CLIENT", choices=[*CLIENTS], help=f"one of {', '.join(CLIENTS)}"
    )


def run_mcp(session: Session, options: Namespace) -> int:
    """Print what a client's set-up has to hold; nothing is written anywhere."""
    client = CLIENTS[options.client]
    server = _server(session, client)
    content = _toml(server) if client.file.endswith(".toml") else _json(server)
    terminal = session.terminal
    if terminal.as_json:
        terminal.document({"client": options.client, "file": client.file, "content": content})
        return 0
    sys.stdout.write(content)
    terminal.note(
        f"For {client.title}: put this into {client.file} of the project (merge it where the file "
        f"exists). Calls are let in under the name {' or '.join(client.names)}; if the client "
        "says another one, `continuum callers list` shows it among the refused."
    )
    return 0


def _server(session: Session, client: Client) -> dict[str, Any]:
    return {
        "command": sys.executable,
        "args": ["-m", "continuum.mcp", "--db", _address(session.db)],
        "env": {ALLOWLIST_VARIABLE: " ".join(client.names)},
    }


def _address(db: str) -> str:
    """Return the store's address as it holds from any folder."""
    return db if "://" in db or db == ":memory:" else os.path.abspath(db)


def _json(server: dict[str, Any]) -> str:
    document = {"mcpServers": {SERVER_NAME: server}}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _toml(server: dict[str, Any]) -> str:
    """The texts and lists of a set-up are written in TOML as they are in JSON."""
    lines = [
        f"[mcp_servers.{SERVER_NAME}]",
        f"command = {json.dumps(server['command'], ensure_ascii=False)}",
        f"args = {json.dumps(server['args'], ensure_ascii=False)}",
        "",
        f"[mcp_servers.{SERVER_NAME}.env]",
        *(_assignment(name, text) for name, text in server["env"].items()),
    ]
    return "\n".join(lines) + "\n"


def _assignment(name: str, text: str) -> str:
    return f"{name} = {json.dumps(text, ensure_ascii=False)}"
