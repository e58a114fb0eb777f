"""Calling a program by its address, and no other: what is called is what was checked.

A name is looked up once for each call; every address it has must be allowed,
and the connection goes to one of those, so a name that changes its address
between check and call reaches nothing. Redirects are not followed, proxies of
the environment are not used, and little of the answer is read.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, urlsplit

from continuum.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT_SECONDS = 10.0
_READ = 64 * 1024
_PORTS = {"https": 443, "http": 80}


class Unreachable(Exception):
    """The call could not be made; the text says why."""


class Reply(NamedTuple):
    """How the other side answered."""

    status: int
    reason: str


def ensure_address(url: str, *, allow_private: bool) -> None:
    """Refuse an address that is none, or that may not be called.

    Raises:
        InvalidInput: says what is wrong with it.
    """
    parts = _parts(url)
    if parts.scheme == "http" and not allow_private:
        raise InvalidInput("an address outside has to be https", field="url")
    try:
        _allowed_addresses(parts, allow_private=allow_private)
    except Unreachable as exc:
        raise InvalidInput(str(exc), field="url") from exc


def post(url: str, body: bytes, headers: Mapping[str, str], *, allow_private: bool) -> Reply:
    """Send `body` and return the answer's status.

    Raises:
        Unreachable: refused before or while connecting, or no answer in time.
    """
    try:
        parts = _parts(url)
    except InvalidInput as exc:
        raise Unreachable(str(exc)) from exc
    if parts.scheme == "http" and not allow_private:
        raise Unreachable("an address outside has to be https")
    address = _allowed_addresses(parts, allow_private=allow_private)[0]
    path = parts.path or "/"
    target = f"{path}?{parts.query}" if parts.query else path
    try:
        with closing(_connection(parts, address)) as connection:
            connection.request("POST", target, body, dict(headers))
            return _reply(connection)
    except (OSError, http.client.HTTPException, ValueError) as exc:
        raise Unreachable(_said(exc)) from exc


def _parts(url: str) -> SplitResult:
    if any(ord(char) <= 0x20 or ord(char) >= 0x7F for char in url):
        raise InvalidInput("the address holds blanks or letters outside ASCII", field="url")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as exc:
        raise InvalidInput(f"the address cannot be read: {exc}", field="url") from exc
    if parts.scheme not in _PORTS or not parts.hostname or port == 0:
        raise InvalidInput("the address must be https://host/path", field="url")
    if parts.username is not None or parts.fragment:
        raise InvalidInput("the address must hold no name, password or fragment", field="url")
    return parts


def _port(parts: SplitResult) -> int:
    return parts.port or _PORTS[parts.scheme]


def _allowed_addresses(parts: SplitResult, *, allow_private: bool) -> list[str]:
    host = parts.hostname or ""
    try:
        found = socket.getaddrinfo(host, _port(parts), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as exc:
        raise Unreachable(f"{host} cannot be found: {_said(exc)}") from exc
    addresses = [str(one[4][0]) for one in found]
    for address in addresses:
        _ensure_allowed(host, ipaddress.ip_address(address.partition("%")[0]), allow_private)
    return addresses


def _ensure_allowed(
    host: str, address: ipaddress.IPv4Address | ipaddress.IPv6Address, allow_private: bool
) -> None:
    inner = _inner(address)
    never = inner.is_link_local or inner.is_multicast or inner.is_unspecified
    if never or (inner.is_reserved and not inner.is_loopback):
        raise Unreachable(f"{host} is {address}, which is never called")
    if not inner.is_global and not allow_private:
        raise Unreachable(
            f"{host} is {address}, an address of one's own network; allow that for this webhook "
            "if it is meant"
        )


def _inner(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return the IPv4 address that an IPv6 one stands for, else the address."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class _Pinned(http.client.HTTPConnection):
    """A connection to an address that was looked up before."""

    def __init__(self, parts: SplitResult, address: str) -> None:
        super().__init__(parts.hostname or "", _port(parts), timeout=TIMEOUT_SECONDS)
        self._address = address
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None

    def connect(self) -> None:
        """Connect to the address; the certificate is held against the name."""
        raw = socket.create_connection((self._address, self.port), TIMEOUT_SECONDS)
        self.sock = self._tls.wrap_socket(raw, server_hostname=self.host) if self._tls else raw


def _connection(parts: SplitResult, address: str) -> http.client.HTTPConnection:
    return _Pinned(parts, address)


def _reply(connection: http.client.HTTPConnection) -> Reply:
    until = monotonic() + TIMEOUT_SECONDS
    response = connection.getresponse()
    left = _READ
    while left > 0 and monotonic() < until:
        chunk = response.read1(min(left, 4096))
        if not chunk:
            break
        left -= len(chunk)
    return Reply(response.status, response.reason[:80])


def _said(exc: Exception) -> str:
    text = str(exc) or type(exc).__name__
    return text[:200]
