"""verify --file: checking an export without a store."""

from __future__ import annotations

from continuum.cli.files import FileLines
from continuum.cli.progress import followed
from continuum.services.imports import verify_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.cli.session import Session
    from continuum.services.imports import FileReport


def checked(session: Session, path: str) -> FileReport:
    """Return what walking the chains in a file of JSON lines has found; `-` is standard input."""
    with FileLines(path) as lines:
        report: FileReport = followed(session.terminal, verify_file(lines))
    return report
