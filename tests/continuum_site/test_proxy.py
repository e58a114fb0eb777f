"""Behind a proxy that ends TLS, at the root of a host and below a path: a real server each time."""

from __future__ import annotations

import html
import http.client
import re
import signal
import subprocess
import sys
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from continuum import open_store
from runs.checks import check_doors
from tests.conftest import NOON
from tests.continuum_site.test_commands import PASSWORD, ROOT, environment, free_port, site
from tests.stores import RunMaker

__all__ = ["environment", "free_port", "site"]

HOST = "console.example"
PROXY = {"Host": HOST, "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}


class Answer(NamedTuple):
    """What a proxy got back."""

    status: int
    headers: http.client.HTTPMessage
    text: str

    def cookies(self):
        """Return cookies by name, as a browser keeps them."""
        pairs = [line.partition(";")[0] for line in self.headers.get_all("Set-Cookie", [])]
        return dict(pair.split("=", 1) for pair in pairs)


@pytest.fixture
def served(site, environment, free_port, tmp_path):
    """Start the console as deployed; return a function that asks it as a proxy does."""
    site("users", "add", "mia", "--role", "operator", "--password-stdin", text=PASSWORD)
    processes = []

    def start(public, **more):
        setting = {"CONTINUUM_PUBLIC_URL": public, "CONTINUUM_TRUST_PROXY": "1", **more}
        process = subprocess.Popen(
            [sys.executable, "-m", "continuum_site", "dashboard", "--bind", f":{free_port}"],
            env=environment | setting | {"CONTINUUM_WORKERS": "1"},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        processes.append(process)
        assert process.stdout
        first = process.stdout.readline()
        assert public.rstrip("/") in first, first + process.stdout.read()

        def ask(path, method="GET", body=None, **headers):
            connection = http.client.HTTPConnection("127.0.0.1", free_port, timeout=20)
            connection.request(method, path, body, {**PROXY, **headers})
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read().decode())
            connection.close()
            return answer

        return ask

    yield start
    for process in processes:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        if process.stdout:
            process.stdout.close()


def signed_in(ask, prefix, sent):
    """Sign in through the page; return what `/` answers then, and all cookies set on the way."""
    page = ask(f"{sent}/login/")
    cookies = page.cookies()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token
    form = urlencode(
        {"csrfmiddlewaretoken": token[1], "username": "mia", "password": PASSWORD, "next": ""}
    )
    headers = {
        "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
        "Content-Type": "application/x-www-form-urlencoded",
        "Origin": f"https://{HOST}",
        "Referer": f"https://{HOST}{prefix}/login/",
        "Sec-Fetch-Site": "same-origin",
    }
    done = ask(f"{sent}/login/", "POST", form, **headers)
    assert (done.status, done.headers["Location"]) == (302, f"{prefix}/"), done.text
    cookies |= done.cookies()
    jar = "; ".join(f"{name}={value}" for name, value in cookies.items())
    return ask(f"{sent}/", Cookie=jar), done


@pytest.mark.parametrize(
    ("prefix", "sent"),
    [("", ""), ("/tools/console", "/tools/console"), ("/tools/console", "")],
    ids=["root", "path handed on", "path cut off by the proxy"],
)
def test_the_console_works_behind_a_proxy(served, prefix, sent):
    ask = served(f"https://{HOST}{prefix}")

    page, done = signed_in(ask, prefix, sent)

    assert page.status == 200
    links = re.findall(r'(?:href|action|src|hx-get)="(/[^"]*)"', page.text)
    assert links
    assert [link for link in links if not link.startswith(f"{prefix}/")] == []
    style = next(link for link in links if link.endswith(".css"))
    assert ask(sent + style.removeprefix(prefix)).status == 200
    name = "__Secure-session" if prefix else "__Host-session"
    [cookie] = [line for line in done.headers.get_all("Set-Cookie") if line.startswith(name)]
    for flag in ("Secure", "HttpOnly", "SameSite=Lax", f"Path={prefix}/"):
        assert flag in cookie
    assert "max-age=31536000" in page.headers["Strict-Transport-Security"]
    assert ask(f"{sent}/runs/").headers["Location"].startswith(f"{prefix}/login/")


ATTRIBUTES = re.compile(r'\s([a-z-]+)="(/[^"]*)"')
FOLLOWED = ("href", "src", "hx-get")
LEFT_ALONE = ("logout", "export", "bundle", ".woff2", ".png", ".ico")
PAGES = 100


def addresses(text, names=None):
    """Return the addresses in a page, whatever attribute holds them, or some of these only."""
    found = ATTRIBUTES.findall(text)
    return {html.unescape(link) for name, link in found if names is None or name in names}


def links_of(answer, names=None):
    """Return where an answer leads, redirects included."""
    if answer.status == 302:
        return {answer.headers["Location"]}
    is_page = "html" in answer.headers["Content-Type"]
    return {one.partition("#")[0] for one in addresses(answer.text, names)} if is_page else set()


def is_new(link, known):
    """Say whether a link leads to a page that was not seen yet."""
    return link.partition("?")[0] not in known and not any(part in link for part in LEFT_ALONE)


@pytest.mark.parametrize("sent", ["/tools/console", ""], ids=["handed on", "cut off by the proxy"])
def test_every_page_that_can_be_reached_below_a_path_stays_below_it(served, site, tmp_path, sent):
    prefix = "/tools/console"
    roles = [part for role in ("reviewer", "admin") for part in ("--role", role)]
    site("users", "set-role", "mia", "--role", "operator", *roles)
    with open_store(str(tmp_path / "store.db")) as store:
        RunMaker(store, at=NOON)("run/a b", claimed=["k"], progress=3)
    ask = served(f"https://{HOST}{prefix}")
    _, done = signed_in(ask, prefix, sent)
    jar = "; ".join(f"{name}={value}" for name, value in done.cookies().items())
    waiting: list[str] = [f"{prefix}/"]
    seen: set[str] = set()

    while waiting and len(seen) < PAGES:
        link = waiting.pop(0)
        seen.add(link.partition("?")[0])
        answer = ask(sent + link.removeprefix(prefix), Cookie=jar)
        assert answer.status in (200, 302), (link, answer.status)
        assert [one for one in links_of(answer) if not one.startswith(f"{prefix}/")] == [], link
        known = seen | {one.partition("?")[0] for one in waiting}
        waiting += sorted(one for one in links_of(answer, FOLLOWED) if is_new(one, known))

    paths = {one.removeprefix(prefix) for one in seen}
    assert {"/runs/", "/chain/", "/acts/", "/callers/"} <= paths
    for beginning in ("/static/", "/runs/~", "/chain/~", "/admin/runs/"):
        assert any(one.startswith(beginning) for one in paths), beginning


def test_what_is_sent_below_a_path_leads_back_below_it(served, tmp_path):
    prefix = "/tools/console"
    with open_store(str(tmp_path / "store.db")) as store:
        RunMaker(store, at=NOON)("r", claimed=["k"], progress=3)
    ask = served(f"https://{HOST}{prefix}")
    page, done = signed_in(ask, prefix, "")
    jar = "; ".join(f"{name}={value}" for name, value in done.cookies().items())
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token
    headers = {
        "Cookie": jar,
        "Content-Type": "application/x-www-form-urlencoded",
        "Origin": f"https://{HOST}",
        "Sec-Fetch-Site": "same-origin",
    }

    fragment = ask("/runs/", Cookie=jar, **{"HX-Request": "true"})
    ended = ask("/logout/", "POST", urlencode({"csrfmiddlewaretoken": token[1]}), **headers)
    after = ask("/runs/", Cookie=jar)

    assert fragment.status == 200 and "<html" not in fragment.text
    assert [one for one in addresses(fragment.text) if not one.startswith(f"{prefix}/")] == []
    assert ended.headers["Location"].startswith(f"{prefix}/")
    assert f"Path={prefix}/" in " ".join(ended.headers.get_all("Set-Cookie", []))
    assert after.headers["Location"].startswith(f"{prefix}/login/")


def test_a_sub_path_without_its_slash_leads_to_the_console(served):
    ask = served(f"https://{HOST}/console")

    bare = ask("/console")

    assert (bare.status, bare.headers["Location"]) == (308, "/console/")
    assert ask("/console/nothing-here/").status in (302, 404)


def test_what_the_proxy_must_send_and_what_nobody_may(served):
    ask = served(f"https://{HOST}")

    assert ask("/login/", **{"X-Forwarded-Proto": "http"}).status == 301
    assert ask("/login/", Host="evil.example").status == 400
    assert ask("/login/", "POST", "", Origin="https://evil.example").status == 403
    assert ask("/login/", "POST", "", **{"Sec-Fetch-Site": "cross-site"}).status == 403
    page = ask("/login/")
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    for header, value in (
        ("X-Frame-Options", "DENY"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ):
        assert value in page.headers[header], header


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"CONTINUUM_TRUST_PROXY": "1"}, "CONTINUUM_PUBLIC_URL"),
        ({"CONTINUUM_PUBLIC_URL": f"https://{HOST}"}, "nothing ends TLS"),
        ({"CONTINUUM_PUBLIC_URL": f"http://{HOST}"}, "must be https://"),
        ({"CONTINUUM_PUBLIC_URL": f"https://{HOST}/a b"}, "must be https://"),
        ({"CONTINUUM_STATE_DB": "store.db"}, "password hashes"),
        ({"CONTINUUM_DECISIONS_A_MINUTE": "0"}, "CONTINUUM_DECISIONS_A_MINUTE"),
    ],
)
def test_a_set_up_that_cannot_be_safe_is_refused_at_start_in_one_line(site, setting, said):
    done = site("dashboard", "--bind", "127.0.0.1:9", **setting)

    assert done.returncode != 0
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_the_checks_of_a_deployment_below_a_path_pass(environment, tmp_path):
    setting = {"CONTINUUM_PUBLIC_URL": f"https://{HOST}/x", "CONTINUUM_TRUST_PROXY": "1"}

    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "check", "--deploy", "--fail-level", "WARNING"],
        env=environment | setting,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"MIDDLEWARE": ["runs.middleware.HeadersMiddleware"]}, "runs.E003"),
        ({"ALLOWED_HOSTS": ["*"]}, "runs.E004"),
        (
            {"PUBLIC_URL": ("https://c.example", "c.example", ""), "CSRF_COOKIE_SECURE": False},
            "runs.E005",
        ),
    ],
)
def test_settings_of_ones_own_that_leave_a_door_open_are_found(settings, change, said):
    for name, value in change.items():
        setattr(settings, name, value)

    assert said in {message.id for message in check_doors()}


def test_the_settings_that_come_with_the_console_leave_none(settings):
    assert check_doors() == []
