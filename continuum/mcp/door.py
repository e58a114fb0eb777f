"""From a request to its answer, without protocol: who may, with what, and what came of it.

A call is let in or refused before anything else is looked at. Then its
arguments are checked, then the tool runs. Everything this house raises on
purpose is an answer that says what to do next; anything else is a fault,
answered with an id that is in the log beside what happened.
"""

from __future__ import annotations

import json
import logging

from continuum.core.clock import utc_now
from continuum.core.errors import ContinuumError
from continuum.core.ids import new_id
from continuum.core.records import NamedTuple
from continuum.domain.callers import caller_member
from continuum.mcp.arguments import checked, checker
from continuum.mcp.calls import Call
from continuum.mcp.refusals import Refusal, fault, refusal_of, unknown_tool
from continuum.services.actions import Holder
from continuum.services.callers import DenialReason, authorize, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from continuum.mcp.calls import Document, Tool
    from continuum.services.callers import Identity
    from continuum.services.policies import Policy
    from continuum.store.base import Store

_log = logging.getLogger(__name__)


class Request(NamedTuple):
    """One call as it arrived.

    Attributes:
        connection: tells the connections of one caller apart.
    """

    tool: str
    arguments: Mapping[str, Any]
    identity: Identity
    connection: str


class Answer(NamedTuple):
    """A document, or why there is none. `text` is what is read in either case."""

    text: str
    document: Document | None = None
    refusal: Refusal | None = None


class Door:
    """The tools over one store, for any number of callers, one call at a time.

    Args:
        clock: for tests.
    """

    def __init__(
        self,
        store: Store,
        policy: Policy,
        tools: Sequence[Tool],
        *,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._store = store
        self._policy = policy
        self._clock = clock
        self._tools = {tool.name: tool for tool in tools}
        self._checkers = {tool.name: checker(tool.input_schema()) for tool in tools}

    def call(self, request: Request) -> Answer:
        """Return the answer to one call; never raises."""
        try:
            return self._answered(request)
        except ContinuumError as exc:
            return _refused(refusal_of(request.tool, exc))
        except Exception:  # noqa: BLE001 the outermost handler: a caller always gets an answer
            correlation_id = new_id("fault")
            _log.exception("%s: %s failed", correlation_id, request.tool[:100])
            return _refused(fault(request.tool, correlation_id))

    def refuse_second(self, identity: Identity) -> None:
        """Count an attempt to become somebody else on an open connection."""
        refusal(
            self._store,
            self._policy,
            identity,
            DenialReason.SECOND_IDENTITY,
            tool="initialize",
            at=self._clock(),
        )

    def _answered(self, request: Request) -> Answer:
        tool = self._tools.get(request.tool)
        if tool is None:
            return _refused(unknown_tool(request.tool, list(self._tools)))
        at = self._clock()
        named = request.arguments.get("run_id")
        self._let_in(tool, request.identity, named if isinstance(named, str) else None, at)
        arguments = checked(request.arguments, self._checkers[tool.name])
        document = tool.run(self._call(tool, request, at), **arguments)
        return Answer(_as_text(document), document)

    def _call(self, tool: Tool, request: Request, at: datetime) -> Call:
        identity = request.identity
        client = identity.name or ""
        return Call(
            store=self._store,
            caller=caller_member(client, identity.version, identity.via),
            holder=Holder(client, request.connection),
            at=at,
            allow=lambda run_id: self._let_in(tool, identity, run_id, at),
        )

    def _let_in(self, tool: Tool, identity: Identity, run_id: str | None, at: datetime) -> None:
        authorize(
            self._store,
            self._policy,
            identity,
            tool=tool.name,
            right=tool.right,
            run_id=run_id or None,
            at=at,
        )


def _as_text(document: Document) -> str:
    return json.dumps(document, indent=2, sort_keys=True, default=str)


def _refused(why: Refusal) -> Answer:
    return Answer(why.text, refusal=why)
