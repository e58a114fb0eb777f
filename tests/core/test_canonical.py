"""The canonical JSON form and the hashes over it."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuum.core.canonical import (
    MAX_PAYLOAD_BYTES,
    canonical_payload,
    canonical_text,
    stable_hash,
)
from continuum.core.errors import InvalidInput, TooLarge
from tests.vectors import load_vectors

VALUES = load_vectors("canonical")["canonical_values"]
REFUSED: dict[str, Any] = {
    "NaN value": {"x": math.nan},
    "Infinity value": {"x": [math.inf]},
    "integer key": {1: "x"},
    "datetime value": {"x": datetime(2026, 1, 1)},
    "bytes value": {"x": b"x"},
    "set value": {"x": {1}},
}

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("case", VALUES, ids=[case["name"] for case in VALUES])
def test_a_value_has_the_canonical_text_of_the_vector(case):
    assert canonical_text(case["value"]) == case["canonical"]
    assert stable_hash(case["value"]) == case["sha256"]


@pytest.mark.parametrize("case", load_vectors("canonical")["refused_payloads"])
def test_a_payload_json_cannot_say_is_refused(case):
    with pytest.raises(InvalidInput, match="payload"):
        canonical_payload(REFUSED[case["case"]])


@given(json_values)
def test_canonical_text_is_what_python_writes_with_the_settings_of_the_rules(value):
    assert canonical_text(value) == json.dumps(value, sort_keys=True, separators=(",", ":"))


def test_text_after_a_refused_value_is_not_affected():
    value: dict[str, Any] = {"a": [1]}
    for refused in (math.nan, {1}):
        with pytest.raises(InvalidInput):
            canonical_text([value, refused])

    assert canonical_text([value, value]) == '[{"a":[1]},{"a":[1]}]'


@given(json_values)
def test_canonical_text_keeps_the_value_and_is_its_own_canonical_form(value):
    text = canonical_text(value)

    assert canonical_text(json.loads(text)) == text
    assert json.loads(text) == value


@given(json_values)
def test_canonical_text_is_printable_ascii_without_line_ends(value):
    text = canonical_text(value)

    assert text.isascii()
    assert text.isprintable()


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_member_order_of_the_source_does_not_matter(value):
    reversed_value = dict(reversed(value.items()))

    assert canonical_text(reversed_value) == canonical_text(value)


def test_members_are_sorted_by_code_point_not_by_utf16():
    text = canonical_text({"\U0001f600": 1, "\uff5e": 2})

    assert text == '{"\\uff5e":2,"\\ud83d\\ude00":1}'


def test_integers_and_floats_of_one_value_stay_different():
    assert canonical_text([1, 1.0, 2**70, 1e16, 1e-5, -0.0]) == (
        "[1,1.0,1180591620717411303424,1e+16,1e-05,-0.0]"
    )


def test_a_payload_over_the_limit_is_refused_with_its_size():
    with pytest.raises(TooLarge, match=str(MAX_PAYLOAD_BYTES)):
        canonical_payload({"x": "y" * MAX_PAYLOAD_BYTES})


def test_a_payload_nested_without_end_is_refused():
    nested: list = []
    for _ in range(300):
        nested = [nested]

    with pytest.raises(InvalidInput, match="levels deep"):
        canonical_payload({"x": nested})


def test_a_refusal_names_the_place():
    with pytest.raises(InvalidInput, match=r"payload\.a\[1\]\.b is a set"):
        canonical_payload({"a": [0, {"b": {1}}]})


@pytest.mark.parametrize("kind", [list, dict])
def test_a_value_that_holds_itself_is_refused(kind):
    value: Any = [] if kind is list else {}
    value.append(value) if kind is list else value.update(x=value)

    with pytest.raises(InvalidInput):
        canonical_text(value)
    with pytest.raises(InvalidInput, match="nested more than"):
        canonical_payload({"value": value})
