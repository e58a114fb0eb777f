"""What the server tells a client once, when it connects."""

from __future__ import annotations

INSTRUCTIONS = """\
Continuum keeps what you do in a record that outlives this session, and says after an interruption \
whether it is safe to go on.

At the start of a session call continuum_resume without run_id. When a run comes back, show the \
user its id, progress and goal, and let them choose: go on with it or start another. Ask again \
with continuum_resume before you continue after any interruption.

While you work, record progress with continuum_record_progress; the run's goal is the task \
itself, so keep no file of your own beside it. Take a checkpoint at milestones. Send every effect \
on the outside world (mail, payment, deployment, deletion, publication) through \
continuum_intercept_action first, and perform it only when the answer says proceed: true.

A run that rests on your own reports answers request_human. That is normal and does not keep you \
from recording. Do not call continuum_confirm to get past it: a person checks the work and runs \
`continuum confirm` or decides in the console. Check that work really exists before you skip units \
that the counter calls done.

A refused call has recorded nothing unless it says otherwise; its text says what to do next."""

NO_ACTIVE_RUN = (
    "No run is open. Start one with continuum_record_progress: choose a run_id after the task, "
    "give the task as its goal, and completed 0."
)


def self_report_guidance(run_id: str) -> str:
    """Return what an agent may do while only a confirmation is missing."""
    return (
        "Nothing is known to be wrong: this request_human is there because goal or progress rests "
        "on your own report, which only a person can confirm. You may go on working and "
        "recording. Check that work reported as done really is before you skip it. Do not call "
        f"continuum_confirm yourself; a person runs `continuum confirm {run_id}` or uses the "
        "console."
    )
