"""Two people in the console: propose, confirm, decline; and who sets the rules."""

from __future__ import annotations

import pytest

from continuum.services.actions import Settlement, settle_action
from continuum.services.acts import Act
from continuum.services.decisions import settle
from continuum.services.foureyes import OVER_OPEN_ITEMS, actions_of, read_rules, require_two
from tests.conftest import NOON
from tests.runs.conftest import PASSWORD, form_of, refresh, written

ROOT = Act("root", "cli", NOON, reason="audit 7")


@pytest.fixture
def second(sign_in):
    """A browser in which another operator is signed in."""
    return sign_in("operator", name="op-2")


@pytest.fixture
def guarded(console, uncertain):
    """A run with an unresolved action that takes two people; return its page."""
    run_id, key = uncertain()
    require_two(console, actions_of("send_invoice"), ROOT)
    return f"/runs/{run_id}/actions/{key}/settle/"


def answer(client, url, **values):
    hidden = form_of(client.get(url))
    return client.post(url, hidden | {"outcome": "occurred", "reason": "saw it"} | values)


def events(console):
    return written(console, "run_a")


def test_the_first_person_is_shown_a_proposal_and_no_event(operator, console, guarded):
    before = events(console)
    assert "takes two people" in operator.get(guarded).content.decode()

    response = answer(operator, guarded, external_id="x-9")

    page = operator.get(response["Location"]).content.decode()
    assert "/proposals/" in response["Location"]
    assert "Somebody else has to confirm it" in page
    assert "Confirm as second person" not in page
    assert events(console) == before


def test_the_second_person_confirms_and_the_event_names_both(operator, second, console, guarded):
    proposal = answer(operator, guarded, external_id="x-9")["Location"]

    shown = second.get(proposal)
    response = second.post(proposal, form_of(shown) | {"reason": "in the bank's list"})

    assert "Confirm as second person" in shown.content.decode()
    page = second.get(response["Location"]).content.decode()
    assert "Written" in page
    assert "Proposed by" in page
    payload = list(console.events("run_a"))[-1].payload
    assert (payload["by"], payload["reason"]) == ("op-2", "in the bank's list")
    assert (payload["proposed_by"], payload["proposed_reason"]) == ("op-1", "saw it")
    assert payload["action"]["external_id"] == "x-9"


def test_the_same_answer_on_the_ordinary_form_confirms_as_well(operator, second, console, guarded):
    answer(operator, guarded)

    response = answer(second, guarded)

    assert "/decisions/" in response["Location"]
    assert list(console.events("run_a"))[-1].payload["proposed_by"] == "op-1"


def test_the_same_person_twice_is_refused(operator, console, guarded):
    proposal = answer(operator, guarded)["Location"]
    before = events(console)

    again = answer(operator, guarded)
    named = operator.post(proposal, form_of(operator.get(proposal)) | {"reason": "me again"})

    assert (again.status_code, named.status_code) == (409, 409)
    assert "different person" in again.content.decode()
    assert events(console) == before


def test_the_proposal_is_shown_on_run_item_and_action(operator, second, console, guarded):
    answer(operator, guarded)
    refresh(console)
    [item] = second.get("/?tab=all").context["screen"].items

    for url in ("/runs/run_a/", "/runs/run_a/actions/INV-001/", f"/?tab=all&item={item.item_id}"):
        page = second.get(url).content.decode()
        assert "waits for a second person" in page, url
        assert "Review as second person" in page, url


def test_a_viewer_sees_the_proposal_and_no_way_to_confirm(operator, viewer, guarded):
    answer(operator, guarded)

    page = viewer.get("/runs/run_a/").content.decode()

    assert "waits for a second person" in page
    assert "/proposals/" not in page


def test_a_question_that_changed_in_between_is_409_and_the_text_is_kept(
    operator, second, console, guarded
):
    proposal = answer(operator, guarded)["Location"]
    hidden = form_of(second.get(proposal))
    settle_action(console, "run_a", "INV-001", occurred=True, external_id="probe", at=NOON)
    before = events(console)

    response = second.post(proposal, hidden | {"reason": "I typed this"})

    assert response.status_code == 409
    page = response.content.decode()
    assert "changed" in page
    assert "nothing was written" in page
    assert events(console) == before


