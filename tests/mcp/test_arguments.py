"""Arguments are checked before anything else happens, and strictly."""

from __future__ import annotations

import pytest

from continuum.core.errors import InvalidInput, TooLarge
from continuum.mcp.arguments import checked, checker
from tests.mcp.talking import TOOLS

CHECKERS = {tool.name.removeprefix("continuum_"): checker(tool.input_schema()) for tool in TOOLS}


def refused(tool, **arguments):
    with pytest.raises(InvalidInput) as caught:
        checked(arguments, CHECKERS[tool])
    return caught.value


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (True, "a whole number, not true"),
        ("3", 'a whole number, not "3"'),
        (3.0, "a whole number, not 3.0"),
        (3.5, "a whole number, not 3.5"),
        (None, "a whole number, not null"),
        (-1, "at least 0, not -1"),
        (2**70, "at most 9007199254740991, not 1180591620717411303424"),
        ([], "a whole number, not []"),
    ],
)
def test_only_whole_numbers_in_bounds_are_counters(value, told):
    error = refused("record_progress", run_id="r", completed=value)

    assert error.field == "completed"
    assert told in str(error)


def test_a_misspelt_argument_is_named_with_what_was_meant():
    error = refused("fail_action", run_id="r", action_key="k", error="e", certian=True)

    assert error.field == "certian"
    assert "did you mean `certain`?" in str(error)


def test_a_missing_argument_is_named_beside_what_was_given():
    error = refused("record_progress", completed=1)

    assert error.field == "run_id"
    assert str(error) == "`run_id` is missing (given: `completed`)"


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("checkpoint", {"env": {"d": True}}, "env.d"),
        ("checkpoint", {"env": {"d": ["v"]}}, "env.d"),
        ("checkpoint", {"env": "v1"}, "env"),
        ("record_plan", {"plan_id": "p", "units": []}, "units"),
        ("record_plan", {"plan_id": "p", "units": [{"title": "x"}]}, "units[0].id"),
        (
            "record_plan",
            {"plan_id": "p", "units": [{"id": "a", "status": "later"}]},
            "units[0].status",
        ),
        ("record_plan", {"plan_id": "p", "units": [{"id": "a", "tilte": "x"}]}, "units[0].tilte"),
        ("record_summary", {"decisions": [{"what": 1}]}, "decisions[0].what"),
        ("record_summary", {"pinning": {"colour": "red"}}, "pinning.colour"),
        ("intercept_action", {"action_type": "t", "grant": {"id": "g"}}, "grant.scope"),
        ("intercept_action", {"action_type": "t", "arguments": []}, "arguments"),
        ("intercept_action", {"action_type": "t", "scoped_to_run": 1}, "scoped_to_run"),
        (
            "complete_action",
            {"action_key": "k", "consumed_inputs": {"event_positions": [0]}},
            "consumed_inputs.event_positions[0]",
        ),
        (
            "complete_action",
            {"action_key": "k", "consumed_inputs": {"more": 1}},
            "consumed_inputs.more",
        ),
        ("confirm", {"scope": []}, "scope"),
        ("confirm", {"scope": ["model"]}, "scope[0]"),
        ("list_actions", {"limit": 501}, "limit"),
        ("list_actions", {"status": ["open"]}, "status[0]"),
    ],
)
def test_what_is_wrong_inside_is_named_by_its_path(tool, arguments, field):
    assert refused(tool, run_id="r", **arguments).field == field


@pytest.mark.parametrize("name", [tool.name.removeprefix("continuum_") for tool in TOOLS])
def test_every_optional_argument_may_be_null(name):
    tool = next(one for one in TOOLS if one.name == f"continuum_{name}")
    given = {
        parameter: None if parameter not in tool.required else schema["examples"][0]
        for parameter, schema in tool.parameters.items()
    }

    assert set(checked(given, CHECKERS[name])) == set(tool.required)


@pytest.mark.parametrize("name", [tool.name.removeprefix("continuum_") for tool in TOOLS])
def test_every_example_fits(name):
    tool = next(one for one in TOOLS if one.name == f"continuum_{name}")

    checked({key: schema["examples"][0] for key, schema in tool.parameters.items()}, CHECKERS[name])


def test_free_objects_take_any_member():
    free = {"anything": [True, {"x": None}], "": 1.5}

    kept = checked(
        {"run_id": "r", "action_type": "t", "arguments": free}, CHECKERS["intercept_action"]
    )

    assert kept["arguments"] == free


def test_a_long_text_is_too_large_and_not_repeated():
    error = refused("record_progress", run_id="r", completed=1, goal="x" * 5000)

    assert isinstance(error, TooLarge)
    assert "at most 2000 characters, not 5000" in str(error)
    assert len(str(error)) < 200


def test_hostile_names_are_cut():
    error = refused("record_progress", run_id="r", completed=1, **{"x" * 5000: 1})

    assert len(str(error)) < 250
