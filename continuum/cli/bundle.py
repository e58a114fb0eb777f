"""bundle: the evidence of one run in one file."""

from __future__ import annotations

from continuum.cli.attest import add_key, signature_from
from continuum.cli.failures import EXIT_CORRUPTED
from continuum.cli.files import WholeFile
from continuum.cli.parsing import add_run
from continuum.cli.progress import followed
from continuum.services.bundles import write_bundle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from continuum.cli.session import Session


def add_bundle(parser: ArgumentParser) -> None:
    """Options of `bundle`."""
    add_run(parser)
    parser.add_argument("--out", metavar="FILE.zip", required=True, help="where to write it")
    add_key(parser)


def run_bundle(session: Session, options: Namespace) -> int:
    """Write the evidence of a run as one zip; exits 3 when the run is damaged."""
    signature = signature_from(session, options) if options.key else None
    with session.reading() as store, WholeFile(options.out) as file:
        steps = write_bundle(store, options.run_id, file, at=session.at, signature=signature)
        done = followed(session.terminal, steps)
    if session.terminal.as_json:
        session.terminal.document(
            {"bundle": options.out, "files": list(done.files), "ok": done.is_whole}
        )
    else:
        session.terminal.line(f"{options.out}: {', '.join(done.files)}")
    if not done.is_whole:
        session.terminal.note(f"run {options.run_id!r} is damaged; the report says where")
    return 0 if done.is_whole else EXIT_CORRUPTED
