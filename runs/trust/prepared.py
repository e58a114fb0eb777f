"""What every request asks of people's database, put into SQL once a process.

Django's ORM takes several times as long to write these queries as the database
takes to answer them. It still writes them, and knows the tables; only what is
asked about differs from request to request.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.db.models import QuerySet

_USER_FIELDS = (
    "id",
    "password",
    "is_superuser",
    "username",
    "first_name",
    "last_name",
    "email",
    "is_staff",
    "is_active",
)
_FLAGS = frozenset({"is_superuser", "is_staff", "is_active"})
_TASTE = ("preferences__theme", "preferences__zone", "preferences__single_keys")
_GIVEN = (
    "groups__name",
    "groups__permissions__codename",
    "groups__permissions__content_type__app_label",
)


class FoundPerson(NamedTuple):
    """A person as every page needs them.

    Attributes:
        user: without the times of their account, which are read when asked for.
        taste: theme, zone and single keys; all None where nothing was chosen.
        given: role, right and the app of the right, of everything the groups give.
    """

    user: User
    taste: tuple[str | None, str | None, bool | None]
    given: list[tuple[str | None, str | None, str | None]]


def find_person(pk: int) -> FoundPerson | None:
    """Return the person of a number with rights and preferences, in one query."""
    rows = _rows(_person_sql(), pk)
    if not rows:
        return None
    fields, taste = len(_USER_FIELDS), len(_USER_FIELDS) + len(_TASTE)
    user = User.from_db("default", _USER_FIELDS, [*map(_value, _USER_FIELDS, rows[0])])
    return FoundPerson(user, rows[0][fields:taste], [row[taste:] for row in rows])


def find_session(key: str, now: datetime) -> str | None:
    """Return what a session holds, encoded; None for one that is over or never was."""
    rows = _rows(_session_sql(), key, connection.ops.adapt_datetimefield_value(now))
    return rows[0][0] if rows else None


@lru_cache(maxsize=1)
def _person_sql() -> str:
    asked = User.objects.filter(pk=0).values_list(*_USER_FIELDS, *_TASTE, *_GIVEN)
    return _sql(asked)


@lru_cache(maxsize=1)
def _session_sql() -> str:
    # One filter behind the other, because their order is that of the parameters.
    asked = Session.objects.filter(session_key="").filter(expire_date__gt="2000-01-01T00:00Z")
    return _sql(asked.values_list("session_data"))


def _sql(asked: QuerySet[Any, Any]) -> str:
    text, _ = asked.query.sql_with_params()
    return str(text)


def _rows(sql: str, *values: Any) -> Sequence[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _value(name: str, value: Any) -> Any:
    """SQLite keeps flags as numbers."""
    return bool(value) if name in _FLAGS else value
