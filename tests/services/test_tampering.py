"""Whatever somebody does to a log around the product is found, at the right event."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress

import psycopg
import pytest

from continuum.core.clock import utc_now
from continuum.core.errors import ContinuumError
from continuum.domain.events import (
    UNREADABLE,
    Draft,
    EventRow,
    EventType,
    Head,
    Origin,
    exact_digest,
    seal,
)
from continuum.services import chain
from continuum.services.chain import mark_verified, verify_run
from continuum.services.checkpoints import take_checkpoint
from continuum.services.facts import fold_facts
from continuum.services.recovery import assess
from continuum.services.standings import standing
from continuum.services.summaries import catch_up
from continuum.services.verifications import Order, run_job
from tests.commands import run_ours
from tests.conftest import NOON
from tests.outsiders import change, execute
from tests.stores import claimed_action, progressed

RUN = "run_a"
REFUSED = (sqlite3.IntegrityError, psycopg.errors.IntegrityError, psycopg.errors.DataError)


@pytest.fixture
def logged(store, make_run):
    """A run of six events of several kinds, verified and judged."""
    make_run(RUN, goal="Process 3 invoices", progress=1)
    odd = {"text": "é 🚀", "number": 2.5, "deep": {"list": [1, None, True]}, "by": "ada"}
    store.append(RUN, [Draft(EventType.REASONING_SUMMARY, odd, Origin.HUMAN, NOON)])
    store.append(RUN, [claimed_action(RUN, "k", at=NOON)])
    store.append(RUN, [progressed(2, at=NOON), progressed(3, at=NOON)])
    mark_verified(store, verify_run(store, RUN), at=NOON)
    catch_up(store, limit=10, at=NOON)
    assert verify_run(store, RUN).ok
    return store


def first_bad(store, run_id=RUN):
    """Return the first bad event, after checking that nothing on the way says safe."""
    verification = verify_run(store, run_id).verification
    safe = None
    with suppress(ContinuumError):
        safe = assess(store, run_id, at=NOON, audit=True).safe
    shown = None
    with suppress(ContinuumError):
        shown = assess(store, run_id, at=NOON)
    if verification.ok:
        return None
    assert not safe
    assert shown is None or (not shown.safe and not shown.chain.ok)
    assert not standing(store, run_id).is_green
    return verification.broken_at


def other(character):
    """Return another character of the same kind."""
    if character.isdigit():
        return "1" if character != "1" else "2"
    return "x" if character != "x" else "y"


def is_same_value(row):
    """Say whether a row still means what its hash was taken over."""
    try:
        return exact_digest(row) == row.hash
    except UNREADABLE:
        return False


TEXTS = [name for name in EventRow._fields if name not in ("sequence", "causer_event_id", "run_id")]


@pytest.mark.parametrize("column", TEXTS)
@pytest.mark.parametrize("sequence", [1, 3, 6])
def test_any_changed_character_of_any_column_is_found(logged, store_url, column, sequence):
    row = logged.event_row(RUN, sequence).row
    text = getattr(row, column)
    if text is None:
        text, places = "", [0]
    else:
        places = [*range(0, len(text), 1 if sequence == 3 else 5)]
    for place in places:
        changed = text[:place] + other(text[place : place + 1] or "x") + text[place + 1 :]
        if column == "event_id":
            change(store_url, "events", {"run_id": RUN, "sequence": sequence}, {column: changed})
        else:
            change(store_url, "events", {"event_id": row.event_id}, {column: changed})

        altered = row._replace(**{column: changed})
        if not is_same_value(altered) or altered.hash != row.hash:
            assert first_bad(logged) == sequence, (column, place, changed)
        change(
            store_url,
            "events",
            {"run_id": RUN, "sequence": sequence},
            {column: getattr(row, column)},
        )

    assert first_bad(logged) is None


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"sequence": 33}, 3),
        ({"causer_event_id": "event_0"}, 3),
        ({"prev_hash": None}, 3),
        ({"payload": "[]"}, 3),
        ({"payload": '{"n": NaN}'}, 3),
        ({"payload": "{}"}, 3),
        ({"payload": '{"a": 1'}, 3),
        ({"timestamp": "yesterday"}, 3),
        ({"timestamp": "1999-01-01T00:00:00+00:00"}, 3),
        ({"timestamp": "2999-01-01T00:00:00+00:00"}, 3),
        ({"source": "deterministic"}, 3),
        ({"type": "TOOL_CALLED"}, 3),
        ({"run_id": "run_b"}, 3),
    ],
)
def test_any_other_value_is_found_or_refused_by_the_database(logged, store_url, columns, found):
    try:
        change(store_url, "events", {"run_id": RUN, "sequence": 3}, columns)
    except REFUSED:
        assert first_bad(logged) is None
        return

    assert first_bad(logged) == found


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "columns", [{"payload": b"\x00\xff"}, {"hash": b"x"}, {"type": 5}, {"sequence": "three"}]
)
def test_values_of_another_kind_are_found(logged, store_url, columns):
    change(store_url, "events", {"run_id": RUN, "sequence": 3}, columns)

    assert first_bad(logged) == 3


@pytest.mark.parametrize("sequence", range(1, 7))
def test_a_deleted_event_is_found(logged, store_url, sequence):
    execute(store_url, "DELETE FROM events WHERE sequence = ?", (sequence,))

    assert first_bad(logged) == sequence
    logged.append(RUN, [progressed(9, at=NOON)])
    assert first_bad(logged) == sequence


@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_a_cut_off_end_is_found(logged, store_url, count):
    execute(store_url, "DELETE FROM events WHERE sequence > ?", (6 - count,))

    assert first_bad(logged) == 7 - count


@pytest.mark.parametrize(("one", "two"), [(1, 2), (2, 5), (5, 6)])
def test_swapped_events_are_found(logged, store_url, one, two):
    for before, after in ((one, -1), (two, one), (-1, two)):
        change(store_url, "events", {"run_id": RUN, "sequence": before}, {"sequence": after})

    assert first_bad(logged) == one


@pytest.mark.parametrize(("one", "two"), [(2, 5), (5, 6)])
def test_swapped_contents_are_found(logged, store_url, one, two):
    rows = {number: logged.event_row(RUN, number).row for number in (one, two)}
    for place, source in ((one, two), (two, one)):
        columns = {"payload": rows[source].payload, "type": rows[source].type}
        change(store_url, "events", {"run_id": RUN, "sequence": place}, columns)

    assert first_bad(logged) == one


def resealed(store, first, **columns):
    """Return rows from `first` on with a change in the first, hashes and links made anew."""
    head = Head(first - 1, store.event_row(RUN, first - 1).row.hash if first > 1 else None)
    rows: list[EventRow] = []
    for event in store.events(RUN, after=first - 1):
        draft = Draft(event.type, event.payload, event.source, event.at, event_id=event.event_id)
        row = seal(draft._replace(**(columns if not rows else {})), run_id=RUN, head=head)
        head = Head(row.sequence, row.hash)
        rows.append(row)
    return rows


@pytest.mark.parametrize("first", [1, 3, 6])
def test_a_chain_with_a_recomputed_tail_is_found(logged, store_url, first):
    for row in resealed(logged, first, payload={"goal": "EVIL", "completed": 9}):
        change(store_url, "events", {"event_id": row.event_id}, row._asdict())

    assert first_bad(logged) == first
    logged.append(RUN, [progressed(9, at=NOON)])
    assert first_bad(logged) == first


def test_a_recomputed_chain_without_any_mark_is_found_by_the_checkpoint(
    logged, store_url, make_run
):
    """Somebody who also empties our tables still meets what was sealed elsewhere."""
    take_checkpoint(logged, RUN, at=NOON)
    execute(store_url, "DELETE FROM events WHERE sequence > 3")
    execute(store_url, "DELETE FROM cx_touched")
    execute(
        store_url,
        "UPDATE cx_heads SET sequence = 3, hash = NULL, touched_sequence = NULL, "
        "verified_sequence = 0",
    )

    assert first_bad(logged) == 4


@pytest.fixture
def compacted(logged):
    """The run with its first four events archived."""
    with logged.writing(RUN) as writer:
        writer.archive(RUN, 4)
    mark_verified(logged, verify_run(logged, RUN), at=NOON)
    assert first_bad(logged) is None
    return logged


@pytest.mark.parametrize("sequence", range(1, 5))
def test_a_deleted_archived_event_is_found(compacted, store_url, sequence):
    execute(store_url, "DELETE FROM events_archive WHERE sequence = ?", (sequence,))

    assert first_bad(compacted) == sequence


def test_an_emptied_archive_is_found(compacted, store_url):
    execute(store_url, "DELETE FROM events_archive")

    assert first_bad(compacted) == 1


def test_an_emptied_live_part_is_found(compacted, store_url):
    execute(store_url, "DELETE FROM events")

    assert first_bad(compacted) == 5


@pytest.mark.parametrize("sequence", [1, 2, 4])
@pytest.mark.parametrize("column", ["payload", "source", "hash", "prev_hash"])
def test_a_changed_archived_event_is_found(compacted, store_url, sequence, column):
    columns = {column: {"payload": "{}", "source": "llm"}.get(column, "0" * 64)}
    change(store_url, "events_archive", {"run_id": RUN, "sequence": sequence}, columns)

    assert first_bad(compacted) == sequence


@pytest.mark.parametrize(
    "columns", [{"goal": "EVIL"}, {"status": "completed"}, {"status": "aborted"}]
)
def test_o08_a_changed_run_row_is_reported_and_safe_for_nobody(logged, store_url, columns):
    change(store_url, "runs", {"run_id": RUN}, columns)

    report = verify_run(logged, RUN)
    verdict = assess(logged, RUN, at=NOON)

    assert [str(one.kind) for one in report.verification.violations] == ["ROW_MISMATCH"]
    assert not verdict.safe
    assert verdict.state["goal"]["description"] == "Process 3 invoices"
    assert not standing(logged, RUN).is_green


DAMAGES = {
    "changed": "UPDATE events SET source = 'llm' WHERE sequence = 3",
    "first deleted": "DELETE FROM events WHERE sequence = 1",
    "middle deleted": "DELETE FROM events WHERE sequence = 3",
    "last deleted": "DELETE FROM events WHERE sequence = 6",
    "shifted": "UPDATE events SET sequence = sequence + 100",
    "row": "UPDATE runs SET goal = 'EVIL', status = 'completed'",
    "emptied": "DELETE FROM events",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_o07_no_command_calls_a_damaged_run_safe(logged, store_url, damage, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    execute(store_url, DAMAGES[damage])

    answers = {
        " ".join(argv): run_ours("--db", store_url, *argv)
        for argv in (
            ["verify", RUN],
            ["verify", "--all"],
            ["resume", RUN],
            ["validate", RUN],
            ["bundle", RUN, "--out", "b.zip"],
        )
    }

    codes = {name: answer.exit_code for name, answer in answers.items()}
    assert codes[f"verify {RUN}"] == codes["verify --all"] == 3, codes
    assert 0 not in codes.values(), codes
    assert not any("Traceback" in one.stderr for one in answers.values())


def walks_of(monkeypatch):
    """Return a list that grows with each walk over a whole chain."""
    begun = []
    walk = chain.walk_chain

    def counted(store, run_id):
        begun.append(run_id)
        return walk(store, run_id)

    monkeypatch.setattr(chain, "walk_chain", counted)
    return begun


@pytest.mark.parametrize("kept", [False, True], ids=["as found", "verified again"])
@pytest.mark.parametrize("damage", sorted(DAMAGES.keys() - {"row", "emptied", "first deleted"}))
def test_a_page_of_a_broken_run_walks_no_chain_and_whoever_acts_does(
    logged, store_url, damage, kept, monkeypatch
):
    execute(store_url, DAMAGES[damage])
    if kept:
        list(run_job(logged, Order(RUN, "ada", "cli"), clock=utc_now))
    begun = walks_of(monkeypatch)

    shown = assess(logged, RUN, at=NOON)
    assert begun == []
    acted_on = assess(logged, RUN, at=NOON, audit=True)

    assert begun == [RUN]
    assert not shown.safe and not acted_on.safe
    assert shown.mode == acted_on.mode
    assert shown.chain.broken_at == acted_on.chain.broken_at


def test_a_break_that_only_a_walk_finds_is_kept_for_the_pages(logged, store_url, monkeypatch):
    if logged.backend == "sqlite":
        for name in ("cx_keep_updated", "cx_events_update"):
            execute(store_url, f"DROP TRIGGER {name}")
    else:
        execute(store_url, "ALTER TABLE events DISABLE TRIGGER USER")
    execute(store_url, "UPDATE events SET source = 'llm' WHERE sequence = 3")
    list(run_job(logged, Order(RUN, "ada", "cli"), clock=utc_now))
    begun = walks_of(monkeypatch)

    shown = assess(logged, RUN, at=NOON)

    assert begun == []
    assert (shown.safe, shown.chain.ok, shown.chain.broken_at) == (False, False, 3)


def test_a_mended_event_is_walked_again_and_the_run_is_whole(logged, store_url, monkeypatch):
    source = logged.event_row(RUN, 3).row.source
    execute(store_url, "UPDATE events SET source = 'llm' WHERE sequence = 3")
    list(run_job(logged, Order(RUN, "ada", "cli"), clock=utc_now))
    assert not assess(logged, RUN, at=NOON).chain.ok
    change(store_url, "events", {"run_id": RUN, "sequence": 3}, {"source": source})
    begun = walks_of(monkeypatch)

    shown = assess(logged, RUN, at=NOON)

    assert begun == [RUN]
    assert shown.chain.ok


def test_a_broken_run_is_folded_anew_once_for_each_change(logged, store_url):
    execute(store_url, "UPDATE events SET source = 'llm' WHERE sequence = 3")
    assert logged.summary(RUN).snapshot == ""

    catch_up(logged, limit=10, at=NOON)
    kept = logged.summary(RUN).snapshot
    assert json.loads(kept) == json.loads(json.dumps(fold_facts(logged, RUN).snapshot()))
    change(store_url, "events", {"run_id": RUN, "sequence": 5}, {"payload": "{}"})

    assert logged.summary(RUN).snapshot == ""
    catch_up(logged, limit=10, at=NOON)
    again = json.loads(logged.summary(RUN).snapshot)
    assert again == json.loads(json.dumps(fold_facts(logged, RUN).snapshot()))
    assert not assess(logged, RUN, at=NOON).safe
