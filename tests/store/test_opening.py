"""Opening: addresses, refusals that leave everything as it was, many openers at once."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from continuum import open_store
from continuum.core.errors import (
    Corrupted,
    InvalidInput,
    StoreLocked,
    StoreMissing,
    StoreNewer,
    StoreReadOnly,
    StoreUnavailable,
)
from continuum.store.opening import Address, parse_address
from tests.conftest import NOON
from tests.outsiders import execute
from tests.stores import RunMaker, progressed

STORES = Path(__file__).parents[1] / "data" / "stores"


def listing(folder):
    """Return name → content of every file of a folder."""
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


@pytest.mark.parametrize(
    ("url", "backend", "place"),
    [
        ("a.db", "sqlite", "a.db"),
        ("./a.db", "sqlite", "./a.db"),
        ("a.db?x=1", "sqlite", "a.db?x=1"),
        ("sqlite:f.db", "sqlite", "sqlite:f.db"),
        (":memory:", "sqlite", ":memory:"),
        ("", "sqlite", ":memory:"),
        ("sqlite://", "sqlite", ":memory:"),
        ("sqlite:///", "sqlite", ":memory:"),
        ("sqlite://a.db", "sqlite", "a.db"),
        ("sqlite:///x/a.db", "sqlite", "/x/a.db"),
        ("sqlite:////x/a.db", "sqlite", "//x/a.db"),
        ("sqlite:///:memory:", "sqlite", "/:memory:"),
        ("postgresql://u@h:1/d?host=/s", "postgres", "postgresql://u@h:1/d?host=/s"),
        ("postgres://u@h/d", "postgres", "postgresql://u@h/d"),
    ],
)
def test_addresses_mean_what_the_reference_says(url, backend, place):
    assert parse_address(url) == Address(backend, place)


@pytest.mark.parametrize("url", ["mysql://h/d", "SQLITE://a.db", "POSTGRES://h/d", "://x"])
def test_other_schemes_are_refused(url):
    with pytest.raises(InvalidInput, match="no address of a store"):
        open_store(url)


def test_a_store_in_memory_is_private_and_whole():
    with open_store(":memory:") as store, open_store("") as other:
        RunMaker(store, at=NOON)(progress=2, claimed=["a"])

        assert store.head("run_a").sequence == 4
        assert other.find_run("run_a") is None
        assert store.description() == "memory"


@pytest.mark.parametrize("options", [{"create": False}, {"read_only": True}])
def test_a_missing_file_is_named_and_not_made(tmp_path, options):
    with pytest.raises(StoreMissing, match="continuum init"):
        open_store(str(tmp_path / "no.db"), **options)

    assert listing(tmp_path) == {}


@pytest.mark.parametrize("options", [{}, {"read_only": True}])
def test_what_is_no_store_is_refused_and_left_alone(tmp_path, options):
    (tmp_path / "text").write_text("I am a text, longer than the header of a database" * 9)
    (tmp_path / "folder").mkdir()
    text = (tmp_path / "text").read_bytes()

    for name, reason in (("text", "not a SQLite database"), ("folder", "is a folder")):
        with pytest.raises(StoreUnavailable, match=reason):
            open_store(str(tmp_path / name), **options)

    assert (tmp_path / "text").read_bytes() == text
    assert sorted(os.listdir(tmp_path)) == ["folder", "text"]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(StoreMissing, match="no/such"):
        open_store(str(tmp_path / "no/such/a.db"))


def test_an_empty_file_holds_no_store_yet(tmp_path):
    path = tmp_path / "a.db"
    path.touch()

    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(StoreMissing, match="holds no store"):
            open_store(str(path), **options)
    assert path.read_bytes() == b""

    with open_store(str(path)) as store:
        assert store.runs(limit=1) == []


@pytest.mark.parametrize("options", [{}, {"read_only": True}, {"create": False}])
def test_a_newer_store_is_refused_byte_for_byte_untouched(tmp_path, options):
    shutil.copy(STORES / "schema_newer.db", tmp_path / "a.db")
    before = listing(tmp_path)

    with pytest.raises(StoreNewer, match="version 7"):
        open_store(str(tmp_path / "a.db"), **options)

    assert listing(tmp_path) == before


def test_newer_tables_of_our_own_are_refused(store, store_url):
    store.close()
    execute(store_url, "UPDATE cx_meta SET value = '99' WHERE key = 'schema_version'")

    for options in ({}, {"read_only": True}):
        with pytest.raises(StoreNewer):
            open_store(store_url, **options)


@pytest.mark.parametrize("stamp", ["abc", "0", "-1", ""])
def test_a_stamp_that_is_no_version_is_refused(tmp_path, stamp):
    path = str(tmp_path / "a.db")
    open_store(path).close()
    execute(path, "UPDATE continuum_meta SET value = ?", (stamp,))

    with pytest.raises(Corrupted, match="which is none"):
        open_store(path)


def test_a_stamp_with_blanks_and_zeros_is_read_as_the_other_client_does(tmp_path):
    path = str(tmp_path / "a.db")
    open_store(path).close()
    execute(path, "UPDATE continuum_meta SET value = ' 06 '")

    with open_store(path) as store:
        assert store.notices == ()


def test_a_file_that_only_the_other_client_touched_gets_our_tables_and_says_so(tmp_path):
    path = tmp_path / "a.db"
    shutil.copy(STORES / "compacted.db", path)

    with open_store(str(path), read_only=True) as store:
        assert not store.has_read_model
        run_id = store.runs(limit=1)[0].run_id
        slots = store.slots(run_id)
    with open_store(str(path)) as store:
        assert store.has_read_model
        assert len(store.notices) == 1
        assert store.slots(run_id) == slots
        assert store.stale_runs(9, NOON) == [run_id]


def test_a_locked_store_is_given_up_after_the_time_allowed(tmp_path):
    path = str(tmp_path / "a.db")
    with open_store(path, wait_seconds=0.05) as store:
        run_id = RunMaker(store, at=NOON)()
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")

            with pytest.raises(StoreLocked, match=r"a\.db"):
                store.append(run_id, [progressed(1, at=NOON)])
            assert store.head(run_id).sequence == 1

            other.execute("ROLLBACK")
        store.append(run_id, [progressed(1, at=NOON)])
        assert store.head(run_id).sequence == 2


def test_a_locked_run_in_postgresql_is_given_up_after_the_time_allowed(postgres_url):
    with open_store(postgres_url, wait_seconds=0.05) as store, open_store(postgres_url) as other:
        run_id = RunMaker(store, at=NOON)()
        other_run = RunMaker(store, at=NOON)("run_b")
        with other.writing(run_id):
            with pytest.raises(StoreLocked), store.writing(run_id):
                pass
            store.append(other_run, [progressed(1, at=NOON)])

        store.append(run_id, [progressed(1, at=NOON)])
        assert store.head(run_id).sequence == 2


def test_a_store_opened_for_reading_refuses_to_write(store, store_url, make_run):
    run_id = make_run()

    with open_store(store_url, read_only=True) as reader:
        with pytest.raises(StoreReadOnly):
            reader.append(run_id, [progressed(1, at=NOON)])
        with pytest.raises(StoreReadOnly), reader.writing():
            pass

    assert store.head(run_id).sequence == 1


def test_transactions_do_not_nest(store, make_run):
    run_id = make_run()

    with store.writing(run_id), pytest.raises(RuntimeError), store.writing(run_id):
        pass
    with store.reading(), pytest.raises(RuntimeError), store.writing(run_id):
        pass

    store.append(run_id, [progressed(1, at=NOON)])
    assert store.head(run_id).sequence == 2


def test_a_full_disk_is_said_in_words_and_writes_nothing(tmp_path):
    path = str(tmp_path / "a.db")
    with open_store(path) as store:
        run_id = RunMaker(store, at=NOON)()
        # Only the connection that writes can be given a limit.
        connection = store._database._connection  # type: ignore[attr-defined]  # see above
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")

        with pytest.raises(StoreUnavailable, match="no room"):
            store.append(run_id, [progressed(number, at=NOON) for number in range(500)])

        assert store.head(run_id).sequence == 1
        assert store.append(run_id, [progressed(1, at=NOON)])[0].sequence == 2


def test_a_damaged_file_is_said_in_words(tmp_path):
    path = tmp_path / "a.db"
    with open_store(str(path)) as store:
        run_id = RunMaker(store, at=NOON)(progress=2000)
    content = bytearray(path.read_bytes())
    for page in range(len(content) // 8192, len(content) // 4096):
        content[page * 4096 : page * 4096 + 4096] = b"\xff" * 4096
    path.write_bytes(content)

    with open_store(str(path), read_only=True) as store, pytest.raises(Corrupted, match="damaged"):
        list(store.events(run_id))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_without_the_right_to_write_is_named(tmp_path):
    path = tmp_path / "a.db"
    with open_store(str(path)) as store:
        run_id = RunMaker(store, at=NOON)()
    path.chmod(0o400)

    with open_store(str(path)) as store, pytest.raises(StoreReadOnly):
        store.append(run_id, [progressed(1, at=NOON)])


def test_many_processes_may_open_a_new_store_at_once(backend, tmp_path, request):
    url = str(tmp_path / "a.db")
    if backend == "postgresql":
        url = request.getfixturevalue("empty_postgres_url")
    program = (
        "import sys; from continuum import open_store; "
        "sys.stdin.readline(); open_store(sys.argv[1]).close()"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, url], stdin=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    for one in running:
        one.communicate("go\n")

    assert [one.returncode for one in running] == [0] * 6
    with open_store(url) as store:
        assert store.notices == ()
        assert RunMaker(store, at=NOON)() == "run_a"


def test_a_database_that_is_not_there_is_named_without_the_password(postgres_server):
    url = f"postgresql://postgres:secret@127.0.0.1:{postgres_server.port}/no_such"

    with pytest.raises(StoreUnavailable, match="no_such") as refusal:
        open_store(url)

    assert "secret" not in str(refusal.value)


def test_an_empty_database_holds_no_store_yet(empty_postgres_url):
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(StoreMissing, match="continuum init"):
            open_store(empty_postgres_url, **options)

    with open_store(empty_postgres_url) as store:
        assert store.runs(limit=1) == []
        assert store.notices == ()


def test_nothing_is_imported_that_is_not_needed():
    program = (
        "import sys; from continuum import open_store; import continuum.store.opening; "
        "assert 'sqlite3' not in sys.modules and 'psycopg' not in sys.modules; "
        "open_store(':memory:').close(); assert 'psycopg' not in sys.modules"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
