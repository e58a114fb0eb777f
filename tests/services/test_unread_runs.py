"""Runs too long to be read while a page is waited for: never called safe, never lost."""

from __future__ import annotations

import pytest

from continuum.core.errors import NotReadYet
from continuum.services import recovery
from continuum.services.chain import glance
from continuum.services.inbox import ItemQuery, open_items
from continuum.services.recovery import assess, assess_at_once
from continuum.services.summaries import (
    catch_up,
    catch_up_at_once,
    catch_up_run,
    is_read,
    list_summaries,
)
from continuum.services.verifications import Order, run_job
from continuum.store.modelport import SummaryQuery
from tests.services.acting import LATER, NOON, claimed, reported, started

MOST = 10


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let a page wait for ten events, so that a dozen make a long run."""
    monkeypatch.setattr(recovery, "READ_AT_ONCE", MOST)


def grow(store, run_id, events):
    """Let an agent report often, as it does while nobody looks."""
    for number in range(1, events + 1):
        reported(store, run_id, number, 100)


def rows(store):
    """Return the rows of the runs list by run."""
    return {one.run_id: one for one in list_summaries(store, SummaryQuery(limit=50))}


def verified(store, run_id):
    """Walk the run's chain as a job does, and keep what it found."""
    list(run_job(store, Order(run_id, "schedule", "schedule"), clock=lambda: NOON))


def test_a_long_run_that_was_never_read_is_not_judged_at_once(store):
    run_id = started(store)
    grow(store, run_id, MOST)

    with pytest.raises(NotReadYet, match=f"{MOST + 1} events of run '{run_id}'") as refused:
        assess_at_once(store, run_id, at=LATER)

    assert (refused.value.events, refused.value.http_status) == (MOST + 1, 503)
    assert not store.head_mark(run_id).verified_sequence


def test_a_run_that_is_just_short_enough_is_judged(store):
    run_id = started(store)
    grow(store, run_id, MOST - 1)

    judged = assess_at_once(store, run_id, at=LATER).verdict

    assert judged == assess(store, run_id, at=LATER)


def test_once_read_only_what_came_since_counts(store):
    run_id = started(store)
    grow(store, run_id, 3 * MOST)
    catch_up_run(store, run_id, at=NOON)
    grow(store, run_id, MOST)

    judged = assess_at_once(store, run_id, at=LATER).verdict

    assert judged == assess(store, run_id, at=LATER)
    assert judged.chain.checked_through == 4 * MOST + 1


def test_a_verified_chain_whose_log_was_not_folded_is_not_judged_either(store):
    run_id = started(store)
    grow(store, run_id, MOST)
    verified(store, run_id)

    with pytest.raises(NotReadYet):
        assess_at_once(store, run_id, at=LATER)


def test_who_acts_on_a_verdict_waits_for_the_whole_log(store):
    run_id = started(store)
    grow(store, run_id, 3 * MOST)

    verdict = assess(store, run_id, at=LATER, audit=True)

    assert verdict.chain.full
    assert verdict.chain.checked_through == 3 * MOST + 1


def test_a_round_judges_the_short_runs_and_sets_the_long_ones_aside(store):
    for name in ("long_a", "long_b"):
        grow(store, started(store, name), MOST)
    short = started(store, "short")

    caught = catch_up_at_once(store, limit=1, at=NOON)

    assert caught.refreshed == 1
    assert set(caught.unread) == {"long_a", "long_b"}
    assert rows(store)[short].safe
    assert catch_up_at_once(store, limit=5, at=NOON) == (0, caught.unread)


def test_the_row_of_a_run_that_was_not_read_claims_nothing(store):
    run_id = started(store)
    grow(store, run_id, MOST)
    catch_up_at_once(store, limit=5, at=NOON)

    row = rows(store)[run_id]

    assert (row.mode, row.safe) == ("request_human", False)
    assert "being read" in row.reasons
    assert not is_read(store, run_id)


def test_a_row_that_was_safe_is_not_any_more_while_the_log_has_run_ahead(store):
    run_id = started(store)
    catch_up(store, limit=5, at=NOON)
    assert rows(store)[run_id].safe
    grow(store, run_id, MOST + 1)

    catch_up_at_once(store, limit=5, at=NOON)

    assert not rows(store)[run_id].safe


def test_what_needed_a_person_before_still_does(store):
    run_id = started(store)
    claimed(store, run_id, "invoice")
    catch_up(store, limit=5, at=NOON)
    waiting = open_items(store, ItemQuery(run_id=run_id))
    assert waiting
    grow(store, run_id, MOST + 1)

    catch_up_at_once(store, limit=5, at=NOON)

    assert open_items(store, ItemQuery(run_id=run_id)) == waiting


def test_reading_it_gives_the_row_that_a_short_run_has(store):
    run_id = started(store)
    grow(store, run_id, 2 * MOST)
    catch_up_at_once(store, limit=5, at=NOON)

    catch_up_run(store, run_id, at=NOON)

    said = rows(store)[run_id]
    verdict = assess(store, run_id, at=NOON)
    assert (said.mode, said.safe) == (str(verdict.mode), verdict.safe)
    assert said.completed == 2 * MOST
    assert is_read(store, run_id)
    assert catch_up_at_once(store, limit=5, at=NOON) == (0, ())


def test_a_parent_is_not_safe_while_its_child_was_not_read(store):
    parent = started(store, "parent")
    child = started(store, "child", parent=parent)
    grow(store, child, MOST)

    verdict = assess_at_once(store, parent, at=LATER).verdict

    assert not verdict.safe
    assert any("have not been read" in text for text in verdict.family_rationale)


def test_a_break_that_was_found_is_told_though_the_log_is_long(store, damage):
    run_id = started(store)
    grow(store, run_id, 2 * MOST)
    damage(run_id, 5, payload="{}")
    verified(store, run_id)
    catch_up_run(store, run_id, at=NOON)

    verdict = assess_at_once(store, run_id, at=LATER).verdict

    assert not verdict.safe
    assert verdict.chain.broken_at == 5


def test_a_store_that_cannot_be_written_is_read_whole(store, store_url, open_other):
    run_id = started(store)
    grow(store, run_id, 2 * MOST)

    with open_other(read_only=True) as reading:
        verdict = assess_at_once(reading, run_id, at=LATER).verdict

    assert verdict == assess(store, run_id, at=LATER)


@pytest.mark.parametrize("most", [4, 5])
def test_a_glance_walks_no_more_than_it_may(store, most):
    run_id = started(store)
    verified(store, run_id)
    grow(store, run_id, 5)

    if most < 5:
        with pytest.raises(NotReadYet):
            glance(store, run_id, most_events=most)
    else:
        assert glance(store, run_id, most_events=most).checked_through == 6
