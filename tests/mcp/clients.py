"""The SDK's own client against our server in a process of its own, on each transport and era."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import Implementation

from tests.mcp.wire import bare_environment

LEGACY, MODERN = "legacy", "2026-07-28"
_ANSWER_SECONDS = 60.0
_KEEP_PID = (
    "import os, sys; open('server.pid', 'w').write(str(os.getpid())); "
    "os.execv(sys.executable, [sys.executable, '-m', 'continuum.mcp', *sys.argv[1:]])"
)


class Stdio:
    """A server that the client starts, one for each connection."""

    def __init__(self, folder: Path, db: str, environment: dict[str, str]) -> None:
        self._folder = folder
        self._parameters = StdioServerParameters(
            command=sys.executable,
            args=["-c", _KEEP_PID, "--db", db],
            env=bare_environment(**environment),
            cwd=folder,
        )

    def target(self) -> Any:
        """Return what a client connects to."""
        return self._parameters

    def kill(self) -> None:
        """End the server as a power cut would."""
        os.kill(int((self._folder / "server.pid").read_text()), signal.SIGKILL)

    def stop(self) -> None:
        """Nothing is left when the client has gone."""


class Http:
    """A server on a port of this machine, started when it is needed."""

    def __init__(
        self,
        folder: Path,
        db: str,
        environment: dict[str, str],
        *,
        transport: str = "streamable-http",
    ) -> None:
        self._folder, self._environment = folder, environment
        self._options = ["--db", db, "--transport", transport, "--port", "0"]
        self._process: subprocess.Popen[bytes] | None = None
        self._url = ""

    def target(self) -> Any:
        """Return what a client connects to."""
        if self._process is None:
            self._start()
        return self._url

    def kill(self) -> None:
        """End the server as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Let the server end."""
        self._end(signal.SIGTERM)

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "continuum.mcp", *self._options],
            cwd=self._folder,
            env=bare_environment(**self._environment),
            stderr=subprocess.PIPE,
        )
        assert self._process.stderr
        for line in self._process.stderr:
            if b"listens on" in line:
                self._url = line.decode().split()[-1]
                return
        raise AssertionError("the server has ended")

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        self._process.wait(_ANSWER_SECONDS)
        if self._process.stderr:
            self._process.stderr.close()
        self._process = None


class Agent:
    """A connected client that calls tools."""

    def __init__(self, client: Client, secret: str | None) -> None:
        self._client = client
        self._meta: Any = {"authToken": secret} if secret else None

    async def data(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the object a call is answered that is expected to succeed."""
        result = await self._client.call_tool(
            f"continuum_{tool}", arguments, meta=self._meta, read_timeout_seconds=_ANSWER_SECONDS
        )
        assert not result.is_error, result.content
        assert result.structured_content is not None
        document: dict[str, Any] = result.structured_content["data"]
        return document

    async def refusal(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return what programs read of a refusal."""
        result = await self._client.call_tool(f"continuum_{tool}", arguments, meta=self._meta)
        assert result.is_error
        assert result.meta is not None
        members: dict[str, Any] = result.meta["continuum/error"]
        return members

    async def tools(self) -> list[str]:
        """Return the names of the tools."""
        return [tool.name for tool in (await self._client.list_tools()).tools]


@asynccontextmanager
async def connected(
    server: Any, era: str, name: str = "probe", secret: str | None = None
) -> AsyncIterator[Agent]:
    """Yield a client that says it is `name`; in the modern era with its secret in each call.

    Args:
        server: one of the above, or a transport.
    """
    info = Implementation(name=name, version="1.0")
    target = server.target() if isinstance(server, (Stdio, Http)) else server
    async with Client(target, client_info=info, mode=era) as client:
        yield Agent(client, secret)
