"""The admin site: people for admins, stored rows for reviewers, writes for nobody."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.admin.utils import quote
from django.db import connections
from django.db.utils import DatabaseError

from continuum.services.verifications import Order, run_job
from runs.engine import current_store
from runs.models import ArchivedEventRecord, CheckpointRecord, EventRecord, RunRecord
from tests.conftest import NOON
from tests.runs.conftest import written

pytestmark = pytest.mark.django_db(databases=["default", "store"])
LISTS = [
    "runrecord",
    "eventrecord",
    "archivedeventrecord",
    "checkpointrecord",
    "verificationrecord",
]


@pytest.fixture
def reviewer(sign_in):
    """A browser in which a reviewer is signed in."""
    return sign_in("reviewer", name="rev-1")


@pytest.mark.parametrize("name", LISTS)
def test_stored_rows_are_listed_and_cannot_be_added(reviewer, make_run, name):
    make_run(progress=2)

    assert reviewer.get(f"/admin/runs/{name}/").status_code == 200
    assert reviewer.get(f"/admin/runs/{name}/add/").status_code == 403


def test_one_event_is_shown_and_cannot_be_changed_or_deleted(reviewer, console, make_run):
    run_id = make_run(progress=2)
    [event, *_] = console.events(run_id)
    base = f"/admin/runs/eventrecord/{quote(event.event_id)}"
    before = written(console, run_id)

    assert event.hash in reviewer.get(f"{base}/change/", follow=True).content.decode()
    assert reviewer.post(f"{base}/change/", {"type": "X"}).status_code == 403
    assert reviewer.post(f"{base}/delete/", {"post": "yes"}).status_code == 403
    assert written(console, run_id) == before


def test_a_big_table_is_never_counted_whole(reviewer, make_run, django_assert_max_num_queries):
    make_run(progress=120)

    with django_assert_max_num_queries(12, connection=connections["store"]) as seen:
        reviewer.get("/admin/runs/eventrecord/?p=2")

    counting = [query["sql"] for query in seen if "COUNT(" in query["sql"]]
    assert counting
    assert all("LIMIT 5000" in statement for statement in counting)


def test_a_long_payload_is_cut(reviewer, console, make_run):
    run_id = make_run(goal="g" * 5000)
    [event] = console.events(run_id)

    page = reviewer.get(f"/admin/runs/eventrecord/{quote(event.event_id)}/change/").content.decode()

    assert "g" * 500 not in page
    assert "characters" in page


@pytest.mark.parametrize("model", [RunRecord, EventRecord, ArchivedEventRecord, CheckpointRecord])
def test_django_refuses_to_write_the_engines_tables(console, model):
    with pytest.raises(PermissionError, match="belongs to the engine"):
        model().save()


def test_the_database_refuses_as_well(console, make_run):
    run_id = make_run()

    with pytest.raises(DatabaseError), connections["store"].cursor() as cursor:
        cursor.execute("DELETE FROM events WHERE run_id = %s", [run_id])

    assert len(written(console, run_id)) == 1


def test_a_reviewer_sees_no_people_and_an_admin_does(reviewer, sign_in):
    admin = sign_in("admin", name="ad-1")

    assert reviewer.get("/admin/auth/user/").status_code == 403
    assert admin.get("/admin/auth/user/").status_code == 200
    page = admin.get("/admin/auth/user/add/").content.decode()
    assert "is_superuser" not in page


def test_an_admin_makes_an_operator(sign_in, django_user_model):
    admin = sign_in("admin", name="ad-1")
    password = "a rather long pass phrase 9"

    admin.post(
        "/admin/auth/user/add/",
        {
            "username": "new",
            "password1": password,
            "password2": password,
            "usable_password": "true",
        },
    )
    user = django_user_model.objects.get(username="new")
    groups = list(user.groups.model.objects.filter(name="operator").values_list("pk", flat=True))
    admin.post(
        f"/admin/auth/user/{user.pk}/change/",
        {"username": "new", "is_active": "on", "groups": groups, "is_superuser": "on"},
    )

    user.refresh_from_db()
    assert [group.name for group in user.groups.all()] == ["operator"]
    assert not user.is_superuser


def test_nobody_is_deleted_and_roles_stay_as_they_are(sign_in, django_user_model):
    admin = sign_in("admin", name="ad-1")
    user = django_user_model.objects.get(username="ad-1")
    group = user.groups.get()

    assert admin.post(f"/admin/auth/user/{user.pk}/delete/", {"post": "yes"}).status_code == 403
    assert admin.post(f"/admin/auth/group/{group.pk}/change/", {"name": "x"}).status_code == 403
    assert admin.get("/admin/auth/group/").status_code == 200


def test_verifications_are_listed_and_lead_to_the_chain(reviewer, console, make_run):
    for run_id in ("run_a", "run_b"):
        make_run(run_id)
        list(run_job(console, Order(run_id, "ada", "cli"), clock=lambda: NOON))

    listing = reviewer.get("/admin/runs/verificationrecord/").content.decode()
    broken = reviewer.get("/admin/runs/verificationrecord/?outcome=broken").content.decode()
    one = reviewer.get("/admin/runs/verificationrecord/1/change/")

    assert "/chain/run_a/" in listing and "/chain/run_b/" in listing
    assert "/chain/run_a/" not in broken
    assert "verified" in one.content.decode()
    assert reviewer.post("/admin/runs/verificationrecord/1/change/", {}).status_code == 403


def test_a_run_leads_to_its_chain(reviewer, make_run):
    make_run("run/a b")

    page = reviewer.get("/admin/runs/runrecord/").content.decode()
    url = page.split('field-chain"><a href="')[1].split('"')[0]

    assert reviewer.get(url).context["screen"].run_id == "run/a b"


@pytest.mark.parametrize("name", ["runrecord", "eventrecord", "archivedeventrecord"])
def test_every_list_says_how_chains_stand(reviewer, console, make_run, execute, name):
    for run_id in ("run_a", "run_b", "run_c"):
        make_run(run_id, progress=2)
    with console.writing("run_a") as writer:
        writer.archive("run_a", 2)
    for run_id in ("run_a", "run_b"):
        list(run_job(console, Order(run_id, "ada", "cli"), clock=lambda: NOON))
    execute("UPDATE events SET payload = '{}' WHERE run_id = 'run_b' AND sequence = 2")

    page = reviewer.get(f"/admin/runs/{name}/").content.decode()

    assert said_of(page, "run_a") == {"Verified to event 3"}
    if name == "runrecord":
        assert said_of(page, "run_b") == {"Broken at event 2"}
        assert said_of(page, "run_c") == {"Not verified"}
    if name == "eventrecord":
        bad = "Broken at event 2; not to be trusted"
        assert said_of(page, "run_b") == {"Broken at event 2", bad}


def said_of(page, run_id):
    """Return what a list says about the chain of a run."""
    return set(re.findall(f'field-chain"><a href="/chain/{run_id}/">([^<]*)<', page))


def test_a_list_asks_the_store_as_often_for_fifty_broken_runs_as_for_one(
    reviewer, console, make_run, execute
):
    def cost():
        reviewer.get("/admin/runs/runrecord/")  # opens the connection
        seen: list[str] = []
        opened: Any = current_store(console.url)
        raw = opened._database._connection
        raw.set_trace_callback(seen.append)
        reviewer.get("/admin/runs/runrecord/")
        raw.set_trace_callback(None)
        return len(seen)

    make_run("run_a")
    execute("UPDATE events SET payload = '{}'")
    few = cost()
    for number in range(49):
        make_run(f"more-{number}")
    execute("UPDATE events SET payload = '{\"a\": 1}'")

    assert cost() == few


def test_the_page_of_a_run_says_how_to_see_for_oneself(reviewer, make_run):
    make_run("run a")

    page = reviewer.get(f"/admin/runs/runrecord/{quote('run a')}/change/").content.decode()

    assert "Not verified" in page
    assert "<code>continuum verify &#x27;run a&#x27;</code>" in page
