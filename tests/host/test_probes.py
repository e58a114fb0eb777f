"""Probes at work: real commands, what they are given, and what is recorded."""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import timedelta

import pytest

from continuum.domain.actions import Action, ActionStatus
from continuum.host.probes import reconcile, rehearse, run_probe
from continuum.ledger.probes import Probe
from continuum.services.actions import (
    Claim,
    Holder,
    claim_action,
    escalate_action,
    find_slot,
)
from continuum.store.opening import open_store
from tests.ledger.memory import NOON, insert_runs, memory_store

RUN = "run-a"
HOSTILE = "$(touch owned); `touch owned` '\"\n"
SETTLING = """
import sys
from continuum import open_store
from continuum.core.clock import utc_now
from continuum.services.actions import settle_action

with open_store(sys.argv[1]) as store:
    settle_action(store, "run-a", "k", occurred=False, note="seen by ann", at=utc_now())
print("occurred=true")
"""
ACTION = Action("action_1", RUN, "pay", arguments={"to": HOSTILE}, status=ActionStatus.STARTED)


@pytest.fixture
def store():
    with memory_store(RUN) as opened:
        yield opened


def shell(text, seconds=10.0):
    return Probe(text, seconds)


def claimed(store, action_type="pay", **members):
    wanted = Claim(action_type, key="k", **members)
    return claim_action(store, RUN, wanted, at=NOON).key


@pytest.mark.parametrize(
    ("command", "occurred"),
    [
        ("echo occurred=true", True),
        ("echo noise; echo occurred=false; echo", False),
        (("printf", '{"occurred": true}'), True),
        ("echo perhaps", None),
        ("true", None),
    ],
)
def test_the_last_line_of_a_probe_decides(command, occurred):
    reading = run_probe(Probe(command), ACTION)

    assert reading.occurred is occurred
    assert bool(reading.detail) is (occurred is None)


@pytest.mark.parametrize(
    ("probe", "detail"),
    [
        (shell("echo occurred=true; echo oops >&2; exit 3"), "exited 3: oops"),
        (shell("echo occurred=true; echo out; exit 4"), "exited 4: occurred=true"),
        (shell("echo occurred=true; kill -9 $$"), "exited -9"),
        (Probe(("/nowhere/probe",)), "cannot be started"),
    ],
)
def test_a_probe_that_ends_badly_decides_nothing(probe, detail):
    reading = run_probe(probe, ACTION)

    assert reading.occurred is None
    assert detail in reading.detail


def test_the_record_reaches_standard_input_and_no_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    reading = run_probe(shell("cat > seen.json; echo occurred=true"), ACTION)

    assert reading.occurred is True
    assert json.loads((tmp_path / "seen.json").read_text()) == ACTION.record()
    assert not (tmp_path / "owned").exists()


def test_a_probe_need_not_read_its_input():
    large = ACTION._replace(arguments={"body": "x" * 500_000})

    assert run_probe(shell("echo occurred=true"), large).occurred is True


def test_a_slow_probe_is_ended_with_all_it_started(tmp_path):
    mark = tmp_path / "child"
    command = f"(sleep 30; touch {mark}) & echo $! > {tmp_path}/pid; wait"
    began = time.monotonic()

    reading = run_probe(shell(command, 0.5), ACTION)

    assert reading.detail == "the probe took longer than 0.5 s"
    assert time.monotonic() - began < 10
    with pytest.raises(ProcessLookupError):
        wait_for_end(int((tmp_path / "pid").read_text()))


def wait_for_end(pid):
    """Look at a killed process until the system has reaped it; raise ProcessLookupError then."""
    while time.monotonic():
        os.kill(pid, 0)
        if "Z" in _state(pid):
            raise ProcessLookupError(pid)


def _state(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0]


def test_a_probe_that_prints_without_end_is_cut_and_ended():
    reading = run_probe(shell("yes occurred=maybe", 0.5), ACTION)

    assert reading.occurred is None


def test_only_the_end_of_a_long_output_counts():
    reading = run_probe(shell("head -c 3000000 /dev/zero; echo; echo occurred=true"), ACTION)

    assert reading.occurred is True


def test_a_probe_that_leaves_a_reader_behind_does_not_hang():
    began = time.monotonic()

    reading = run_probe(shell("setsid sleep 20 & echo occurred=true"), ACTION)

    assert reading.occurred is True
    assert time.monotonic() - began < 10


