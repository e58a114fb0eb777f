"""Who may do what: four roles, each a Django group with permissions.

A superuser gets nothing here that its groups do not give: whoever decides must
have been made an operator by name.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from runs.trust.prepared import find_person

if TYPE_CHECKING:
    from typing import TypeAlias

    from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

    from runs.trust.prepared import FoundPerson

    AnyUser: TypeAlias = User | AbstractBaseUser | AnonymousUser


class Role(StrEnum):
    """The groups a person may be in, least powerful first."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    OPERATOR = "operator"
    ADMIN = "admin"


class Right(StrEnum):
    """Codenames of the console's permissions."""

    VIEW = "view"
    AUDIT = "audit"
    RECORDS = "records"
    DECIDE = "decide"
    MANAGE_CALLERS = "manage_callers"
    MANAGE_PEOPLE = "manage_people"


RIGHT_NAMES = {
    Right.VIEW: "Can see runs, actions and the inbox",
    Right.AUDIT: "Can verify chains and export them",
    Right.RECORDS: "Can look at the stored rows in the admin",
    Right.DECIDE: "Can claim, confirm, settle, complete and compensate",
    Right.MANAGE_CALLERS: "Can manage callers and policies",
    Right.MANAGE_PEOPLE: "Can manage people and their roles",
}
ROLE_RIGHTS = {
    Role.VIEWER: (Right.VIEW,),
    Role.REVIEWER: (Right.VIEW, Right.AUDIT, Right.RECORDS),
    Role.OPERATOR: (Right.VIEW, Right.AUDIT, Right.DECIDE),
    Role.ADMIN: (
        Right.VIEW,
        Right.AUDIT,
        Right.RECORDS,
        Right.MANAGE_CALLERS,
        Right.MANAGE_PEOPLE,
    ),
}


_KEPT = "_console_known"


class Taste(NamedTuple):
    """How pages look to somebody; see `runs.personal`."""

    theme: str = "auto"
    zone: str = ""
    single_keys: bool = True


class _Known(NamedTuple):
    """What every page needs to know of its reader.

    Attributes:
        given: (role, right) of everything the groups give.
    """

    given: frozenset[tuple[str, str]] = frozenset()
    taste: Taste = Taste()


_NOBODY = _Known()


def rights_of(user: AnyUser) -> frozenset[str]:
    """Return the codenames the user's groups give."""
    return frozenset(codename for _, codename in _given(user))


def holds(user: AnyUser, right: Right) -> bool:
    """True when one of the user's roles gives the right."""
    return right in rights_of(user)


def role_words(user: AnyUser) -> str:
    """Return the user's roles for people, most powerful last."""
    names = {name for name, _ in _given(user)}
    return ", ".join(role for role in Role if role in names) or "no role yet"


def taste_of(user: AnyUser) -> Taste:
    """Return how pages look to somebody."""
    return _known(user).taste


def _given(user: AnyUser) -> frozenset[tuple[str, str]]:
    return _known(user).given


def known_person(pk: int) -> User | None:
    """Return a person with what every page needs to know of them, in one query."""
    found = find_person(pk)
    if found is None:
        return None
    setattr(found.user, _KEPT, _read(found))
    return found.user


def _known(user: AnyUser) -> _Known:
    """Return what the people's database says, asked once a request at most."""
    if not user.is_authenticated or not user.is_active:
        return _NOBODY
    kept: _Known | None = getattr(user, _KEPT, None)  # the user may be a lazy one
    if kept is None:
        found = find_person(user.pk)
        kept = _read(found) if found else _NOBODY
        setattr(user, _KEPT, kept)  # a user object lives as long as its request
    return kept


def _read(found: FoundPerson) -> _Known:
    theme, zone, single_keys = found.taste
    taste = Taste() if theme is None else Taste(theme, zone or "", bool(single_keys))
    given = frozenset((str(role), str(right)) for role, right, app in found.given if app == "runs")
    return _Known(given, taste)
