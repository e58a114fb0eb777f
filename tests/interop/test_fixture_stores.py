"""Every store of the reference client: our answers beside its own.

Each command answers as recorded or more carefully. A difference stands in
`DEVIATIONS` under the name it has in docs/reference/deviations.md; an entry
without a difference fails too, so the table cannot rot. Being less careful
is excused by nothing.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.commands import Answer, run_ours
from tests.interop.fixture_stores import (
    FOLDER,
    Case,
    cases_of,
    differences,
    less_careful,
    store_names,
)

_DEVIATIONS_FILE = Path(__file__).parents[2] / "docs" / "reference" / "deviations.md"
POSTGRES = "postgres_mixed"
_JUDGED = ("validate", "resume", "show-contract")
_INDEX = ("verify --index",)

# (store, run id) -> deviation -> commands that differ by it
_DIFFERENCES: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {
    ("compacted", "run_c"): {"D-31": ("replay",)},
    ("compacted_tampered", ""): {"D-01": ("resume_without_id",)},
    ("compacted_tampered", "run_c"): {"D-01": _JUDGED, "D-31": ("replay",), "D-40": _INDEX},
    ("environment_drift", "run_env"): {"D-36": ("validate --env other=v1",)},
    ("family", "child_done"): {"D-03": _JUDGED},
    ("family", "parent"): {"D-04": _JUDGED},
    ("langgraph_thread", ""): {"D-01": ("resume_without_id",), "D-42": ("runs",)},
    ("langgraph_thread", "lg-t1"): {"D-01": _JUDGED},
    ("many_event_types", "run_many"): {
        "D-03": (*_JUDGED, "validate --model model-a", "validate --model model-b"),
        "D-31": ("replay",),
    },
    (POSTGRES, "run_c"): {"D-31": ("replay",), "D-43": _INDEX},
    (POSTGRES, "run_kid"): {"D-43": _INDEX},
    (POSTGRES, "run_pg"): {"D-43": _INDEX},
    ("row_without_events", ""): {"D-05": ("runs",)},
    ("row_without_events", "run_aborted"): {"D-05": (*_JUDGED, "verify"), "D-40": _INDEX},
    ("row_without_events", "run_completed"): {"D-05": (*_JUDGED, "verify"), "D-40": _INDEX},
    ("simple_completed", "run_simple"): {"D-03": _JUDGED},
    ("tampered_chain_gap", ""): {"D-01": ("resume_without_id",)},
    ("tampered_chain_gap", "run_t"): {"D-01": _JUDGED, "D-40": _INDEX},
    ("tampered_payload", ""): {"D-01": ("resume_without_id",)},
    ("tampered_payload", "run_t"): {"D-01": _JUDGED, "D-40": _INDEX},
    ("tampered_unreadable", "run_t"): {"D-40": _INDEX},
    ("versions", "run_v"): {"D-41": ("history",)},
}
DEVIATIONS = {
    (store, run_id, command): name
    for (store, run_id), named in _DIFFERENCES.items()
    for name, commands in named.items()
    for command in commands
}


@pytest.mark.parametrize("store", store_names())
def test_store_is_answered_as_recorded_or_more_carefully(store, tmp_path, monkeypatch):
    db = _copy(store, tmp_path)
    monkeypatch.chdir(tmp_path)

    surprises = [line for case in cases_of(store) for line in _surprises(case, db)]

    assert not surprises, "\n".join(surprises)


@pytest.mark.parametrize("store", store_names())
def test_reading_leaves_file_and_folder_as_they_were(store, tmp_path, monkeypatch):
    db = _copy(store, tmp_path)
    monkeypatch.chdir(tmp_path)
    before = _fingerprints(tmp_path)

    for case in cases_of(store):
        _run(case, db)
        assert _fingerprints(tmp_path) == before, case.argv


def test_postgres_dump_is_answered_as_recorded_or_more_carefully(
    postgres_server, empty_postgres_url, tmp_path, monkeypatch
):
    postgres_server.load_dump(empty_postgres_url, FOLDER / f"{POSTGRES}.sql")
    monkeypatch.chdir(tmp_path)

    surprises = [
        line for case in cases_of(POSTGRES) for line in _surprises(case, empty_postgres_url)
    ]

    assert not surprises, "\n".join(surprises)


def test_reading_leaves_every_postgres_table_as_it_was(
    postgres_server, empty_postgres_url, tmp_path, monkeypatch
):
    postgres_server.load_dump(empty_postgres_url, FOLDER / f"{POSTGRES}.sql")
    monkeypatch.chdir(tmp_path)
    before = _tables(empty_postgres_url)

    for case in cases_of(POSTGRES):
        _run(case, empty_postgres_url)
        assert _tables(empty_postgres_url) == before, case.argv


def test_every_deviation_is_named_in_the_reference():
    named = _DEVIATIONS_FILE.read_text(encoding="utf-8")

    assert {name for name in DEVIATIONS.values() if f"### {name} " not in named} == set()


def _surprises(case: Case, db: Path | str) -> list[str]:
    answer = _run(case, db)
    found = differences(case, answer)
    deviation = DEVIATIONS.get((case.store, case.run_id, case.command))
    lines = [f"less careful: {line}" for line in less_careful(case, answer)]
    if found and deviation is None:
        lines += found
    if not found and deviation is not None:
        lines.append(f"listed as {deviation}, but equal")
    return [f"{case.run_id} {case.command}: {line}" for line in lines]


def _run(case: Case, db: Path | str) -> Answer:
    return run_ours("--db", str(db), "--json", *case.argv)


def _copy(store: str, folder: Path) -> Path:
    return Path(shutil.copy(FOLDER / f"{store}.db", folder / f"{store}.db"))


def _fingerprints(folder: Path) -> dict[str, tuple[str, int]]:
    """Return what every file in a folder holds, and when it was last written."""
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.iterdir())
    }


def _tables(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table and sequence of a database."""
    listing = (
        "SELECT relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace"
        " WHERE nspname = 'public' AND relkind IN ('r', 'S') ORDER BY relname"
    )
    with psycopg.connect(url) as connection:
        names = [row[0] for row in connection.execute(listing)]
        return {
            name: sorted(
                connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(name))),
                key=repr,
            )
            for name in names
        }
