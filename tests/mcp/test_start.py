"""Starting: settings are checked before a store is touched; leftovers of a crash are cleared."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from continuum import open_store
from continuum.services.progress import Progress, record_progress
from tests.conftest import NOON
from tests.mcp.wire import Server, bare_environment, start

CONFIRM_IS_SHARED = {"CONTINUUM_MCP_TOKEN": "same", "CONTINUUM_MCP_CONFIRM_TOKEN": "same"}
CONFIRM_IS_A_CLIENTS = {
    "CONTINUUM_MCP_CLIENT_TOKENS": "a:same",
    "CONTINUUM_MCP_CONFIRM_TOKEN": "same",
}


def made(place):
    """Make a store with one run at `place`."""
    with open_store(str(place)) as store:
        record_progress(store, "run-a", Progress(1, 0, 3, "demo"), at=NOON)


def one_line(done):
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("error: ")
    return lines[0]


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        (CONFIRM_IS_SHARED, "CONTINUUM_MCP_CONFIRM_TOKEN"),
        (CONFIRM_IS_A_CLIENTS, "CONTINUUM_MCP_CONFIRM_TOKEN"),
        ({"CONTINUUM_MCP_CLIENT_TOKENS": "no-colon"}, "CONTINUUM_MCP_CLIENT_TOKENS"),
        ({"CONTINUUM_MCP_TOOLSETS": "core,nonsense"}, "nonsense"),
    ],
)
def test_malformed_settings_stop_the_server_before_it_makes_a_store(tmp_path, environment, named):
    done = start(tmp_path, environment=environment)

    assert done.returncode == 1
    assert named in one_line(done)
    assert "same" not in done.stderr.decode().replace("the same", "")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("content", ["{", '{"names": []}', '"probe"', "[1]"])
def test_a_malformed_policy_file_stops_the_server(tmp_path, content):
    (tmp_path / ".continuum").mkdir()
    (tmp_path / ".continuum" / "mcp-policy.json").write_text(content)

    done = start(tmp_path)

    assert done.returncode == 1
    assert "mcp-policy.json" in one_line(done)
    assert os.listdir(tmp_path) == [".continuum"]


def test_a_store_that_cannot_be_opened_is_one_line_that_quotes_the_path(tmp_path):
    done = start(tmp_path, "--db", "missing/store.db")

    assert done.returncode == 1
    assert "missing" in one_line(done)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_the_network_is_not_served_without_a_secret(tmp_path, host):
    done = start(tmp_path, "--transport", "streamable-http", "--host", host)

    assert done.returncode == 1
    assert "CONTINUUM_MCP_TOKEN" in one_line(done)
    assert os.listdir(tmp_path) == []


def test_the_store_is_the_option_then_the_variable_then_the_usual_one(tmp_path):
    for options, environment, expected in (
        ((), {}, "continuum.db"),
        ((), {"CONTINUUM_DB": "variable.db"}, "variable.db"),
        (("--db", "option.db"), {"CONTINUUM_DB": "other.db"}, "option.db"),
    ):
        assert start(tmp_path, *options, environment=environment).returncode == 0
        assert (tmp_path / expected).exists()
    assert not (tmp_path / "other.db").exists()


def test_the_slim_server_has_three_tools(tmp_path):
    with Server(tmp_path, environment={"CONTINUUM_MCP_SLIM": "1"}) as server:
        server.hello()

        listed = server.ask("tools/list")["result"]["tools"]
        hidden = server.refusal("continuum_record_progress", run_id="r", completed=0, goal="g")

    assert [tool["name"] for tool in listed] == [
        "continuum_validate",
        "continuum_resume",
        "continuum_confirm",
    ]
    assert hidden["code"] == "unknown_tool"


def test_a_healthy_log_left_by_a_kill_is_read_and_nothing_is_moved(tmp_path):
    place = tmp_path / "continuum.db"
    with Server(tmp_path, environment={"CONTINUUM_MCP_MUTATING_CLIENTS": "probe"}) as server:
        server.hello()
        server.data("continuum_record_progress", run_id="run-a", completed=1, goal="demo")
        server.kill()
    assert (tmp_path / "continuum.db-wal").stat().st_size > 0

    with Server(tmp_path) as again:
        again.hello()
        assert again.data("continuum_resume")["progress"]["completed"] == 1
        assert again.close() == 0
    assert not list(tmp_path.glob("*.orphaned*"))
    assert place.exists()


def test_a_log_that_is_a_folder_is_moved_aside_and_said(tmp_path):
    made(tmp_path / "continuum.db")
    (tmp_path / "continuum.db-wal.orphaned").write_text("earlier evidence")
    (tmp_path / "continuum.db-wal").mkdir()
    (tmp_path / "continuum.db-wal" / "inside").write_text("kept")

    done = start(tmp_path)

    assert done.returncode == 0
    assert "continuum.db-wal.orphaned.1" in done.stderr.decode()
    assert (tmp_path / "continuum.db-wal.orphaned.1" / "inside").read_text() == "kept"
    assert (tmp_path / "continuum.db-wal.orphaned").read_text() == "earlier evidence"


def test_a_log_is_moved_back_where_that_did_not_help(tmp_path):
    (tmp_path / "continuum.db").mkdir()
    (tmp_path / "continuum.db-wal").write_text("evidence")

    done = start(tmp_path)

    assert done.returncode == 1
    assert "continuum.db" in one_line(done)
    assert (tmp_path / "continuum.db-wal").read_text() == "evidence"


def test_nothing_is_cleared_while_another_process_has_the_store_open(tmp_path):
    place = tmp_path / "continuum.db"
    made(place)
    holder = Server(tmp_path, environment={"CONTINUUM_MCP_MUTATING_CLIENTS": "probe"})
    with holder:
        holder.hello()
        holder.data("continuum_record_progress", run_id="run-a", completed=2)
        os.rename(f"{place}-wal", f"{place}-wal.hidden")
        os.mkdir(f"{place}-wal")

        done = start(tmp_path)

        assert (tmp_path / "continuum.db-wal").is_dir()
        assert (tmp_path / "continuum.db-shm").exists()
    assert done.returncode == 1
    assert one_line(done)


def test_garbage_in_the_log_is_left_to_sqlite(tmp_path):
    place = tmp_path / "continuum.db"
    made(place)
    (tmp_path / "continuum.db-wal").write_bytes(os.urandom(500))

    done = start(tmp_path)

    assert (done.returncode, done.stderr) == (0, b"")
    with open_store(str(place), read_only=True) as store:
        assert [run.run_id for run in store.runs(limit=2)] == ["run-a"]


def test_without_the_sdk_one_line_names_the_extra_and_no_store_is_made(tmp_path):
    script = (
        "import sys; sys.modules['mcp_types'] = sys.modules['mcp'] = None; "
        "from continuum.mcp.main import main; sys.exit(main([]))"
    )

    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=bare_environment(),
        capture_output=True,
        check=False,
    )

    assert done.returncode == 1
    assert "continuum-console[mcp]" in one_line(done)
    assert os.listdir(tmp_path) == []
