"""The list of tools is complete: no parameter without words, no tool without hints (T-1 to T-8)."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from continuum.mcp.descriptions.instructions import INSTRUCTIONS
from tests.mcp.writing import REFERENCE, SNAPSHOT, TOOLS, reference, snapshot

MAX_DESCRIPTION = 900

BY_NAME = {tool["name"].removeprefix("continuum_"): tool for tool in TOOLS}
HINTS = {
    # read only, destructive, idempotent, open world
    "record_progress": (False, False, True, False),
    "checkpoint": (False, False, False, False),
    "record_summary": (False, False, False, False),
    "record_plan": (False, False, True, False),
    "validate": (True, False, True, False),
    "resume": (True, False, True, False),
    "confirm": (False, False, True, False),
    "intercept_action": (False, False, False, False),
    "complete_action": (False, False, True, False),
    "fail_action": (False, False, True, False),
    "reconcile_action": (False, True, False, False),
    "compensate_action": (False, True, True, False),
    "list_actions": (True, False, True, False),
}
CHOOSER = ("counts →", "what remains", "how you are thinking →", "a restore point before risk →")
SIBLINGS = {
    "record_progress": ["record_plan", "record_summary", "checkpoint"],
    "checkpoint": ["record_progress"],
    "record_summary": ["record_plan", "record_progress", "checkpoint"],
    "record_plan": ["record_progress", "record_summary"],
    "validate": ["resume", "confirm"],
    "resume": ["validate", "list_actions"],
    "intercept_action": ["complete_action", "fail_action", "reconcile_action"],
    "complete_action": ["fail_action", "reconcile_action"],
    "fail_action": ["complete_action", "reconcile_action"],
    "reconcile_action": ["complete_action", "fail_action", "compensate_action"],
    "compensate_action": ["reconcile_action", "fail_action"],
    "list_actions": ["reconcile_action", "resume"],
}


def schemas_in(schema, path):
    """Yield every schema of a value inside a parameter, with its path."""
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from schemas_in(inner, f"{path}.{name}")
    if isinstance(schema.get("items"), dict):
        yield from schemas_in(schema["items"], f"{path}[]")


def _parameters():
    for name, tool in BY_NAME.items():
        for parameter, schema in tool["inputSchema"]["properties"].items():
            yield pytest.param(name, parameter, schema, id=f"{name}-{parameter}")


PARAMETERS = [*_parameters()]


def test_the_thirteen_tools_are_there_under_their_names():
    assert list(BY_NAME) == list(HINTS)


@pytest.mark.parametrize("name", HINTS)
def test_every_tool_has_all_hints_and_a_title(name):
    hints = BY_NAME[name]["annotations"]

    assert BY_NAME[name]["title"]
    assert (
        hints["readOnlyHint"],
        hints["destructiveHint"],
        hints["idempotentHint"],
        hints["openWorldHint"],
    ) == HINTS[name]


@pytest.mark.parametrize("name", HINTS)
def test_every_description_is_short_and_says_who_may(name):
    text = BY_NAME[name]["description"]

    assert 200 < len(text) <= MAX_DESCRIPTION, len(text)
    assert ("Open to all" in text) is HINTS[name][0]
    assert ("allowlisted client" in text) is not HINTS[name][0]
    assert "#" not in text
    assert not re.search(r"\b(\w+) \1\b", text), "a doubled word"


@pytest.mark.parametrize(("name", "siblings"), SIBLINGS.items())
def test_every_description_names_what_to_use_instead(name, siblings):
    for sibling in siblings:
        assert f"continuum_{sibling}" in BY_NAME[name]["description"]


@pytest.mark.parametrize("name", ["record_progress", "checkpoint", "record_summary", "record_plan"])
def test_the_recorders_tell_which_of_them_to_use(name):
    assert all(words in BY_NAME[name]["description"] for words in CHOOSER)


@pytest.mark.parametrize(("name", "parameter", "schema"), PARAMETERS)
def test_every_parameter_says_what_it_means_with_default_and_example(name, parameter, schema):
    text = schema["description"]
    optional = parameter not in BY_NAME[name]["inputSchema"].get("required", [])

    assert len(text.split(" Example: ")[0]) >= 25
    assert f"Example: {json.dumps(schema['examples'][0], ensure_ascii=False)}." in text
    assert ("default" in schema) is optional
    assert ("Default: " in text) is optional
    assert ("null" in schema["type"]) is optional


@pytest.mark.parametrize(("name", "parameter", "schema"), PARAMETERS)
def test_every_value_is_bounded_in_the_schema(name, parameter, schema):
    for path, inner in schemas_in(schema, parameter):
        kinds = inner["type"] if isinstance(inner["type"], list) else [inner["type"]]
        if "string" in kinds and "enum" not in inner and not path.startswith("pinning."):
            assert "maxLength" in inner, path
        if "array" in kinds:
            assert "maxItems" in inner, path
            assert "items" in inner, path
        if "integer" in kinds:
            assert "minimum" in inner and "maximum" in inner, path
        if "object" in kinds:
            assert "additionalProperties" in inner, path
        if path != parameter and not path.endswith("[]"):
            assert inner["description"], path


@pytest.mark.parametrize("name", HINTS)
def test_unknown_arguments_are_refused_by_the_schema_too(name):
    assert BY_NAME[name]["inputSchema"]["additionalProperties"] is False


@pytest.mark.parametrize("name", HINTS)
def test_every_answer_is_described_as_text_and_as_an_object(name):
    schema = BY_NAME[name]["outputSchema"]

    assert schema["required"] == ["result"]
    assert schema["properties"]["result"]["type"] == "string"
    members = schema["properties"]["data"]["properties"]
    assert "run_id" in members
    assert all(member["description"] for member in members.values())


@pytest.mark.parametrize("name", HINTS)
@pytest.mark.parametrize("which", ["inputSchema", "outputSchema"])
def test_every_schema_is_a_schema(name, which):
    Draft202012Validator.check_schema(BY_NAME[name][which])


@pytest.mark.parametrize(
    "words",
    [
        "continuum_resume",
        "without run_id",
        "its id, progress and goal",
        "checkpoint at milestones",
        "continuum_intercept_action",
        "no file of your own",
        "request_human",
        "Do not call continuum_confirm",
        "Check that work really exists",
    ],
)
def test_the_instructions_convey(words):
    assert words in INSTRUCTIONS


def test_texts_and_schemas_are_those_of_the_snapshot():
    """After a wanted change `python -m tests.mcp.writing` writes both files anew."""
    assert json.loads(SNAPSHOT.read_text("utf-8")) == snapshot()


def test_the_reference_is_what_the_tools_say():
    assert REFERENCE.read_text("utf-8") == reference()
