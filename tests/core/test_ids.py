"""Identifiers are a word and 32 lowercase hex digits, never twice the same."""

from __future__ import annotations

import re

from continuum.core.ids import new_id, new_ids

SHAPE = re.compile(r"event_[0-9a-f]{32}")


def test_a_new_id_has_the_shape_of_the_format():
    assert SHAPE.fullmatch(new_id("event"))


def test_several_new_ids_have_it_too_and_differ():
    ids = new_ids("event", 100)

    assert all(SHAPE.fullmatch(one) for one in ids)
    assert len(set(ids)) == 100


def test_no_ids_are_none():
    assert new_ids("event", 0) == []
