"""Web servers under measurement: started, signed in to, asked, and ended."""

from __future__ import annotations

import http.client
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import quote, urlencode

from benchmarks.harness import ROOT, clean_environment
from benchmarks.subjects.startup import our_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.harness import Settings

PERSON = "bench"
START_SECONDS = 30.0
SLOWEST_SECONDS = 300.0
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
_OK = 200


class Reply(NamedTuple):
    """One answer: wall seconds from the request to the last byte, status, size."""

    seconds: float
    status: int
    size: int
    body: str
    headers: http.client.HTTPMessage


class Server:
    """A server process with its workers, and one kept connection to it."""

    def __init__(
        self, command: Sequence[str], port: int, environment: Mapping[str, str], folder: Path
    ) -> None:
        self.port = port
        self._cookies: dict[str, str] = {}
        self._process = subprocess.Popen(
            list(command),
            cwd=folder,
            env={**clean_environment(), **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._await_port()
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SLOWEST_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._connection.close()
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()

    def page_seconds(self, path: str) -> float:
        """Get a page once; return the seconds.

        Raises:
            RuntimeError: it is no page.
        """
        reply = self.get(path)
        if reply.status != _OK:
            raise RuntimeError(f"{path} answered {reply.status}: {reply.body[:300]}")
        return reply.seconds

    def get(self, path: str) -> Reply:
        """Get a page."""
        return self._ask("GET", path, None)

    def sign_in(self, password: str) -> None:
        """Sign in as a browser would: the form, its token, the session cookie.

        Raises:
            RuntimeError: the server did not let us in.
        """
        form = self.get("/login/")
        found = _TOKEN.search(form.body)
        token = found[1] if found else ""
        fields = {"username": PERSON, "password": password, "csrfmiddlewaretoken": token}
        answer = self._ask("POST", "/login/", urlencode(fields))
        if "sessionid" not in self._cookies:
            raise RuntimeError(f"sign-in was refused with {answer.status}: {answer.body[:300]}")

    def cpu_seconds(self) -> float:
        """Return the CPU time that the server and its workers have used so far."""
        return sum(_cpu_seconds(pid) for pid in _family(self._process.pid))

    def peak_mb(self) -> float:
        """Return the peak memory of the server and its workers together, in MiB."""
        return sum(_peak_mb(pid) for pid in _family(self._process.pid))

    def _ask(self, method: str, path: str, body: str | None) -> Reply:
        headers = {"Cookie": "; ".join(f"{name}={text}" for name, text in self._cookies.items())}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers["Referer"] = f"http://127.0.0.1:{self.port}{path}"
        begun = time.perf_counter()
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        content = response.read()
        seconds = time.perf_counter() - begun
        for cookie in response.headers.get_all("Set-Cookie") or []:
            name, _, rest = cookie.partition("=")
            self._cookies[name] = rest.partition(";")[0]
        text = content.decode("utf-8", "replace")
        return Reply(seconds, response.status, len(content), text, response.headers)

    def _await_port(self) -> None:
        give_up_at = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up_at:
            if self._process.poll() is not None:
                raise RuntimeError(f"the server ended with {self._process.returncode}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeError(f"no server on port {self.port} after {START_SECONDS:.0f} s")


def our_console(settings: Settings, store: Path) -> Server:
    """Start our console as `continuum dashboard` does, signed in as an operator."""
    environment = {"CONTINUUM_STATE": str(settings.folder / f"{store.stem}-people")}
    password = secrets.token_urlsafe(16)
    command = [*our_command(), "--db", str(store)]
    subprocess.run(
        [*command, "users", "add", PERSON, "--role", "operator", "--password-stdin"],
        input=password + "\n",
        cwd=ROOT,
        env={**clean_environment(), **environment},
        stdout=subprocess.DEVNULL,
        encoding="utf-8",
        check=True,
    )
    port = free_port()
    bind = ["dashboard", "--bind", f"127.0.0.1:{port}"]
    server = Server([*command, *bind], port, environment, ROOT)
    server.sign_in(password)
    return server


def peer_dashboard(settings: Settings, store: Path) -> Server:
    """Start the reference client's dashboard."""
    port = free_port()
    command = [str(settings.peer), "--db", str(store), "dashboard", "--port", str(port)]
    return Server(command, port, {}, settings.folder)


def floor_site(store: Path) -> Server:
    """Start a Django page with nothing but the table."""
    port = free_port()
    gunicorn = [sys.executable, "-m", "gunicorn", "benchmarks.floor_site:application"]
    how = ["-k", "gthread", "-w", "2", "--threads", "4", "--keep-alive", "15"]
    command = [*gunicorn, *how, "-b", f"127.0.0.1:{port}", "--no-control-socket"]
    return Server(command, port, {"BENCH_STORE": str(store)}, ROOT)


def run_path(run_id: str) -> str:
    """Return the address of a run's page, the same on all three sites."""
    return f"/runs/{quote(run_id)}"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def _family(pid: int) -> list[int]:
    """Return a process and its children."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return [pid]
    return [pid, *map(int, children)]


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_mb(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
