"""The parent's half of a measurement: children of both sides, taken in turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, Self, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).parent.parent
T = TypeVar("T")

_BOOT = """
import runpy, sys
sys.path.insert(len(sys.path) if {last} else 0, {root!r})
runpy.run_module({module!r}, run_name="__main__")
"""


class NoPeer(Exception):
    """The reference client cannot be found."""


class Settings(NamedTuple):
    """What one run of the benchmarks works with.

    Attributes:
        quick: fewer rounds and smaller stores.
        folder: scratch space on a real disk, removed at the end.
        peer: the reference client's command, in an environment of its own.
    """

    quick: bool
    folder: Path
    peer: Path

    @property
    def peer_python(self) -> Path:
        """The interpreter of the reference client's environment."""
        return self.peer.with_name("python")

    def pick(self, quick: T, full: T) -> T:
        """Return the value for this kind of run."""
        return quick if self.quick else full


class Worker:
    """A child of one side that answers one request at a time."""

    def __init__(self, python: Path, module: str, folder: Path, *, last: bool) -> None:
        code = _BOOT.format(last=last, root=str(ROOT), module=module)
        self.peak_mb = 0.0
        self._name = module
        self._process = subprocess.Popen(
            [str(python), "-P", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env=clean_environment(),
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.communicate()

    def ask(self, do: str, **arguments: Any) -> Any:
        """Run one command in the child; return its answer."""
        self.begin(do, **arguments)
        return self.end()

    def begin(self, do: str, **arguments: Any) -> None:
        """Send a request without waiting, so that several children work at once."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, "with": arguments}) + "\n")
        self._process.stdin.flush()

    def end(self) -> Any:
        """Return the answer to the request that was begun.

        Raises:
            RuntimeError: the child failed; its traceback is on standard error.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._name} ended with {self._process.wait()}")
        answer = json.loads(line)
        self.peak_mb = max(self.peak_mb, answer["peak_mb"])
        return answer["value"]


class Sides(NamedTuple):
    """One child of each side."""

    ours: Worker
    peer: Worker
    floor: Worker


class Crew:
    """Starts children and ends them all on leaving."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def sides(self) -> Sides:
        """Start one child of each side."""
        return Sides(self.ours(), self.peer(), self.floor())

    def ours(self) -> Worker:
        """Start a child that works through our services."""
        return self._start(Path(sys.executable), "benchmarks.our_driver", last=False)

    def peer(self) -> Worker:
        """Start a child that works through the reference client's public calls."""
        return self._start(self._settings.peer_python, "benchmarks.peer_driver", last=True)

    def floor(self) -> Worker:
        """Start a child that does only what the machine cannot spare."""
        return self._start(Path(sys.executable), "benchmarks.floor_driver", last=False)

    def _start(self, python: Path, module: str, *, last: bool) -> Worker:
        worker = Worker(python, module, self._settings.folder, last=last)
        return self._stack.enter_context(worker)


class Timing(NamedTuple):
    """One command run: wall seconds, exit status, peak memory in MiB."""

    seconds: float
    exit: int
    peak_mb: float


class Spawner:
    """Runs command lines through a small process, to measure them alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(ROOT / "benchmarks" / "spawning.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=clean_environment(),
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.communicate()

    def run(self, argv: Sequence[str], *, environment: Mapping[str, str] | None = None) -> Timing:
        """Run `argv` to its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {
            "argv": list(argv),
            "folder": str(self._folder),
            "environment": {**clean_environment(), **(environment or {})},
        }
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return Timing(**json.loads(self._process.stdout.readline()))


def take_turns(rounds: int, tasks: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    """Run every task once a round, starting with another one each time.

    What slows the machine for a while then falls on all sides alike.
    """
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    names = list(tasks)
    for turn in range(rounds):
        shift = turn % len(names)
        for name in names[shift:] + names[:shift]:
            taken[name].append(tasks[name]())
    return taken


def medians(taken: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the median of every task."""
    return {name: median(values) for name, values in taken.items()}


def clean_environment() -> dict[str, str]:
    """Return this environment without what would change how a child runs."""
    dropped = ("PYTHON", "CONTINUUM_", "DJANGO_", "VIRTUAL_ENV")
    return {name: text for name, text in os.environ.items() if not name.startswith(dropped)}


def find_peer() -> Path:
    """Return the reference client's command.

    Raises:
        NoPeer: neither `CONTINUUM_PEER` nor `.venv-peer` has it.
    """
    named = os.environ.get("CONTINUUM_PEER")
    place = Path(named) if named else ROOT / ".venv-peer" / "bin" / "continuum"
    if not os.access(place, os.X_OK):
        raise NoPeer(f"no reference client at {place}; run `scripts/install peer`")
    return place


def sync_ms(path: Path, *, rounds: int = 50) -> float:
    """Return how long the disk takes to write 8 KiB durably, the median in ms."""
    taken = []
    with path.open("wb", buffering=0) as file:
        for _ in range(rounds):
            begun = time.perf_counter()
            file.write(bytes(8192))
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - begun)
    path.unlink()
    return median(taken) * 1000


def discard(path: Path) -> None:
    """Remove a SQLite store with its companions."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
