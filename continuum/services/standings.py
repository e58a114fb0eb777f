"""What kept verification results are worth now.

A kept result speaks of the log as it was. `standing` holds it against what
triggers have noted since: it is withdrawn as soon as the head moved, an event
was touched, or the run's row changed. It never walks a chain, so a page may
ask for it.
"""

from __future__ import annotations

from enum import StrEnum

from continuum.core.clock import parse_time
from continuum.core.records import NamedTuple
from continuum.domain.chain import ViolationKind
from continuum.domain.events import Head
from continuum.services.chain import run_row_digest
from continuum.services.traces import break_in_sight
from continuum.services.verifications import UNPROJECTABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from continuum.domain.chain import Violation
    from continuum.store.auditport import VerificationRow
    from continuum.store.base import ReadStore
    from continuum.store.modelport import HeadMark

_LOOKED_BACK = 5
"""How many results are looked at for one that did not end early."""


NEVER = "it was never verified"


class StandingState(StrEnum):
    """What may be said about a chain without walking it."""

    VERIFIED = "verified"
    OUTDATED = "outdated"
    TOUCHED = "touched"
    BROKEN = "broken"
    UNVERIFIED = "unverified"


class Standing(NamedTuple):
    """What is known about the chain of a run right now.

    Attributes:
        result: the newest kept result, also where it was withdrawn.
        head: the newest event.
        bad_sequence: the first event known to be wrong.
        reason: why the state is not `verified`, for people.
    """

    run_id: str
    state: StandingState
    result: VerificationRow | None
    head: Head
    bad_sequence: int | None = None
    reason: str = ""

    @property
    def is_green(self) -> bool:
        """True only for a result that still covers the log as it is."""
        return self.state is StandingState.VERIFIED

    def age_seconds(self, now: datetime) -> float | None:
        """Return how old the result is, or None without one."""
        if self.result is None:
            return None
        return (now - parse_time(self.result.finished_at)).total_seconds()


def standing(store: ReadStore, run_id: str) -> Standing:
    """Tell what the kept results are worth; reads a few rows, whatever the run's length.

    Raises:
        RunNotFound: no such run.
    """
    with store.reading():
        digest = run_row_digest(store, run_id)
        mark, head = store.head_mark(run_id), store.head(run_id)
        result = store.newest_verification(run_id)
        bad = break_in_sight(store, run_id, mark)
    known = Standing(run_id, StandingState.UNVERIFIED, result, head, reason=NEVER)
    return judged(known, bad, mark, digest)


def judged(known: Standing, bad: Violation | None, mark: HeadMark | None, digest: str) -> Standing:
    """Return how a chain stands, from what a few rows told.

    Args:
        known: an unverified one with the newest kept result and the head.
        bad: a break in sight.
        mark, digest: as for `weigh`.
    """
    if bad is not None:
        return known._replace(
            state=StandingState.BROKEN, bad_sequence=bad.sequence, reason=bad.detail
        )
    if known.result is None:
        return known
    return weigh(known, known.result, mark, digest)


def weigh(known: Standing, result: VerificationRow, mark: HeadMark | None, digest: str) -> Standing:
    """Return what a kept result is worth, where no break is in sight.

    Args:
        mark, digest: of the run now: what triggers keep, and `run_row_digest`.
    """
    if result.outcome == "broken":
        return _weigh_broken(known, result, mark, digest)
    if mark is None or mark.touched_sequence is not None:
        at = "" if mark is None else f" from event {mark.touched_sequence} on"
        reason = f"events were changed or deleted{at} since it was verified"
        return known._replace(state=StandingState.TOUCHED, reason=reason)
    behind = mark.sequence - result.head_sequence
    if behind or mark.hash != result.head_hash:
        reason = f"{behind} events came after it was verified"
        return known._replace(state=StandingState.OUTDATED, reason=reason)
    if digest != result.row_digest:
        reason = "the run's row has changed since it was verified"
        return known._replace(state=StandingState.OUTDATED, reason=reason)
    return known._replace(state=StandingState.VERIFIED, reason="")


def store_standing(store: ReadStore) -> VerificationRow | None:
    """Return the newest result of the whole store; runs have changed since, most likely."""
    return store.newest_verification(None)


def last_check(store: ReadStore) -> VerificationRow | None:
    """Return the newest result of any walk, of a chain or of the whole store."""
    newest = store.verifications(limit=_LOOKED_BACK)
    return next((row for row in newest if row.outcome in ("verified", "broken")), None)


def _weigh_broken(
    known: Standing, result: VerificationRow, mark: HeadMark | None, digest: str
) -> Standing:
    """Return whether what was found then is still so; only what proves the contrary heals it."""
    if result.bad_kind == ViolationKind.ROW_MISMATCH:
        healed = digest != result.row_digest
    elif result.bad_kind == UNPROJECTABLE:
        healed = False
    else:
        # A broken walk drops the mark, so whoever set one walked the whole chain later.
        healed = mark is not None and bool(mark.verified_sequence)
    if healed:
        reason = "it was broken when it was verified, and has been whole since"
        return known._replace(state=StandingState.OUTDATED, reason=reason)
    return known._replace(
        state=StandingState.BROKEN, bad_sequence=result.bad_sequence, reason=result.detail
    )
