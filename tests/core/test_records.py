"""Records behave as the named tuples they stand for."""

from __future__ import annotations

import copy
import pickle
import typing
from typing import Any

import pytest

from continuum.core.records import NamedTuple

if typing.TYPE_CHECKING:
    from collections.abc import Mapping


class Place(NamedTuple):
    """Where something is."""

    street: str
    number: int = 1
    extra: Mapping[str, int] | tuple[int, ...] = ()  # annotations stay texts, loaded or not

    @property
    def label(self) -> str:
        return f"{self.street} {self.number}"


class Twin(typing.NamedTuple):
    street: str
    number: int = 1
    extra: typing.Any = ()


PLACE: Any = Place
"""The class without its types, for what type checkers refuse."""


class Single(NamedTuple):
    only: str


class Empty(NamedTuple):
    pass


@pytest.mark.parametrize(
    ("values", "named"),
    [(("a",), {}), (("a", 2), {}), (("a",), {"extra": 3}), ((), {"number": 4, "street": "b"})],
)
def test_a_record_is_made_shown_and_compared_as_a_named_tuple(values, named):
    record, twin = PLACE(*values, **named), Twin(*values, **named)

    assert record == twin
    assert tuple(record) == tuple(twin)
    assert (record.street, record.number, record.extra) == (twin.street, twin.number, twin.extra)
    assert record._asdict() == twin._asdict()
    assert repr(record) == repr(twin).replace("Twin", "Place")
    assert hash(record) == hash(twin)
    assert record._replace(number=9) == twin._replace(number=9)
    assert Place._make(twin) == record
    assert Place._fields == Twin._fields
    assert Place._field_defaults == Twin._field_defaults


def test_properties_docstring_and_patterns_are_kept():
    record = Place("a", 2)

    assert record.label == "a 2"
    assert Place.__doc__ == "Where something is."
    match record:
        case Place(street, number):
            assert (street, number) == ("a", 2)


def test_a_record_survives_pickling_and_copying():
    record = Place("a", 2, (1, 2))

    assert pickle.loads(pickle.dumps(record)) == record
    assert type(copy.deepcopy(record)) is Place


def test_a_record_of_one_member_or_none_is_a_tuple_too():
    assert Single("x") == ("x",)
    assert Empty() == ()


def test_what_does_not_fit_is_refused():
    with pytest.raises(TypeError):
        PLACE()
    with pytest.raises(TypeError):
        PLACE("a", street="b")
    with pytest.raises(TypeError):
        PLACE("a", unknown=1)
    with pytest.raises(TypeError):
        PLACE("a")._replace(unknown=1)
    with pytest.raises(TypeError):
        PLACE._make(["a"])
    with pytest.raises(AttributeError):
        PLACE("a").street = "b"


def test_a_member_without_default_cannot_follow_one_with_a_default():
    with pytest.raises(TypeError, match="default"):

        class Wrong(NamedTuple):
            first: int = 1
            second: int  # type: ignore[misc]  # the point of the test
