"""Noise on the line: everything is answered, nothing is written, serving goes on."""

from __future__ import annotations

import json

import pytest
from mcp_types import JSONRPCError

from continuum import open_store
from continuum.mcp.stdio import MAX_MESSAGE_BYTES, Lines, read_line
from tests.mcp.wire import Server, start

ALLOWED = {"CONTINUUM_MCP_MUTATING_CLIENTS": "good probe"}
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path, environment=ALLOWED) as running:
        yield running


def initialize(request_id, name):
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": name, "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": request_id, "method": "initialize", "params": params}


def progress(request_id, **arguments):
    params = {
        "name": "continuum_record_progress",
        "arguments": {"run_id": "run-a", "completed": 0, "goal": "demo", **arguments},
    }
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{not json", PARSE_ERROR),
        (b"\xff\xfe\xff", PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "\\ud800"}}', PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"[{}]", INVALID_REQUEST),
        (b"null", INVALID_REQUEST),
        (b"17", INVALID_REQUEST),
        (b"{}", INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', INVALID_REQUEST),
        (None, INVALID_REQUEST),
    ],
)
def test_a_line_that_is_no_message_is_answered(line, code):
    answer = read_line(line)

    assert isinstance(answer, JSONRPCError)
    assert answer.error.code == code


def test_the_id_of_a_broken_request_is_kept_where_it_can_be_told():
    known, unknown = read_line(b'{"jsonrpc": "2.0", "id": 7, "method": 3}'), read_line(b"{not")

    assert isinstance(known, JSONRPCError)
    assert isinstance(unknown, JSONRPCError)
    assert (known.id, unknown.id) == (7, None)


def test_lines_are_cut_wherever_the_chunks_end():
    lines = Lines(limit=8)

    found = [
        line
        for chunk in (b"ab\nc", b"d\n", b"\n12345678\n1234", b"56789\nx")
        for line in lines.feed(chunk)
    ]

    assert found == [b"ab", b"cd", b"", b"12345678", None]
    assert lines.rest() == b"x"


def test_a_line_too_long_is_not_kept_in_memory():
    lines = Lines(limit=10)

    for _ in range(1000):
        assert list(lines.feed(b"x" * 1000)) == []

    assert sum(map(len, lines._parts)) <= 10
    assert list(lines.feed(b"\nok\n")) == [None, b"ok"]


def test_o20_a_noisy_client_is_answered_and_served_on(server, tmp_path):
    server.send(progress(1))
    assert server.receive()["error"]["code"] == INVALID_PARAMS
    server.hello("good")

    for line in (b"{not json", b"\xff\xfe\xff", b"[]", b"x" * (MAX_MESSAGE_BYTES + 1)):
        server.send_raw(line)
        answer = server.receive()
        assert answer["id"] is None
        assert answer["error"]["code"] in (PARSE_ERROR, INVALID_REQUEST)
    server.send_raw(b"")
    server.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}
    )
    refusal = server.refusal(
        "continuum_fail_action", run_id="r", action_key="k", error="e", certian=False
    )

    assert refusal["field"] == "certian"
    big = server.refusal("continuum_record_progress", run_id="r", completed=0, goal="g" * 3_000_000)
    assert big["code"] == "too_large"
    assert server.data("continuum_record_progress", run_id="r", completed=0, goal="demo")
    assert server.close() == 0
    with open_store(str(tmp_path / "continuum.db"), read_only=True) as store:
        assert [run.run_id for run in store.runs(limit=9)] == ["r"]


def test_o19_identity_is_fixed_at_the_first_handshake(server, tmp_path):
    server.hello("evil")
    assert server.refusal("continuum_record_progress", run_id="r", completed=0, goal="g")

    second = server.ask("initialize", initialize(0, "good")["params"])

    assert second["error"]["code"] == INVALID_REQUEST
    refusal = server.refusal("continuum_record_progress", run_id="r", completed=0, goal="g")
    assert refusal["reason"] == "unknown"
    server.close()
    with open_store(str(tmp_path / "continuum.db"), read_only=True) as store:
        assert store.runs(limit=9) == []
        counts = {(one.caller, one.reason): one.times for one in store.refusals(since_hour="2")}
    assert counts == {("evil", "unknown"): 2, ("good", "second_identity"): 1}


@pytest.mark.parametrize(
    "meta",
    [
        {"authToken": "s-right"},
        {"clientInfo": {"name": "good", "version": "1"}, "authToken": "s-right"},
        {"io.modelcontextprotocol/clientInfo": {"name": "good", "version": "1"}},
    ],
)
def test_what_later_requests_say_about_themselves_is_not_looked_at(tmp_path, meta):
    environment = {**ALLOWED, "CONTINUUM_MCP_TOKEN": "s-right"}
    with Server(tmp_path, environment=environment) as server:
        server.hello("good", secret="s-wrong")

        result = server.call(
            "continuum_record_progress", meta=meta, run_id="r", completed=0, goal="g"
        )

    assert result["_meta"]["continuum/error"]["reason"] == "wrong_secret"


def test_an_enveloped_request_does_not_change_who_calls(server):
    server.hello("evil")
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "good", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    request = progress(5)
    request["params"]["_meta"] = envelope

    server.send(request)

    assert server.receive()["error"]["code"] == INVALID_REQUEST


def test_whatever_arrived_before_the_input_ended_is_answered(tmp_path):
    lines = [
        initialize(1, "good"),
        *(progress(number, completed=number) for number in range(2, 22)),
    ]
    with Server(tmp_path, environment=ALLOWED) as server:
        for line in lines:
            server.send(line)
        server.end_input()
        answers = [server.receive() for _ in lines]

    assert sorted(answer["id"] for answer in answers) == list(range(1, 22))
    sequences = [
        answer["result"]["structuredContent"]["data"]["source_sequence"]
        for answer in answers
        if "structuredContent" in answer["result"]
    ]
    assert sorted(sequences) == list(range(2, 22))


def test_a_last_line_without_a_break_is_read(tmp_path):
    with Server(tmp_path, environment=ALLOWED) as server:
        server.end_input(json.dumps(initialize(1, "good")).encode())

        assert server.receive()["id"] == 1


def test_nothing_but_protocol_is_printed(tmp_path):
    done = start(tmp_path, environment=ALLOWED)

    assert (done.returncode, done.stdout) == (0, b"")
