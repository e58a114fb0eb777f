"""The callers' pages: nothing before the preview, the password and the reason."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from continuum.core.errors import CallerRefused
from continuum.domain.callerrows import Tools
from continuum.services import callerchanges as changes
from continuum.services.callerlists import list_entries
from runs.stepup import GOOD_FOR
from tests.runs.conftest import PASSWORD
from tests.services.callers import CONFIRM, PROGRESS, by_ada, call, listed

LIST = reverse("runs:callers")
NEW = reverse("runs:new-caller")
HISTORY = reverse("runs:caller-history")


@pytest.fixture
def admin(sign_in):
    """A browser in which an admin is signed in."""
    return sign_in("admin", name="ad-1")


def url_of(verb: str, name: str = "agent-a") -> str:
    return reverse(f"runs:{verb}", args=[name])


def wanted(**more):
    """What an admin fills in for a new caller."""
    return {"name": "agent-a", "kind": "agent", "read": "*", "write": PROGRESS, **more}


def edited(version: int = 1, **more):
    """What an admin sends to change a caller."""
    return {"seen_version": version, "kind": "agent", "read": "*", "write": "*", **more}


def stood(**more):
    """The last step: reason and password."""
    return {"step": "write", "reason": "The team asked.", "password": PASSWORD, **more}


def page_of(response) -> str:
    content: str = response.content.decode()
    return content


def test_nobody_may_write_is_said_plainly(admin):
    page = page_of(admin.get(LIST))

    assert "No caller on this list may write." in page
    assert "No caller is on the list" in page


def test_the_list_shows_rights_apart_and_no_secret(admin, console):
    tools = Tools(write=(PROGRESS,), confirm=(CONFIRM,))
    secret = listed(console, with_secret=True, tools=tools).secret or ""
    listed(console, "agent-b")

    page = page_of(admin.get(LIST))

    assert secret[:8] in page and secret[:9] not in page
    assert "others’ work" in page and "The name alone lets it in" in page
    assert "An agent could confirm itself" in page


def test_a_refused_caller_is_suggested_with_a_way_to_the_form_only(admin, console):
    with pytest.raises(CallerRefused):
        call(console, "agent/ü", at=timezone.now())

    link = f"{NEW}?name=agent%2F%C3%BC&amp;tool={PROGRESS}"
    page = page_of(admin.get(LIST))
    form = page_of(admin.get(link.replace("&amp;", "&")))

    assert link in page
    assert 'value="agent/ü"' in form
    assert f'name="write" value="{PROGRESS}" checked' in form
    assert not list_entries(console)


def test_a_preview_says_what_is_gained_and_writes_nothing(admin, console):
    response = admin.post(NEW, wanted())

    page = page_of(response)
    assert response.status_code == 200
    assert "will gain" in page and PROGRESS in page
    assert "decides alone" in page
    assert not list_entries(console)


def test_adding_shows_the_secret_once_with_entry_and_hash(admin, console):
    response = admin.post(NEW, wanted() | stood())

    page = page_of(response)
    [entry] = list_entries(console)
    secret = response.context["secret"]
    assert response.status_code == 200
    assert entry.row.hash in page and secret in page
    assert call(console, secret=secret).source == "table"
    assert secret not in page_of(admin.get(reverse("runs:caller-entry", args=[1])))
    assert response["Cache-Control"] == "no-store"


def test_an_entry_names_the_admin_and_the_console(admin, console):
    admin.post(NEW, wanted(no_secret="1") | stood())

    [one] = list_entries(console)
    assert one.entry
    assert (one.entry.payload["by"], one.entry.payload["via"]) == ("ad-1", "console")
    assert one.entry.payload["reason"] == "The team asked."


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        ({"reason": " "}, "Say why"),
        ({"password": ""}, "Give your password again"),
        ({"password": "wrong"}, "The password is wrong"),
    ],
)
def test_without_reason_or_password_nothing_is_written_and_the_text_is_kept(
    admin, console, missing, says
):
    response = admin.post(NEW, wanted(note="kept note") | stood() | missing)

    page = page_of(response)
    assert response.status_code == 422
    assert says in page and "kept note" in page
    assert PASSWORD not in page
    assert not list_entries(console)


def test_the_password_is_good_for_a_quarter_of_an_hour(admin, console):
    admin.post(NEW, wanted() | stood())

    again = admin.post(url_of("caller"), edited() | stood(password=""))
    session = admin.session
    session["stepped_up_at"] = (timezone.now() - GOOD_FOR).isoformat()
    session.save()
    late = admin.post(url_of("caller"), edited(2, note="late") | stood(password=""))

    assert again.status_code == 302
    assert late.status_code == 422
    assert len(list_entries(console)) == 2


def test_signing_out_ends_the_step_up(admin, console, client, django_user_model):
    admin.post(NEW, wanted() | stood())
    admin.post(reverse("logout"))
    admin.force_login(
        django_user_model.objects.get(username="ad-1"),
        backend="runs.trust.backend.PeopleBackend",
    )

    assert admin.post(url_of("caller"), edited() | stood(password="")).status_code == 422


def test_too_many_wrong_passwords_lock_the_step_up(admin, console):
    for _ in range(5):
        admin.post(NEW, wanted() | stood(password="wrong"))

    admin.post(NEW, wanted() | stood())

    assert not list_entries(console)


def test_a_change_shows_what_is_lost_and_redirects_to_its_entry(admin, console):
    listed(console)
    change = edited(write=PROGRESS, run_pattern="inv-*")

    preview = page_of(admin.post(url_of("caller"), change))
    response = admin.post(url_of("caller"), change | stood(), follow=True)

    assert "will lose" in preview and "continuum_checkpoint" in preview
    assert "inv-*" in preview
    assert response.redirect_chain == [(reverse("runs:caller-entry", args=[2]), 302)]
    assert console.caller("agent-a").tools.write == (PROGRESS,)


def test_going_back_from_the_preview_keeps_everything(admin, console):
    page = page_of(admin.post(NEW, wanted(note="kept note", step="edit")))

    assert "kept note" in page and 'value="agent-a"' in page
    assert not list_entries(console)


@pytest.mark.parametrize("step", ["preview", "write"])
def test_a_change_of_an_older_version_is_a_conflict_with_the_text_kept(admin, console, step):
    listed(console)
    changes.disable_caller(console, "agent-a", by_ada("It misbehaved."))

    change = edited(1, note="kept note") | stood() | {"step": step}
    response = admin.post(url_of("caller"), change)

    page = page_of(response)
    assert response.status_code == 409
    assert "kept note" in page and "It misbehaved." in page
    assert 'name="seen_version" value="2"' in page
    assert len(list_entries(console)) == 2


def test_adding_a_caller_that_is_there_is_a_conflict(admin, console):
    listed(console)

    response = admin.post(NEW, wanted() | stood())

    assert response.status_code == 409
    assert len(list_entries(console)) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "a\nb"},
        {"kind": "robot"},
        {"write": "continuum_resume"},
        {"confirm": "*"},
        {"expires_at": "soon"},
        {"confirm": CONFIRM, "no_secret": "1"},
    ],
)
def test_what_makes_no_sense_is_said_in_the_form(admin, console, wrong):
    response = admin.post(NEW, wanted(**wrong) | stood())

    assert response.status_code == 422
    assert "Nothing was written." in page_of(response)
    assert not list_entries(console)


def test_a_new_secret_is_shown_once_and_the_old_one_overlaps(admin, console):
    first = listed(console, with_secret=True).secret
    form = page_of(admin.get(url_of("rotate-caller")))

    response = admin.post(
        url_of("rotate-caller"), stood(seen_version="1", overlap="24", reason="Monthly.")
    )
    repeated = admin.post(
        url_of("rotate-caller"), stood(seen_version="1", overlap="24", reason="Monthly.")
    )

    assert "7 days" in form
    assert "cxs_" in page_of(response)
    assert repeated.status_code == 409
    assert response.context["secret"] not in page_of(repeated)
    assert call(console, secret=first, at=timezone.now() + timedelta(hours=23))
    assert len(list_entries(console)) == 2


@pytest.mark.parametrize(("verb", "enabled"), [("disable-caller", False), ("enable-caller", True)])
def test_disabling_and_enabling_need_a_reason_and_take_effect(admin, console, verb, enabled):
    listed(console)
    version = 1
    if enabled:
        version = changes.disable_caller(console, "agent-a", by_ada()).caller.version
    before = len(list_entries(console))

    refused = admin.post(url_of(verb), stood(seen_version=version, reason=""))
    done = admin.post(url_of(verb), stood(seen_version=version))

    assert refused.status_code == 422
    assert done.status_code == 302
    assert console.caller("agent-a").enabled is enabled
    assert len(list_entries(console)) == before + 1


def test_the_history_verifies_itself_and_says_who_and_why(admin, console):
    listed(console)
    changes.disable_caller(console, "agent-a", by_ada("It misbehaved."))

    page = page_of(admin.get(HISTORY))

    assert "whole history, list compared" in page and "2 entries" in page
    assert "It misbehaved." in page and "ada" in page


def test_a_row_changed_behind_the_history_is_shown(admin, console, execute):
    listed(console)
    execute("UPDATE cx_callers SET note = 'x'")

    page = page_of(admin.get(HISTORY))

    assert "Not to be trusted" in page and "ROW MISMATCH" in page


def test_the_history_has_pages_and_one_caller_of_its_own(admin, console):
    for number in range(52):
        listed(console, f"agent-{number:02}")

    first = page_of(admin.get(HISTORY))
    second = page_of(admin.get(f"{HISTORY}?before=3"))
    of_one = page_of(admin.get(f"{HISTORY}?caller=agent-07"))

    assert "?before=3" in first and "agent-51" in first and "agent-01" not in first
    assert "agent-01" in second
    assert "agent-07" in of_one and "agent-08" not in of_one


@pytest.mark.parametrize("sequence", [7, 2**63 - 1, 2**70])
def test_an_entry_that_is_not_there_is_not_found(admin, sequence):
    assert admin.get(f"{HISTORY}{sequence}/").status_code == 404


def test_a_caller_that_is_not_there_is_not_found(admin):
    for verb in ("caller", "rotate-caller", "disable-caller", "enable-caller"):
        assert admin.get(url_of(verb, "nobody")).status_code == 404


def test_hostile_names_are_text_and_nothing_else(admin, console):
    name = "<script>alert(1)</script>'\"&"
    with pytest.raises(CallerRefused):
        call(console, name, at=timezone.now())
    listed(console, name, note=name)

    for url in (LIST, url_of("caller", name), HISTORY, url_of("rotate-caller", name)):
        assert "<script>alert" not in page_of(admin.get(url))


@pytest.mark.parametrize("role", ["viewer", "reviewer", "operator"])
def test_only_an_admin_sees_the_callers(sign_in, console, role):
    client = sign_in(role, name="somebody")

    assert client.get(LIST).status_code == 403
    assert LIST not in page_of(client.get("/"))


def test_an_admin_finds_the_callers_in_the_menu(admin):
    assert f'href="{LIST}"' in page_of(admin.get("/"))


@pytest.mark.django_db(databases=["default", "store"])
def test_the_admin_site_shows_the_rows_to_admins_without_any_seal(admin, sign_in, console):
    seal = listed(console, with_secret=True).caller.secret
    assert seal

    pages = [admin.get(f"/admin/runs/{name}/") for name in ("callerrecord", "callerentryrecord")]
    row = page_of(admin.get("/admin/runs/callerrecord/agent-a/change/"))
    entry = page_of(admin.get("/admin/runs/callerentryrecord/1/change/"))

    assert [one.status_code for one in pages] == [200, 200]
    assert "agent-a" in row and seal.salt not in row and seal.digest not in row
    assert "CALLER_ADDED" in entry and seal.digest not in entry
    assert admin.post("/admin/runs/callerrecord/add/").status_code == 403
    assert sign_in("reviewer").get("/admin/runs/callerrecord/").status_code == 403
