"""Single-use grants: an authority that one action uses up (ledger.md 9, 17.2, 17.3).

A grant is attached to the key it was presented with and spent by the first
outcome recorded under that key. Beyond the reference client, a grant is held
while its key is open, a re-opened key carries the grant it was re-opened
with, and archived events count.
"""

from __future__ import annotations

from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple
from continuum.domain.events import ACTION_EVENTS, Draft, EventType
from continuum.ledger.transitions import SETTLED, Mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from continuum.domain.events import Event

MAX_GRANT_TEXT = 256


class Grant(NamedTuple):
    """A single-use authority: an id, and what it is good for."""

    id: str
    scope: str


class GrantUse(NamedTuple):
    """By which action a grant is spent or held, and that action's status."""

    key: str
    action_id: str | None
    action_type: str | None
    status: str


class GrantBook:
    """Who uses which grant, folded from a run's ledger events in order."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._attached: dict[str, str] = {}
        self._newest: dict[str, GrantUse] = {}
        self._spent: dict[str, GrantUse] = {}
        for event in events:
            self._apply(event)

    def spent(self, grant_id: str) -> GrantUse | None:
        """Return the action that used the grant up, or None."""
        return self._spent.get(grant_id)

    def held_elsewhere(self, grant_id: str, key: str) -> GrantUse | None:
        """Return an open action under another key that carries the grant, or None."""
        return next(
            (
                self._newest[other]
                for other, attached in self._attached.items()
                if attached == grant_id
                and other != key
                and self._newest[other].status not in SETTLED
            ),
            None,
        )

    def carried_by(self, key: str) -> str | None:
        """Return the id of the grant attached to a key, or None."""
        return self._attached.get(key)

    def _apply(self, event: Event) -> None:
        key = event.payload.get("key")
        if event.type not in ACTION_EVENTS or not isinstance(key, str) or not key:
            return
        grant_id = _attached_id(event.payload.get("grant"))
        if grant_id:
            self._attached[key] = grant_id
        use = GrantUse(
            key,
            event.payload.get("action_id"),
            event.payload.get("action_type"),
            str(event.payload.get("status")),
        )
        self._newest[key] = use
        if use.status in SETTLED and key in self._attached:
            self._spent.setdefault(self._attached[key], use)


def normalise_grant(grant: Any) -> Grant | None:
    """Return the grant as recorded, texts trimmed; None for None.

    Raises:
        InvalidInput: other members than `id` and `scope`, or a text that is
            blank or longer than 256 characters.
    """
    if grant is None:
        return None
    if not isinstance(grant, dict) or set(grant) != {"id", "scope"}:
        raise InvalidInput("a grant is an object of exactly id and scope")
    return Grant(_text(grant["id"], "id"), _text(grant["scope"], "scope"))


def denial_event(grant: Grant, prior: GrantUse, *, key: str, action_type: str, mark: Mark) -> Draft:
    """Return the event that records a refused claim."""
    payload = {
        "grant_id": grant.id,
        "scope": grant.scope,
        "prior_action_id": prior.action_id,
        "prior_status": prior.status,
        "attempted_key": key,
        "attempted_action_type": action_type,
        **mark.members,
    }
    return Draft(EventType.GRANT_DENIED, payload, mark.source, mark.at)


def _text(value: Any, name: str) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text or len(text) > MAX_GRANT_TEXT:
        raise InvalidInput(f"the grant's {name} has to be text of 1 to {MAX_GRANT_TEXT} characters")
    return text


def _attached_id(grant: Any) -> str | None:
    """Return the id of a grant in a payload; what other clients wrote may be anything."""
    grant_id = grant.get("id") if isinstance(grant, dict) else None
    return grant_id if isinstance(grant_id, str) and grant_id else None
