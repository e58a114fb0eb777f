"""A PostgreSQL server of our own, durable, on a free port, gone afterwards."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg import sql

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SUPERUSER = "postgres"


class Server(NamedTuple):
    """A running server; `url` ends before the database name."""

    url: str

    def fresh_database(self, name: str) -> str:
        """Create an empty database, dropping one of that name; return its URL."""
        with psycopg.connect(f"{self.url}postgres", autocommit=True) as connection:
            for statement in ("DROP DATABASE IF EXISTS {} WITH (FORCE)", "CREATE DATABASE {}"):
                connection.execute(sql.SQL(statement).format(sql.Identifier(name)))
        return f"{self.url}{name}"


def find_binaries() -> Path | None:
    """Return the folder that holds `initdb`, the newest version first; None without one."""
    named = os.environ.get("CONTINUUM_TEST_PG_BIN")
    if named:
        return Path(named)
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    if installed:
        return installed[0].parent
    found = shutil.which("initdb")
    return Path(found).parent if found else None


@contextmanager
def running(binaries: Path) -> Iterator[Server]:
    """Start a server with its default durability; stop and remove it on leaving."""
    account = "nobody" if os.geteuid() == 0 and not _has_account() else SUPERUSER
    user = account if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="continuum-bench-pg-") as folder:
        if user:
            shutil.chown(folder, user)
        data = f"{folder}/data"
        initdb = [f"{binaries}/initdb", "-D", data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8"]
        _run([*initdb, "--locale=C.UTF-8"], user)
        port = _free_port()
        options = f"-p {port} -h 127.0.0.1 -k {folder}"
        control = [f"{binaries}/pg_ctl", "-D", data, "-w", "-l", f"{folder}/log"]
        _run([*control, "-o", options, "start"], user)
        try:
            yield Server(f"postgresql://{SUPERUSER}@127.0.0.1:{port}/")
        finally:
            _run([*control, "-m", "immediate", "stop"], user)


def _has_account() -> bool:
    return subprocess.run(["id", SUPERUSER], capture_output=True, check=False).returncode == 0


def _run(command: list[str], user: str | None) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", user=user)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port