def test_an_outdated_proposal_cannot_be_confirmed_and_says_so(operator, second, console, guarded):
    proposal = answer(operator, guarded)["Location"]
    settle_action(console, "run_a", "INV-001", occurred=True, external_id="probe", at=NOON)

    page = second.get(proposal).content.decode()

    assert "can no longer be confirmed" in page
    assert "Confirm as second person" not in page


def test_declining_needs_a_reason_and_withdrawing_does_not(operator, second, console, guarded):
    proposal = answer(operator, guarded)["Location"]
    before = events(console)

    silent = second.post(f"{proposal}withdraw/")
    own = operator.post(f"{proposal}withdraw/")

    assert silent.status_code == 422
    assert "needs a reason" in silent.content.decode()
    assert own["Location"] == "/runs/run_a/"
    assert "withdrawn" in operator.get("/runs/run_a/").content.decode()
    assert operator.post(f"{proposal}withdraw/").status_code == 409
    assert events(console) == before


def test_a_proposal_of_another_run_is_not_found(operator, console, guarded, make_run):
    proposal = answer(operator, guarded)["Location"]
    make_run("run_b")

    assert operator.get(proposal.replace("run_a", "run_b")).status_code == 404


def test_completing_over_open_items_proposes(operator, second, console, uncertain):
    uncertain()
    require_two(console, OVER_OPEN_ITEMS, ROOT)
    values = {"over_open_items": "1", "reason": "good enough", "summary": "nine of ten"}
    before = events(console)

    first = operator.post(
        "/runs/run_a/complete/", form_of(operator.get("/runs/run_a/complete/")) | values
    )
    assert events(console) == before
    done = second.post(
        first["Location"], form_of(second.get(first["Location"])) | {"reason": "I agree"}
    )

    assert "/decisions/" in done["Location"]
    assert [kind for _, kind in events(console)][-2:] == ["REVIEW_CONFIRMED", "RUN_COMPLETED"]
    assert list(console.events("run_a"))[-1].payload["summary"] == "nine of ten"


def test_a_proposal_of_the_command_line_is_confirmed_here(second, console, guarded):
    act = Act("<i>ada</i>", "cli", NOON, reason="<script>alert(1)</script>")
    row = settle(console, "run_a", "INV-001", act, Settlement(occurred=True)).proposal
    assert row is not None

    page = second.get(f"/runs/run_a/proposals/{row.proposal_id}/").content.decode()

    assert "<script>alert(1)" not in page
    assert "&lt;i&gt;ada&lt;/i&gt;" in page
    assert f"continuum proposals confirm run_a {row.proposal_id}" in page


# -- rules


@pytest.fixture
def admin(sign_in):
    """A browser in which an admin is signed in."""
    return sign_in("admin", name="ad-1")


def rule(**more):
    return {
        "people": "two",
        "subject": "action",
        "action_type": "send_payment",
        "reason": "audit 7",
        "password": PASSWORD,
        **more,
    }


def test_an_admin_makes_a_rule_with_password_and_reason(admin, console):
    response = admin.post("/policies/", rule())

    assert response.status_code == 302
    assert read_rules(console).bind_type("send_payment")
    page = admin.get("/policies/").content.decode()
    assert "Settling or undoing send_payment" in page
    assert "audit 7" in page


@pytest.mark.parametrize(
    "missing",
    [
        {"reason": ""},
        {"password": ""},
        {"password": "wrong"},
        {"action_type": ""},
        {"subject": "nonsense"},
        {"people": ""},
    ],
)
def test_an_incomplete_rule_is_refused_and_changes_nothing(admin, console, missing):
    response = admin.post("/policies/", rule(**missing))

    assert response.status_code == 422
    assert read_rules(console).rows == ()


def test_ending_a_rule_starts_from_its_row(admin, console):
    admin.post("/policies/", rule(action_type="a&b <x>"))

    page = admin.get("/policies/").content.decode()
    assert "?people=one&amp;subject=action&amp;action_type=a%26b%20%3Cx%3E#change" in page
    filled = admin.get("/policies/?people=one&subject=action&action_type=a%26b%20%3Cx%3E")
    assert 'value="a&amp;b &lt;x&gt;"' in filled.content.decode()
    admin.post("/policies/", rule(people="one", action_type="a&b <x>", reason="moved"))

    assert read_rules(console).rows == ()
    assert "moved" in admin.get("/policies/").content.decode()


def test_an_operator_makes_no_rules(operator, console):
    assert operator.get("/policies/").status_code == 403
    assert operator.post("/policies/", rule()).status_code == 403
    assert read_rules(console).rows == ()
