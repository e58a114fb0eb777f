"""Decides where the console may listen.

Without TLS a password and a session would cross the network in the clear, so
any address but this machine's own needs a public https URL and something that
ends TLS: a proxy in front, or a certificate of our own.
"""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

from continuum.core.errors import ConfigurationError

DEFAULT_BIND = "127.0.0.1:8000"


class Binding(NamedTuple):
    """A checked listening address."""

    host: str
    port: int
    is_loopback: bool

    @property
    def address(self) -> str:
        """`host:port` as servers take it, IPv6 in brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def read_binding(text: str) -> Binding:
    """Return what `HOST:PORT`, `:PORT` or `PORT` names.

    Raises:
        ConfigurationError: no port, or a port out of range.
    """
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ConfigurationError(f"--bind {text!r} must be HOST:PORT, such as {DEFAULT_BIND}")
    return Binding(host, int(port), _is_loopback(host))


def ensure_safe(
    binding: Binding, *, public: bool, trust_proxy: bool, certificate: tuple[str, str]
) -> None:
    """Refuse a listening address that would carry passwords in the clear.

    Args:
        public: a public https URL is set.
        certificate: paths of certificate and key, empty where none is given.
    """
    ends_tls = trust_proxy or all(certificate)
    if any(certificate) and not all(certificate):
        raise ConfigurationError("CONTINUUM_TLS_CERT and CONTINUUM_TLS_KEY go together; set both")
    if public and not ends_tls:
        raise ConfigurationError(
            "CONTINUUM_PUBLIC_URL is set but nothing ends TLS: set CONTINUUM_TRUST_PROXY=1 "
            "behind an https proxy, or CONTINUUM_TLS_CERT and CONTINUUM_TLS_KEY"
        )
    if not binding.is_loopback and not public:
        raise ConfigurationError(
            f"{binding.address} can be reached from other machines, and without TLS passwords "
            f"would travel readable; bind to {DEFAULT_BIND}, or set CONTINUUM_PUBLIC_URL and "
            f"CONTINUUM_TRUST_PROXY=1 or CONTINUUM_TLS_CERT and CONTINUUM_TLS_KEY"
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
