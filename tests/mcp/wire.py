"""A server in a process of its own, spoken to in plain JSON-RPC lines.

Plain, because the SDK's client would not say what the tests have to say:
garbage, a second handshake, a secret in the wrong place.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parents[2]
ANSWER_SECONDS = 60


class Lost(Exception):
    """The server did not answer."""


def bare_environment(**more: str) -> dict[str, str]:
    """Return this process's environment without settings of the product."""
    dropped = ("CONTINUUM_", "COV_")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(dropped)}
    return {**kept, "PYTHONPATH": str(ROOT), **more}


class Server:
    """`continuum-mcp` on stdio in `folder`.

    Args:
        environment: settings of the server.
    """

    def __init__(
        self, folder: Path, *options: str, environment: dict[str, str] | None = None
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "continuum.mcp", *options],
            cwd=folder,
            env=bare_environment(**(environment or {})),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._ids = count(1)
        self._pending = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def hello(self, name: str = "probe", secret: str | None = None, **more: Any) -> dict[str, Any]:
        """Make the handshake of a client; return the server's answer."""
        params: dict[str, Any] = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": name, "version": "1.0"},
            **more,
        }
        if secret is not None:
            params["_meta"] = {"authToken": secret}
        answer = self.ask("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return the message that answers it."""
        request_id = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}})
        answer = self.receive()
        assert answer.get("id") == request_id, answer
        return answer

    def call(self, tool: str, /, *, meta: dict[str, Any] | None = None, **arguments: Any) -> Any:
        """Call a tool and return its result; a JSON-RPC error fails."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        if meta is not None:
            params["_meta"] = meta
        return self.ask("tools/call", params)["result"]

    def data(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool that is expected to succeed; return the object it answers."""
        result = self.call(tool, **arguments)
        assert not result["isError"], result
        document: dict[str, Any] = result["structuredContent"]["data"]
        return document

    def refusal(self, tool: str, /, **arguments: Any) -> dict[str, str]:
        """Call a tool that is expected to refuse; return what programs read of it."""
        result = self.call(tool, **arguments)
        assert result["isError"], result
        assert "structuredContent" not in result
        members: dict[str, str] = result["_meta"]["continuum/error"]
        return {**members, "text": result["content"][0]["text"]}

    def send(self, message: Any) -> None:
        """Write one message."""
        self.send_raw(json.dumps(message).encode())

    def send_raw(self, line: bytes) -> None:
        """Write one line as it is."""
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def end_input(self, last: bytes = b"") -> None:
        """Close the server's input, behind a last line without a line break."""
        assert self.process.stdin
        self.process.stdin.write(last)
        self.process.stdin.close()

    def receive(self) -> dict[str, Any]:
        """Return the next message of the server."""
        message: dict[str, Any] = json.loads(self._line())
        return message

    def kill(self) -> None:
        """End the process as a power cut would."""
        self.process.kill()
        self._reap()

    def close(self) -> int:
        """Close the server's input; return its exit status."""
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        return self._reap()

    def errors(self) -> str:
        """Return what the server printed on standard error; it must have ended."""
        return self._stderr

    def _line(self) -> bytes:
        assert self.process.stdout
        while b"\n" not in self._pending:
            ready, _, _ = select.select([self.process.stdout], [], [], ANSWER_SECONDS)
            chunk = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            if not chunk:
                raise Lost(self._pending[:200])
            self._pending += chunk
        line, self._pending = self._pending.split(b"\n", 1)
        return line

    def _reap(self) -> int:
        process = self.process
        if process.stdin and not process.stdin.closed:
            process.stdin.close()
        if process.stderr and not process.stderr.closed:
            self._stderr = process.stderr.read().decode()
            process.stderr.close()
        status = process.wait(ANSWER_SECONDS)
        if process.stdout:
            process.stdout.close()
        return status


def start(folder: Path, *options: str, environment: dict[str, str] | None = None) -> Any:
    """Run the server with empty input to its end; return the finished process."""
    return subprocess.run(
        [sys.executable, "-m", "continuum.mcp", *options],
        cwd=folder,
        env=bare_environment(**(environment or {})),
        input=b"",
        capture_output=True,
        timeout=ANSWER_SECONDS,
        check=False,
    )
