"""Pages that say what went wrong: each names the next step, and leads back where one came from."""

from __future__ import annotations

import pytest
from django.test import Client

HERE = "http://testserver"


def text_of(response):
    """Return a page as a person reads it."""
    return " ".join(response.content.decode().split())


def test_a_form_that_is_out_of_date_does_not_speak_of_roles(sign_in, uncertain):
    run_id, key = uncertain()
    signed_in = sign_in("operator")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = signed_in.cookies
    address = f"/runs/{run_id}/actions/{key}/settle/"

    response = strict.post(address, {"reason": "x"}, headers={"referer": f"{HERE}{address}"})

    page = text_of(response)
    assert response.status_code == 403
    assert "This form is out of date" in page
    assert "role" not in page.partition("<main")[2]
    assert f'href="{address}"' in page.partition("<main")[2]


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "swap"])
def test_the_address_of_a_form_says_that_it_is_one(operator, headers):
    response = operator.get("/items/claim/", headers=headers)

    assert response.status_code == 405
    assert response["Allow"] == "POST"
    assert "only takes forms" in text_of(response)


@pytest.mark.parametrize(
    "before",
    ["https://evil.example/runs/", f"{HERE}//evil.example/", "javascript:alert(1)", ""],
)
def test_no_page_of_somebody_else_is_led_back_to(operator, before):
    page = text_of(operator.get("/runs/none/", headers={"referer": before}))

    assert "page before" not in page
    assert "evil" not in page


def test_an_error_leads_back_to_the_page_before_with_its_filter(operator):
    before = f"{HERE}/runs/?text=a&since=all"

    page = text_of(operator.get("/runs/none/", headers={"referer": before}))

    assert 'href="/runs/?text=a&amp;since=all"' in page


def test_an_empty_list_beside_full_ones_leads_to_what_is_open(operator, uncertain):
    uncertain()

    narrowed = text_of(operator.get("/?tab=all&text=nothing-like-it"))
    mine = text_of(operator.get("/?tab=mine"))

    for page in (narrowed, mine):
        assert "Nothing to decide" not in page
        assert "All open: 1" in page


def test_an_empty_inbox_has_nothing_to_decide(operator):
    assert "Nothing to decide" in text_of(operator.get("/"))
