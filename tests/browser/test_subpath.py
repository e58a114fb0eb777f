"""The console below a path of a host, behind a proxy that ends TLS: Chromium stays below it."""

from __future__ import annotations

import http.client
import ssl
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from playwright.sync_api import Page

from continuum import open_store
from tests.conftest import NOON
from tests.continuum_site.test_commands import PASSWORD, environment, free_port, site
from tests.runs.conftest import written
from tests.stores import RunMaker

__all__ = ["environment", "free_port", "site"]

PATH = "/continuum"
NOT_HANDED_ON = {"connection", "transfer-encoding", "content-length", "keep-alive"}


class Mounted(NamedTuple):
    """A console below a path.

    Attributes:
        url: its address, without the last slash.
        strays: what the proxy was asked for outside of the path.
        store: where the store is.
    """

    url: str
    strays: list[str]
    store: str


def certificate(folder):
    """Write a key and a certificate that it signs itself; return the file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    private = serialization.PrivateFormat.PKCS8
    plain = serialization.NoEncryption()
    file = folder / "proxy.pem"
    file.write_bytes(key.private_bytes(encoding, private, plain) + signed.public_bytes(encoding))
    return file


def handler(port, strays, *, cuts):
    """Return what hands requests below the path on to a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self._hand_on(None)

        def do_POST(self):
            self._hand_on(self.rfile.read(int(self.headers["Content-Length"] or 0)))

        def _hand_on(self, body):
            if not self.path.startswith(f"{PATH}/"):
                strays.append(self.path)
                self.send_error(404)
                return
            path = self.path.removeprefix(PATH) if cuts else self.path
            inner = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            more = {"X-Forwarded-Proto": "https", "X-Forwarded-For": self.client_address[0]}
            inner.request(self.command, path, body, {**dict(self.headers), **more})
            answer = inner.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in NOT_HANDED_ON:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            inner.close()

        def log_message(self, *_):
            """Say nothing."""

    return Handler


@contextmanager
def proxy(port, strays, folder, *, cuts):
    """Serve the path over TLS; give the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(port, strays, cuts=cuts))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(folder))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@pytest.fixture(params=[True, False], ids=["path cut off", "path handed on"])
def mounted(request, site, environment, free_port, tmp_path):
    """A console as it is deployed below a path, with an operator and an open action."""
    site("users", "add", "mia", "--role", "operator", "--password-stdin", text=PASSWORD)
    store = str(tmp_path / "store.db")
    with open_store(store) as opened:
        RunMaker(opened, at=NOON)("invoices", claimed=["INV-001"], progress=2)
    strays: list[str] = []
    with proxy(free_port, strays, tmp_path, cuts=request.param) as port:
        url = f"https://localhost:{port}{PATH}"
        setting = {"CONTINUUM_PUBLIC_URL": url, "CONTINUUM_TRUST_PROXY": "1"}
        process = subprocess.Popen(
            [sys.executable, "-m", "continuum_site", "dashboard", "--bind", f":{free_port}"],
            env=environment | setting | {"CONTINUUM_WORKERS": "1"},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout
        assert url in process.stdout.readline()
        yield Mounted(url, strays, store)
        process.terminate()
        process.wait(20)
        process.stdout.close()


class Walk(NamedTuple):
    """A browser window, what it asked for, and what did not come."""

    page: Page
    asked: list[str]
    failed: list[str]


@pytest.fixture(params=[True, False], ids=["javascript", "no javascript"])
def walk(request, chromium):
    """A window that takes the proxy's certificate."""
    context = chromium.new_context(java_script_enabled=request.param, ignore_https_errors=True)
    found = Walk(context.new_page(), [], [])
    page, asked, failed = found
    page.set_default_timeout(30_000)
    page.on("request", lambda sent: asked.append(sent.url))
    page.on("requestfailed", lambda sent: note_failure(sent, failed))
    page.on("response", lambda got: failed.append(got.url) if got.status >= 400 else None)
    page.on("pageerror", lambda error: failed.append(str(error)))
    yield found
    context.close()


def test_an_operators_walk_below_a_path_stays_below_it(mounted, walk, request):
    page = walk.page
    has_script = "no javascript" not in request.node.name

    page.goto(f"{mounted.url}/runs/")
    page.fill("#id_username", "mia")
    page.fill("#id_password", PASSWORD)
    page.click("button[data-kind=primary]")
    page.wait_for_url(f"{mounted.url}/runs/")
    page.goto(f"{mounted.url}/")
    if has_script:
        page.wait_for_event("response", predicate=lambda got: "/live/" in got.url)
    settle(page)
    page.click("text=Back to the run")
    page.wait_for_url(f"{mounted.url}/runs/invoices/")

    with open_store(mounted.store, read_only=True) as store:
        assert written(store, "invoices")[-1][1] == "ACTION_RECONCILED"
    assert [url for url in walk.asked if not url.startswith((f"{mounted.url}/", "data:"))] == []
    assert mounted.strays == []
    assert walk.failed == []
    for kind in (".css", ".svg", *((".js",) if has_script else ())):
        assert any(url.partition("?")[0].endswith(kind) for url in walk.asked), kind


def settle(page):
    """Record from the inbox that the open action took effect."""
    page.click(".item-title:has-text('send_invoice')")
    page.fill("#reason", "Mail log shows delivery")
    page.check("input[value=occurred]")
    page.fill("#external_id", "msg-1")
    page.click("text=Review the decision")
    page.click("text=Record the outcome")
    page.wait_for_selector("text=Written")


def note_failure(sent, failed):
    """Note what did not come; a question that a new page cut short is none."""
    if "ERR_ABORTED" not in (sent.failure or ""):
        failed.append(f"{sent.url} {sent.failure}")
