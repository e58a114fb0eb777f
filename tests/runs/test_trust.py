"""Sessions that can be ended, the history of access, and how much one person may do."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from runs import people
from runs.trust import history, sessions
from runs.trust.models import AccessEntry, AccessKind, PersonSession
from tests.runs.conftest import PASSWORD

AGENT = "Mozilla/5.0 (X11; Linux) Firefox/140.0"


@pytest.fixture
def person(sign_in):
    """An operator who is not signed in yet."""
    sign_in("operator", name="op-1").logout()
    return User.objects.get(username="op-1")


@pytest.fixture
def browser():
    """Sign somebody in as a browser does; return it."""

    def of(name, password=PASSWORD, **headers):
        client = Client(HTTP_USER_AGENT=AGENT, **headers)
        client.post("/login/", {"username": name, "password": password})
        return client

    return of


def kinds(**wanted):
    return [entry.kind for entry in AccessEntry.objects.filter(**wanted).order_by("id")]


def is_in(client):
    return client.get("/").status_code == 200


def test_a_session_says_who_since_when_from_where_and_with_what(person, browser):
    client = browser("op-1", REMOTE_ADDR="10.1.2.3")

    page = client.get("/sessions/").content.decode()

    [row] = PersonSession.objects.filter(user=person)
    assert (row.address, row.agent) == ("10.1.2.3", AGENT)
    assert timezone.now() - row.started_at < timedelta(minutes=1)
    for text in ("10.1.2.3", "Firefox", "This browser"):
        assert text in page
    assert row.session_key not in page


def test_ending_a_session_signs_that_browser_out_and_no_other(person, browser):
    here, there = browser("op-1"), browser("op-1")
    [other] = [one for one in sessions.listed(here.session.session_key) if not one.is_current]

    answer = here.post(f"/sessions/{other.pk}/end/")

    assert answer.status_code == 302
    assert is_in(here)
    assert not is_in(there)
    assert kinds()[-1] == AccessKind.SESSION_ENDED


def test_all_others_are_ended_at_once(person, browser):
    here, *others = (browser("op-1") for _ in range(3))

    here.post("/sessions/end-others/")

    assert is_in(here)
    assert not any(map(is_in, others))


def test_nobody_ends_or_sees_the_session_of_another(person, browser, viewer):
    client = browser("op-1")
    [row] = PersonSession.objects.filter(user=person)

    assert viewer.post(f"/sessions/{row.pk}/end/").status_code == 404
    assert viewer.get("/people/sessions/").status_code == 403
    assert "op-1" not in viewer.get("/sessions/").content.decode()
    assert is_in(client)


def test_an_admin_sees_and_ends_everybodys(person, browser, sign_in):
    client, admin = browser("op-1"), sign_in("admin", name="ada")
    [row] = PersonSession.objects.filter(user=person)
    assert "op-1" in admin.get("/people/sessions/").content.decode()

    admin.post(f"/sessions/{row.pk}/end/", {"back": "people"})

    assert not is_in(client)
    [entry] = AccessEntry.objects.filter(kind=AccessKind.SESSION_ENDED)
    assert (entry.person, entry.by, entry.via) == ("op-1", "ada", "console")


def test_last_seen_is_written_once_a_minute_and_never_by_polls(
    person, browser, django_assert_num_queries
):
    client = browser("op-1")
    key = client.session.session_key
    client.get("/")
    with django_assert_num_queries(2):
        client.get("/runs/")
    long_ago = timezone.now() - timedelta(hours=1)
    PersonSession.objects.filter(session_key=key).update(last_seen_at=long_ago)
    sessions.SEEN.forget(key)

    client.get("/live/")
    assert PersonSession.objects.get(session_key=key).last_seen_at == long_ago
    client.get("/")
    assert PersonSession.objects.get(session_key=key).last_seen_at > long_ago


def test_a_session_nobody_kept_is_listed_from_its_next_request_on(person, browser):
    client = browser("op-1")
    PersonSession.objects.all().delete()
    sessions.SEEN.forget(client.session.session_key)

    client.get("/")

    assert PersonSession.objects.filter(user=person).count() == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda: people.set_roles("op-1", roles=["viewer"]),
        lambda: people.set_password("op-1", password="another long pass phrase 8"),
        lambda: people.set_active("op-1", active=False),
        lambda: call_command("people", "set-role", "op-1", "--role=admin"),
        lambda: User.objects.get(username="op-1").groups.clear(),
        lambda: Group.objects.get(name="viewer").user_set.add(User.objects.get(username="op-1")),
    ],
    ids=["roles", "password", "disabled", "command", "roles cleared", "from the role's side"],
)
def test_a_change_of_access_ends_every_session(person, browser, change):
    client = browser("op-1")
    assert is_in(client)

    change()

    assert not Session.objects.filter(session_key=client.cookies["sessionid"].value).exists()
    assert not PersonSession.objects.filter(user=person).exists()
    assert not is_in(client)


def test_the_same_roles_again_end_nothing(person, browser):
    client = browser("op-1")

    people.set_roles("op-1", roles=["operator"])

    assert is_in(client)


def test_a_change_in_the_admin_site_ends_sessions_and_names_the_admin(person, browser, sign_in):
    client, admin = browser("op-1"), sign_in("admin", name="ada")
    viewer = Group.objects.get(name="viewer")
    url = f"/admin/auth/user/{person.pk}/change/"

    answer = admin.post(url, {"username": "op-1", "is_active": "on", "groups": [viewer.pk]})

    assert answer.status_code == 302
    assert not is_in(client)
    entries = AccessEntry.objects.filter(kind=AccessKind.ROLES_CHANGED).order_by("-id")[:2]
    assert {(one.person, one.by, one.via) for one in entries} == {("op-1", "ada", "console")}
    assert {one.detail for one in entries} == {"role operator taken away", "role viewer added"}


def test_whoever_changes_their_own_password_stays_and_their_other_browsers_go(sign_in, browser):
    sign_in("admin", name="ada").logout()
    here, there = browser("ada"), browser("ada")
    ada = User.objects.get(username="ada")
    new = "another long pass phrase 8"

    answer = here.post(
        f"/admin/auth/user/{ada.pk}/password/",
        {"password1": new, "password2": new, "usable_password": "true"},
    )

    assert answer.status_code == 302
    assert is_in(here)
    assert not is_in(there)


def test_a_stronger_hash_of_the_same_password_ends_nothing(person, browser, settings):
    client = browser("op-1")
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
        "django.contrib.auth.hashers.MD5PasswordHasher",
    ]

    browser("op-1")

    assert AccessKind.PASSWORD_CHANGED not in kinds()
    assert client.session.session_key


def test_the_history_tells_the_life_of_an_account(browser, sign_in):
    call_command("people", "add", "mia", "--role=operator", password=PASSWORD)
    browser("mia").post("/logout/")
    browser("mia", "wrong")
    people.set_active("mia", active=False)
    people.set_active("mia", active=True)

    assert kinds(person="mia") == [
        "added", "roles_changed", "signed_in", "signed_out", "sign_in_failed", "disabled", "enabled"
    ]  # fmt: skip
    added = AccessEntry.objects.get(person="mia", kind="added")
    assert added.via == "cli"
    assert added.by


def test_a_name_nobody_has_is_not_kept_since_it_may_be_a_password(person, browser):
    browser("my secret pass phrase", "op-1")

    [entry] = AccessEntry.objects.filter(kind=AccessKind.SIGN_IN_FAILED)
    assert entry.person == ""
    assert "secret" not in str(AccessEntry.objects.values())


def test_failures_cannot_fill_the_table(person, browser):
    for number in range(history.MOST_FAILURES + 20):
        browser("op-1", "wrong", REMOTE_ADDR=f"10.0.{number}.1")
    for _ in range(4):
        browser("op-1", "wrong", REMOTE_ADDR="10.0.0.1")

    rows = AccessEntry.objects.filter(kind=AccessKind.SIGN_IN_FAILED)
    assert rows.count() == history.MOST_FAILURES + 1
    assert rows.get(detail=history.BEYOND).times == 21, "the pause of sign-in is beyond as well"
    assert rows.get(address="10.0.0.1").times == 5


def test_a_pause_of_sign_in_is_one_entry(person, browser):
    for _ in range(8):
        browser("op-1", "wrong")

    assert kinds().count(AccessKind.LOCKED_OUT) == 1


def test_a_wrong_password_at_a_grave_step_is_told_apart(sign_in):
    admin = sign_in("admin", name="ada")

    admin.post(
        "/policies/",
        {"people": "two", "subject": "over_open_items", "reason": "r", "password": "wrong"},
    )

    assert kinds()[-1] == AccessKind.STEP_UP_FAILED


def test_the_history_is_for_reviewers_and_admins_and_can_be_narrowed(person, browser, sign_in):
    browser("op-1", "wrong")
    browser("op-1")
    for role, status in (("operator", 403), ("viewer", 403), ("reviewer", 200), ("admin", 200)):
        client = sign_in(role, name=f"a-{role}")
        assert client.get("/people/history/").status_code == status

    narrowed = client.get("/people/history/?kind=sign_in_failed&person=op-1")

    assert [entry.kind for entry in narrowed.context["entries"]] == ["sign_in_failed"]
    assert client.get("/people/history/?since=2100-01-01").context["entries"] == []
    assert client.get("/people/history/?since=nonsense&before=-1").status_code == 200


def test_the_history_is_read_in_pages(sign_in, django_assert_num_queries):
    reviewer = sign_in("reviewer", name="rev")
    for number in range(history.PAGE + 5):
        history.record(AccessKind.ENABLED, f"p-{number}")

    first = reviewer.get("/people/history/?kind=enabled")
    second = reviewer.get(f"/people/history/?kind=enabled&before={first.context['older']}")

    assert len(first.context["entries"]) == history.PAGE
    rest = [entry.person for entry in second.context["entries"]]
    assert rest == ["p-4", "p-3", "p-2", "p-1", "p-0"]
    with django_assert_num_queries(3):
        reviewer.get("/people/history/")


def test_the_history_as_csv_cannot_act_as_a_formula(sign_in):
    reviewer = sign_in("reviewer", name="rev")
    history.record(
        AccessKind.SIGNED_IN,
        "=HYPERLINK(1)",
        origin=history.Origin("@x", "console", "10.0.0.1", "+1\n<script>alert(1)</script>"),
    )

    answer = reviewer.get("/people/history/export/?kind=signed_in")
    page = reviewer.get("/people/history/").content.decode()

    text = b"".join(answer.streaming_content).decode()
    assert answer["Content-Type"].startswith("text/csv")
    assert "attachment" in answer["Content-Disposition"]
    assert not any(cell.startswith(("=", "@", "+")) for cell in text.replace('"', "").split(","))
    assert "<script>alert" not in page


def test_old_entries_are_dropped(db):
    history.record(AccessKind.ENABLED, "old")
    AccessEntry.objects.update(at=timezone.now() - history.KEPT - timedelta(days=1))
    history.record(AccessKind.ENABLED, "new")

    history.drop_old(timezone.now())

    assert [entry.person for entry in AccessEntry.objects.all()] == ["new"]


def test_sessions_that_ran_out_are_dropped(person, browser):
    browser("op-1")
    past = timezone.now() - timedelta(minutes=1)
    Session.objects.update(expire_date=past)
    PersonSession.objects.update(started_at=timezone.now() - timedelta(hours=13))
    assert sessions.listed(None) == []

    sessions.drop_expired(timezone.now())

    assert (Session.objects.count(), PersonSession.objects.count()) == (0, 0)


def test_one_person_decides_so_often_a_minute_and_no_oftener(operator, viewer, settings, uncertain):
    settings.MOST_A_MINUTE = {"decisions": 3, "exports": 1}
    run_id, key = uncertain()
    url = f"/runs/{run_id}/actions/{key}/settle/"

    answers = [operator.post(url, {}).status_code for _ in range(5)]

    assert answers == [422, 422, 422, 429, 429]
    refused = operator.post(url, {})
    assert refused["Retry-After"] == "60"
    assert "Nothing was written" in refused.content.decode()
    assert operator.get(url).status_code == 200, "looking is not counted"
    assert viewer.post(url, {}).status_code == 403, "others are counted apart"


def test_exports_are_counted_apart(sign_in, settings):
    settings.MOST_A_MINUTE = {"decisions": 1, "exports": 2}
    reviewer = sign_in("reviewer", name="rev")

    answers = [reviewer.get("/people/history/export/").status_code for _ in range(3)]

    assert answers == [200, 200, 429]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
def test_a_browser_that_writes_for_another_site_is_refused(operator, uncertain, site):
    run_id, key = uncertain()

    answer = operator.post(
        f"/runs/{run_id}/actions/{key}/settle/", {}, headers={"Sec-Fetch-Site": site}
    )

    assert answer.status_code == 403
    assert "another site" in answer.content.decode()
    assert Client().post("/login/", {}, headers={"Sec-Fetch-Site": site}).status_code == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_our_own_pages_write(operator, uncertain, site):
    run_id, key = uncertain()
    url = f"/runs/{run_id}/actions/{key}/settle/"

    assert operator.post(url, {}, headers={"Sec-Fetch-Site": site}).status_code == 422
    assert operator.get(url, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_a_proxy_that_does_not_say_how_people_reached_it_is_named(operator, settings):
    settings.TRUST_PROXY, settings.PUBLIC_URL = True, ("https://c.example", "c.example", "")
    settings.SECURE_SSL_REDIRECT, settings.SECURE_REDIRECT_EXEMPT = True, ["^healthz$"]

    silent = operator.get("/runs/")

    assert silent.status_code == 500
    assert "X-Forwarded-Proto" in silent.content.decode()
    assert operator.get("/healthz").status_code == 200
