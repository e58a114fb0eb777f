"""A real pgbouncer before the tests' server, handing each transaction to any connection."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from tests.postgres import free_port, server_account

_START_SECONDS = 10.0


class Pooler:
    """A running pgbouncer with few server connections, so that they change hands."""

    def __init__(self, server_port: int, *, connections: int) -> None:
        self.port = free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="continuum-pool-"))
        settings = self._folder / "pgbouncer.ini"
        settings.write_text(_SETTINGS.format(server=server_port, port=self.port, size=connections))
        (self._folder / "users").write_text('"postgres" ""\n')
        account = server_account()
        if account:
            for place in (self._folder, *self._folder.iterdir()):
                shutil.chown(place, account.pw_uid, account.pw_gid)
        self._process = subprocess.Popen(
            [_program(), "-q", str(settings)],
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._await_port()

    def url(self, direct: str) -> str:
        """Return the address of a database through the pool."""
        return f"postgresql://postgres@127.0.0.1:{self.port}{urlsplit(direct).path}"

    def stop(self) -> None:
        """Stop the pool and remove its folder."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _await_port(self) -> None:
        give_up_at = time.monotonic() + _START_SECONDS
        while time.monotonic() < give_up_at:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeError("pgbouncer did not start")


_SETTINGS = """
[databases]
* = host=127.0.0.1 port={server} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
auth_file = users
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 100
"""


def _program() -> str:
    found = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
    if found is None:
        raise RuntimeError("no pgbouncer found; scripts/system-deps installs it")
    return found
