"""The part of the store port about decisions that take two people; see `store.base`."""

from __future__ import annotations

from continuum.core.records import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime


class PolicyRow(NamedTuple):
    """One change of what takes two people; the newest of a subject holds.

    Attributes:
        subject: `action` or `over_open_items`.
        action_type: the type it is about, `*` for every one; empty for the other subject.
    """

    number: int
    subject: str
    action_type: str
    two_people: bool
    by: str
    via: str
    at: str
    reason: str


class ProposalRow(NamedTuple):
    """What a first person decided where two are needed.

    Attributes:
        key: ledger key of the action; empty where it is about the run.
        action_type: of that action; empty where it is about the run.
        answer: JSON object of what is proposed.
        question: digest of what it rests on.
        status: `open`, `confirmed`, `withdrawn`, `declined` or `outdated`.
        event_sequence: the event it became.
    """

    proposal_id: str
    run_id: str
    verb: str
    key: str
    action_type: str
    answer: str
    question: str
    person: str
    via: str
    at: str
    reason: str
    request_id: str | None
    seen_sequence: int
    status: str = "open"
    closed_by: str | None = None
    closed_at: str | None = None
    closed_reason: str | None = None
    event_sequence: int | None = None


class Closing(NamedTuple):
    """How a proposal ended."""

    status: str
    by: str
    at: datetime
    reason: str = ""
    event_sequence: int | None = None


class OpenCount(NamedTuple):
    """How many open inbox items of a kind and severity there are, and since when the oldest."""

    kind: str
    severity: int
    items: int
    oldest: str


class ClosedItem(NamedTuple):
    """When an item came and went, and who decided it; None when it left without a decision."""

    kind: str
    opened_at: str
    closed_at: str
    closed_by: str | None


class DecisionCount(NamedTuple):
    """How often a person decided with a verb, and how often that overruled the engine."""

    verb: str
    person: str
    decisions: int
    overturned: int


class PolicyReads(Protocol):
    """Policies and proposals; empty in a store without the tables."""

    has_policies: bool

    def policies(self) -> list[PolicyRow]:
        """Return what takes two people now, by subject and type."""

    def policy_changes(self, *, limit: int = 50) -> list[PolicyRow]:
        """Return changes newest first."""

    def proposal(self, proposal_id: str) -> ProposalRow | None: ...
    def proposal_of_request(self, request_id: str) -> ProposalRow | None: ...
    def proposals(
        self, run_id: str, *, status: str | None = None, key: str | None = None, limit: int = 50
    ) -> list[ProposalRow]:
        """Return proposals about a run, newest first."""

    # -- how the desk does

    def open_proposals(self, *, limit: int = 50) -> list[ProposalRow]:
        """Return what waits for a second person in all runs, oldest first."""

    def queue_open(self) -> list[OpenCount]: ...
    def queue_closed(self, *, since: str, limit: int) -> list[ClosedItem]:
        """Return items that left since a column time, newest first."""

    def queue_decisions(self, *, since: str) -> list[DecisionCount]:
        """Return counts since a column time, by verb and person."""


class PolicyWrites(Protocol):
    """Changes of both, inside a transaction."""

    def save_policy(self, row: PolicyRow) -> None:
        """Append a change; its number is given by the store."""

    def save_proposal(self, row: ProposalRow) -> None: ...
    def close_proposal(self, proposal_id: str, closing: Closing) -> None:
        """Say how an open one ended; a closed one is left as it is."""

    def save_overturned(self, request_id: str, how: str) -> None:
        """Note that a decision overruled what the engine held."""
