"""How commands tell that a log stops folding."""

from __future__ import annotations

from continuum.cli.colour import Painted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.cli.output import Terminal
    from continuum.domain.projection import ProjectionFailure

EXIT_CORRUPTED = 3


def print_failure(terminal: Terminal, failure: ProjectionFailure | None) -> None:
    """Print where the log stops folding and what that means, or nothing."""
    if failure is None:
        return
    terminal.line()
    terminal.line(
        Painted("LOG STOPS FOLDING", "red"),
        f" at event {failure.sequence} ({failure.event_type})",
    )
    terminal.line("  ", failure.reason)
    terminal.line(f"  Everything shown is as of event {failure.sequence - 1}, not as of now.")


def exit_of(failure: ProjectionFailure | None) -> int:
    """Return the exit status of a command that shows a folded state."""
    return EXIT_CORRUPTED if failure else 0
