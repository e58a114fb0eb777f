"""Refusals and faults as agents read them: which tool, why, and what to do next."""

from __future__ import annotations

from continuum.core.errors import CallerRefused, InvalidInput
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.core.errors import ContinuumError

INTERNAL = "internal_error"
UNKNOWN_TOOL = "unknown_tool"


class Refusal(NamedTuple):
    """Why a call was not done.

    Attributes:
        code: stable, for programs.
        reason: of an authorization, a `DenialReason`; else empty.
        field: the argument that is wrong; else empty.
        next: what to do about it.
    """

    text: str
    code: str
    reason: str = ""
    field: str = ""
    next: str = ""

    def members(self) -> dict[str, str]:
        """Return what programs read, without the empty ones."""
        members = {
            "code": self.code, "reason": self.reason, "field": self.field, "next": self.next
        }  # fmt: skip
        return {name: value for name, value in members.items() if value}


def refusal_of(tool: str, error: ContinuumError) -> Refusal:
    """Return an error of this house as the answer to a call of `tool`."""
    if isinstance(error, CallerRefused):
        return Refusal(str(error), error.code, reason=str(error.reason))
    step = _NEXT.get(error.code, _ANYTHING)
    text = f"{tool} refused ({error.code}): {_sentence(str(error))} {step}"
    field = error.field if isinstance(error, InvalidInput) else ""
    return Refusal(text, error.code, field=field, next=step)


def unknown_tool(name: str, known: list[str]) -> Refusal:
    """Return the answer to a call of a tool that is not offered."""
    step = f"Call one of: {', '.join(known)}."
    text = f"there is no tool {name[:100]!r} here. {step}"
    return Refusal(text, UNKNOWN_TOOL, field="name", next=step)


def fault(tool: str, correlation_id: str) -> Refusal:
    """Return the answer where something broke that nobody foresaw."""
    step = (
        "It may or may not have been recorded: read the run with continuum_resume before you "
        "call again, and give the id to whoever runs the server."
    )
    text = f"{tool} failed for a reason inside the server, logged as {correlation_id}. {step}"
    return Refusal(text, INTERNAL, next=step)


_ANYTHING = "Nothing was recorded; correct the call or ask whoever runs the server."
_LOOK_AGAIN = "Call continuum_resume to see how the run stands now, then decide again."
_LIST = "continuum_list_actions lists the run's actions (on the host: `continuum actions RUN`)."
_SETTLE = (
    "Find out whether the effect happened, then record it with continuum_reconcile_action; if you "
    "cannot tell, leave it to a person."
)
_FIND_RUN = (
    "Call continuum_resume without run_id to find the active run, or start one with "
    "continuum_record_progress and a goal."
)
_DAMAGED = "Nothing was recorded; an operator has to look at the run: `continuum verify RUN`."
_WAIT = "Nothing was recorded; call again in a moment."
_NEXT = {
    "invalid_input": "Nothing was recorded; correct the argument and call again.",
    "too_large": "Nothing was recorded; shorten it and call again.",
    "run_not_found": _FIND_RUN,
    "not_found": _FIND_RUN,
    "no_events": "Record progress first: continuum_record_progress writes the start of the run.",
    "no_active_run": _FIND_RUN,
    "action_not_found": _LIST,
    "conflict": _LOOK_AGAIN,
    "stale_head": _WAIT,
    "decision_changed": _LOOK_AGAIN,
    "already_decided": (
        "The record stands; continuum_reconcile_action overturns it where it is wrong, with "
        "evidence."
    ),
    "key_reused": "Use another key for another effect.",
    "refused": _LOOK_AGAIN,
    "outcome_unknown": _SETTLE,
    "second_person_needed": "Nothing was recorded; leave it to the people who decide it together.",
    "budget_exhausted": "Do not try again; report it to whoever runs the agent.",
    "corrupted": _DAMAGED,
    "unreadable_record": _DAMAGED,
    "unprojectable": _DAMAGED,
    "store_locked": _WAIT,
    "connection_lost": _WAIT,
}


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
