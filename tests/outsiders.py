"""Somebody with a database client of their own, going around the product."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import psycopg


def execute(store_url: str, statement: str, values: tuple[Any, ...] = ()) -> None:
    """Run one statement; `?` marks a value on both back ends."""
    if store_url.startswith("postgresql://"):
        with psycopg.connect(store_url, autocommit=True) as connection:
            connection.execute(statement.replace("?", "%s"), values)
        return
    with closing(sqlite3.connect(store_url)) as file, file:
        file.execute(statement, values)


def change(store_url: str, table: str, where: dict[str, Any], columns: dict[str, Any]) -> None:
    """Set `columns` of the rows of `table` that match `where`."""
    execute(store_url, *_update(table, where, columns))


def query(store_url: str, statement: str) -> list[tuple[Any, ...]]:
    """Return the rows of one statement."""
    if store_url.startswith("postgresql://"):
        with psycopg.connect(store_url, autocommit=True) as connection:
            return connection.execute(statement).fetchall()
    with closing(sqlite3.connect(store_url)) as file:
        return file.execute(statement).fetchall()


class Connection:
    """A connection that stays open, for somebody with many statements."""

    def __init__(self, store_url: str) -> None:
        self._connection: Any
        if store_url.startswith("postgresql://"):
            self._connection, self._mark = psycopg.connect(store_url, autocommit=True), "%s"
        else:
            self._connection, self._mark = sqlite3.connect(store_url, isolation_level=None), "?"

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> None:
        """Run one statement; `?` marks a value on both back ends."""
        self._connection.execute(statement.replace("?", self._mark), values)

    def change(self, table: str, where: dict[str, Any], columns: dict[str, Any]) -> None:
        """Set `columns` of the rows of `table` that match `where`."""
        self.execute(*_update(table, where, columns))

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def _update(
    table: str, where: dict[str, Any], columns: dict[str, Any]
) -> tuple[str, tuple[Any, ...]]:
    assignments = ", ".join(f"{name} = ?" for name in columns)
    condition = " AND ".join(f"{name} = ?" for name in where)
    values = (*columns.values(), *where.values())
    return f"UPDATE {table} SET {assignments} WHERE {condition}", values
