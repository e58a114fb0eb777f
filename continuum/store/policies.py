"""Policies and proposals in SQL."""

from __future__ import annotations

from continuum.core.clock import column_time
from continuum.store.base import MAX_PAGE
from continuum.store.policyport import (
    ClosedItem,
    DecisionCount,
    OpenCount,
    PolicyRow,
    ProposalRow,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.store.database import Database, Row
    from continuum.store.policyport import Closing


class PolicyTableReads:
    """What takes two people, and what a first one proposed."""

    _database: Database
    has_policies: bool
    has_read_model: bool

    def policies(self) -> list[PolicyRow]:
        """Return what takes two people now, by subject and type."""
        if not self.has_policies:
            return []
        return [_policy(row) for row in self._database.all("policies.in_force")]

    def policy_changes(self, *, limit: int = 50) -> list[PolicyRow]:
        """Return changes newest first."""
        if not self.has_policies:
            return []
        rows = self._database.all("policies.changes", limit=min(limit, MAX_PAGE))
        return [_policy(row) for row in rows]

    def proposal(self, proposal_id: str) -> ProposalRow | None:
        """Return one proposal, or None."""
        if not self.has_policies:
            return None
        row = self._database.one("policies.proposal", proposal_id=proposal_id)
        return ProposalRow._make(row) if row else None

    def proposal_of_request(self, request_id: str) -> ProposalRow | None:
        """Return what a form proposed, or None."""
        if not self.has_policies:
            return None
        row = self._database.one("policies.proposal_of_request", request_id=request_id)
        return ProposalRow._make(row) if row else None

    def proposals(
        self, run_id: str, *, status: str | None = None, key: str | None = None, limit: int = 50
    ) -> list[ProposalRow]:
        """Return proposals about a run, newest first."""
        if not self.has_policies:
            return []
        rows = self._database.all(
            "policies.proposals", run_id=run_id, status=status, key=key, limit=min(limit, MAX_PAGE)
        )
        return [ProposalRow._make(row) for row in rows]

    # -- how the desk does

    def open_proposals(self, *, limit: int = 50) -> list[ProposalRow]:
        """Return what waits for a second person in all runs, oldest first."""
        if not self.has_policies:
            return []
        rows = self._database.all("policies.open_proposals", limit=min(limit, MAX_PAGE))
        return [ProposalRow._make(row) for row in rows]

    def queue_open(self) -> list[OpenCount]:
        """Return open items by kind and severity; open things are few."""
        if not self.has_read_model:
            return []
        return [OpenCount._make(row) for row in self._database.all("queue.open")]

    def queue_closed(self, *, since: str, limit: int) -> list[ClosedItem]:
        """Return items that left since a column time, newest first."""
        if not self.has_read_model:
            return []
        rows = self._database.all("queue.closed", since=since, limit=limit)
        return [ClosedItem._make(row) for row in rows]

    def queue_decisions(self, *, since: str) -> list[DecisionCount]:
        """Return counts since a column time, by verb and person."""
        if not self.has_policies:
            return []
        rows = self._database.all("queue.decisions", since=since)
        return [DecisionCount._make(row) for row in rows]


class PolicyTableWrites:
    """Changes of both, inside a transaction."""

    _database: Database

    def save_policy(self, row: PolicyRow) -> None:
        """Append a change."""
        columns = {
            "subject": row.subject,
            "action_type": row.action_type,
            "two_people": int(row.two_people),
            "by_name": row.by,
            "via": row.via,
            "at": row.at,
            "reason": row.reason,
        }
        self._database.run("policies.insert", columns)

    def save_proposal(self, row: ProposalRow) -> None:
        """Keep a proposal."""
        self._database.run("policies.insert_proposal", row._asdict())

    def close_proposal(self, proposal_id: str, closing: Closing) -> None:
        """Say how an open one ended; a closed one is left as it is."""
        columns = {
            "proposal_id": proposal_id,
            "status": closing.status,
            "closed_by": closing.by,
            "closed_at": column_time(closing.at),
            "closed_reason": closing.reason,
            "event_sequence": closing.event_sequence,
        }
        self._database.run("policies.close_proposal", columns)

    def save_overturned(self, request_id: str, how: str) -> None:
        """Note that a decision overruled what the engine held."""
        self._database.run("policies.insert_overturned", {"request_id": request_id, "how": how})


def _policy(row: Row) -> PolicyRow:
    policy = PolicyRow._make(row)
    return policy._replace(two_people=bool(policy.two_people))
