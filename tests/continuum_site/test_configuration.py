"""Settings from the environment: read strictly, refused clearly, never guessed."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from continuum.core.errors import ConfigurationError
from continuum_site import databases, env, state
from continuum_site.binding import ensure_safe, read_binding

HOME = Path("/home/somebody/.local/state/continuum")


@pytest.mark.parametrize(("text", "value"), [("1", True), ("Yes", True), ("off", False)])
def test_a_flag_reads_plain_words(monkeypatch, text, value):
    monkeypatch.setenv("CONTINUUM_X", text)

    assert env.flag("CONTINUUM_X") is value


@pytest.mark.parametrize("text", ["maybe", "2", "tru"])
def test_a_flag_that_is_neither_stops_the_start(monkeypatch, text):
    monkeypatch.setenv("CONTINUUM_X", text)

    with pytest.raises(ConfigurationError, match="CONTINUUM_X"):
        env.flag("CONTINUUM_X")


@pytest.mark.parametrize("text", ["0", "65", "x", "-1", "1.5", "²"])
def test_a_number_out_of_range_stops_the_start(monkeypatch, text):
    monkeypatch.setenv("CONTINUUM_X", text)

    with pytest.raises(ConfigurationError, match="from 1 to 64"):
        env.integer("CONTINUUM_X", default=2, least=1, most=64)


@pytest.mark.parametrize(
    "text",
    [
        "http://c.example",
        "c.example",
        "https://",
        "https://c.example/?x=1",
        "https://c.example/a b",
        "https://c.example/../x",
        "https://c.example//x",
    ],
)
def test_a_public_url_is_https_with_a_plain_path(monkeypatch, text):
    monkeypatch.setenv("CONTINUUM_X", text)

    with pytest.raises(ConfigurationError, match="https://host"):
        env.public_url("CONTINUUM_X")


@pytest.mark.parametrize(
    ("text", "origin", "path"),
    [
        ("https://c.example", "https://c.example", ""),
        ("https://c.example/", "https://c.example", ""),
        ("https://c.example:8443/tools/console/", "https://c.example:8443", "/tools/console"),
    ],
)
def test_a_public_url_knows_origin_and_path(monkeypatch, text, origin, path):
    monkeypatch.setenv("CONTINUUM_X", text)

    found = env.public_url("CONTINUUM_X")

    assert found is not None
    assert (found.origin, found.host, found.path) == (origin, "c.example", path)


def test_people_lie_beside_a_sqlite_store():
    found = databases.places("/data/store.db", state="", state_db="", home=HOME)

    assert found.folder == Path("/data/store.db.console")
    assert found.people["NAME"] == Path("/data/store.db.console/console.db")


def test_people_lie_in_the_state_folder_when_one_is_named():
    found = databases.places("postgresql://h/d", state="/srv/state", state_db="", home=HOME)

    assert found.people["NAME"] == Path("/srv/state/console.db")
    assert found.schema == ""


def test_people_lie_in_a_schema_of_a_postgresql_store():
    found = databases.places("postgresql://u:p%40@h:5433/d", state="", state_db="", home=HOME)

    assert found.folder == HOME
    assert found.schema == "console"
    assert found.people["OPTIONS"]["options"] == "-c search_path=console"
    assert (found.people["USER"], found.people["PASSWORD"]) == ("u", "p@")
    assert (found.people["HOST"], found.people["PORT"], found.people["NAME"]) == ("h", "5433", "d")


def test_people_lie_where_they_are_told_to():
    found = databases.places("store.db", state="", state_db="/srv/people.db", home=HOME)

    assert found.people["NAME"] == Path("/srv/people.db")


def test_the_alias_of_the_store_only_reads():
    sqlite = databases.store_settings("store.db")
    postgres = databases.store_settings("postgresql://h/d?sslmode=require")

    assert sqlite["OPTIONS"]["init_command"] == "PRAGMA query_only=ON"
    assert str(sqlite["NAME"]).endswith("store.db?mode=rw")
    assert postgres["OPTIONS"]["options"] == "-c default_transaction_read_only=on"
    assert postgres["OPTIONS"]["sslmode"] == "require"


@pytest.mark.parametrize("url", ["", ":memory:", "mysql://h/d", "file:x://y"])
def test_an_address_that_is_no_store_is_refused(url):
    with pytest.raises(ConfigurationError, match="CONTINUUM_DB"):
        databases.store_path(url)


def test_the_key_is_private_and_stays_the_same(tmp_path):
    folder = tmp_path / "deep" / "state"

    first = state.secret_key(folder)

    assert state.secret_key(folder) == first
    assert len(first) >= 50
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [path.name for path in folder.iterdir()] == ["secret_key"]


def test_of_many_starts_at_once_all_get_one_key(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: state.secret_key(tmp_path / "state"), range(32)))

    assert len(keys) == 1


def test_a_key_that_others_can_read_is_refused(tmp_path):
    state.secret_key(tmp_path)
    (tmp_path / "secret_key").chmod(0o644)

    with pytest.raises(ConfigurationError, match="chmod 600"):
        state.secret_key(tmp_path)


def test_an_emptied_key_is_refused(tmp_path):
    state.secret_key(tmp_path)
    (tmp_path / "secret_key").write_text("")

    with pytest.raises(ConfigurationError, match="too short"):
        state.secret_key(tmp_path)


@pytest.mark.parametrize(
    ("text", "address", "is_loopback"),
    [
        ("127.0.0.1:8000", "127.0.0.1:8000", True),
        (":9000", "127.0.0.1:9000", True),
        ("9000", "127.0.0.1:9000", True),
        ("localhost:1", "localhost:1", True),
        ("[::1]:8000", "[::1]:8000", True),
        ("127.9.9.9:80", "127.9.9.9:80", True),
        ("0.0.0.0:8000", "0.0.0.0:8000", False),
        ("[::]:8000", "[::]:8000", False),
        ("console.example:8000", "console.example:8000", False),
    ],
)
def test_a_binding_knows_whether_others_can_reach_it(text, address, is_loopback):
    binding = read_binding(text)

    assert (binding.address, binding.is_loopback) == (address, is_loopback)


@pytest.mark.parametrize("text", ["", "host", "host:", "h:0", "h:65536", "h:x"])
def test_a_binding_without_a_port_is_refused(text):
    with pytest.raises(ConfigurationError, match="HOST:PORT"):
        read_binding(text)


@pytest.mark.parametrize(
    ("bind", "public", "proxy", "certificate"),
    [
        ("0.0.0.0:80", False, False, ("", "")),
        ("0.0.0.0:80", False, True, ("", "")),
        ("0.0.0.0:80", True, False, ("", "")),
        ("127.0.0.1:80", True, False, ("", "")),
        ("0.0.0.0:80", True, True, ("cert.pem", "")),
    ],
)
def test_passwords_never_travel_in_the_clear(bind, public, proxy, certificate):
    with pytest.raises(ConfigurationError, match="CONTINUUM_"):
        ensure_safe(read_binding(bind), public=public, trust_proxy=proxy, certificate=certificate)


@pytest.mark.parametrize(
    ("bind", "public", "proxy", "certificate"),
    [
        ("127.0.0.1:80", False, False, ("", "")),
        ("0.0.0.0:80", True, True, ("", "")),
        ("0.0.0.0:80", True, False, ("cert.pem", "key.pem")),
    ],
)
def test_loopback_or_tls_is_enough(bind, public, proxy, certificate):
    ensure_safe(read_binding(bind), public=public, trust_proxy=proxy, certificate=certificate)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "smtp://ann:p%40ss@mail.example",
            ("smtp", "mail.example", 587, "ann", "p@ss", True, False),
        ),
        ("smtps://mail.example:1465", ("smtp", "mail.example", 1465, "", "", False, True)),
        ("smtp+plain://localhost", ("smtp", "localhost", 25, "", "", False, False)),
    ],
)
def test_a_mail_server_is_one_address(monkeypatch, text, found):
    monkeypatch.setenv("CONTINUUM_X", text)

    said = env.mail("CONTINUUM_X")

    names = ("HOST", "PORT", "HOST_USER", "HOST_PASSWORD", "USE_TLS", "USE_SSL")
    kind = said["EMAIL_BACKEND"].split(".")[-2]
    assert (kind, *(said[f"EMAIL_{name}"] for name in names)) == found


def test_no_mail_is_sent_unless_somebody_says_how(monkeypatch):
    monkeypatch.delenv("CONTINUUM_X", raising=False)

    assert env.mail("CONTINUUM_X") == {
        "EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"
    }


@pytest.mark.parametrize(
    "text", ["mail.example", "ftp://mail.example", "smtp://", "file://relative", "smtp://h:x"]
)
def test_a_mail_server_that_is_none_stops_the_start(monkeypatch, text):
    monkeypatch.setenv("CONTINUUM_X", text)

    with pytest.raises(ConfigurationError, match="CONTINUUM_X"):
        env.mail("CONTINUUM_X")


@pytest.mark.parametrize(
    ("text", "hours"), [("4, 24,72", [4, 24, 72]), ("24,1,24", [1, 24]), ("never", [])]
)
def test_ages_are_hours_shortest_first(monkeypatch, text, hours):
    monkeypatch.setenv("CONTINUUM_X", text)

    assert [age.total_seconds() / 3600 for age in env.ages("CONTINUUM_X", "1")] == hours


@pytest.mark.parametrize("text", ["4h", "0", "-1", "1,,2", "1.5", "99999"])
def test_ages_that_are_none_stop_the_start(monkeypatch, text):
    monkeypatch.setenv("CONTINUUM_X", text)

    with pytest.raises(ConfigurationError, match="CONTINUUM_X"):
        env.ages("CONTINUUM_X", "1")
