"""Signing in and out, and what too many wrong tries do."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.runs.conftest import PASSWORD

LOGIN = "/login/"


def attempt(client, name, password, **extra):
    return client.post(LOGIN, {"username": name, "password": password}, **extra)


@pytest.fixture
def person(sign_in):
    """An operator who is not signed in yet; returns a browser."""
    sign_in("operator", name="op-1")
    return Client()


def test_the_right_password_opens_the_page_asked_for(person, make_run):
    make_run()

    response = person.post(
        LOGIN, {"username": "op-1", "password": PASSWORD, "next": "/runs/run_a/"}
    )

    assert response["Location"] == "/runs/run_a/"


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"]
)
def test_signing_in_never_leads_to_another_site(person, target):
    response = person.post(LOGIN, {"username": "op-1", "password": PASSWORD, "next": target})

    assert response["Location"] == "/"


def test_every_way_of_being_wrong_gets_the_same_words(person, django_user_model):
    django_user_model.objects.create_user("gone", password=PASSWORD, is_active=False)
    answers = [
        attempt(person, "op-1", "wrong").context["form"].non_field_errors(),
        attempt(person, "nobody-at-all", "wrong").context["form"].non_field_errors(),
        attempt(person, "gone", PASSWORD).context["form"].non_field_errors(),
    ]

    assert answers[0] == answers[1] == answers[2]


def test_five_wrong_tries_pause_this_name_from_this_address_only(person, sign_in):
    sign_in("operator", name="op-2")
    for _ in range(5):
        attempt(person, "op-1", "wrong")

    assert attempt(person, "op-1", PASSWORD).status_code == 429
    assert attempt(Client(), "op-1", PASSWORD, REMOTE_ADDR="10.9.9.9").status_code == 302
    assert attempt(person, "op-2", PASSWORD).status_code == 302


def test_a_forged_forwarded_address_does_not_lift_the_pause(person):
    for number in range(5):
        attempt(person, "op-1", "wrong", HTTP_X_FORWARDED_FOR=f"10.0.0.{number}")

    response = attempt(person, "op-1", PASSWORD, HTTP_X_FORWARDED_FOR="10.0.0.99")

    assert response.status_code == 429


def test_behind_a_trusted_proxy_the_address_it_added_counts(person, settings):
    settings.TRUST_PROXY = True
    for number in range(5):
        attempt(person, "op-1", "wrong", HTTP_X_FORWARDED_FOR=f"1.2.3.{number}, 10.0.0.1")

    paused = attempt(person, "op-1", PASSWORD, HTTP_X_FORWARDED_FOR="9.9.9.9, 10.0.0.1")
    other = attempt(Client(), "op-1", PASSWORD, HTTP_X_FORWARDED_FOR="9.9.9.9, 10.0.0.2")

    assert (paused.status_code, other.status_code) == (429, 302)


def test_the_form_suits_password_managers(person):
    page = person.get(LOGIN).content.decode()

    assert 'autocomplete="username"' in page
    assert 'autocomplete="current-password"' in page


def test_signing_out_takes_a_post(operator):
    assert operator.get("/logout/").status_code == 405
    assert operator.post("/logout/").status_code == 302
    assert operator.get("/").status_code == 302


def test_the_admin_has_no_second_sign_in_page(person):
    response = person.get(reverse("admin:index"), follow=True)

    assert response.templates[0].name == "registration/login.html"
