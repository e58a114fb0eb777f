"""Ledger keys: what they are derived from, and how a key may be spelled."""

from __future__ import annotations

import pytest

from continuum.core.errors import InvalidInput, TooLarge
from continuum.ledger.identity import (
    MAX_KEY_LENGTH,
    arguments_hash,
    ensure_key,
    key_spellings,
    ledger_key,
    normalise_path,
)
from tests.vectors import load_vectors

KEYS = load_vectors("idempotency_keys")["cases"]
MORE_KEYS = load_vectors("idempotency")["keys"]


def at_home(folder):
    def expand(text):
        return folder + text[1:] if text == "~" or text.startswith("~/") else text

    return expand


AGENT_HOME = at_home("/home/agent")


@pytest.mark.parametrize("case", [one for one in KEYS if "expected_key" in one])
def test_keys_and_argument_hashes_are_those_of_the_vectors(case):
    key = ledger_key(
        case["action_type"],
        case["arguments"],
        scope=case["scope"],
        explicit_key=case["key"],
        volatile=case["volatile"],
        expand_home=AGENT_HOME,
    )

    assert key == case["expected_key"]
    hashed = arguments_hash(case["arguments"], case["volatile"], expand_home=AGENT_HOME)
    assert hashed == case.get("expected_arguments_hash", hashed)


@pytest.mark.parametrize("case", [one for one in KEYS if "expected_error" in one])
def test_what_the_reference_client_refuses_is_refused(case):
    with pytest.raises(InvalidInput):
        ledger_key(
            case["action_type"],
            case["arguments"],
            scope=case["scope"],
            explicit_key=case["key"],
            volatile=case["volatile"],
        )


@pytest.mark.parametrize("case", MORE_KEYS, ids=lambda case: case["name"])
def test_keys_agree_with_the_second_set_of_vectors(case):
    home = at_home("/home/u")

    key = ledger_key(
        case["action_type"],
        case["arguments"],
        scope=case["scope"],
        explicit_key=case["explicit_key"],
        volatile=case["volatile"],
        expand_home=home,
    )

    assert key == case["key"]
    hashed = arguments_hash(case["arguments"], case["volatile"], expand_home=home)
    assert hashed == case["arguments_hash"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/data/x/../invoices/INV-5.pdf", "/data/invoices/INV-5.pdf"),
        ("data/invoices/", "data/invoices"),
        ("~/out.csv", "/home/agent/out.csv"),
        ("~nobodyhere/x", "~nobodyhere/x"),
        ("s3://bucket//k", "s3://bucket//k"),
        (r"a\b\..\c", r"a\b\..\c"),
        ("plain.txt", "plain.txt"),
        ("..", ".."),
        ("//srv/share/x", "//srv/share/x"),
        ("///srv/x", "/srv/x"),
        ("./", "."),
        ("C:/x/../y", "C:/y"),
    ],
)
def test_only_path_like_text_is_reduced(text, expected):
    assert normalise_path(text, AGENT_HOME) == expected


@pytest.mark.parametrize("text", ["k2", " k2 ", "\tk2\n"])
def test_blanks_around_a_key_do_not_count(text):
    assert ensure_key(text) == "k2"
    assert key_spellings(text)[0] == "k2"


def test_composed_and_decomposed_spellings_are_one_key():
    composed, decomposed = "caf\u00e9", "cafe\u0301"

    assert ensure_key(decomposed) == composed
    assert set(key_spellings(composed)) == set(key_spellings(decomposed)) == {composed, decomposed}


def test_a_clean_key_is_looked_up_once():
    assert key_spellings("invoice:INV-001") == ("invoice:INV-001",)


def test_a_raw_spelling_of_the_reference_client_is_looked_up_too():
    assert " k2 " in key_spellings(" k2 ")


@pytest.mark.parametrize("text", ["", "   ", None, 7])
def test_an_empty_key_is_refused(text):
    with pytest.raises(InvalidInput):
        ensure_key(text)


def test_a_key_of_512_characters_passes_and_one_more_does_not():
    assert ensure_key("😀" * MAX_KEY_LENGTH)
    with pytest.raises(TooLarge, match="513 characters"):
        ensure_key("😀" * (MAX_KEY_LENGTH + 1))


def test_arguments_nested_beyond_reason_are_refused():
    nested: dict = {}
    for _ in range(5000):
        nested = {"a": nested}

    with pytest.raises(InvalidInput, match="nested"):
        ledger_key("w", nested, scope="r")
