"""What a tool is, and what it is given."""

from __future__ import annotations

from continuum.core.records import NamedTuple
from continuum.domain.events import Origin
from continuum.services.runs import ensure_started

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from typing import Any

    from continuum.services.actions import Holder
    from continuum.services.callers import Right
    from continuum.store.base import Store

    Document = dict[str, Any]
    Schema = dict[str, Any]


class Call(NamedTuple):
    """One call of a tool, by somebody who was let in.

    Attributes:
        caller: the payload member that names the caller in events.
        holder: who holds what this call claims.
        allow: asks again whether the caller may use the tool on a run that
            the call did not name; raises when not.
    """

    store: Store
    caller: Mapping[str, str]
    holder: Holder
    at: datetime
    allow: Callable[[str], None]

    def begin(self, run_id: str) -> None:
        """Make sure that the log of an existing run has its start before more is written."""
        ensure_started(
            self.store, run_id, source=Origin.EXTERNAL_AGENT, members=self.members, at=self.at
        )

    @property
    def members(self) -> dict[str, Any]:
        """The extra payload members of every event this call causes."""
        return {"caller": dict(self.caller)}


class Tool(NamedTuple):
    """One tool as it is offered and run.

    Attributes:
        parameters: name → JSON Schema; `required` names those that must be given.
        answer: name → JSON Schema of the members of the answer.
        run: called with a `Call` and the checked arguments as keywords.
        destructive: a recorded outcome may be overturned.
        idempotent: a repeat with equal arguments leaves the folded state equal.
    """

    name: str
    title: str
    description: str
    right: Right
    parameters: Mapping[str, Schema]
    required: tuple[str, ...]
    answer: Mapping[str, Schema]
    run: Callable[..., Document]
    destructive: bool = False
    idempotent: bool = False

    def input_schema(self) -> Schema:
        """Return the schema of the arguments; nothing but what it names is accepted."""
        schema: Schema = {"type": "object", "properties": {**self.parameters}}
        if self.required:
            schema["required"] = list(self.required)
        return {**schema, "additionalProperties": False}

    def output_schema(self) -> Schema:
        """Return the schema of the answer: as text for old clients, and as an object."""
        return {
            "type": "object",
            "properties": {
                "result": {"type": "string", "description": "The answer as JSON text."},
                "data": {
                    "type": "object",
                    "description": "The same answer, unparsed.",
                    "properties": {**self.answer},
                },
            },
            "required": ["result"],
        }
