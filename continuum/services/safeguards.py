"""What has to hold before a decision is written, each check with its own refusal."""

from __future__ import annotations

from continuum.core.canonical import stable_hash
from continuum.core.errors import (
    Corrupted,
    DecisionChanged,
    InvalidInput,
    ItemHeld,
    OpenItems,
    Refused,
)
from continuum.store.base import MAX_PAGE
from continuum.store.modelport import ItemQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.actions import Slot
    from continuum.services.acts import Act
    from continuum.services.recovery import Assessed
    from continuum.store.base import ReadStore


def digest_of(verb: str, before: Assessed, slot: Slot | None = None) -> str:
    """Return the digest of what `verb` decides on.

    Only what the decision rests on is in it, so events that change something
    else do not refuse it.
    """
    verdict = before.verdict
    shown: dict[str, Any] = {"chain": verdict.chain.ok, "closed": verdict.closed is not None}
    if slot is not None:
        shown["action"] = slot.action.record()
    elif verb == "confirm":
        shown["goal"] = _without_provenance(verdict.state["goal"])
        shown["progress"] = _without_provenance(verdict.state["progress"])
    else:
        shown["mode"] = str(verdict.mode)
        shown["findings"] = [[str(one.code), one.target, one.status] for one in verdict.findings]
    return stable_hash({"verb": verb, "run_id": verdict.run_id, **shown})


def ensure_whole(before: Assessed) -> None:
    """Raise `Corrupted` when the chain is broken."""
    chain = before.verdict.chain
    if not chain.ok:
        raise Corrupted(
            f"the chain of run {before.run.run_id!r} is broken ({chain.detail}); nothing may be "
            f"decided on it. `continuum verify {before.run.run_id}` shows the extent"
        )


def ensure_as_seen(act: Act, verb: str, before: Assessed, slot: Slot | None) -> None:
    """Raise `DecisionChanged` when the question is no longer the one the person was shown."""
    if act.seen_digest is not None and digest_of(verb, before, slot) != act.seen_digest:
        raise DecisionChanged(
            f"run {before.run.run_id!r} has changed since you were shown it "
            f"(then event {act.seen_sequence}, now {before.facts.sequence}); look again and decide"
        )


def ensure_unclaimed(store: ReadStore, act: Act, run_id: str, key: str | None) -> None:
    """Raise `ItemHeld` when somebody else has claimed what is being decided.

    Args:
        key: the action decided on; None where the decision is about the run.
    """
    query = ItemQuery(run_id=run_id, limit=MAX_PAGE)
    for item in store.items(query) if store.has_read_model else ():
        about = item.kind == "verdict" if key is None else item.target == key
        if about and item.claimed_by not in (None, act.by):
            raise ItemHeld(
                f"{item.claimed_by} works on this item; ask them to decide it or to release it"
            )


def ensure_open(before: Assessed) -> None:
    """Raise `Refused` when the run is closed."""
    closed = before.verdict.closed
    if closed:
        raise Refused(
            f"run {before.run.run_id!r} was {closed.status} at event {closed.sequence}; "
            "there is nothing left to confirm"
        )


def ensure_reason(act: Act, *, needed: bool) -> None:
    """Raise `InvalidInput` when a reason is needed and missing."""
    if needed and not act.reason:
        raise InvalidInput("this decision needs a reason; say what you checked")


def ensure_nothing_open(before: Assessed, act: Act, *, over_open_items: bool) -> None:
    """Raise `OpenItems` when effects are in doubt and the person did not say to go over them."""
    unresolved = before.verdict.uncertain
    if not unresolved:
        return
    named = ", ".join(f"{one.action_type} ({one.action_id})" for one in unresolved[:3])
    if not over_open_items:
        raise OpenItems(
            f"{len(unresolved)} action(s) of run {before.run.run_id!r} have an unknown outcome: "
            f"{named}; settle them first, or complete over open items with a reason"
        )
    ensure_reason(act, needed=True)


def _without_provenance(component: Any) -> dict[str, Any]:
    return {name: value for name, value in component.items() if name != "provenance"}
