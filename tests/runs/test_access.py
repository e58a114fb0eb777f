"""Every address, every method, every role: who gets in, and how the rest is refused."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from continuum.services.acts import Act
from continuum.services.decisions import complete
from continuum.services.foureyes import OVER_OPEN_ITEMS, require_two
from continuum.store.attestport import AttestationRow
from runs.notices.models import Webhook
from runs.notices.watching import tell_test
from runs.roles import ROLE_RIGHTS, Right, Role
from runs.trust import sessions
from tests.conftest import NOON
from tests.runs.conftest import written
from tests.services.callers import listed

METHODS = ("get", "head", "post", "put", "patch", "delete")
READS = {"get", "head"}
BOTH = {"get", "head", "post"}
WRITES = {"post"}
OPEN = {"login", "logout", "healthz", "readyz", "favicon", "metrics"}


class Address(NamedTuple):
    """One address of the console, as the resolver knows it."""

    name: str
    view: Any
    parameters: tuple[str, ...]


def addresses(resolver=None, prefix="", outer=()):
    """Return every address but the admin's own."""
    found = []
    for entry in (resolver or get_resolver()).url_patterns:
        parameters = (*outer, *entry.pattern.converters)
        if isinstance(entry, URLResolver) and entry.app_name != "admin":
            inner = f"{prefix}{entry.namespace}:" if entry.namespace else prefix
            found += addresses(entry, inner, parameters)
        elif isinstance(entry, URLPattern):
            found.append(Address(f"{prefix}{entry.name}", entry.callback, parameters))
    return found


GUARDED = [one for one in addresses() if one.name not in OPEN]
NAMES = [one.name for one in GUARDED]
ALLOWED = {
    "runs:claim": WRITES,
    "runs:release": WRITES,
    "runs:comment": WRITES,
    "runs:claim-ticked": WRITES,
    "runs:assign": BOTH,
    "runs:preferences": BOTH,
    "runs:views": BOTH,
    "runs:delete-view": WRITES,
    "runs:confirm": BOTH,
    "runs:complete": BOTH,
    "runs:settle": BOTH,
    "runs:compensate": BOTH,
    "runs:new-caller": BOTH,
    "runs:caller": BOTH,
    "runs:rotate-caller": BOTH,
    "runs:disable-caller": BOTH,
    "runs:enable-caller": BOTH,
    "runs:policies": BOTH,
    "runs:proposal": BOTH,
    "runs:withdraw": WRITES,
    "runs:verify": WRITES,
    "runs:verify-all": WRITES,
    "runs:stop-verifying": WRITES,
    "runs:stop-verifying-all": WRITES,
    "runs:bundle": BOTH,
    "runs:export-ticked": WRITES,
    "runs:attest": BOTH,
    "runs:attest-all": BOTH,
    "runs:stop-attesting": WRITES,
    "runs:stop-attesting-all": WRITES,
    "runs:check-attestation": BOTH,
    "runs:check-all-attestation": BOTH,
    "runs:end-session": WRITES,
    "runs:notifications": BOTH,
    "runs:retry-delivery": WRITES,
    "runs:new-webhook": BOTH,
    "runs:webhook": BOTH,
    "runs:act-on-webhook": WRITES,
    "runs:end-other-sessions": WRITES,
}


