"""Pieces of JSON Schema for parameters and answers.

Each parameter's description says what it means, its default and an example,
because agents read nothing else (mcp.md T-1). Bounds stand in the schema.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

_ABSENT = object()


def parameter(description: str, schema: Schema, *, example: Any, default: Any = _ABSENT) -> Schema:
    """Return the schema of a parameter with its prose completed.

    Args:
        default: makes the parameter optional, so null is accepted too.
    """
    text = description
    if default is not _ABSENT:
        text += f" Default: {json.dumps(default)}."
        schema = {**_or_null(schema), "default": default}
    text += f" Example: {json.dumps(example, ensure_ascii=False)}."
    return {**schema, "description": text, "examples": [example]}


def text(*, least: int = 1, most: int) -> Schema:
    """Return the schema of a text of `least` to `most` characters."""
    return {"type": "string", "minLength": least, "maxLength": most}


def whole(*, least: int = 0, most: int) -> Schema:
    """Return the schema of a whole number in bounds."""
    return {"type": "integer", "minimum": least, "maximum": most}


def array(items: Schema, *, most: int, least: int = 0) -> Schema:
    """Return the schema of a list of at most `most` items."""
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def shape(properties: Schema, *, required: tuple[str, ...] = ()) -> Schema:
    """Return the schema of an object with exactly these members."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def mapping(values: Schema, *, most: int, longest_name: int) -> Schema:
    """Return the schema of an object with free names and values of one kind."""
    return {
        "type": "object",
        "additionalProperties": values,
        "propertyNames": {"minLength": 1, "maxLength": longest_name},
        "maxProperties": most,
    }


def free_object() -> Schema:
    """Return the schema of an object of any members."""
    return {"type": "object", "additionalProperties": True}


def answer(kind: str | list[str], description: str) -> Schema:
    """Return the schema of one member of an answer."""
    return {"type": kind, "description": description}


def _or_null(schema: Schema) -> Schema:
    kinds = schema["type"]
    allowed = [kinds] if isinstance(kinds, str) else list(kinds)
    widened: Schema = {**schema, "type": [*allowed, "null"]}
    return {**widened, "enum": [*schema["enum"], None]} if "enum" in schema else widened
