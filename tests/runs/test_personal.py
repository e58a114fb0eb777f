"""What each person sets for themselves: theme, zone, keys, saved views."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from runs import personal
from runs.personal import SavedView
from tests.runs.conftest import HTMX

TEMPLATES = Path(__file__).parents[2] / "templates"


@pytest.fixture
def admin(sign_in):
    """A browser in which an admin is signed in."""
    return sign_in("admin", name="ad-1")


def kept(client, **values):
    return client.post("/preferences/", {"theme": "auto", "zone": "", "single_keys": "1"} | values)


def test_nothing_is_set_at_first(operator, uncertain):
    uncertain()

    page = operator.get("/").content.decode()

    assert '<html lang="en">' in page
    assert "data-theme" not in page
    assert re.search(r"as of \d\d:\d\d:\d\d UTC", page)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_is_in_the_page_itself(operator, theme):
    kept(operator, theme=theme)

    page = operator.get("/runs/").content.decode()

    assert f'<html lang="en" data-theme="{theme}">' in page
    assert f'<meta name="color-scheme" content="{theme}">' in page


def test_times_are_in_the_readers_zone_and_titles_in_utc(operator, viewer, uncertain):
    uncertain()
    kept(operator, zone="Asia/Kolkata")

    theirs = operator.get("/runs/run_a/").content.decode()
    others = viewer.get("/runs/run_a/").content.decode()

    assert 'title="2026-12-01 12:00:00 UTC"' in theirs
    assert "17:30" in theirs
    assert "IST" in theirs
    assert "17:30" not in others


def test_single_keys_are_switched_off_in_the_page(operator):
    kept(operator, single_keys="")

    assert 'data-keys="off"' in operator.get("/").content.decode()
    assert "Switch them on" in operator.get("/keys/").content.decode()


@pytest.mark.parametrize("wrong", [{"theme": "pink"}, {"zone": "Mars/Olympus"}, {"theme": ""}])
def test_what_is_no_choice_is_refused(operator, wrong):
    assert kept(operator, **wrong).status_code == 422
    assert 'data-theme="pink"' not in operator.get("/").content.decode()


def test_what_one_sets_is_nobody_elses(operator, viewer):
    kept(operator, theme="dark")

    assert "data-theme" not in viewer.get("/").content.decode()


def test_preferences_cost_no_query_of_their_own(operator, uncertain, django_assert_max_num_queries):
    uncertain()
    kept(operator, theme="dark", zone="Europe/Berlin")

    with django_assert_max_num_queries(3):  # the session, the person, what is known of them
        operator.get("/")


def test_a_zone_that_is_no_longer_known_is_utc(operator):
    user = User.objects.get(username="op-1")
    personal.save_preferences(user, theme="auto", zone="Gone/Away", single_keys=True)

    assert operator.get("/").status_code == 200


def test_no_template_calls_the_readers_time_utc():
    wrong = [
        path.name
        for path in TEMPLATES.rglob("*.html")
        if re.search(r"{% (clock|second|now_clock)[^%]*%} UTC", path.read_text(encoding="utf-8"))
    ]

    assert wrong == []


def test_the_list_of_keys_is_a_page_and_a_dialog(operator):
    page = operator.get("/keys/").content.decode()
    dialog = operator.get("/keys/", headers=HTMX).content.decode()

    assert "<html" in page
    assert "<html" not in dialog
    assert "Next item that needs a person" in dialog


# -- saved views


def save(client, name="Old payments", query="tab=all&type=pay&after=1~x~y&item=z", **more):
    return client.post("/views/", {"page": "inbox", "name": name, "list": query} | more)


def test_a_view_is_kept_without_what_belongs_to_one_moment(operator):
    response = save(operator)

    assert response["Location"] == "/?tab=all&type=pay"
    page = operator.get("/views/?page=inbox").content.decode()
    assert 'href="/?tab=all&amp;type=pay"' in page
    assert "Old payments" in page
    assert "Old payments" not in operator.get("/views/?page=runs").content.decode()


def test_the_same_name_again_replaces_the_view(operator):
    save(operator)
    save(operator, query="tab=mine")

    assert [view.query for view in SavedView.objects.all()] == ["tab=mine"]


def test_ones_views_are_ones_own(operator, viewer):
    save(operator)

    assert "Old payments" not in viewer.get("/views/?page=inbox").content.decode()


def test_admins_save_views_for_everybody(admin, viewer):
    save(admin, shared="1")

    page = viewer.get("/views/?page=inbox").content.decode()

    assert "Old payments" in page
    assert "team" in page
    assert "Delete" not in page


def test_others_do_not_save_views_for_everybody(operator):
    assert save(operator, shared="1").status_code == 403
    assert not SavedView.objects.exists()


def test_views_are_deleted_by_their_owner_and_team_views_by_admins(operator, admin, sign_in):
    other = sign_in("admin", name="ad-2")
    save(operator)
    save(admin, name="Team", shared="1")
    save(admin, name="Own")
    mine, team, own = SavedView.objects.order_by("pk")

    assert operator.post(f"/views/{team.pk}/delete/").status_code == 404
    assert other.post(f"/views/{mine.pk}/delete/").status_code == 404
    assert other.post(f"/views/{own.pk}/delete/").status_code == 404
    assert other.post(f"/views/{team.pk}/delete/").status_code == 302
    assert operator.post(f"/views/{mine.pk}/delete/").status_code == 302
    assert [view.name for view in SavedView.objects.all()] == ["Own"]


@pytest.mark.parametrize("name", ["", " ", "x" * 81])
def test_a_view_needs_a_name_that_is_not_too_long(operator, name):
    assert save(operator, name=name).status_code == 422


def test_a_hundred_views_are_enough(operator):
    user = User.objects.get(username="op-1")
    SavedView.objects.bulk_create(
        SavedView(owner=user, page="inbox", name=f"v{number}", query="") for number in range(100)
    )

    assert save(operator).status_code == 409


def test_a_hostile_name_and_address_stay_text(operator):
    save(operator, name="<script>alert(1)</script>", query='tab="><script>alert(2)</script>')

    page = operator.get("/views/?page=inbox").content.decode()

    assert "<script>alert" not in page


def test_a_view_leads_to_its_own_page_only(operator):
    response = save(operator, query="//evil.example/?tab=all")

    assert response["Location"].startswith("/?")
