"""`continuum callers`: the allowlist on the command line."""

from __future__ import annotations

import pytest

from continuum.core.clock import utc_now
from continuum.core.errors import CallerRefused
from continuum.services.callerlists import list_entries
from tests.commands import run_ours
from tests.services.callers import call


def changed(*argv: str):
    """Run a verb that changes something, as ada, with a reason."""
    return run_ours("callers", *argv, "--by", "ada", "--reason", "The audit asked for it.")


def test_a_secret_is_printed_once_and_alone_on_stdout(store):
    added = changed("add", "agent-a")
    shown = run_ours("callers", "show", "agent-a")

    secret = added.stdout.strip()
    assert added.exit_code == 0
    assert secret.startswith("cxs_") and len(added.stdout.splitlines()) == 1
    assert "once" in added.stderr and "entry 1" in added.stderr
    assert secret not in shown.stdout and secret[:8] in shown.stdout
    assert call(store, secret=secret).source == "table"


def test_a_new_secret_ends_the_old_one_unless_they_overlap(store):
    first = changed("add", "agent-a").stdout.strip()
    second = changed("rotate", "agent-a", "--overlap", "24").stdout.strip()

    old = run_ours("--json", "callers", "show", "agent-a").document["old_secret"]

    assert second != first
    assert old["prefix"] == first[:8] and old["until"]


@pytest.mark.parametrize("hours", ["-1", "nan", "721"])
def test_an_overlap_out_of_bounds_is_refused(store, hours):
    changed("add", "agent-a")

    refused = changed("rotate", "agent-a", "--overlap", hours)

    assert refused.exit_code == 1 and "--overlap" in refused.stderr
    assert len(list_entries(store)) == 1


def test_allowing_and_denying_name_tools(store):
    changed("allow", "agent-a", "continuum_record_progress", "continuum_checkpoint")
    changed("deny", "agent-a", "continuum_checkpoint")

    document = run_ours("--json", "callers", "show", "agent-a").document

    assert document["tools"] == {
        "read": ["*"],
        "write": ["continuum_record_progress"],
        "confirm": [],
    }
    assert document["secret"] is None


def test_allowing_an_unknown_caller_says_that_its_name_is_enough(store):
    answer = changed("allow", "agent-a")

    assert answer.stdout == "agent-a may write with: all\n"
    assert "no secret" in answer.stderr


def test_disabling_and_enabling_are_said(store):
    changed("allow", "agent-a")

    assert changed("disable", "agent-a").stdout == "agent-a is disabled\n"
    assert changed("enable", "agent-a").exit_code == 0
    assert changed("enable", "agent-a").exit_code == 1


def test_editing_changes_what_is_given_only(store):
    changed("add", "agent-a", "--kind", "service", "--runs", "inv-*", "--expires", "2999-01-01")

    changed("edit", "agent-a", "--expires", "never", "--note", "nightly")

    document = run_ours("--json", "callers", "show", "agent-a").document
    assert (document["kind"], document["run_pattern"]) == ("service", "inv-*")
    assert (document["expires_at"], document["note"]) == (None, "nightly")
    assert document["tools"]["write"] == ["*"]


def test_editing_the_tools_leaves_reading_alone_unless_it_is_named(store):
    changed("add", "agent-a")

    changed("edit", "agent-a", "--tools", "continuum_checkpoint")
    kept = run_ours("--json", "callers", "show", "agent-a").document["tools"]
    changed("edit", "agent-a", "--tools", "continuum_checkpoint,continuum_resume")
    limited = run_ours("--json", "callers", "show", "agent-a").document["tools"]

    assert (kept["read"], kept["write"]) == (["*"], ["continuum_checkpoint"])
    assert limited["read"] == ["continuum_resume"]


@pytest.mark.parametrize(
    "argv",
    [
        ["add", "agent-a", "--tools", "frobnicate", "--reason", "x"],
        ["add", "agent-a"],
        ["add", "agent-a", "--reason", " "],
        ["add", "", "--reason", "x"],
        ["add", "agent-a", "--expires", "soon", "--reason", "x"],
        ["add", "agent-a", "--tools", "confirm", "--no-secret", "--reason", "x"],
        ["allow", "agent-a", "confirm", "--reason", "x"],
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(store, argv):
    answer = run_ours("callers", *argv)

    assert answer.exit_code == 1
    assert answer.stdout == "" and answer.stderr.startswith("error: ")
    assert not list_entries(store) and not store.callers(limit=10)


def test_an_unknown_caller_is_not_found(store):
    assert run_ours("callers", "show", "nobody").exit_code == 2
    assert changed("disable", "nobody").exit_code == 2


def test_the_list_says_plainly_when_nobody_may_write(store):
    empty = run_ours("callers", "list")
    changed("add", "agent-a", "--tools", "read")
    limited = run_ours("callers", "list")

    assert "nobody may write" in empty.stdout
    assert "No caller may write." in limited.stdout


def test_refused_callers_are_listed_beside(store):
    with pytest.raises(CallerRefused):
        call(store, "stranger\x1b[2J", at=utc_now())

    text = run_ours("callers", "list").stdout
    document = run_ours("--json", "callers", "list").document

    assert "stranger\\x1b[2J: 1 (unknown 1)" in text
    assert document["refused_unlisted"][0]["times"] == 1


def test_the_history_says_who_why_and_what(store):
    changed("add", "agent-a", "--runs", "inv-*")
    changed("edit", "agent-a", "--runs", "pay-*")

    text = run_ours("callers", "history").stdout
    entries = run_ours("--json", "callers", "history", "--limit", "1").document["entries"]

    assert "run_pattern: inv-* → pay-*" in text
    assert "ada: The audit asked for it." in text
    assert "write: every tool that may write, later ones too" in text
    assert [one["type"] for one in entries] == ["CALLER_EDITED"]
    assert entries[0]["changes"] == [{"field": "run_pattern", "before": "inv-*", "after": "pay-*"}]


def test_verifying_walks_the_history_and_compares_the_list(store):
    changed("add", "agent-a")

    answer = run_ours("callers", "verify")
    document = run_ours("--json", "callers", "verify").document

    assert answer.stdout == "[ok] history whole: 1 entries\n"
    assert document["ok"] and document["head"]["sequence"] == 1


def test_a_broken_history_exits_3(store):
    changed("add", "agent-a")
    with store.writing() as writer:
        row = store.caller("agent-a")
        writer.save_caller(row._replace(note="behind its back"))

    answer = run_ours("callers", "verify")

    assert answer.exit_code == 3
    assert "ROW_MISMATCH" in answer.stdout
