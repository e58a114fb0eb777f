"""A PostgreSQL server of the tests' own: found, started in a temporary folder, stopped.

Nothing is skipped where no server is found, because a run that tried one back
end must not look like one that tried both.
"""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from itertools import count
from pathlib import Path

import psycopg

from continuum.store.postgres.store import open_for_writing

_SERVER_USERS = ("postgres", "nobody")
_TEMPLATE = "continuum_template"
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "100",
    "timezone": "UTC",
}


class PostgresMissing(Exception):
    """No PostgreSQL server program is installed."""


class PostgresServer:
    """A running server on a free port; databases are made and dropped per test."""

    def __init__(self) -> None:
        self._programs = find_programs()
        self._account = server_account()
        self._folder = Path(tempfile.mkdtemp(prefix="continuum-pg-"))
        self.port = free_port()
        self._numbers = count(1)
        self._has_template = False
        if self._account:
            os.chown(self._folder, self._account.pw_uid, self._account.pw_gid)
        self._run(
            "initdb", "-D", str(self._data), "-U", "postgres", "-A", "trust",
            "--no-sync", "-E", "UTF8", "--locale=C.UTF-8",
        )  # fmt: skip
        self._run("pg_ctl", "-D", str(self._data), "-w", "-l", str(self._log), "-o",
                  self._options(), "start")  # fmt: skip

    def url(self, database: str) -> str:
        """Return the address of a database, without a password."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def make_database(self, *, empty: bool) -> str:
        """Return the address of a fresh database, with our tables in it unless `empty`."""
        name = f"test_{next(self._numbers)}"
        template = "template1" if empty else self._template()
        self.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Drop a database, whoever is connected to it."""
        self.execute(f'DROP DATABASE "{url.rpartition("/")[2]}" WITH (FORCE)')

    def execute(self, statement: str, *, database: str = "postgres") -> None:
        """Execute a statement as the superuser."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def load_dump(self, url: str, path: Path) -> None:
        """Load a plain SQL dump with the server's own client."""
        program = self._programs / "psql"
        command = [str(program), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-f", str(path)]
        subprocess.run(command, check=True, capture_output=True)

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        pid = int((self._data / "postmaster.pid").read_text().splitlines()[0])
        os.kill(pid, signal.SIGINT)
        self._run("pg_ctl", "-D", str(self._data), "-w", "-m", "immediate", "stop", check=False)
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    @property
    def _log(self) -> Path:
        return self._folder / "log"

    def _template(self) -> str:
        if not self._has_template:
            self.execute(f'CREATE DATABASE "{_TEMPLATE}"')
            url = self.url(_TEMPLATE)
            open_for_writing(url, url, create=True, wait_seconds=5).close()
            self._has_template = True
        return _TEMPLATE

    def _options(self) -> str:
        settings = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
        return f"-p {self.port} -h 127.0.0.1 -k {self._folder} {settings}"

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        account = self._account
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
            cwd=self._folder,
            # A file, not a pipe: the server would keep a pipe open for ever.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if check and done.returncode:
            log = self._log.read_text() if self._log.exists() else ""
            raise RuntimeError(f"{program} ended with {done.returncode}: {log}")


def find_programs() -> Path:
    """Return the folder with `initdb`: `CONTINUUM_TEST_PG_BIN`, Debian's, or the PATH's.

    Raises:
        PostgresMissing: there is none.
    """
    named = os.environ.get("CONTINUUM_TEST_PG_BIN")
    debian = sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    for folder in (named, *debian, on_path and os.path.dirname(on_path)):
        if folder and os.access(os.path.join(folder, "initdb"), os.X_OK):
            return Path(folder)
    raise PostgresMissing(
        "no PostgreSQL server found; `scripts/system-deps` installs one, "
        "or CONTINUUM_TEST_PG_BIN names the folder of initdb"
    )


def server_account() -> pwd.struct_passwd | None:
    """Return whom to run the server as: itself refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next(names[name] for name in _SERVER_USERS if name in names)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
