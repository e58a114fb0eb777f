"""Who is let in: three sources of names, three modes of secrets, and nothing written."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from continuum import open_store
from continuum.services.policies import load_policy
from tests.mcp.talking import ARGUMENTS, READING, WRITING, Caller, written

SECRETS = {
    "none": {},
    "shared": {"CONTINUUM_MCP_TOKEN": "s-shared"},
    "of the client": {"CONTINUUM_MCP_CLIENT_TOKENS": "probe:s-probe other:s-other"},
}
RIGHT_SECRET = {"none": None, "shared": "s-shared", "of the client": "s-probe"}


@pytest.fixture(params=["variable", "other variable", "file"])
def source(request, tmp_path):
    """Environment that names `probe`, each way in turn."""
    if request.param == "file":
        (tmp_path / ".continuum").mkdir()
        (tmp_path / ".continuum" / "mcp-policy.json").write_text(json.dumps({"allow": ["probe"]}))
        return {}
    names = {
        "variable": "CONTINUUM_MCP_MUTATING_CLIENTS",
        "other variable": "CONTINUUM_MCP_ALLOW",
    }
    return {names[request.param]: "probe, somebody"}


def policy(tmp_path, *environments):
    merged: dict[str, str] = {}
    for environment in environments:
        merged |= environment
    return load_policy(merged, str(tmp_path))


def refused_everywhere(store, caller):
    for tool in WRITING:
        answer = caller.call(tool, {"run_id": "run-a", **ARGUMENTS[tool]})
        assert answer.refusal is not None, tool
        assert answer.refusal.code == "not_allowed", answer.text
        assert tool in answer.text
        yield answer.refusal
    assert written(store) == []


@pytest.mark.parametrize("mode", SECRETS)
def test_a_listed_client_with_its_secret_is_let_in(store, tmp_path, source, mode):
    caller = Caller(
        store, policy=policy(tmp_path, source, SECRETS[mode]), secret=RIGHT_SECRET[mode]
    )

    assert caller.data("record_progress", run_id="run-a", completed=0, goal="demo")


@pytest.mark.parametrize("mode", SECRETS)
@pytest.mark.parametrize("name", ["", "stranger", "Probe", " probe"])
def test_nobody_else_writes_whatever_secret_it_has(store, tmp_path, source, mode, name):
    caller = Caller(
        store,
        policy=policy(tmp_path, source, SECRETS[mode]),
        name=name,
        secret=RIGHT_SECRET[mode],
    )

    reasons = {refusal.reason for refusal in refused_everywhere(store, caller)}

    assert len(reasons) == 1


@pytest.mark.parametrize("mode", ["shared", "of the client"])
@pytest.mark.parametrize("secret", [None, "", "wrong", "s-other"])
def test_a_missing_or_wrong_secret_is_refused(store, tmp_path, source, mode, secret):
    caller = Caller(store, policy=policy(tmp_path, source, SECRETS[mode]), secret=secret)

    for refusal in refused_everywhere(store, caller):
        assert refusal.reason == "wrong_secret"
        assert "_meta.authToken" in refusal.text
        assert "s-shared" not in refusal.text and "s-probe" not in refusal.text


@pytest.mark.parametrize("tool", READING)
def test_read_only_tools_are_open_to_everybody(store, tmp_path, tool):
    Caller(store).data("record_progress", run_id="run-a", completed=0, goal="demo")
    nobody = Caller(store, policy=policy(tmp_path), name="")

    assert nobody.call(tool, {"run_id": "run-a"}).refusal is None


def test_a_refused_call_leaves_the_events_and_runs_as_they_were(tmp_path):
    place = tmp_path / "store.db"
    with open_store(str(place)) as store:
        Caller(store).data("record_progress", run_id="run-a", completed=0, goal="demo")
        before = record_of(store)
        list(zip(WRITING, refused_calls(store), strict=True))

        assert record_of(store) == before


def record_of(store):
    rows = [tuple(row) for row in store.event_rows("run-a", archived=False)]
    runs = [tuple(store.run_row(run.run_id)) for run in store.runs(limit=10)]
    return sha256(repr((rows, runs)).encode()).hexdigest()


def refused_calls(store):
    stranger = Caller(store, name="stranger")
    for tool in WRITING:
        yield stranger.call(tool, {"run_id": "run-a", **ARGUMENTS[tool]})


def test_refusals_are_counted_by_reason(store):
    stranger = Caller(store, name="stranger")

    stranger.refusal("record_progress", run_id="run-a", completed=0, goal="demo")
    stranger.refusal("checkpoint", run_id="run-a")

    (count,) = store.refusals(since_hour="2026-12-01T12")
    assert (count.caller, count.reason, count.times) == ("stranger", "unknown", 2)


@pytest.mark.parametrize(
    ("environment", "secret", "told"),
    [
        ({}, None, "CONTINUUM_MCP_CONFIRM_TOKEN"),
        ({"CONTINUUM_MCP_CONFIRM_TOKEN": "s-confirm"}, "wrong", "CONTINUUM_MCP_CONFIRM_TOKEN"),
        ({"CONTINUUM_MCP_CONFIRM_TOKEN": "s-confirm"}, None, "CONTINUUM_MCP_CONFIRM_TOKEN"),
    ],
)
def test_confirming_needs_a_secret_of_its_own(store, tmp_path, environment, secret, told):
    allowed = {"CONTINUUM_MCP_MUTATING_CLIENTS": "probe other"}
    Caller(store).data("record_progress", run_id="run-a", completed=0, goal="demo")
    before = written(store)
    caller = Caller(
        store, policy=policy(tmp_path, allowed, environment), name="other", secret=secret
    )

    refusal = caller.refusal("confirm", run_id="run-a")

    assert told in refusal["text"]
    assert written(store) == before


def test_a_confirming_connection_confirms_and_does_nothing_else(store, tmp_path):
    environment = {
        "CONTINUUM_MCP_MUTATING_CLIENTS": "probe other",
        "CONTINUUM_MCP_TOKEN": "s-shared",
        "CONTINUUM_MCP_CONFIRM_TOKEN": "s-confirm",
    }
    rules = policy(tmp_path, environment)
    agent = Caller(store, policy=rules, secret="s-shared")
    agent.data("record_progress", run_id="run-a", completed=1, total=2, goal="demo")
    reviewer = Caller(store, policy=rules, name="other", secret="s-confirm")

    assert agent.refusal("confirm", run_id="run-a")["reason"] == "wrong_secret"
    assert reviewer.refusal("checkpoint", run_id="run-a")["reason"] == "wrong_secret"
    partly = reviewer.data("confirm", run_id="run-a", scope=["goal"])
    wholly = reviewer.data("confirm", run_id="run-a")

    assert (partly["mode"], wholly["mode"]) == ("request_human", "resume")
    event = list(store.events("run-a"))[-1]
    assert (str(event.type), str(event.source)) == ("REVIEW_CONFIRMED", "human")
    assert event.payload["caller"] == {"client": "other", "version": "1.0", "via": "mcp"}


def test_nobody_reviews_its_own_work(store, tmp_path):
    environment = {
        "CONTINUUM_MCP_MUTATING_CLIENTS": "probe",
        "CONTINUUM_MCP_CONFIRM_TOKEN": "s-confirm",
    }
    rules = policy(tmp_path, environment)
    Caller(store).data("record_progress", run_id="run-a", completed=0, goal="demo")
    before = written(store)

    refusal = Caller(store, policy=rules, secret="s-confirm").refusal("confirm", run_id="run-a")

    assert refusal["reason"] == "confirm_conflict"
    assert written(store) == before


def test_secrets_reach_no_file_of_the_store(tmp_path):
    place = tmp_path / "store.db"
    environment = {"CONTINUUM_MCP_MUTATING_CLIENTS": "probe", "CONTINUUM_MCP_TOKEN": "s-hidden"}
    with open_store(str(place)) as store:
        rules = policy(tmp_path, environment)
        Caller(store, policy=rules, secret="s-hidden").data(
            "record_progress", run_id="run-a", completed=0, goal="demo"
        )
        Caller(store, policy=rules, secret="s-mistaken").refusal("checkpoint", run_id="run-a")

    for file in Path(tmp_path).iterdir():
        if file.is_file():
            assert b"s-hidden" not in file.read_bytes()
            assert b"s-mistaken" not in file.read_bytes()
