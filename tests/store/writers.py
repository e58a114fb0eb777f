"""Processes that write to a store at the same time; run as a program by the tests."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

from continuum import open_store
from continuum.domain.events import Draft, EventType, Origin


def append_in_processes(url: str, run_id: str, *, processes: int, events: int) -> list[str]:
    """Append from several processes at once; return the ids of all events they wrote."""
    command = [sys.executable, "-m", "tests.store.writers", url, run_id, str(events)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    for one in running:
        assert one.stdout is not None and one.stdout.readline() == "ready\n"
    for one in running:
        _release(one)
    written = [one.communicate()[0] for one in running]
    assert all(one.returncode == 0 for one in running)
    return [line for text in written for line in text.split()]


def _release(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def _append(url: str, run_id: str, events: int) -> None:
    with open_store(url) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(events):
            draft = Draft(
                EventType.TASK_UPDATED,
                {"completed": number},
                Origin.EXTERNAL_AGENT,
                datetime.now(UTC),
            )
            print(store.append(run_id, [draft])[0].event_id)


if __name__ == "__main__":
    _append(sys.argv[1], sys.argv[2], int(sys.argv[3]))
