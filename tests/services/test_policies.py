"""What environment and policy file say: the first that names somebody wins, malformed stops."""

from __future__ import annotations

import json

import pytest

from continuum.core.errors import ConfigurationError
from continuum.services.policies import load_policy

ALLOWLIST = "CONTINUUM_MCP_MUTATING_CLIENTS"
OTHER = "CONTINUUM_MCP_ALLOW"
SHARED = "CONTINUUM_MCP_TOKEN"
SECRETS = "CONTINUUM_MCP_CLIENT_TOKENS"
CONFIRM = "CONTINUUM_MCP_CONFIRM_TOKEN"


@pytest.fixture
def file(tmp_path):
    """Write the policy file of the working folder."""

    def write(content):
        folder = tmp_path / ".continuum"
        folder.mkdir()
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / "mcp-policy.json").write_text(text)

    return write


def load(tmp_path, **environ):
    return load_policy(environ, str(tmp_path))


def test_without_any_source_nobody_may_write(tmp_path):
    policy = load(tmp_path)

    assert (policy.clients, policy.source) == ((), "nobody")
    assert (policy.shared_secret, policy.confirm_secret) == (None, None)


@pytest.mark.parametrize("text", ["a b", "a,b", " a ,\tb\n", "a,,b"])
def test_names_are_separated_by_commas_and_blanks(tmp_path, text):
    assert load(tmp_path, **{ALLOWLIST: text}).clients == ("a", "b")


def test_the_first_source_that_names_somebody_wins_and_nothing_is_merged(tmp_path, file):
    file(["from-file"])

    first = load(tmp_path, **{ALLOWLIST: "a", OTHER: "b"})
    second = load(tmp_path, **{ALLOWLIST: " , ", OTHER: "b"})
    third = load(tmp_path, **{ALLOWLIST: "", OTHER: ""})

    assert (first.clients, first.source) == (("a",), "environment")
    assert (second.clients, second.source) == (("b",), "environment")
    assert (third.clients, third.source) == (("from-file",), "file")


@pytest.mark.parametrize("content", [["a"], {"allow": ["a"]}, {"allowed": ["a"]}])
def test_the_file_is_an_array_or_an_object_that_holds_one(tmp_path, file, content):
    file(content)

    assert load(tmp_path).clients == ("a",)


def test_an_empty_list_in_the_file_is_nobody(tmp_path, file):
    file([])

    assert load(tmp_path).source == "nobody"


@pytest.mark.parametrize(
    "content", ["", "[", "null", '"a"', "[1]", '[""]', '{"names": ["a"]}', '{"allow": "a"}', "\x00"]
)
def test_a_malformed_file_stops_the_door_whatever_the_environment_says(tmp_path, file, content):
    file(content)

    with pytest.raises(ConfigurationError, match=r"mcp-policy\.json"):
        load(tmp_path, **{ALLOWLIST: "a"})


def test_secrets_by_name_split_at_the_first_colon_and_replace_the_shared_one(tmp_path):
    policy = load(tmp_path, **{SECRETS: "a:x:y b:z", SHARED: "shared"})

    assert policy.client_secrets == {"a": "x:y", "b": "z"}
    assert policy.shared_secret is None


@pytest.mark.parametrize("text", ["hunter2", "a:", ":hunter2", "a:hunter2 b", "a:x a:hunter2", ","])
def test_a_malformed_pair_stops_the_door_and_is_not_repeated(tmp_path, text):
    with pytest.raises(ConfigurationError) as stopped:
        load(tmp_path, **{SECRETS: text})

    assert SECRETS in str(stopped.value) and "hunter2" not in str(stopped.value)


@pytest.mark.parametrize(
    "other", [{SHARED: "same"}, {SECRETS: "a:same"}, {SECRETS: "a:x", SHARED: "same"}]
)
def test_the_confirm_secret_belongs_to_nobody_else(tmp_path, other):
    with pytest.raises(ConfigurationError, match=CONFIRM):
        load(tmp_path, **{CONFIRM: "same"}, **other)


def test_an_empty_variable_counts_as_unset(tmp_path):
    policy = load(tmp_path, **dict.fromkeys((SHARED, SECRETS, CONFIRM), ""))

    assert (policy.shared_secret, policy.confirm_secret, policy.client_secrets) == (None, None, {})
