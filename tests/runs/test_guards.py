"""What a hostile page, host, body or text may not do."""

from __future__ import annotations

import pytest
from django.test import Client

from continuum.domain.events import Draft, EventType, Origin
from continuum.services.runs import NewRun, start_run
from tests.conftest import NOON
from tests.runs.conftest import form_of, refresh, written
from tests.stores import claimed_action

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HOSTILE = [
    "<script>alert(1)</script>",
    "<!--<script>",
    "</title><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "![x](https://evil.example/p.png) [ok](javascript:alert(1))",
    "{{ 7*7 }}{% now 'Y' %}",
    "\u202egnirts\u200b\u200b",
    "`<b>x</b>`",
    "a\x1b[2Jb\x07",
]


@pytest.mark.parametrize("url", ["/", "/login/", "/runs/", "/runs/nope/", "/healthz", "/admin/"])
def test_every_answer_carries_the_same_strict_headers(operator, url):
    response = operator.get(url)

    assert response["Content-Security-Policy"] == CONTENT_POLICY
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in response["Permissions-Policy"]
    assert "no-store" in response["Cache-Control"]


def test_a_foreign_host_name_is_refused(operator):
    response = operator.get("/", headers={"Host": "evil.example"})

    assert response.status_code == 400


@pytest.fixture
def strict(console, sign_in, uncertain):
    """A browser whose forms are checked, an answer ready to be sent, and where to."""
    run_id, key = uncertain()
    easy = sign_in("operator", name="op-1")
    url = f"/runs/{run_id}/actions/{key}/settle/"
    answer = form_of(easy.get(url)) | {"outcome": "occurred"}
    client = Client(enforce_csrf_checks=True)
    client.cookies = easy.cookies
    return client, url, answer


def test_a_form_without_its_token_is_refused(strict, console):
    client, url, answer = strict
    before = written(console, "run_a")

    response = client.post(url, answer)

    assert response.status_code == 403
    assert "another site sent it" in response.content.decode()
    assert written(console, "run_a") == before


def test_a_form_from_another_site_is_refused_even_with_a_token(strict, console):
    client, url, answer = strict
    token = client.get(url).cookies["csrftoken"].value
    before = written(console, "run_a")

    response = client.post(
        url,
        answer | {"csrfmiddlewaretoken": token},
        headers={"Origin": "https://evil.example"},
    )

    assert response.status_code == 403
    assert written(console, "run_a") == before
    assert client.post(url, answer | {"csrfmiddlewaretoken": token}).status_code == 302


def test_a_body_over_the_limit_is_413_and_writes_nothing(strict, console):
    client, url, answer = strict
    before = written(console, "run_a")

    response = client.post(url, answer | {"reason": "x" * (3 * 1024 * 1024)})

    assert response.status_code == 413
    assert written(console, "run_a") == before


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_agents_is_never_markup(operator, console, text):
    start_run(console, NewRun("r", text, Origin.EXTERNAL_AGENT, members={"caller": text}), at=NOON)
    with console.writing("r") as writer:
        note = Draft(EventType.REASONING_SUMMARY, {text: text}, Origin.EXTERNAL_AGENT, NOON)
        claim = claimed_action("r", text, at=NOON, action_type=text, arguments={text: text})
        writer.append("r", [note, claim])
    refresh(console)
    [action, review] = operator.get("/?tab=all").context["screen"].items
    urls = ["/?tab=all", "/runs/", "/actions/", "/families/", "/runs/r/", "/runs/r/?tab=actions"]
    urls += [f"/?item={action.item_id}", f"/?item={review.item_id}", "/runs/r/?tab=contract"]
    urls += ["/runs/r/events/2/", "/runs/r/confirm/", "/runs/r/complete/"]
    urls += ["/chain/", "/chain/r/", "/chain/r/walk/", "/chain/r/attest/", "/chain/r/attest/check/"]
    urls += [f"/chain/?q={text}", f"/chain/r/walk/?q={text}&person={text}&caller={text}"]
    urls += [f"/runs/?text={text}", f"/actions/?text={text}&type={text}&outside={text}"]
    urls += ["/runs/r/?tab=timeline", "/runs/r/?tab=diff", "/runs/r/?tab=family"]
    urls += ["/families/r/", "/families/r/?view=table", f"/families/?text={text}&view=table"]

    for url in urls:
        page = operator.get(url).content.decode()
        assert "<script>alert" not in page
        assert "<img" not in page
        assert 'href="javascript:' not in page
        assert "<b>x</b>" not in page
        assert 'src="http' not in page
        assert "\x1b" not in page
        assert "\u202e" not in page


@pytest.mark.parametrize("run_id", ["a/b", "..", "~x", "r?x=1#y", "🙂" * 100, "x" * 500])
def test_awkward_run_ids_have_working_pages(operator, console, run_id):
    start_run(console, NewRun(run_id, "g", Origin.EXTERNAL_AGENT), at=NOON)
    refresh(console)
    [row] = operator.get("/runs/").context["screen"].rows
    [item] = operator.get("/").context["screen"].items

    page = operator.get("/runs/").content.decode()
    url = page.split('class="run-goal breakable"><a href="')[1].split('"')[0]

    assert row.run_id == run_id
    assert operator.get(url).context["standing"].run_id == run_id
    assert operator.get(f"/?item={item.item_id}").status_code == 200
    assert operator.get(f"{url}confirm/").status_code == 200
