"""Every byte of an event counts: one that is changed is found, at the event, at every door.

A store holds one run for each byte of an event, and in each run that byte is another one. On
both back ends, with our triggers watching, and with everything they kept deleted.
"""

from __future__ import annotations

import re
import sqlite3
from typing import NamedTuple

import psycopg
import pytest

from continuum.core.clock import column_time, utc_now
from continuum.domain.events import Draft, EventRow, EventType, Origin
from continuum.domain.runs import Run, RunStatus
from continuum.services.summaries import catch_up
from continuum.services.verifications import Order, VerificationRow, run_job
from runs.engine import drop_store
from tests.commands import run_ours
from tests.conftest import NOON
from tests.outsiders import Connection
from tests.runs.test_chain_tampering import backend, records, reviewer
from tests.stores import started

__all__ = ["backend", "records", "reviewer"]

MOMENT = column_time(NOON)
PLACE = 2
LETTERS = "abchijkpqr"
"""Digits of names: with a bit changed none is another one of them."""

REFUSED = (sqlite3.IntegrityError, psycopg.errors.IntegrityError)


class Change(NamedTuple):
    """A byte of the second event of a run that is another one now.

    Attributes:
        first: the first event that is wrong then.
    """

    run_id: str
    column: str
    value: str
    first: int


@pytest.fixture
def console(db, store, store_url, settings):
    """A console on `store`."""
    settings.CONTINUUM_DB = store_url
    yield store
    drop_store()


@pytest.fixture(params=[False, True], ids=["triggers watch", "marks deleted"])
def hides(request):
    """Whether the intruder also deletes what triggers have kept."""
    return request.param


@pytest.fixture
def changes(console, store_url, hides):
    """A run a byte, verified and judged, then changed around the product."""
    pattern, *_ = make_rows(console, [999])
    wanted = [(column, place) for column in COLUMNS for place in places(pattern, column)]
    rows = make_rows(console, range(len(wanted)))
    assert verify_all(console) == 0
    catch_up(console, limit=len(rows) + 1, at=utc_now())
    with Connection(store_url) as outsider:
        done = [
            change_byte(outsider, row, *place, hides=hides)
            for row, place in zip(rows, wanted, strict=True)
        ]
        for table in ("cx_heads", "cx_touched") if hides else ():
            outsider.execute(f"DELETE FROM {table}")
    assert {one.column for one in done if one} >= {*COLUMNS} - {"run_id"}
    return [one for one in done if one]


COLUMNS = EventRow._fields


def name(number):
    """Return a number in letters."""
    return "".join(LETTERS[int(digit)] for digit in f"{number:03}")


def make_rows(store, numbers):
    """Make runs of three events; return the second of each, which has few bytes."""
    names = [name(number) for number in numbers]
    with store.writing() as writer:
        for run_id in names:
            writer.insert_run(Run(run_id, "g", RunStatus.STARTED, MOMENT, MOMENT, {}, None))
            draft = Draft(EventType.TOOL_CALLED, {"a": 1.5}, Origin.LLM, NOON, event_id=run_id)
            last = draft._replace(event_id=f"{run_id}.")
            writer.append(run_id, [started("g", at=NOON), draft, last])
    return [store.event_row(run_id, PLACE).row for run_id in names]


def places(row, column):
    """Return every place in a column, one for an empty one."""
    return range(len(str(getattr(row, column) or "")) or 1)


def change_byte(outsider, row, column, place, *, hides):
    """Change one bit of a byte; return what was done, None where the database refuses."""
    text = str(getattr(row, column) or "")
    byte = chr(ord(text[place : place + 1] or "a") ^ 4)
    value = text[:place] + byte + text[place + 1 :]
    where = {"run_id": row.run_id, "sequence": PLACE}
    try:
        outsider.change("events", where, {column: value})
    except REFUSED:
        return None
    is_gone = hides and column in ("run_id", "sequence")
    return Change(row.run_id, column, value, PLACE + is_gone)


def verify_all(store):
    """Verify the whole store as a job does; return how many runs it found broken."""
    *_, row = run_job(store, Order(None, "ada", "console"), clock=utc_now)
    assert isinstance(row, VerificationRow)
    return row.broken_runs


@pytest.mark.django_db(databases=["default", "store"])
def test_every_changed_byte_is_found_at_its_event_at_every_door(
    changes, reviewer, console, records, store_url, hides
):
    firsts = {one.run_id: one.first for one in changes}
    samples = [*{one.column: one.run_id for one in changes}.values()]

    assert found_by_commands(store_url) == firsts
    for run_id in samples:
        assert_refused_by_commands(store_url, run_id)
    for run_id in samples:
        assert_not_called_safe(reviewer, run_id)
    listed = listed_by_admin(reviewer)
    assert not [run_id for run_id in firsts if "Verified" in listed[run_id]]
    if hides:  # until somebody verifies, pages only know that what they kept is gone
        assert verify_all(console) >= len(changes)

    assert {run_id: found_by_console(reviewer, run_id) for run_id in firsts} == firsts
    for run_id in samples if hides else firsts:  # without marks a run's page walks like `resume`
        page = reviewer.get(f"/runs/{run_id}/").content.decode()
        assert ">safe" not in page and "· safe" not in page
    listed = listed_by_admin(reviewer)
    for run_id, first in firsts.items():
        assert listed[run_id] == f"Broken at event {first}"
    for run_id in samples:
        page = reviewer.get(f"/admin/runs/runrecord/{run_id}/change/").content.decode()
        assert f"Broken at event {firsts[run_id]}<" in page
        assert f"continuum verify {run_id}" in page


def found_by_commands(store_url):
    """Return the first event that `verify` names in each run."""
    everything = run_ours("--db", store_url, "--json", "verify", "--all")
    assert everything.exit_code == 3
    return {
        one["run_id"]: min(found["sequence"] for found in one["violations"])
        for one in everything.document["broken"]
    }


def assert_refused_by_commands(store_url, run_id):
    found = run_ours("--db", store_url, "--json", "verify", run_id)
    acted = run_ours("--db", store_url, "--json", "resume", run_id)
    assert found.exit_code == 3 and acted.exit_code != 0
    assert '"safe": true' not in acted.stdout


def assert_not_called_safe(reviewer, run_id):
    """No page calls the run safe or its chain verified."""
    run_page = reviewer.get(f"/runs/{run_id}/").content.decode()
    screen = reviewer.get(f"/chain/{run_id}/").context["screen"]
    assert ">safe" not in run_page and "· safe" not in run_page
    assert not screen.standing.is_green and "Verified" not in screen.title


def found_by_console(reviewer, run_id):
    """Return the first event that the page of a chain calls bad."""
    screen = reviewer.get(f"/chain/{run_id}/").context["screen"]
    assert screen.title == f"Broken at event {screen.broken_at}"
    return screen.broken_at


def listed_by_admin(reviewer):
    """Return what the lists of runs say about each chain."""
    said: dict[str, str] = {}
    for number in range(1, 5):
        page = reviewer.get(f"/admin/runs/runrecord/?p={number}").content.decode()
        said |= dict(re.findall(r'field-chain"><a href="/chain/([a-z]+)/">([^<]*)<', page))
    return said
