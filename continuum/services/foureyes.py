"""Four-eyes: which decisions take two different people.

A rule binds every door, admins and the command line included: it is looked up
in the transaction that would write. Rules are kept as a list of changes with
who made them and why; the newest of a subject holds.
"""

from __future__ import annotations

from continuum.core.clock import column_time
from continuum.core.errors import InvalidInput, SecondPersonNeeded
from continuum.core.records import NamedTuple
from continuum.domain.events import Origin
from continuum.services.acts import ensure_act
from continuum.store.policyport import PolicyRow as PolicyRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from continuum.domain.actions import Action
    from continuum.services.acts import Act
    from continuum.store.base import ReadStore, Store

EVERY_TYPE = "*"
MAX_TYPE = 200


class Subject(NamedTuple):
    """What a rule is about: actions of a type, or completing a run over open items."""

    name: str
    action_type: str = ""

    @property
    def words(self) -> str:
        """The subject for people."""
        if self == OVER_OPEN_ITEMS:
            return "completing over open items"
        if self.action_type == EVERY_TYPE:
            return "settling or undoing an action of any type"
        return f"settling or undoing {self.action_type}"


OVER_OPEN_ITEMS = Subject("over_open_items")


def actions_of(action_type: str) -> Subject:
    """Return the subject of a type of action; `*` stands for every type.

    Raises:
        InvalidInput: no type, or one that is too long.
    """
    text = action_type.strip()
    if not text:
        raise InvalidInput("name a type of action, or `*` for every one", field="action_type")
    if len(text) > MAX_TYPE:
        raise InvalidInput(f"the type is longer than {MAX_TYPE} characters", field="action_type")
    return Subject("action", text)


class Rules(NamedTuple):
    """What takes two people now."""

    rows: tuple[PolicyRow, ...]

    def bind(self, subject: Subject) -> bool:
        """Return whether there is a rule for exactly this subject."""
        return any((row.subject, row.action_type) == subject for row in self.rows)

    def bind_type(self, action_type: str) -> bool:
        """Return whether actions of a type take two people."""
        types = {row.action_type for row in self.rows if row.subject == "action"}
        return not types.isdisjoint((action_type, EVERY_TYPE))

    def bind_completion(self, unresolved: Iterable[Action]) -> bool:
        """Return whether closing a run over these actions takes two people.

        Leaving an action open for good is as grave as settling it, so the rule
        of its type counts as well.
        """
        types = [action.action_type for action in unresolved]
        if not types:
            return False
        return self.bind(OVER_OPEN_ITEMS) or any(self.bind_type(one) for one in types)


def read_rules(store: ReadStore) -> Rules:
    """Return what takes two people now."""
    return Rules(tuple(store.policies()))


def list_changes(store: ReadStore, *, limit: int = 50) -> list[PolicyRow]:
    """Return changes of the rules, newest first."""
    return store.policy_changes(limit=limit)


def require_two(store: Store, subject: Subject, act: Act) -> PolicyRow | None:
    """Have a subject take two people from now on; None when it does already.

    Raises:
        InvalidInput: no reason given.
    """
    return _change(store, subject, act, two_people=True)


def clear(store: Store, subject: Subject, act: Act) -> PolicyRow | None:
    """Let one person decide a subject from now on; None when that is so already.

    Raises:
        InvalidInput: no reason given.
    """
    return _change(store, subject, act, two_people=False)


def ensure_one_may(store: ReadStore, action: Action, source: Origin) -> None:
    """Refuse an agent's word on an action whose type takes two people; probes may find out.

    Raises:
        SecondPersonNeeded: a rule binds the type.
    """
    if source is not Origin.DETERMINISTIC and read_rules(store).bind_type(action.action_type):
        raise SecondPersonNeeded(
            f"settling {action.action_type} takes two people; leave it open, "
            "it stands in their inbox"
        )


def _change(store: Store, subject: Subject, act: Act, *, two_people: bool) -> PolicyRow | None:
    act = ensure_act(act)
    if not act.reason:
        raise InvalidInput("a change of the rules needs a reason", field="reason")
    row = PolicyRow(
        number=0,
        subject=subject.name,
        action_type=subject.action_type,
        two_people=two_people,
        by=act.by,
        via=act.via,
        at=column_time(act.at),
        reason=act.reason,
    )
    with store.writing() as writer:
        if read_rules(store).bind(subject) == two_people:
            return None
        writer.save_policy(row)
    return row
