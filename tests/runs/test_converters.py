"""Run ids and keys in addresses: each text has one address, each address one text."""

from __future__ import annotations

import pytest
from django.urls import NoReverseMatch, resolve, reverse
from hypothesis import given
from hypothesis import strategies as st

from runs.converters import Name

NAME = Name()
TEXTS = st.text(min_size=1, max_size=512)
AWKWARD = [
    "r",
    "a/b/c",
    "..",
    ".",
    "../../etc/passwd",
    "~",
    "~YQ",
    "-",
    " r ",
    "r%2Fx",
    "emoji 🙂",
    "\u202egnirts",
    "x" * 512,
    "🙂" * 500,
    "\ud800",
    "invoice:INV-001",
    "admin",
    "confirm",
    "\n",
    "?a=b#c",
]


@given(TEXTS)
def test_every_text_comes_back_from_its_address(text):
    assert NAME.to_python(NAME.to_url(text)) == text


@given(st.text(alphabet="abcXYZ019_-~.:@=,+", min_size=1, max_size=60))
def test_an_address_means_one_text_or_nothing(segment):
    try:
        text = NAME.to_python(segment)
    except ValueError:
        return

    assert NAME.to_url(text) == segment


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_names_reach_their_page(text):
    url = reverse("runs:action", args=[text, text])

    match = resolve(url.replace("%3A", ":"))

    assert match.kwargs == {"run_id": text, "key": text}


@pytest.mark.parametrize("text", AWKWARD)
def test_an_address_needs_no_encoding_by_the_browser(text):
    segment = NAME.to_url(text)

    assert segment.isascii()
    assert not set(segment) & set('/?#% \\"<>')
    assert segment not in (".", "..")


@pytest.mark.parametrize("plain", ["r", "run_4821", "invoice-batch-17", "v1.2", "invoice:INV-001"])
def test_plain_names_are_written_as_they_are(plain):
    assert NAME.to_url(plain) == plain


@pytest.mark.parametrize("segment", ["~YQ", "~", "~%%%", "~_w", "~YQ=="])
def test_a_second_spelling_of_a_name_is_no_address(segment):
    with pytest.raises(ValueError):
        NAME.to_python(segment)


def test_an_empty_name_has_no_address():
    with pytest.raises(NoReverseMatch):
        reverse("runs:run", args=[""])
