"""Sets the demo's stage: a clean folder, one process per agent, one intruder."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from continuum import open_store
from continuum.core.clock import utc_now
from continuum.core.errors import ConfigurationError, ContinuumError
from continuum.services.summaries import catch_up
from runs.demo.intruder import tamper
from runs.demo.scripts import SCRIPTS, TAMPERED_RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

STORE = "demo.db"
_MARK = ".continuum-demo"
_SECONDS_PER_AGENT = 60
_AT_ONCE = 4


def clear(folder: Path) -> Path:
    """Make the folder anew; one that is not a demo's is left alone.

    Raises:
        ConfigurationError: the folder holds something else.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / _MARK).exists():
        raise ConfigurationError(f"{folder} is not empty and no demo's; choose another --dir")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    (folder / _MARK).touch()
    return folder


@contextmanager
def play(store: Path, *, say: Callable[[str], None]) -> Iterator[None]:
    """Let the agents work on `store`, some of them to their death; keep one alive.

    The store is judged once before the block runs, so that the first page is
    complete. The live agent is stopped on leaving.
    """
    open_store(str(store)).close()
    say(f"Starting {len(SCRIPTS)} agents …")
    for wave in _waves():
        _play_wave(store, wave, say)
    tamper(store, TAMPERED_RUN)
    say(f"  {TAMPERED_RUN}: somebody edited an event in the file")
    with open_store(str(store)) as opened:
        catch_up(opened, limit=10 * len(SCRIPTS), at=utc_now())
    lasting = [_spawn(store, run_id) for run_id, script in SCRIPTS.items() if script.stays]
    try:
        yield
    finally:
        for process in lasting:
            process.terminate()
            process.wait()


def _waves() -> Iterator[list[str]]:
    """Group the scripts that end: parents first, a few at once."""
    ending = [run_id for run_id, script in SCRIPTS.items() if not script.stays]
    first = [run_id for run_id in ending if not SCRIPTS[run_id].after]
    then = [run_id for run_id in ending if SCRIPTS[run_id].after]
    for group in (first, then):
        for start in range(0, len(group), _AT_ONCE):
            yield group[start : start + _AT_ONCE]


def _play_wave(store: Path, wave: list[str], say: Callable[[str], None]) -> None:
    running = [(run_id, _spawn(store, run_id)) for run_id in wave]
    for run_id, process in running:
        _, errors = process.communicate(timeout=_SECONDS_PER_AGENT)
        _ensure_as_scripted(run_id, process.returncode, errors)
        killed = process.returncode == -signal.SIGKILL
        say(f"  {run_id}: {'killed in the middle of a claim' if killed else 'done'}")


def _spawn(store: Path, run_id: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "runs.demo.worker", str(store), run_id],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if not SCRIPTS[run_id].stays else subprocess.DEVNULL,
        text=True,
    )


def _ensure_as_scripted(run_id: str, status: int, errors: str) -> None:
    expected = -signal.SIGKILL if SCRIPTS[run_id].crashes else 0
    if status != expected:
        raise ContinuumError(f"demo agent {run_id} ended with status {status}: {errors.strip()}")
