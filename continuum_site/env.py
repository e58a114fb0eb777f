"""Typed readers of environment variables: a bad value stops the start, by name.

Nothing here guesses: an unset variable has a stated default, and a set one that
cannot be read raises `ConfigurationError` with the variable and what it takes.
"""

from __future__ import annotations

import os
import re
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from continuum.core.errors import ConfigurationError

_PATH = re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
_MAIL_PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class PublicUrl(NamedTuple):
    """Where people reach the console from outside.

    Attributes:
        origin: `https://host[:port]`, as browsers send it.
        host: without the port.
        path: where the console begins below it, `/console`; empty for the root.
    """

    origin: str
    host: str
    path: str = ""

    @property
    def address(self) -> str:
        """The address of the first page, without a slash at the end."""
        return f"{self.origin}{self.path}"


def text(name: str, default: str = "") -> str:
    """Return the variable without surrounding blanks; `default` when unset or blank."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, *, default: bool = False) -> bool:
    """Return a yes/no variable."""
    value = text(name).lower()
    if not value:
        return default
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ConfigurationError(f"{name}={value!r} is neither yes nor no; use 1 or 0")


def integer(name: str, *, default: int, least: int, most: int) -> int:
    """Return a whole number between `least` and `most`."""
    value = text(name)
    if not value:
        return default
    if not value.isascii() or not value.isdigit() or not least <= int(value) <= most:
        raise ConfigurationError(f"{name}={value!r} is not a whole number from {least} to {most}")
    return int(value)


def ages(name: str, default: str) -> tuple[timedelta, ...]:
    """Return ages in hours, given as `4, 24, 72`, shortest first; none for `never`."""
    value = text(name, default)
    if value == "never":
        return ()
    hours = [part.strip() for part in value.split(",")]
    if not all(part.isascii() and part.isdigit() and 0 < int(part) < 10_000 for part in hours):
        raise ConfigurationError(f"{name}={value!r} is no list of hours such as 4, 24, 72")
    return tuple(timedelta(hours=number) for number in sorted({int(part) for part in hours}))


def mail(name: str) -> dict[str, Any]:
    """Return Django's settings of how mail is sent; none is while the variable is unset.

    `smtp://[user:password@]host[:port]` switches to TLS first (STARTTLS),
    `smtps://…` speaks it from the start, `smtp+plain://…` never, for a server
    on this machine; `file:///folder` writes mails into files.
    """
    value = text(name)
    backends = "django.core.mail.backends"
    if not value:
        return {"EMAIL_BACKEND": f"{backends}.dummy.EmailBackend"}
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError as exc:
        raise ConfigurationError(f"{name} cannot be read: {exc}") from exc
    if parts.scheme == "file" and parts.path.startswith("/"):
        backend = f"{backends}.filebased.EmailBackend"
        return {"EMAIL_BACKEND": backend, "EMAIL_FILE_PATH": parts.path}
    if parts.scheme not in _MAIL_PORTS or not parts.hostname:
        raise ConfigurationError(f"{name} must be smtp://host, smtps://host or file:///folder")
    return {
        "EMAIL_BACKEND": f"{backends}.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or _MAIL_PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_TIMEOUT": 10,
    }


def public_url(name: str) -> PublicUrl | None:
    """Return the address people use, or None when the console is for this machine only."""
    value = text(name)
    if not value:
        return None
    parts = urlsplit(value)
    path = parts.path.rstrip("/")
    if parts.scheme != "https" or not parts.hostname or parts.query or not _PATH.fullmatch(path):
        raise ConfigurationError(
            f"{name}={value!r} must be https://host[:port], or https://host[:port]/path with a "
            "path of letters, digits, dots, dashes and underscores"
        )
    return PublicUrl(f"https://{parts.netloc.rpartition('@')[2]}", parts.hostname, path)
