"""Retry budgets: how often one operation may be attempted (ledger.md 7).

An attempt is a `started` record under a key. An operation whose effect is
known to have happened, by completion or by settlement, uses no budget.
"""

from __future__ import annotations

from continuum.core.records import NamedTuple
from continuum.domain.actions import ActionStatus
from continuum.domain.events import EventType
from continuum.ledger.registries import malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from continuum.domain.events import Event

DEFAULT_MAX_ATTEMPTS = 3
BACKOFF_BASE_SECONDS = 1.0
BACKOFF_CAP_SECONDS = 60.0

_DONE = frozenset({ActionStatus.COMPLETED, ActionStatus.COMPENSATED})


class Budgets(NamedTuple):
    """The limits of a registry; without one every type has three attempts."""

    limits: Mapping[str, int] = {}
    default: int = DEFAULT_MAX_ATTEMPTS

    def limit(self, action_type: str) -> int:
        """Return how many attempts one operation of this type has."""
        return self.limits.get(action_type, self.default)


class BudgetRow(NamedTuple):
    """One type's budget in a run; attempts are those of its most tried operation."""

    action_type: str
    attempts: int
    max_attempts: int
    remaining: int
    exhausted: bool


class Tally(NamedTuple):
    """The attempts under one key."""

    action_type: str
    attempts: int
    done: bool


def budgets_from_registry(document: Mapping[str, Any], where: str) -> Budgets:
    """Return the budgets a registry document says; unknown members are ignored.

    Raises:
        ConfigurationError: a limit that is no positive whole number.
    """
    types = _object(document.get("action_types"), "action_types", where)
    limits = {name: _limit(entry, f"action_types.{name}", where) for name, entry in types.items()}
    default = document.get("default_max_attempts")
    _check_authorization_bound(document.get("authorization_bound"), where)
    if default is None:
        return Budgets(limits)
    return Budgets(limits, _whole(default, "default_max_attempts", where, least=1))


def tally_attempts(events: Iterable[Event]) -> dict[str, Tally]:
    """Return the attempts under every key of a log, in order of first appearance."""
    tallies: dict[str, Tally] = {}
    for event in events:
        key, action = event.payload.get("key"), event.payload.get("action")
        if not key or not isinstance(action, dict):
            continue
        status = action.get("status")
        before = tallies.get(key, Tally("", 0, False))
        counts = event.type is EventType.ACTION_RECORDED and status == ActionStatus.STARTED
        tallies[key] = Tally(
            str(action.get("action_type", "")), before.attempts + counts, status in _DONE
        )
    return tallies


def attempts_by_key(tallies: Mapping[str, Tally], action_type: str) -> dict[str, int]:
    """Return the attempts that use up the budget of a type, per key."""
    return {
        key: tally.attempts
        for key, tally in tallies.items()
        if tally.action_type == action_type and tally.attempts and not tally.done
    }


def budget_table(tallies: Mapping[str, Tally], budgets: Budgets) -> list[BudgetRow]:
    """Return one row per type that was attempted or has a limit, sorted by type."""
    types = {tally.action_type for tally in tallies.values()} | set(budgets.limits)
    return [
        _row(name, attempts_by_key(tallies, name), budgets.limit(name)) for name in sorted(types)
    ]


def backoff_seconds(attempt: int) -> float:
    """Return how long to wait before attempt `attempt` + 1: doubling, capped at a minute."""
    doublings = min(max(attempt, 1) - 1, 30)
    return min(BACKOFF_BASE_SECONDS * 2.0**doublings, BACKOFF_CAP_SECONDS)


def _row(action_type: str, by_key: Mapping[str, int], limit: int) -> BudgetRow:
    attempts = max(by_key.values(), default=0)
    remaining = max(0, limit - attempts)
    return BudgetRow(action_type, attempts, limit, remaining, remaining == 0)


def _limit(entry: Any, name: str, where: str) -> int:
    if isinstance(entry, dict):
        return _whole(entry.get("max_attempts"), f"{name}.max_attempts", where, least=1)
    return _whole(entry, name, where, least=1)


def _whole(value: Any, name: str, where: str, *, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise malformed(where, f"{name} has to be a whole number from {least}, not {value!r}")
    return value


def _object(value: Any, name: str, where: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise malformed(where, f"{name} has to be an object")
    return value


def _check_authorization_bound(value: Any, where: str) -> None:
    """Check a member that nothing enforces yet, so that a typing error is seen now."""
    for action_type, entries in _object(value, "authorization_bound", where).items():
        name = f"authorization_bound.{action_type}"
        for identity, entry in _object(entries, name, where).items():
            bound = _object(entry, f"{name}.{identity}", where)
            _whole(bound.get("counter", 0), f"{name}.{identity}.counter", where, least=0)
            _whole(bound.get("max_attempts"), f"{name}.{identity}.max_attempts", where, least=1)
