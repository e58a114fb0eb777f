"""Changing the allowlist: every change named, reasoned, sealed, and none by accident."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from continuum.core.errors import Conflict, DecisionChanged, InvalidInput, NotFound
from continuum.domain.callerrows import Tools
from continuum.domain.callersettings import Settings, read_tools, settings_of
from continuum.services import callerchanges as changes
from continuum.services.callerlists import list_entries, verify_history
from continuum.services.callerpreviews import preview_settings, preview_switch
from tests.conftest import NOON
from tests.services.callers import ALL_WRITE, CONFIRM, LATER, PROGRESS, by_ada, call, listed

CHECKPOINT = "continuum_checkpoint"


def history(store) -> list[str]:
    return [one.row.type for one in reversed(list_entries(store))]


def everything_stored(store) -> str:
    rows = [one.row for one in list_entries(store)]
    return json.dumps([rows, store.callers(limit=200)])


def test_every_verb_appends_one_entry_that_verifies(store):
    listed(store, with_secret=True, tools=Tools(write=(PROGRESS,)))
    changes.allow_tools(store, "agent-a", read_tools([CHECKPOINT]), by_ada())
    changes.deny_tools(store, "agent-a", read_tools([PROGRESS]), by_ada())
    changes.edit_caller(store, "agent-a", Settings(run_pattern="inv-*"), by_ada())
    changes.rotate_secret(store, "agent-a", by_ada())
    changes.disable_caller(store, "agent-a", by_ada())
    changes.enable_caller(store, "agent-a", by_ada())

    report = verify_history(store)

    assert history(store) == [
        "CALLER_ADDED",
        "CALLER_ALLOWED",
        "CALLER_DENIED",
        "CALLER_EDITED",
        "CALLER_SECRET_SET",
        "CALLER_DISABLED",
        "CALLER_ENABLED",
    ]
    assert report.ok and report.checked == report.trusted_through == 7
    assert store.caller("agent-a").version == store.caller("agent-a").entry_sequence == 7


def test_an_entry_says_who_why_and_what_was_before(store):
    listed(store, tools=Tools(write=(PROGRESS,)))

    changes.allow_tools(store, "agent-a", read_tools([CHECKPOINT]), by_ada("It saves now."))

    newest = list_entries(store)[0]
    assert newest.entry and newest.diff
    assert newest.entry.payload["by"] == "ada"
    assert newest.entry.payload["reason"] == "It saves now."
    assert newest.entry.payload["before"]["tools"]["write"] == [PROGRESS]
    assert newest.diff.gains == (("write", CHECKPOINT),)
    assert not newest.diff.loses and not newest.diff.changes


def test_no_secret_is_stored_anywhere(store):
    first = listed(store, with_secret=True).secret or ""
    second = (
        changes.rotate_secret(store, "agent-a", by_ada(), overlap=timedelta(hours=1)).secret or ""
    )

    stored = everything_stored(store)

    assert first != second and len(first) == len("cxs_") + 43
    assert first not in stored and second not in stored
    assert first[:8] in stored and first[:9] not in stored


def test_the_history_holds_neither_salt_nor_digest(store):
    seal = listed(store, with_secret=True).caller.secret
    assert seal

    payload = list_entries(store)[0].row.payload

    assert seal.salt not in payload and seal.digest not in payload


@pytest.mark.parametrize("reason", ["", "   "])
def test_a_change_without_a_reason_is_refused_and_writes_nothing(store, reason):
    with pytest.raises(InvalidInput, match="reason"):
        changes.add_caller(store, "agent-a", Settings(tools=ALL_WRITE), by_ada(reason))

    assert not store.callers(limit=10) and not list_entries(store)


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 201, "bidi\u202e", "half\ud800"])
def test_a_name_nobody_can_see_is_refused(store, name):
    with pytest.raises(InvalidInput, match="name"):
        changes.add_caller(store, name, Settings(), by_ada())

    assert not list_entries(store)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        (Settings(kind="robot"), "kind"),
        (Settings(tools=Tools(write=("continuum_resume",))), "no tool"),
        (Settings(tools=Tools(confirm=("*",))), "no tool"),
        (Settings(run_pattern="x" * 513), "pattern"),
        (Settings(note="x" * 2001), "note"),
        (Settings(expires_at=NOON.isoformat()), "past"),
    ],
)
def test_settings_that_make_no_sense_are_refused(store, settings, part):
    with pytest.raises(InvalidInput, match=part):
        changes.add_caller(store, "agent-a", settings, by_ada())

    assert not list_entries(store)


def test_nobody_confirms_without_a_secret(store):
    with pytest.raises(InvalidInput, match="secret"):
        listed(store, tools=Tools(confirm=(CONFIRM,)))

    assert not list_entries(store)


def test_a_caller_is_added_once(store):
    listed(store)

    with pytest.raises(Conflict, match="already"):
        listed(store)

    assert len(list_entries(store)) == 1


def test_a_change_of_an_older_version_is_refused(store):
    seen = listed(store).caller
    changes.disable_caller(store, "agent-a", by_ada())
    wanted = settings_of(seen)._replace(note="seen too late")

    with pytest.raises(DecisionChanged, match="version 1, now 2"):
        changes.edit_caller(store, "agent-a", wanted, by_ada(), seen_version=1)

    assert len(list_entries(store)) == 2


def test_changing_nothing_is_refused(store):
    caller = listed(store).caller

    with pytest.raises(InvalidInput, match="nothing would change"):
        changes.edit_caller(store, "agent-a", settings_of(caller), by_ada())
    with pytest.raises(InvalidInput, match="nothing would change"):
        changes.enable_caller(store, "agent-a", by_ada())

    assert len(list_entries(store)) == 1


@pytest.mark.parametrize("verb", ["disable_caller", "enable_caller", "rotate_secret"])
def test_an_unknown_caller_is_not_changed(store, verb):
    with pytest.raises(NotFound):
        getattr(changes, verb)(store, "nobody", by_ada())

    assert not list_entries(store)


def test_allowing_an_unknown_caller_adds_it_by_its_name_alone(store):
    done = changes.allow_tools(store, "agent-a", read_tools(["write"]), by_ada())

    assert done.secret is None and done.caller.tools == Tools(write=("*",))
    assert call(store).source == "table"


def test_denying_one_of_all_tools_leaves_the_others_by_name(store):
    listed(store)

    tools = changes.deny_tools(store, "agent-a", read_tools([PROGRESS]), by_ada()).caller.tools

    assert PROGRESS not in tools.write and "*" not in tools.write and len(tools.write) == 8


def test_an_old_caller_keeps_its_past_expiry_when_something_else_changes(store):
    caller = listed(store, expires_at=LATER.isoformat()).caller
    act = by_ada(at=LATER + timedelta(hours=1))

    changed = changes.edit_caller(store, "agent-a", settings_of(caller)._replace(note="x"), act)

    assert changed.caller.note == "x"


@pytest.mark.parametrize("overlap", [timedelta(seconds=-1), timedelta(days=31)])
def test_an_overlap_has_limits(store, overlap):
    listed(store, with_secret=True)

    with pytest.raises(InvalidInput, match="30 days"):
        changes.rotate_secret(store, "agent-a", by_ada(), overlap=overlap)

    assert len(list_entries(store)) == 1


# -- previews


def test_the_first_row_is_announced_as_the_end_of_the_environment(store):
    preview = preview_settings(store, None, Settings(tools=ALL_WRITE), with_secret=False)

    assert ("write", PROGRESS) in preview.diff.gains and not preview.diff.loses
    assert "decides alone" in preview.warnings[0]
    assert "Without a secret" in preview.warnings[1]


def test_a_preview_shows_what_is_gained_and_lost(store):
    caller = listed(store, tools=Tools(write=(PROGRESS,))).caller
    wanted = settings_of(caller)._replace(tools=Tools(write=(CHECKPOINT,)), run_pattern="x-*")

    diff = preview_settings(store, caller, wanted).diff

    assert diff.gains == (("write", CHECKPOINT),)
    assert diff.loses == (("write", PROGRESS),)
    assert diff.changes == (("run_pattern", "", "x-*"),)


def test_the_right_to_confirm_is_flagged(store):
    settings = Settings(tools=Tools(confirm=(CONFIRM,)))

    warnings = preview_settings(store, None, settings).warnings

    assert any("an agent could confirm itself" in one for one in warnings)


def test_disabling_the_last_caller_is_announced(store):
    caller = listed(store).caller
    last = preview_switch(store, caller)
    listed(store, "agent-b")

    assert "environment" in last.warnings[0]
    assert not preview_switch(store, caller).warnings
