"""Callers that speak to a door without a protocol in between."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from continuum.mcp.door import Answer, Door, Request
from continuum.mcp.toolsets import offered_tools
from continuum.services.callers import Identity
from continuum.services.policies import Policy
from continuum.store.base import Store
from tests.conftest import NOON

TOOLS = offered_tools(["core"])
WRITING = [tool.name for tool in TOOLS if tool.right == "write"]
READING = [tool.name for tool in TOOLS if tool.right == "read"]
EVERYBODY = Policy(clients=("probe", "other"), source="environment")


class Caller:
    """One client on one connection."""

    def __init__(
        self,
        store: Store,
        *,
        policy: Policy = EVERYBODY,
        name: str = "probe",
        secret: str | None = None,
        connection: str = "connection-1",
        at: datetime = NOON,
    ) -> None:
        self.at = at
        self._door = Door(store, policy, TOOLS, clock=lambda: self.at)
        self._identity = Identity(name, "1.0", secret)
        self._connection = connection

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """Return whatever a call is answered."""
        return self._door.call(Request(tool, arguments, self._identity, self._connection))

    def data(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the object a call is answered that is expected to succeed."""
        answer = self.call(f"continuum_{tool}", arguments)
        assert answer.document is not None, answer.text
        assert json.loads(answer.text) == answer.document
        return answer.document

    def refusal(self, tool: str, /, **arguments: Any) -> dict[str, str]:
        """Return what programs read of a refusal, and its text."""
        answer = self.call(f"continuum_{tool}", arguments)
        assert answer.refusal is not None, answer.text
        return {**answer.refusal.members(), "text": answer.text}


def written(store: Store) -> list[tuple[str, int]]:
    """Return every run with its head, to compare before and after."""
    return [(run.run_id, store.head(run.run_id).sequence) for run in store.runs(limit=100)]


ARGUMENTS: dict[str, dict[str, Any]] = {
    "continuum_record_progress": {"completed": 1, "goal": "demo"},
    "continuum_checkpoint": {},
    "continuum_record_summary": {"note": "n"},
    "continuum_record_plan": {"plan_id": "p", "units": [{"id": "a", "title": "A"}]},
    "continuum_validate": {},
    "continuum_resume": {},
    "continuum_confirm": {},
    "continuum_intercept_action": {"action_type": "pay", "key": "k"},
    "continuum_complete_action": {"action_key": "k"},
    "continuum_fail_action": {"action_key": "k", "error": "e"},
    "continuum_reconcile_action": {"action_key": "k", "occurred": True, "note": "seen"},
    "continuum_compensate_action": {"action_key": "k"},
    "continuum_list_actions": {},
}
"""Arguments that fit each tool, `run_id` aside."""
