"""Progress of long commands, on stderr and only where a person watches."""

from __future__ import annotations

import sys
from time import monotonic

from continuum.services.walks import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeVar

    from continuum.cli.output import Terminal

    Outcome = TypeVar("Outcome")

_SECONDS_BETWEEN = 0.2


class ProgressLine:
    """One line that is written over while work goes on; nothing when stderr is a file."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._is_watched = sys.stderr.isatty()
        self._next = monotonic() + _SECONDS_BETWEEN
        self._width = 0

    def show(self, step: Progress) -> None:
        """Show how far work has come, a few times a second at most."""
        if not self._is_watched or monotonic() < self._next:
            return
        self._next = monotonic() + _SECONDS_BETWEEN
        percent = min(100 * step.done // max(step.total, 1), 100)
        runs = f"run {step.run_number} of {step.runs}, " if step.runs > 1 else ""
        self._write(f"{runs}{percent} %, {step.done:,} events")

    def clear(self) -> None:
        """Take the line away."""
        if self._width:
            self._write("")
            self._terminal.overwrite("")

    def _write(self, text: str) -> None:
        self._terminal.overwrite(text.ljust(self._width))
        self._width = len(text)


def followed(terminal: Terminal, steps: Iterator[Progress | Outcome]) -> Outcome:
    """Show the progress of `steps`; return what they end with.

    Raises:
        RuntimeError: they ended without an outcome.
    """
    line = ProgressLine(terminal)
    outcome: list[Outcome] = []
    try:
        for step in steps:
            if isinstance(step, Progress):
                line.show(step)
            else:
                outcome = [step]
    finally:
        line.clear()
    if not outcome:
        raise RuntimeError("the work ended without an outcome")
    return outcome[0]
