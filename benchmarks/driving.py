"""The child's half of a measurement: commands in, one JSON line each, answers out.

Runs under the interpreter of whichever side is measured, so it uses the
standard library only.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import contextmanager
from resource import RUSAGE_SELF, getrusage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any


class Watch:
    """Seconds of a `with` block, monotonic."""

    seconds = 0.0


@contextmanager
def timed() -> Iterator[Watch]:
    """Time the block; read `seconds` afterwards."""
    watch = Watch()
    begun = time.perf_counter()
    yield watch
    watch.seconds = time.perf_counter() - begun


def serve(commands: Mapping[str, Callable[..., Any]]) -> None:
    """Answer requests {"do": name, "with": arguments} until standard input ends.

    Anything that a command prints goes to standard error.
    """
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        request = json.loads(line)
        value = commands[request["do"]](**request["with"])
        answers.write(json.dumps({"value": value, "peak_mb": peak_mb()}) + "\n")
        answers.flush()


def peak_mb() -> float:
    """Return the most memory this process has held, in MiB.

    `getrusage` also counts what its parent held before the program was
    replaced, so the kernel's own mark is read where there is one.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            mark = next(line for line in status if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return getrusage(RUSAGE_SELF).ru_maxrss / 1024
    return int(mark.split()[1]) / 1024
