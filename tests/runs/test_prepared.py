"""Who asks is found by queries that are put into SQL once, whoever it is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.contrib.sessions.backends import db as plain_sessions
from django.utils import timezone

from runs.personal import save_preferences
from runs.roles import Right, Taste, known_person, rights_of, role_words, taste_of
from runs.trust.prepared import find_person, find_session
from runs.trust.sessionstore import SessionStore
from tests.runs.conftest import PASSWORD


def known(user: User) -> Any:
    """Return the person as a request does."""
    return known_person(user.pk)


def person(name, *roles):
    user = User.objects.create_user(name, password=PASSWORD)
    user.groups.set(Group.objects.filter(name__in=roles))
    return user


def test_a_person_comes_with_rights_and_preferences_in_one_query(db, django_assert_num_queries):
    user = person("op-1", "operator", "reviewer")
    save_preferences(user, theme="dark", zone="Asia/Tokyo", single_keys=False)

    with django_assert_num_queries(1):
        found = known(user)
        said = (rights_of(found), role_words(found), taste_of(found))

    rights = frozenset(map(str, (Right.VIEW, Right.AUDIT, Right.DECIDE, Right.RECORDS)))
    assert said == (rights, "reviewer, operator", Taste("dark", "Asia/Tokyo", single_keys=False))


def test_everybody_gets_their_own(db):
    first, second = person("op-1", "operator"), person("vi-1", "viewer")

    found = [known(one) for one in (first, second, first)]

    assert [one.username for one in found] == ["op-1", "vi-1", "op-1"]
    assert [Right.DECIDE in rights_of(one) for one in found] == [True, False, True]


def test_a_change_is_seen_by_the_next_request(db):
    user = person("op-1", "operator")
    assert Right.DECIDE in rights_of(known(user))

    user.groups.clear()

    assert rights_of(known(user)) == frozenset()
    assert role_words(known(user)) == "no role yet"


def test_a_person_is_djangos_own_with_times_read_when_asked_for(db):
    user = person("op-1", "operator")

    found = known(user)

    assert found == user
    assert found.check_password(PASSWORD)
    assert (found.is_active, found.is_staff, found.is_superuser) == (True, False, False)
    assert found.date_joined == user.date_joined


def test_nobody_is_found_by_a_number_nobody_has(db):
    assert find_person(4711) is None


def test_rights_of_other_apps_are_none_of_the_consoles(db):
    user = person("op-1")
    group = Group.objects.create(name="operator-like")
    group.permissions.set(Permission.objects.all())
    assert group.permissions.filter(content_type__app_label="auth").exists()
    user.groups.set([group])

    assert rights_of(known(user)).isdisjoint({"add_user", "delete_user"})


def test_a_session_is_found_until_it_is_over_or_gone(db):
    now = timezone.now()
    session = SessionStore()
    session["seen"] = 1
    session.set_expiry(3600)
    session.save()
    key = str(session.session_key)

    assert SessionStore(key)["seen"] == 1
    assert find_session(key, now) is not None
    assert find_session(key, now + timedelta(seconds=3601)) is None
    session.delete()
    assert find_session(key, now) is None
    assert SessionStore(key).get("seen") is None


def test_a_session_that_is_gone_gets_a_new_key(db):
    forgotten = SessionStore("a" * 32)

    assert forgotten.get("seen") is None
    assert forgotten.session_key is None


def test_sessions_are_written_as_django_writes_them(db):
    session = SessionStore()
    session["seen"] = "by ours"
    session.save()

    assert plain_sessions.SessionStore(session.session_key)["seen"] == "by ours"
