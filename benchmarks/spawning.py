"""Runs command lines for a parent: wall seconds, exit status, peak memory.

Started with `python -I -S`, and kept small: a child's peak counts what the
process that spawned it held, so that must be less than any command needs.
"""

from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def run(argv: list[str], folder: str, environment: dict[str, str]) -> dict[str, Any]:
    """Run one command with its streams closed; return {seconds, exit, peak_mb}."""
    os.chdir(folder)
    silent = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    begun = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, environment, file_actions=silent)
    _, status, usage = os.wait4(pid, 0)
    return {
        "seconds": time.perf_counter() - begun,
        "exit": os.waitstatus_to_exitcode(status),
        "peak_mb": usage.ru_maxrss / 1024,
    }


def main() -> None:
    """Answer one JSON request a line until standard input ends."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(**json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
