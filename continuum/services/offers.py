"""What a person can decide on a run right now, and what would come of it.

The consequence is not guessed: the run is judged again as it would stand after
the decision. Each offer names the events it writes and the command line that
does the same.
"""

from __future__ import annotations

import shlex

from continuum.core.records import NamedTuple
from continuum.domain.events import EventType
from continuum.recovery.facts import Confirmations
from continuum.recovery.verdict import FindingCode, judge
from continuum.services.actions import find_slot
from continuum.services.recovery import assess_run
from continuum.services.safeguards import digest_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from continuum.domain.actions import Action, Slot
    from continuum.recovery.facts import Facts
    from continuum.recovery.verdict import Verdict
    from continuum.services.recovery import Assessed
    from continuum.store.base import ReadStore


class Offer(NamedTuple):
    """One decision a person may take.

    Attributes:
        verb: `confirm`, `settle`, `complete` or `compensate`.
        writes: the event types it appends, in order.
        consequence: one sentence about how the run stands afterwards.
        command: the same decision on the command line, quoted for a shell.
        scope: what a confirmation covers.
        action: what a settlement or compensation is about.
        primary: the decision the verdict waits for.
    """

    verb: str
    label: str
    writes: tuple[str, ...]
    consequence: str
    command: str
    scope: tuple[str, ...] = ()
    action: Action | None = None
    primary: bool = False


class Prepared(NamedTuple):
    """What a decision form is built from, read in one snapshot of the store.

    Attributes:
        seen_sequence, seen_digest: go into the form, and back into the act.
    """

    assessed: Assessed
    slot: Slot | None
    seen_sequence: int
    seen_digest: str


def prepare(
    store: ReadStore, run_id: str, verb: str, identifier: str | None = None, *, at: datetime
) -> Prepared:
    """Read what a person has to see before deciding `verb`.

    Raises:
        RunNotFound, ActionNotFound, NoEvents, Corrupted: there is nothing to decide on.
    """
    with store.reading():
        assessed = assess_run(store, run_id, at=at)
        slot = find_slot(store, run_id, identifier) if identifier is not None else None
    return Prepared(assessed, slot, assessed.facts.sequence, digest_of(verb, assessed, slot))


def offers(assessed: Assessed, *, settlements: int | None = None) -> list[Offer]:
    """Return what may be decided on the run, what it waits for first.

    Args:
        settlements: of how many open actions at most; each is judged by itself.
    """
    verdict = assessed.verdict
    if verdict.closed or not verdict.chain.ok:
        return []
    return [*_confirmations(assessed), *_settlements(assessed, settlements), _completion(assessed)]


def _confirmations(assessed: Assessed) -> Iterator[Offer]:
    reviewed = _waiting_for_review(assessed.verdict)
    if not reviewed:
        return
    scopes: list[tuple[str, ...]] = [reviewed]
    if len(reviewed) > 1:
        scopes += [(component,) for component in reviewed]
    for scope in scopes:
        after = judge(_confirmed(assessed.judged_from, scope, assessed.facts.sequence))
        yield Offer(
            verb="confirm",
            label=f"Confirm {' and '.join(scope)}",
            writes=(EventType.REVIEW_CONFIRMED,),
            consequence=_consequence(after),
            command=_command("confirm", assessed, "--scope", ",".join(scope), "--reason", "…"),
            scope=scope,
            primary=scope == reviewed,
        )


def _settlements(assessed: Assessed, most: int | None) -> Iterator[Offer]:
    for opened in assessed.facts.open_actions[:most]:
        action = opened.action
        after = judge(_settled(assessed.judged_from, action))
        yield Offer(
            verb="settle",
            label=f"Settle {action.action_type}",
            writes=(EventType.ACTION_RECONCILED,),
            consequence=_consequence(after),
            command=settle_command(assessed.run.run_id, action, occurred=True),
            action=action,
            primary=True,
        )


def _completion(assessed: Assessed) -> Offer:
    unresolved = len(assessed.verdict.uncertain)
    extra = ("--over-open-items", "--reason", "…") if unresolved else ()
    consequence = "The run is closed for good; agents may no longer add to it."
    if unresolved:
        noun = "action" if unresolved == 1 else "actions"
        consequence = f"{unresolved} {noun} would stay unresolved in the record. {consequence}"
    return Offer(
        verb="complete",
        label="Complete the run",
        writes=(EventType.REVIEW_CONFIRMED, EventType.RUN_COMPLETED),
        consequence=consequence,
        command=_command("complete", assessed, "--summary", "…", *extra),
    )


def settle_command(
    run_id: str,
    action: Action,
    *,
    occurred: bool,
    external_id: str = "",
    overrides: bool = False,
    reason: str = "…",
) -> str:
    """Return the command line that settles `action`."""
    words = ["continuum", "reconcile", run_id, "--action", action.action_id]
    words.append("--occurred" if occurred else "--not-occurred")
    words += ["--external-id", external_id] if external_id else []
    words += ["--override"] if overrides else []
    return shlex.join([*words, "--reason", reason] if reason else words)


def compensate_command(run_id: str, action: Action) -> str:
    """Return the command line that records `action` as undone."""
    return shlex.join(["continuum", "compensate", run_id, action.action_id, "--reason", "…"])


def outcome_consequence(assessed: Assessed, action: Action) -> str:
    """Return how the run stands once `action` is settled either way."""
    return _consequence(judge(_settled(assessed.judged_from, action)))


def _waiting_for_review(verdict: Verdict) -> tuple[str, ...]:
    codes = {one.code for one in verdict.findings}
    named = (
        ("goal", FindingCode.GOAL_UNCONFIRMED),
        ("progress", FindingCode.PROGRESS_UNCONFIRMED),
        ("progress", FindingCode.PLAN_UNCONFIRMED),
    )
    return tuple(dict.fromkeys(component for component, code in named if code in codes))


def _confirmed(facts: Facts, scope: Sequence[str], sequence: int) -> Facts:
    covered = facts.confirmations._replace(**dict.fromkeys(scope, sequence))
    return facts._replace(confirmations=Confirmations(*covered))


def _settled(facts: Facts, action: Action) -> Facts:
    rest = tuple(one for one in facts.uncertain if one.action_id != action.action_id)
    return facts._replace(uncertain=rest)


def _consequence(after: Verdict) -> str:
    if after.safe:
        return "The run is then safe to resume."
    if not after.findings:
        return f"The verdict is then {after.mode}."
    return f"The run still needs attention: {after.findings[0].text}"


def _command(verb: str, assessed: Assessed, *rest: str) -> str:
    return shlex.join(["continuum", verb, assessed.run.run_id, *rest])
