"""Snapshots of resources and what moved between two of them."""

from __future__ import annotations

import pytest

from continuum.domain.environment import (
    BREAKING,
    UNINSPECTED,
    compare_environments,
    environment_hash,
    make_environment,
)
from tests.domain.logs import NOON, RUN
from tests.vectors import load_vectors

CASES = load_vectors("environment_diff")["cases"]
SNAPSHOT = load_vectors("checkpoint")["environment"]


def snapshot(resources):
    return None if resources is None else {"resources": resources}


@pytest.mark.parametrize("case", CASES)
def test_two_snapshots_compare_as_in_the_vector(case):
    deltas = compare_environments(snapshot(case["before"]), snapshot(case["after"]))

    assert [(one.resource, one.change, one.before, one.after) for one in deltas] == [
        (one["resource"], one["change"], one["before"], one["after"]) for one in case["deltas"]
    ]
    assert [one.resource for one in deltas if one.change in BREAKING] == case["breaking"]


@pytest.mark.parametrize("case", CASES)
def test_a_delta_explains_itself_where_the_vector_does(case):
    deltas = compare_environments(snapshot(case["before"]), snapshot(case["after"]))

    assert [bool(one.detail) for one in deltas] == [bool(one["detail"]) for one in case["deltas"]]


def test_a_failed_inspection_tells_its_error():
    before = {"d": {"version": UNINSPECTED, "metadata": {"error": "refused"}}}
    after = {"d": {"version": UNINSPECTED, "metadata": {"error": "timeout"}}}

    [delta] = compare_environments(snapshot(before), snapshot(after))
    [older] = compare_environments(snapshot(before), snapshot({"d": {"version": "1"}}))

    assert (delta.detail, older.detail) == ("timeout", "refused")


def test_a_snapshot_has_the_hash_of_the_vector():
    snapshot = SNAPSHOT["snapshot"]

    digest = environment_hash(snapshot["run_id"], snapshot["resources"])

    assert digest == SNAPSHOT["integrity_hash"]


def test_a_made_snapshot_is_hashed_without_its_id_and_time():
    first = make_environment(RUN, {"dataset": "v3"}, at=NOON)
    second = make_environment(RUN, {"dataset": "v3"}, at=NOON.replace(hour=13), env_id="env_x")

    assert first["integrity_hash"] == second["integrity_hash"]
    assert first["env_id"] != second["env_id"] == "env_x"
    assert first["captured_at"] == "2026-03-01T12:00:00.250000Z"
    assert first["resources"]["dataset"] == {
        "name": "dataset",
        "kind": "resource",
        "version": "v3",
        "checksum": None,
        "metadata": {},
    }
