"""`users`: adding, listing, disabling people and changing what they may do."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from continuum.core.errors import Conflict, InvalidInput, NotFound
from runs import people
from tests.runs.conftest import PASSWORD

pytestmark = pytest.mark.django_db


def test_somebody_added_has_the_role_and_no_other_power():
    people.add_person("mia", roles=["operator"], password=PASSWORD)

    user = User.objects.get(username="mia")
    assert [group.name for group in user.groups.all()] == ["operator"]
    assert (user.is_staff, user.is_superuser) == (False, False)
    assert user.check_password(PASSWORD)


@pytest.mark.parametrize(
    ("name", "password", "message"),
    [
        ("mia", "short", "too short"),
        ("mia", "password1234", "too common"),
        ("mia", "123456789012", "entirely numeric"),
        ("mia", "", "too short"),
        ("mia-of-the-mountains", "mia-of-the-mountains", "too similar"),
        ("", PASSWORD, "name"),
        ("a b", PASSWORD, "name"),
        ("x" * 151, PASSWORD, "name"),
    ],
)
def test_a_bad_name_or_password_is_refused_and_adds_nobody(name, password, message):
    with pytest.raises(InvalidInput, match=message):
        people.add_person(name, roles=["viewer"], password=password)

    assert not User.objects.exists()


def test_a_name_is_taken_whatever_its_case():
    people.add_person("mia", roles=["viewer"], password=PASSWORD)

    with pytest.raises(Conflict, match="exists already"):
        people.add_person("Mia", roles=["viewer"], password=PASSWORD)


def test_disabling_ends_open_sessions():
    people.add_person("mia", roles=["viewer"], password=PASSWORD)
    client = Client()
    user = User.objects.get(username="mia")
    client.force_login(user, backend="runs.trust.backend.PeopleBackend")
    session = client.session
    key = session.session_key or ""

    people.set_active("mia", active=False)

    assert not session.exists(key)


def test_roles_are_replaced_and_may_be_several():
    people.add_person("mia", roles=["viewer"], password=PASSWORD)

    people.set_roles("mia", roles=["admin", "operator"])

    [person] = people.list_people()
    assert sorted(person.roles) == ["admin", "operator"]


def test_an_unknown_name_is_named():
    with pytest.raises(NotFound, match="nobody is called 'zoe'"):
        people.set_active("zoe", active=False)


def test_the_list_is_json_when_asked_for(capsys):
    people.add_person("mia", roles=["viewer"], password=PASSWORD)

    call_command("people", "list", "--json")

    [person] = json.loads(capsys.readouterr().out)["people"]
    assert (person["name"], person["roles"], person["active"]) == ("mia", ["viewer"], True)
