"""A process that kills itself before one of its statements; run as a program by the tests."""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from typing import Any

from continuum import open_store
from continuum.store.statements import Statements
from tests.conftest import NOON
from tests.stores import claimed_action, progressed

EVENTS = {"act": 2, "compact": 1}
"""How many events each kind of work appends."""


def _kill_before(number: int) -> None:
    """Have the statement of that number, counted from now, never begin."""
    numbers = count(1)
    text, script = Statements.text, Statements.script

    def counted_text(self: Statements, *arguments: Any) -> str:
        if next(numbers) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return text(self, *arguments)

    def counted_script(self: Statements, file: str):
        for statement in script(self, file):
            if next(numbers) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            yield statement

    # The process is ours to break.
    setattr(Statements, "text", counted_text)  # noqa: B010
    setattr(Statements, "script", counted_script)  # noqa: B010


def _act(url: str, number: int) -> None:
    with open_store(url) as store:
        _kill_before(number)
        with store.writing("run_a") as writer:
            key = f"k{store.head('run_a').sequence}"
            writer.append("run_a", [claimed_action("run_a", key, at=NOON), progressed(1, at=NOON)])


def _compact(url: str, number: int) -> None:
    with open_store(url) as store:
        _kill_before(number)
        with store.writing("run_a") as writer:
            through = store.head("run_a").sequence - 1
            writer.append("run_a", [progressed(1, at=NOON)])
            writer.archive("run_a", through)


def _open(url: str, number: int) -> None:
    _kill_before(number)
    open_store(url).close()


if __name__ == "__main__":
    {"act": _act, "compact": _compact, "open": _open}[sys.argv[3]](sys.argv[1], int(sys.argv[2]))
