"""Calls over MCP, as an agent waits for them: one line out, one line back."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from itertools import count
from statistics import median

from benchmarks.harness import ROOT, Crew, clean_environment, discard, sync_ms
from benchmarks.report import Row, Table, at_most_floors
from benchmarks.stores import GOAL, build_logs, copy_store, run_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any, Self

    from benchmarks.harness import Settings

FLOORS = 3.0
_RUN = run_name(0)
_ALLOWED = {"CONTINUUM_MCP_MUTATING_CLIENTS": "bench"}
_WRITING = ("record_progress", "intercept_action", "complete_action")
_CALLS = (*_WRITING, "list_actions", "resume")


class Line:
    """A server on stdio that answers one call at a time.

    Both sides own the name `continuum`, so only our interpreter is shown the checkout.
    """

    def __init__(self, command: list[str], folder: Path) -> None:
        ours = {"PYTHONPATH": str(ROOT)} if command[0] == sys.executable else {}
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**clean_environment(), **_ALLOWED, **ours},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._ids = count(1)

    def __enter__(self) -> Self:
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }
        self.ask("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.communicate()

    def ask(self, method: str, params: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
        """Return the seconds until the answer was there, and the answer.

        Raises:
            RuntimeError: it is an error.
        """
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        begun = time.perf_counter()
        self._send(request)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        seconds = time.perf_counter() - begun
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer or answer["result"].get("isError"):
            raise RuntimeError(f"{params} was answered {line[:500]}")
        return seconds, answer["result"]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
        """Call a tool; return the seconds and the object it answers."""
        seconds, result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return seconds, json.loads(result["content"][0]["text"])

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def measure(settings: Settings) -> Table:
    """Call on runs of 0, 1,000 and 100,000 events, in turns with both other servers."""
    rows: list[Row] = []
    for events in (0, 1000, 100_000):
        fresh = settings.folder / "mcp.db"
        with Crew(settings) as crew:
            peer = crew.peer()
            build_logs(peer, fresh, runs=1 if events else 0, events=events)
            known = copy_store(fresh, settings.folder / "mcp-known.db")
            crew.ours().ask("refresh", url=str(known))
        rows += _compared(settings, fresh, known, events)
        discard(fresh)
        discard(known)
    return Table("calls over MCP", rows)


def _compared(settings: Settings, fresh: Path, known: Path, events: int) -> list[Row]:
    ours = [sys.executable, "-m", "continuum.mcp", "--db", str(known)]
    syncs = [sync_ms(settings.folder / "sync") / 1000]
    with Line([sys.executable, "-m", "benchmarks.mcp_noop"], settings.folder) as idle:
        mine = _taken(ours, settings.folder, settings.pick(10, 40), idle=idle)
    syncs.append(sync_ms(settings.folder / "sync") / 1000)
    theirs = _peer(settings, fresh, events)
    floors = {tool: mine["noop"] + (median(syncs) if tool in _WRITING else 0.0) for tool in _CALLS}
    return [_row(tool, events, mine, theirs, floors[tool]) for tool in _CALLS]


def _peer(settings: Settings, path: Path, events: int) -> dict[str, float]:
    """The reference folds the whole log in every call, so it gets fewer of them."""
    rounds = settings.pick(3, 10) if events <= 1000 else settings.pick(0, 2)
    if not rounds:
        return {}
    command = [str(settings.peer.with_name("continuum-mcp")), "--db", str(path)]
    return _taken(command, settings.folder, rounds)


def _taken(
    command: list[str], folder: Path, rounds: int, *, idle: Line | None = None
) -> dict[str, float]:
    """Return the median seconds of each call, the first of each left out.

    `resume` comes last, since reading the whole log leaves nothing else in memory.

    Args:
        idle: called in turns, as `noop`.
    """
    taken: dict[str, list[float]] = {tool: [] for tool in (*_CALLS, "noop")}
    with Line(command, folder) as line:
        for number in range(rounds + 1):
            for tool, seconds in _round(line, number):
                taken[tool].append(seconds)
            if idle is not None:
                taken["noop"].append(idle.call("noop", {})[0])
        for _ in range(max(3, rounds // 4)):
            taken["resume"].append(line.call("continuum_resume", {"run_id": _RUN})[0])
    return {tool: median(seconds[1:]) for tool, seconds in taken.items() if seconds}


def _round(line: Line, number: int) -> Iterator[tuple[str, float]]:
    """Yield how long each call took; the claim's key is needed for the completion."""
    counts = {"run_id": _RUN, "completed": number, "goal": GOAL}
    yield "record_progress", line.call("continuum_record_progress", counts)[0]
    wanted = {"run_id": _RUN, "action_type": "send_mail", "key": f"bench-{number}"}
    seconds, claim = line.call("continuum_intercept_action", wanted)
    yield "intercept_action", seconds
    done = {"run_id": _RUN, "action_key": claim["action_key"], "external_id": "x"}
    yield "complete_action", line.call("continuum_complete_action", done)[0]
    yield "list_actions", line.call("continuum_list_actions", {"run_id": _RUN})[0]


_NOTES = {
    "resume": "audits the whole chain, so it grows with the log",
    **dict.fromkeys(_WRITING, "floor: a call that does nothing, and one durable write"),
}


def _row(
    tool: str, events: int, mine: dict[str, float], theirs: dict[str, float], floor: float
) -> Row:
    peer = theirs.get(tool)
    row = Row(
        f"{tool}, {events:,} events",
        "ms",
        mine[tool] * 1000,
        None if peer is None else peer * 1000,
        floor * 1000,
        note=_NOTES.get(tool, ""),
    )
    if tool != "resume":
        return at_most_floors(row, FLOORS)
    return row
