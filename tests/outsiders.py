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
    assignments = ", ".join(f"{name} = ?" for name in columns)
    condition = " AND ".join(f"{name} = ?" for name in where)
    values = (*columns.values(), *where.values())
    execute(store_url, f"UPDATE {table} SET {assignments} WHERE {condition}", values)


def query(store_url: str, statement: str) -> list[tuple[Any, ...]]:
    """Return the rows of one statement."""
    if store_url.startswith("postgresql://"):
        with psycopg.connect(store_url, autocommit=True) as connection:
            return connection.execute(statement).fetchall()
    with closing(sqlite3.connect(store_url)) as file:
        return file.execute(statement).fetchall()
