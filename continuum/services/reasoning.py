"""Reasoning summaries: how an agent thinks about its work, for whoever goes on."""

from __future__ import annotations

import json

from continuum.core.errors import InvalidInput, TooLarge
from continuum.core.records import NamedTuple
from continuum.domain.events import Draft, EventType, Origin
from continuum.services.pinning import normalise_pinning
from continuum.services.progress import append_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from continuum.domain.events import Event
    from continuum.store.base import Store

MAX_SUMMARY = 4096
"""Characters of a summary as JSON text."""

_DECISION_MEMBERS = {"what", "why"}


class Summary(NamedTuple):
    """What an agent keeps for its successor.

    Attributes:
        plan_stack: current step first.
        decisions: objects of `what` and `why`.
        working_set: files and ids in use.
        pinning: as of `ledger.pinning`; no part of the summary itself.
    """

    plan_stack: Sequence[str] = ()
    decisions: Sequence[Mapping[str, str]] = ()
    open_questions: Sequence[str] = ()
    working_set: Sequence[str] = ()
    note: str = ""
    pinning: Mapping[str, Any] | None = None


class RecordedSummary(NamedTuple):
    """The event that was written, and how many characters the summary has."""

    event: Event
    size: int


def record_summary(
    store: Store,
    run_id: str,
    summary: Summary,
    *,
    at: datetime,
    source: Origin = Origin.EXTERNAL_AGENT,
    members: Mapping[str, Any] | None = None,
) -> RecordedSummary:
    """Append a summary; readers use the newest one only. No verdict rests on it.

    Args:
        members: extra payload members.

    Raises:
        RunNotFound: no such run.
        InvalidInput: a decision has other members than `what` and `why`, or a
            pin is unknown.
        TooLarge: the summary has more than 4,096 characters.
        Refused: the run is closed.
    """
    content = _content(summary)
    size = len(json.dumps(content, ensure_ascii=False))
    if size > MAX_SUMMARY:
        raise TooLarge(
            f"the summary has {size} characters as JSON, {MAX_SUMMARY} are allowed; keep what the "
            "next session cannot find out by itself"
        )
    pins = normalise_pinning(summary.pinning)
    payload = {"summary": content, **({"pinning": pins} if pins else {}), **(members or {})}
    draft = Draft(EventType.REASONING_SUMMARY, payload, source, at)
    return RecordedSummary(append_event(store, run_id, draft), size)


def _content(summary: Summary) -> dict[str, Any]:
    for decision in summary.decisions:
        if set(decision) - _DECISION_MEMBERS:
            raise InvalidInput("decisions: each is an object of `what` and `why`")
    return {
        "plan_stack": list(summary.plan_stack),
        "decisions": [dict(decision) for decision in summary.decisions],
        "open_questions": list(summary.open_questions),
        "working_set": list(summary.working_set),
        "note": summary.note,
    }