def test_a_settled_action_names_its_probe(store):
    key = claimed(store)

    outcome = reconcile(store, RUN, {"pay": shell("echo occurred=false")}, at=NOON)

    slot = find_slot(store, RUN, key)
    assert outcome.not_occurred == (f"pay:{slot.action.action_id[:12]}",)
    assert outcome.is_done
    assert slot.action.status is ActionStatus.FAILED
    assert slot.action.last_error == "settled by the probe of 'pay'"
    event = [*store.events(RUN)][-1]
    assert (event.type, event.source) == ("ACTION_RECONCILED", "deterministic")
    assert (event.payload["via"], event.payload["reason"]) == ("probe", slot.action.last_error)


def test_a_completed_action_shows_no_error_because_a_probe_settled_it(store):
    claimed(store)

    reconcile(store, RUN, {"pay": shell("echo occurred=true")}, at=NOON)

    event = [*store.events(RUN)][-1]
    assert event.payload["action"]["last_error"] is None
    assert event.payload["reason"] == "settled by the probe of 'pay'"


def test_a_receipt_from_the_probe_is_kept(store):
    claimed(store)
    answer = '{"occurred": true, "external_id": "x-1", "result": {"n": 1}, "note": "seen"}'

    outcome = reconcile(store, RUN, {"pay": Probe(("printf", answer))}, at=NOON)

    action = find_slot(store, RUN, "k").action
    assert outcome.occurred == ("pay:x-1",)
    assert (action.external_id, action.result, action.last_error) == ("x-1", {"n": 1}, "seen")


def test_what_no_probe_decides_stays_as_it_is(store):
    claimed(store)
    claimed(store, "mail")
    before = len(list(store.events(RUN)))

    outcome = reconcile(store, RUN, {"pay": shell("echo perhaps")}, at=NOON)

    assert [one.action_type for one in outcome.unresolved] == ["pay"]
    assert len(outcome.without_probe) == 1
    assert not outcome.is_done
    assert len(list(store.events(RUN))) == before


def test_a_rehearsal_asks_and_writes_nothing(store):
    claimed(store)
    before = len(list(store.events(RUN)))

    outcome = rehearse(store, RUN, {"pay": shell("echo occurred=true")}, at=NOON)

    assert (len(outcome.occurred), outcome.is_done) == (1, True)
    assert len(list(store.events(RUN))) == before


def test_an_escalated_action_is_left_to_its_person(store):
    escalate_action(store, RUN, claimed(store), reason="ask", at=NOON)

    outcome = reconcile(store, RUN, {"pay": shell("echo occurred=true")}, at=NOON)

    assert outcome.is_done
    assert find_slot(store, RUN, "k").action.status is ActionStatus.REQUIRES_REVIEW


def test_an_action_settled_while_its_probe_ran_is_left_alone(tmp_path):
    url = os.fspath(tmp_path / "store.db")
    settles = Probe((sys.executable, "-c", SETTLING, url))
    with open_store(url) as store:
        insert_runs(store, RUN)
        claimed(store)

        outcome = reconcile(store, RUN, {"pay": settles}, at=NOON)

        assert find_slot(store, RUN, "k").action.last_error == "seen by ann"
        assert "failed" in outcome.unresolved[0].detail
        assert store.head(RUN).sequence == 2


def test_an_archived_action_is_settled_too(store):
    key = claimed(store)
    claimed(store, "mail")
    with store.writing(RUN) as writer:
        writer.archive(RUN, 1)

    reconcile(store, RUN, {"pay": shell("echo occurred=true")}, at=NOON)

    assert find_slot(store, RUN, key).action.status is ActionStatus.COMPLETED


def test_s64_a_claim_whose_lease_is_live_is_not_asked_about(store, tmp_path):
    asked = tmp_path / "asked"
    probes = {"pay": shell(f"touch {asked}; echo occurred=false")}
    key = claimed(store, holder=Holder("probe", "connection-1"))
    working, over = NOON + timedelta(minutes=14), NOON + timedelta(minutes=15)

    early = reconcile(store, RUN, probes, at=working)

    assert not asked.exists()
    assert [one.action_type for one in early.unresolved] == ["pay"]
    assert "'probe' is performing it" in early.unresolved[0].detail
    assert find_slot(store, RUN, key).action.status is ActionStatus.STARTED
    assert rehearse(store, RUN, probes, at=working).unresolved == early.unresolved

    late = reconcile(store, RUN, probes, at=over)

    assert asked.exists()
    assert late.is_done
    assert find_slot(store, RUN, key).action.status is ActionStatus.FAILED
