"""Who did something, why, and on what they based it."""

from __future__ import annotations

from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

MAX_REASON = 4000
MAX_NAME = 200


class Act(NamedTuple):
    """One decision of one person.

    Attributes:
        by: the person's name as it goes into the event.
        via: the surface: `cli`, `console`, `library`.
        reason: the person's own words; may be empty where none is required.
        request_id: one per form; a repeated one answers again and writes nothing.
        seen_sequence: the head the person was shown.
        seen_digest: `safeguards.digest_of` over what the person was shown; when given,
            a changed question is refused.
        caller: the program that passed the decision on (`domain.callers`).
        proposed: what the first of two people said (`services.proposals`).
    """

    by: str
    via: str
    at: datetime
    reason: str = ""
    request_id: str | None = None
    seen_sequence: int | None = None
    seen_digest: str | None = None
    caller: Mapping[str, str] | None = None
    proposed: Mapping[str, str] | None = None


def ensure_act(act: Act) -> Act:
    """Return the act with trimmed texts.

    Raises:
        InvalidInput: no name, or a text that is too long.
    """
    by, reason = act.by.strip(), act.reason.strip()
    if not by:
        raise InvalidInput("a decision needs the name of the person who takes it")
    if len(by) > MAX_NAME:
        raise InvalidInput(f"the person's name is longer than {MAX_NAME} characters")
    if len(reason) > MAX_REASON:
        raise InvalidInput(f"the reason is longer than {MAX_REASON} characters")
    return act._replace(by=by, reason=reason)


def act_members(act: Act) -> dict[str, Any]:
    """Return the extra payload members that make an event answerable for."""
    members = {
        "by": act.by,
        "reason": act.reason,
        "via": act.via,
        "request_id": act.request_id,
        "seen_sequence": act.seen_sequence,
        "caller": act.caller,
        **(act.proposed or {}),
    }
    return {name: value for name, value in members.items() if value not in (None, "")}
