"""Turns store and state addresses into Django's database settings.

Two aliases: `default` holds people's data, `store` shows the engine's tables to
the admin and refuses writes. The pages themselves never use `store`; they go
through `continuum.services`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from continuum.core.errors import ConfigurationError

PEOPLE_SCHEMA = "console"
_POSTGRES = ("postgresql", "postgres")


class Places(NamedTuple):
    """Where the console keeps things.

    Attributes:
        folder: secret key, static files and, mostly, people's database.
        people: Django settings of the people's database.
        schema: PostgreSQL schema to make for people's tables, or empty.
    """

    folder: Path
    people: dict[str, Any]
    schema: str


def store_path(url: str) -> Path | None:
    """Return the file of a SQLite store; None for PostgreSQL.

    Raises:
        ConfigurationError: another scheme, or a store in memory, which a
            console of several threads cannot share.
    """
    if url in ("", ":memory:"):
        raise ConfigurationError("the console needs a store on disk; CONTINUUM_DB names none")
    scheme, separator, rest = url.partition("://")
    if not separator:
        return Path(url)
    if scheme == "sqlite":
        return Path(unquote(rest))
    if scheme in _POSTGRES:
        return None
    raise ConfigurationError(
        f"CONTINUUM_DB has the unknown scheme {scheme!r}; use a path, sqlite:// or postgresql://"
    )


def places(url: str, *, state: str, state_db: str, home: Path) -> Places:
    """Return where the state folder and people's database are.

    Args:
        state: the folder asked for, or empty.
        state_db: the people's database asked for (path or URL), or empty.
        home: the folder for keys when the store is no file and none is asked for.
    """
    file = store_path(url)
    beside = file.with_name(f"{file.name}.console") if file else home
    folder = Path(state or beside).absolute()
    if state_db:
        return Places(folder, _people_of(state_db), "")
    if state or file:
        return Places(folder, sqlite_settings(folder / "console.db"), "")
    return Places(folder, _in_schema(url), PEOPLE_SCHEMA)


def store_settings(url: str) -> dict[str, Any]:
    """Return the settings of the alias that only reads the store."""
    file = store_path(url)
    if file is None:
        return postgres_settings(url, "-c default_transaction_read_only=on")
    return {
        "ENGINE": "django.db.backends.sqlite3",
        # mode=rw and not rwc: looking at a missing store must not make one.
        "NAME": f"file:{quote(str(file.absolute()))}?mode=rw",
        "OPTIONS": {"uri": True, "init_command": "PRAGMA query_only=ON", "timeout": 5},
    }


def sqlite_settings(path: Path) -> dict[str, Any]:
    """Return the settings of a people's database in a file."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path.absolute(),
        "CONN_MAX_AGE": 60,  # opening the file anew for each page costs more than a query
        "OPTIONS": {
            "timeout": 10,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
    }


def postgres_settings(url: str, options: str) -> dict[str, Any]:
    """Return Django's settings for a PostgreSQL address with session `options`."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    both = f"{query.pop('options', '')} {options}".strip()
    host = query.pop("host", "") or unquote(parts.hostname or "")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": query.pop("dbname", "") or unquote(parts.path.lstrip("/")),
        "USER": query.pop("user", "") or unquote(parts.username or ""),
        "PASSWORD": query.pop("password", "") or unquote(parts.password or ""),
        "HOST": host,
        "PORT": query.pop("port", "") or (str(parts.port) if parts.port else ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": True,
        "OPTIONS": {**query, "options": both} if both else query,
    }


def _people_of(address: str) -> dict[str, Any]:
    file = store_path(address)
    return sqlite_settings(file) if file else postgres_settings(address, "")


def _in_schema(url: str) -> dict[str, Any]:
    return postgres_settings(url, f"-c search_path={PEOPLE_SCHEMA}")
