"""Who is let in at the door, and what is remembered of those who are not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from continuum import open_store
from continuum.core.errors import CallerRefused
from continuum.domain.callerrows import OTHERS, RefusalCount, Tools
from continuum.domain.callersettings import settings_of
from continuum.domain.events import Draft, EventType, Origin
from continuum.services.callerchanges import (
    disable_caller,
    edit_caller,
    enable_caller,
    rotate_secret,
)
from continuum.services.callerlists import read_allowlist
from continuum.services.callers import DenialReason, Identity, Policy, Right, refusal
from continuum.services.progress import append_event
from continuum.services.refusals import EXACT_A_MINUTE, RefusalMeter
from continuum.store import callers as tables
from tests.conftest import NOON
from tests.services.acting import started
from tests.services.callers import CONFIRM, LATER, PROGRESS, RESUME, by_ada, call, listed

LISTED = Policy(clients=("agent-a",), source="environment")


def denied(store, *args, **more) -> DenialReason:
    """Ask at the door, be refused; return why."""
    with pytest.raises(CallerRefused) as refused:
        call(store, *args, **more)
    return DenialReason(refused.value.reason)


def text_of_denial(store, *args, **more) -> str:
    with pytest.raises(CallerRefused) as refused:
        call(store, *args, **more)
    return str(refused.value)


def reported_by(store, run_id: str, caller: str) -> None:
    payload = {"completed": 1, "total": 2, "caller": {"client": caller, "via": "mcp"}}
    append_event(store, run_id, Draft(EventType.TASK_UPDATED, payload, Origin.EXTERNAL_AGENT, NOON))


# -- environment and file


def test_nobody_may_write_by_default(store):
    assert denied(store) is DenialReason.UNKNOWN


def test_a_caller_of_the_environment_is_let_in_and_its_source_named(store):
    assert call(store, policy=LISTED) == ("agent-a", "environment")


def test_names_are_compared_exactly(store):
    for name in ("Agent-A", "agent-a ", " agent-a", "agent-a\x00"):
        assert denied(store, name, policy=LISTED) is DenialReason.UNKNOWN


@pytest.mark.parametrize("name", [None, ""])
def test_a_caller_without_a_name_is_unidentified(store, name):
    assert denied(store, name, policy=LISTED) is DenialReason.UNIDENTIFIED


@pytest.mark.parametrize("secret", [None, "", "wrong", "wröng\ud800"])
def test_a_shared_secret_is_asked_of_everybody(store, secret):
    policy = LISTED._replace(shared_secret="s3cret")

    assert denied(store, policy=policy, secret=secret) is DenialReason.WRONG_SECRET
    assert call(store, policy=policy, secret="s3cret").name == "agent-a"


def test_a_secret_does_not_replace_the_allowlist(store):
    policy = Policy(shared_secret="s3cret")

    assert denied(store, policy=policy, secret="s3cret") is DenialReason.UNKNOWN


def test_a_secret_opens_for_its_own_name_only(store):
    policy = Policy(
        clients=("agent-a", "agent-b"),
        source="environment",
        client_secrets={"agent-a": "one", "agent-b": "two"},
    )

    assert call(store, "agent-a", policy=policy, secret="one").name == "agent-a"
    assert denied(store, "agent-a", policy=policy, secret="two") is DenialReason.WRONG_SECRET
    assert denied(store, "agent-c", policy=policy, secret="one") is DenialReason.NOT_REGISTERED


def test_confirming_needs_its_own_secret_before_the_list_is_looked_at(store):
    confirming = {"tool": CONFIRM, "right": Right.CONFIRM}
    policy = Policy(confirm_secret="c0nfirm")

    assert denied(store, policy=LISTED, **confirming) is DenialReason.CONFIRM_UNCONFIGURED
    assert denied(store, policy=policy, secret="no", **confirming) is DenialReason.WRONG_SECRET
    assert denied(store, policy=policy, secret="c0nfirm", **confirming) is DenialReason.UNKNOWN


def test_a_caller_of_the_environment_confirms_what_others_reported_only(store):
    policy = LISTED._replace(confirm_secret="c0nfirm")
    confirming: dict[str, Any] = {"tool": CONFIRM, "right": Right.CONFIRM, "policy": policy}
    confirming["secret"] = "c0nfirm"
    reported_by(store, started(store, "run-a"), "agent-a")
    reported_by(store, started(store, "run-b"), "agent-b")

    assert denied(store, run_id="run-a", **confirming) is DenialReason.CONFIRM_CONFLICT
    assert call(store, run_id="run-b", **confirming).name == "agent-a"


def test_reading_is_open_to_everybody(store):
    policy = Policy(shared_secret="s3cret")
    reading: dict[str, Any] = {"tool": RESUME, "right": Right.READ, "policy": policy}

    assert call(store, None, **reading) == ("", "open")
    assert call(store, "stranger", **reading) == ("stranger", "open")


# -- the table


def test_an_enabled_row_makes_the_table_decide_alone(store):
    assert call(store, "agent-b", policy=Policy(clients=("agent-b",), source="file"))
    listed(store, "agent-a")

    assert call(store, "agent-a") == ("agent-a", "table")
    assert denied(store, "agent-b", policy=Policy(clients=("agent-b",))) is DenialReason.UNKNOWN


def test_a_change_counts_for_the_next_call(store):
    listed(store)
    call(store)

    disable_caller(store, "agent-a", by_ada())
    refused = denied(store)
    enable_caller(store, "agent-a", by_ada())

    assert refused is DenialReason.DISABLED
    assert call(store).source == "table"


def test_a_disabled_row_is_a_no_though_the_environment_lets_the_name_in(store):
    listed(store)
    disable_caller(store, "agent-a", by_ada())

    assert denied(store, policy=LISTED) is DenialReason.DISABLED
    assert call(store, "agent-b", policy=Policy(clients=("agent-b",), source="file"))


def test_a_row_ends_when_its_time_is_over(store):
    listed(store, expires_at=LATER.isoformat())

    assert call(store, at=LATER - timedelta(seconds=1))
    assert denied(store, at=LATER) is DenialReason.EXPIRED


def test_a_row_opens_its_own_tools_and_runs_only(store):
    listed(store, tools=Tools(write=(PROGRESS,)), run_pattern="inv-*")

    assert call(store, run_id="inv-7")
    assert denied(store, run_id="inv-7", tool="continuum_checkpoint") is DenialReason.WRONG_TOOL
    assert denied(store, run_id="INV-7") is DenialReason.WRONG_RUN
    assert denied(store, run_id=None) is DenialReason.WRONG_RUN


def test_a_row_can_limit_what_its_caller_reads(store):
    listed(store, tools=Tools(read=(RESUME,)), run_pattern="inv-*")
    reading = {"right": Right.READ}

    assert call(store, tool=RESUME, run_id="inv-7", **reading).source == "table"
    assert call(store, tool=RESUME, run_id=None, **reading).source == "table"
    assert denied(store, tool=RESUME, run_id="x", **reading) is DenialReason.WRONG_RUN
    assert denied(store, tool="continuum_validate", **reading) is DenialReason.WRONG_TOOL


def test_the_secret_of_a_row_is_asked_before_anything_is_said_about_it(store):
    secret = listed(store, with_secret=True).secret
    disable_caller(store, "agent-a", by_ada())

    assert denied(store, secret="guess") is DenialReason.WRONG_SECRET
    assert denied(store, secret=secret) is DenialReason.DISABLED


def test_an_old_secret_counts_until_its_overlap_ends(store):
    old = listed(store, with_secret=True).secret
    new = rotate_secret(store, "agent-a", by_ada(), overlap=timedelta(hours=1)).secret

    assert call(store, secret=old, at=LATER - timedelta(seconds=1))
    assert denied(store, secret=old, at=LATER) is DenialReason.WRONG_SECRET
    assert call(store, secret=new, at=LATER)


def test_without_an_overlap_the_old_secret_ends_at_once(store):
    old = listed(store, with_secret=True).secret
    rotate_secret(store, "agent-a", by_ada())

    assert denied(store, secret=old) is DenialReason.WRONG_SECRET


def test_a_row_without_a_secret_does_not_void_the_one_of_the_environment(store):
    listed(store)
    policy = Policy(shared_secret="s3cret")

    assert denied(store, policy=policy) is DenialReason.WRONG_SECRET
    assert call(store, policy=policy, secret="s3cret").source == "table"


def test_a_caller_never_confirms_its_own_work_unless_an_admin_overrides_it(store):
    tools = Tools(write=("*",), confirm=(CONFIRM,))
    added = listed(store, with_secret=True, tools=tools)
    confirming = {"tool": CONFIRM, "right": Right.CONFIRM, "secret": added.secret}
    reported_by(store, started(store), "agent-a")
    refused = denied(store, **confirming)

    override = settings_of(added.caller)._replace(confirm_override="Nightly, nobody is there.")
    edit_caller(store, "agent-a", override, by_ada())

    assert refused is DenialReason.CONFIRM_CONFLICT
    assert call(store, **confirming).source == "table"


def test_confirming_is_a_right_of_its_own(store):
    secret = listed(store, with_secret=True).secret

    reason = denied(store, tool=CONFIRM, right=Right.CONFIRM, secret=secret)

    assert reason is DenialReason.WRONG_TOOL


# -- what is remembered


def test_a_refusal_writes_no_event_and_no_run_but_is_counted(store):
    for _ in range(3):
        denied(store, "stranger", run_id="run-new")
    denied(store, None)

    shown = read_allowlist(store, NOON)

    assert store.find_run("run-new") is None
    assert [(one.name, one.refusals.times) for one in shown.suggestions] == [("stranger", 3)]
    assert shown.suggestions[0].refusals.reasons == (("unknown", 3, NOON.isoformat()),)
    assert shown.unnamed.times == 1


def test_refusals_leave_the_list_after_a_day(store):
    denied(store, "stranger")

    assert not read_allowlist(store, NOON + timedelta(hours=26)).suggestions


def test_a_flood_of_refusals_stays_counted(store):
    policy = Policy(meter=RefusalMeter())

    for step in range(300):
        denied(store, "flood", policy=policy, at=NOON + timedelta(milliseconds=step))
    call(store, None, tool=RESUME, right=Right.READ, policy=policy, at=NOON + timedelta(seconds=2))

    assert read_allowlist(store, NOON).suggestions[0].refusals.times == 300


def test_a_flood_of_refusals_costs_one_write_a_second():
    meter = RefusalMeter()
    one = RefusalCount("flood", "unknown", "2026-12-01T12", 1, NOON.isoformat(), PROGRESS, "mcp")
    times = [NOON + timedelta(milliseconds=10 * step) for step in range(500)]

    writes = [taken for at in times if (taken := meter.take(one, at))]

    assert len(writes) == EXACT_A_MINUTE + 5
    assert writes[-1][0].times > 50


def test_endless_names_share_one_count_when_the_table_is_full(store, monkeypatch):
    monkeypatch.setattr(tables, "MAX_REFUSAL_ROWS", 5)
    listed(store, "agent-a", tools=Tools())
    for number in range(20):
        denied(store, f"stranger-{number}")
    denied(store, "agent-a")

    counts = {one.caller: one.times for one in store.refusals(since_hour="")}

    assert counts[OTHERS] == 15
    assert counts["agent-a"] == 1
    assert len(counts) == 7


def test_a_store_open_for_reading_refuses_without_counting(store_url, store):
    started(store)

    with open_store(store_url, read_only=True) as reader:
        assert denied(reader, "stranger") is DenialReason.UNKNOWN


def test_last_seen_is_written_once_a_minute_and_changes_no_version(store):
    listed(store)
    times = [NOON, NOON + timedelta(seconds=59), NOON + timedelta(seconds=60)]

    seen = []
    for at in times:
        call(store, at=at)
        row = store.caller("agent-a")
        seen.append(row.last_seen_at)

    assert seen == [NOON.isoformat(), NOON.isoformat(), times[2].isoformat()]
    assert (row.version, row.last_seen_version) == (1, "1.0")


def test_what_only_the_door_sees_is_counted_too(store):
    identity = Identity("agent-b", via="mcp")

    error = refusal(store, LISTED, identity, DenialReason.SECOND_IDENTITY, tool=PROGRESS, at=NOON)

    assert error.reason is DenialReason.SECOND_IDENTITY
    assert store.refusals(since_hour="")[0].reason == "second_identity"


# -- words


def test_a_refusal_names_tool_caller_list_and_remedies(store):
    text = text_of_denial(store, "stranger", policy=LISTED)

    for part in (
        PROGRESS,
        "'stranger'",
        "'agent-a'",
        "Read-only tools still work",
        "CONTINUUM_MCP_MUTATING_CLIENTS",
        ".continuum/mcp-policy.json",
        "continuum callers allow",
    ):
        assert part in text
    assert "nobody may write" in text_of_denial(store, "stranger")


def test_a_refused_secret_names_where_it_belongs_and_shows_nothing_of_it(store):
    policy = LISTED._replace(shared_secret="s3cret")
    text = text_of_denial(store, policy=policy, secret="presented")

    assert "CONTINUUM_MCP_TOKEN" in text and "_meta.authToken" in text
    assert "s3cret" not in text and "presented" not in text
    assert "s3cret" not in repr(policy)


def test_an_unconfigured_confirmation_names_the_variable_and_the_host_command(store):
    text = text_of_denial(store, tool=CONFIRM, right=Right.CONFIRM)

    assert "CONTINUUM_MCP_CONFIRM_TOKEN" in text and "continuum confirm <run_id>" in text


@pytest.mark.parametrize("reason", list(DenialReason))
def test_every_reason_has_words(store, reason):
    error = refusal(store, LISTED, Identity("x"), reason, tool=PROGRESS, at=NOON)

    assert str(error).startswith(PROGRESS) and "{" not in str(error)


def test_a_name_with_braces_is_words_only(store):
    assert "'{state}'" in text_of_denial(store, "{state}")
