"""Typed readers of environment variables: a bad value stops the start, by name.

Nothing here guesses: an unset variable has a stated default, and a set one that
cannot be read raises `ConfigurationError` with the variable and what it takes.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from continuum.core.errors import ConfigurationError

_PATH = re.compile(r"(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
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
