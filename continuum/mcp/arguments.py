"""Checking the arguments of a call before anything else looks at them.

Stricter than the protocol asks: an unknown argument is an error, true is no
number, and 2.0 is no whole number. The first thing that is wrong is told,
with the name of the argument and what would be right.
"""

from __future__ import annotations

import json
from difflib import get_close_matches

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from continuum.core.errors import InvalidInput, TooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

_SHOWN = 60
_LENGTHS = ("maxLength", "maxItems", "maxProperties")


def checker(schema: Mapping[str, Any]) -> Validator:
    """Return what checks arguments against a tool's input schema."""
    validator: Validator = _Strict(schema)
    return validator


def checked(arguments: Mapping[str, Any], validator: Validator) -> dict[str, Any]:
    """Return the arguments that were given, nulls left out.

    Raises:
        InvalidInput: they do not fit; `field` says which, as a path such as
            `units[2].id`.
        TooLarge: one is longer than it may be.
    """
    # The outermost and most telling error first, always the same one.
    errors = sorted(validator.iter_errors(arguments), key=_rank)
    if errors:
        raise _misfit(errors[0], arguments)
    return {name: value for name, value in arguments.items() if value is not None}


def _is_whole(_: object, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_: object, value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_Strict = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_whole).redefine(
        "number", _is_number
    ),
)
_ORDER = ("additionalProperties", "required", "type")


def _rank(error: ValidationError) -> tuple[int, int, str]:
    kind = str(error.validator)
    order = _ORDER.index(kind) if kind in _ORDER else len(_ORDER)
    return len(error.absolute_path), order, _path(error)


def _misfit(error: ValidationError, arguments: Mapping[str, Any]) -> InvalidInput:
    kind = str(error.validator)
    if kind == "additionalProperties":
        return _unknown_name(error)
    if kind == "required":
        return _missing_name(error, arguments)
    field = _path(error) or "arguments"
    if kind == "propertyNames":
        return InvalidInput(
            f"`{field}`: the name {_shown(error.instance)} does not fit", field=field
        )
    message = f"`{field}` must be {_WANTED[kind](error)}, not {_given(error)}"
    return (TooLarge if kind in _LENGTHS else InvalidInput)(message, field=field)


def _unknown_name(error: ValidationError) -> InvalidInput:
    known = error.schema.get("properties", {})
    name = next(name for name in error.instance if name not in known)
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else f"; known are {_names(known)}"
    field = _joined(_path(error), name)
    return InvalidInput(f"there is no argument `{field[:_SHOWN]}`{hint}", field=field)


def _missing_name(error: ValidationError, arguments: Mapping[str, Any]) -> InvalidInput:
    name = next(name for name in error.validator_value if name not in error.instance)
    field = _joined(_path(error), name)
    given = f"given: {_names(arguments)}" if arguments else "nothing was given"
    return InvalidInput(f"`{field}` is missing ({given})", field=field)


_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
}


def _kind_words(error: ValidationError) -> str:
    kinds = error.validator_value
    named = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
    return " or ".join(_KINDS[kind] for kind in named)


_WANTED: dict[str, Callable[[ValidationError], str]] = {
    "type": _kind_words,
    "enum": lambda error: "one of " + ", ".join(
        str(one) for one in error.validator_value if one is not None
    ),
    "minimum": lambda error: f"at least {error.validator_value}",
    "maximum": lambda error: f"at most {error.validator_value}",
    "minLength": lambda error: f"text of at least {error.validator_value} character",
    "maxLength": lambda error: f"text of at most {error.validator_value} characters",
    "minItems": lambda error: f"a list of at least {error.validator_value}",
    "maxItems": lambda error: f"a list of at most {error.validator_value}",
    "maxProperties": lambda error: f"an object of at most {error.validator_value} members",
}  # fmt: skip


def _given(error: ValidationError) -> str:
    value = error.instance
    if error.validator in (*_LENGTHS, "minLength", "minItems"):
        return f"{len(value)}"
    return _shown(value)


def _path(error: ValidationError) -> str:
    path = ""
    for step in error.absolute_path:
        path = f"{path}[{step}]" if isinstance(step, int) else _joined(path, str(step))
    return path


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _names(known: Mapping[str, Any]) -> str:
    shown = [f"`{name[:_SHOWN]}`" for name in [*known][:10]]
    return ", ".join(shown) or "none"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
