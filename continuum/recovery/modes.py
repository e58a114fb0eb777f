"""Modes: how a run may go on, and what each means to programs."""

from __future__ import annotations

from enum import StrEnum

from continuum.domain.contract import RecoveryStatus


class Mode(StrEnum):
    """How to go on, least cautious first.

    Rollback and abort are never proposed for an open run; they exist for
    callers that reject a contract. A closed run is answered with abort.
    """

    RESUME = "resume"
    REPAIR_AND_RESUME = "repair_and_resume"
    REPLAN = "replan"
    WAIT = "wait"
    REQUEST_HUMAN = "request_human"
    ROLLBACK = "rollback"
    ABORT = "abort"


CAUTION = {mode: rank for rank, mode in enumerate(Mode)}
"""How cautious a mode is; of several proposals the most cautious wins."""

EXIT_OF_MODE = {
    Mode.RESUME: 0,
    Mode.REPAIR_AND_RESUME: 10,
    Mode.REPLAN: 10,
    Mode.WAIT: 20,
    Mode.REQUEST_HUMAN: 20,
    Mode.ROLLBACK: 30,
    Mode.ABORT: 30,
}
"""The exit status of the command line for each mode."""

EXIT_CHAIN_BROKEN = 3
"""The exit status when the chain does not verify, whatever the mode."""

STATUS_OF_MODE = {
    Mode.RESUME: RecoveryStatus.SAFE_TO_RESUME,
    Mode.REPAIR_AND_RESUME: RecoveryStatus.REQUIRES_REPAIR,
    Mode.REPLAN: RecoveryStatus.REQUIRES_REVALIDATION,
    Mode.WAIT: RecoveryStatus.REQUIRES_REVALIDATION,
    Mode.REQUEST_HUMAN: RecoveryStatus.REQUIRES_HUMAN,
    Mode.ROLLBACK: RecoveryStatus.BLOCKED,
    Mode.ABORT: RecoveryStatus.UNSAFE,
}
"""What a contract says for each mode."""

_EXIT_UNCLASSIFIED = 30
_EXIT_OF_NAME = {str(mode): status for mode, status in EXIT_OF_MODE.items()}


def exit_status_of(mode: str) -> int:
    """Return the exit status of a mode by its name; an unclassified one gives 30."""
    return _EXIT_OF_NAME.get(mode, _EXIT_UNCLASSIFIED)


def more_cautious(one: Mode, other: Mode) -> Mode:
    """Return the more cautious of two modes."""
    return max(one, other, key=CAUTION.__getitem__)
