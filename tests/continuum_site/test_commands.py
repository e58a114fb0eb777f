"""The site as it is started: a real process, a real port, a real store."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from continuum import open_store

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "a rather long pass phrase 7"


@pytest.fixture
def environment(tmp_path):
    """The surroundings of a fresh installation with an empty store."""
    open_store(str(tmp_path / "store.db")).close()
    ours = ("CONTINUUM_", "DJANGO_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"CONTINUUM_DB": str(tmp_path / "store.db"), "PYTHONPATH": str(ROOT)}


@pytest.fixture
def site(environment, tmp_path):
    """Run `python -m continuum_site …` in a folder of its own."""

    def run(*arguments, text="", **extra):
        return subprocess.run(
            [sys.executable, "-m", "continuum_site", *arguments],
            input=text,
            env=environment | extra,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def free_port():
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_people_are_added_and_listed(site):
    added = site("users", "add", "mia", "--role", "operator", "--password-stdin", text=PASSWORD)
    listed = site("users", "list")

    assert (added.returncode, listed.returncode) == (0, 0)
    assert "operator" in listed.stdout


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (("users", "add", "mia", "--role", "operator", "--password-stdin"), "short\n", "password"),
        (("users", "add", "mia", "--role", "operator"), "", "--password-stdin"),
        (("users", "disable", "zoe"), "", "nobody is called"),
        (("dashboard", "--bind", "0.0.0.0:8000"), "", "other machines"),
        (("dashboard", "--bind", "nonsense"), "", "HOST:PORT"),
        (("dashboard", "--db", ":memory:"), "", "on disk"),
        (("dashboard", "--db", "gopher://x"), "", "unknown scheme"),
        (("dashboard", "--db", "missing.db"), "", "missing.db"),
    ],
)
def test_a_refusal_is_one_line_and_never_a_traceback(site, arguments, text, message):
    done = site(*arguments, text=text)

    assert done.returncode != 0
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_an_unknown_command_is_a_usage_error(site):
    assert site("fly").returncode == 2


def test_deployment_checks_are_clean_with_a_public_url(environment, tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "check", "--deploy", "--fail-level", "WARNING"],
        env=environment | {"CONTINUUM_PUBLIC_URL": "https://console.example"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_the_dashboard_serves_pages_and_hashed_static_files(environment, tmp_path, free_port):
    base = f"http://127.0.0.1:{free_port}"
    with subprocess.Popen(
        [sys.executable, "-m", "continuum_site", "dashboard", "--bind", f"127.0.0.1:{free_port}"],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            assert base in server.stdout.readline()
            page = fetch(f"{base}/login/")
            style = page.split('rel="stylesheet" href="')[1].split('"')[0]

            assert "Sign in" in page
            assert style.count(".") == 2  # a hash stands before the suffix
            assert "@layer tokens" in fetch(base + style)
            assert fetch(f"{base}/readyz") == "ready\n"
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=15)
    assert (tmp_path / "store.db.console").stat().st_mode & 0o077 == 0


def fetch(url):
    """Return the body at `url`."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()
