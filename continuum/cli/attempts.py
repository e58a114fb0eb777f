"""resume --repair: record that somebody set out to follow the plan."""

from __future__ import annotations

from continuum.services.attempts import record_attempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.cli.session import Session
    from continuum.recovery.verdict import Verdict


def record_plan(session: Session, verdict: Verdict) -> None:
    """Append the plan of a verdict as an attempt, and say so."""
    with session.writing() as store:
        event = record_attempt(store, verdict, at=session.at)
    steps = len(verdict.plan)
    session.terminal.note(f"Recorded the plan, {steps} step(s), as event {event.sequence}.")