@pytest.fixture
def address(console, uncertain, operator):
    """Return the address of a view on a store with a run, an action, an item and a caller."""
    run_id, key = uncertain()
    listed(console, "agent-a")
    [item] = operator.get("/").context["screen"].items
    stranger = Act("stranger", "cli", NOON, reason="saw it")
    require_two(console, OVER_OPEN_ITEMS, stranger)
    proposal = complete(console, run_id, stranger, over_open_items=True).proposal
    assert proposal is not None
    with console.writing() as writer:
        for made, subject in (("attestation_1", run_id), ("attestation_of_all", None)):
            writer.save_attestation(AttestationRow(made, subject, "ada", "", "", 1, 1), "{}")
    hook = Webhook.objects.create(
        name="pager", url="https://192.0.2.1/", nonce="n", added_by="ada", added_at=NOON
    )
    given = {
        "proposal_id": proposal.proposal_id,
        "attestation_id": "attestation_1",
        "run_id": run_id,
        "key": key,
        "sequence": 1,
        "number": 1,
        "item_id": item.item_id,
        "caller": "agent-a",
        "request_id": "request_" + "0" * 32,
        "session": sessions.listed(None)[0].pk,
        "webhook": hook.pk,
        "delivery": tell_test(hook, NOON, "1").pk,
    }

    def of(name):
        wanted = next(one.parameters for one in GUARDED if one.name == name)
        kwargs = {one: given[one] for one in wanted}
        if name == "runs:attestation-of-all":
            kwargs["attestation_id"] = "attestation_of_all"
        return reverse(name, kwargs=kwargs)

    return of


def test_every_view_of_the_console_names_its_right():
    rights = {one.name: getattr(one.view, "right", None) for one in GUARDED}

    assert len(GUARDED) > 15
    assert [name for name, right in rights.items() if not isinstance(right, Right)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_stranger_is_sent_to_sign_in_whatever_the_method(address, console, name):
    before = written(console, "run_a")
    url = address(name)

    for method in METHODS:
        response = getattr(Client(), method)(url)

        assert response.status_code == 302
        assert response["Location"].startswith("/login/?next=")
    assert written(console, "run_a") == before


@pytest.mark.parametrize("role", [*Role, None])
@pytest.mark.parametrize(("name", "view", "_"), GUARDED, ids=NAMES)
def test_a_role_reaches_what_its_rights_say(address, sign_in, console, name, view, role, _):
    client = sign_in(*([role] if role else []), name="somebody")
    before = written(console, "run_a")
    url = address(name)
    may = role is not None and view.right in ROLE_RIGHTS[role]

    for method in METHODS:
        response = getattr(client, method)(url)

        if method not in ALLOWED.get(name, READS):
            assert response.status_code == 405
        elif not may:
            assert response.status_code == 403
        elif method == "post":
            unknown = name in ("runs:delete-view", "runs:end-session")  # they are another's
            assert response.status_code in (302, 409, 422, 404 if unknown else 302)
        else:
            assert response.status_code == (404 if name == "runs:result" else 200)
    assert written(console, "run_a") == before
    assert len(console.caller_entry_page(limit=9)) == 1


@pytest.mark.parametrize("role", [*Role, None])
def test_only_reviewers_and_admins_reach_the_admin(sign_in, role):
    client = sign_in(*([role] if role else []), name="somebody")

    status = client.get("/admin/", follow=True).status_code

    assert status == (200 if role in (Role.REVIEWER, Role.ADMIN) else 403)


def test_a_superuser_without_a_role_decides_nothing(
    operator, console, uncertain, django_user_model
):
    run_id, key = uncertain()
    user = django_user_model.objects.create_superuser("root", password="x")
    client = Client()
    client.force_login(user, backend="runs.trust.backend.PeopleBackend")

    response = client.get(reverse("runs:settle", args=[run_id, key]))

    assert response.status_code == 403


def test_a_disabled_person_is_signed_out_at_once(operator, django_user_model):
    django_user_model.objects.filter(username="op-1").update(is_active=False)

    assert operator.get("/").status_code == 302


def test_a_viewer_sees_no_button_that_decides(viewer, uncertain, self_reported):
    run_id, key = uncertain()
    urls = ["/", "/actions/", f"/runs/{run_id}/", f"/runs/{run_id}/actions/{key}/"]

    for url in urls:
        page = viewer.get(url).content.decode()
        assert "/settle/" not in page
        assert "/confirm/" not in page
        assert "/claim/" not in page
