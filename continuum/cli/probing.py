"""reconcile without a person: ask the registered probes."""

from __future__ import annotations

from continuum.host.probes import reconcile, rehearse
from continuum.host.registries import read_probes
from continuum.wire.reconciliations import reconciliation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from continuum.cli.output import Terminal
    from continuum.cli.session import Session
    from continuum.host.probes import Reconciliation

EXIT_UNRESOLVED = 20


def run_probes(session: Session, options: Namespace) -> int:
    """Ask about every pending action and settle what is answered; exit 20 while some remain."""
    probes = read_probes(options.config)
    if options.dry_run:
        with session.reading() as store:
            outcome = rehearse(store, options.run_id, probes, at=session.at)
    else:
        with session.writing() as store:
            outcome = reconcile(store, options.run_id, probes, at=session.at)
    if session.terminal.as_json:
        session.terminal.document(reconciliation(outcome))
    else:
        _print_outcome(session.terminal, outcome)
    return 0 if outcome.is_done else EXIT_UNRESOLVED


def _print_outcome(terminal: Terminal, outcome: Reconciliation) -> None:
    settled = len(outcome.occurred) + len(outcome.not_occurred)
    terminal.line(
        f"{settled} settled ({len(outcome.occurred)} did happen, "
        f"{len(outcome.not_occurred)} did not), {len(outcome.unresolved)} still unknown, "
        f"{len(outcome.without_probe)} without a probe"
    )
    terminal.lines(
        "Still unknown:", (f"{one.action_type}: {one.detail}" for one in outcome.unresolved)
    )
    terminal.lines("No probe is registered for:", outcome.without_probe)
    if outcome.dry_run:
        terminal.line("This was a rehearsal; nothing was written.")
