"""The part of the store port that is the read model: head marks, lists, the inbox, decisions.

See `store.base` for the rules of all parts.
"""

from __future__ import annotations

from continuum.core.records import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from continuum.domain.events import Head


class HeadMark(NamedTuple):
    """What triggers keep about a run's log, by whichever client it was written.

    Attributes:
        sequence, hash: the newest event ever appended.
        verified_sequence: the chain was walked and found healthy up to here;
            0 when never, or since a row was changed or deleted.
        touched_sequence: lowest event that was updated or deleted outside a
            compaction, or None. Kept as a fact; verification does not clear it
            unless the chain is whole again.
        revision: grows with every change of the run's row or of an earlier
            event; an append behind the head may leave it.
    """

    run_id: str
    sequence: int
    hash: str | None
    verified_sequence: int
    verified_hash: str | None
    verified_at: str | None
    touched_sequence: int | None
    touched_at: str | None
    revision: int = 0


class Summary(NamedTuple):
    """The list row of a run: its verdict as last computed, and why.

    Attributes:
        sequence: the head it was computed at.
        mode, safe: as presented (family and chain included).
        own_mode: without the family.
        reasons: JSON list of short sentences, worst first.
        valid_until: when the verdict changes by time alone (an approval
            expires), or None.
        snapshot: JSON of `RunFacts.snapshot()` at `sequence`, empty if unreadable.
    """

    run_id: str
    sequence: int
    mode: str
    safe: bool
    own_mode: str
    severity: int
    status: str
    goal: str
    parent_run_id: str | None
    created_at: str
    last_event_at: str | None
    last_event_type: str | None
    completed: int
    failed: int
    total: int | None
    open_actions: int
    actions: int
    children: int
    blocked_children: int
    caller: str | None
    reasons: str
    oldest_open_at: str | None
    valid_until: str | None
    computed_at: str
    snapshot: str


class RunCursor(NamedTuple):
    """A place in a list of runs sorted newest first."""

    created_at: str
    run_id: str


class SummaryQuery(NamedTuple):
    """Filters of the runs list. Empty members do not filter.

    Attributes:
        roots: only runs that have children and no parent.
        waiting: only runs for which, or for a child of which, a person is waited for.
    """

    modes: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    needs_person: bool | None = None
    parent_run_id: str | None = None
    roots: bool = False
    waiting: bool = False
    caller: str = ""
    text: str = ""
    since: str = ""
    before: RunCursor | None = None
    after: RunCursor | None = None
    limit: int = 50


class Item(NamedTuple):
    """One thing in the inbox.

    Attributes:
        item_id: stable over re-assessments, URL-safe.
        kind: `verdict` or `action`.
        target: `KIND:TARGET` of the leading repair step, or the action's key.
        severity: 0 is worst; see `services.inbox.Severity`.
        opened_at: since when a person is waited for.
        closed_at, closed_by, closed_via, closed_sequence: how it left.
        comments: how many people left on it.
        handled_by: who claimed, assigned or released it last.
    """

    item_id: str
    run_id: str
    kind: str
    target: str
    severity: int
    title: str
    detail: str
    goal: str
    action_type: str | None
    caller: str | None
    parent_run_id: str | None
    opened_at: str
    opened_sequence: int
    claimed_by: str | None = None
    claimed_at: str | None = None
    closed_at: str | None = None
    closed_by: str | None = None
    closed_via: str | None = None
    closed_sequence: int | None = None
    comments: int = 0
    handled_by: str | None = None


class ItemQuery(NamedTuple):
    """Filters of the inbox, sorted by severity, then opened_at, then id."""

    state: str = "open"
    """`open`, `unclaimed`, `held`, `mine` (`person`'s), `closed` (newest first, since `since`)."""
    person: str = ""
    kinds: tuple[str, ...] = ()
    run_id: str = ""
    action_type: str = ""
    caller: str = ""
    parent_run_id: str = ""
    text: str = ""
    since: str = ""
    mode: str = ""
    """The verdict of the item's run, as presented."""
    type_text: str = ""
    caller_text: str = ""
    """Any part of the type, of the caller."""
    family: str = ""
    """A run: its items, and those of everything below it."""
    until: str = ""
    """Column time; waiting at least since then."""
    after: tuple[int, str, str] | None = None
    """Keyset: (severity, opened_at, item_id) of the last row seen; for `closed`,
    whose severity does not count, (severity, closed_at, item_id)."""
    limit: int = 50


class ItemCounts(NamedTuple):
    """What the tabs and the badge say; from the same table as the list."""

    open: int
    unclaimed: int
    mine: int
    closed_since: int
    oldest_opened_at: str | None
    last_closed_at: str | None
    last_claimed_at: str | None = None
    """Of what is open; not told of a narrowed list."""


class DecisionRow(NamedTuple):
    """What a person decided, once per request id."""

    request_id: str
    run_id: str
    verb: str
    person: str
    via: str
    at: str
    seen_digest: str | None
    sequence: int
    event_id: str
    event_hash: str


class ModelReads(Protocol):
    """What lists, counts, the inbox and verdicts as last computed are read from."""

    def head_mark(self, run_id: str) -> HeadMark | None: ...
    def summary(self, run_id: str) -> Summary | None: ...
    def summaries(self, query: SummaryQuery) -> list[Summary]:
        """Return one keyset page, newest first; `snapshot` is left empty."""

    def current_child_summaries(self, run_id: str, now: datetime) -> list[Summary]:
        """Return the children's rows that lag behind nothing; `snapshot` left empty.

        Empty for a store without a read model.
        """

    def stale_runs(self, limit: int, now: datetime) -> list[str]:
        """Return runs whose summary lags behind their log, row or clock; oldest mark first."""

    def run_estimate(self) -> int:
        """Return about how many runs there are, without counting a big table."""

    def item(self, item_id: str) -> Item | None: ...
    def items(self, query: ItemQuery) -> list[Item]: ...
    def item_counts(self, person: str, since: str) -> ItemCounts: ...
    def matching_counts(self, query: ItemQuery) -> ItemCounts:
        """Return the same of what fits `query`, whatever its state: `since` is for closed ones."""

    def decision(self, request_id: str) -> DecisionRow | None: ...
    def decisions(self, run_id: str) -> list[DecisionRow]: ...


class ModelWrites(Protocol):
    """What keeps it, inside one write transaction."""

    def save_verified(self, run_id: str, head: Head, at: datetime) -> None:
        """Record that the chain was walked and healthy up to `head`; clears `touched`."""

    def save_summary(self, summary: Summary, *, revision: int | None = None) -> None:
        """Store the row and clear the run's stale mark, if its head is still `sequence`.

        With `revision`, as read from the head mark before judging, the mark
        stays also when the row or an earlier event changed meanwhile.
        """

    def mark_stale(self, run_id: str) -> None: ...
    def save_items(self, run_id: str, items: Sequence[Item], *, at: datetime) -> None:
        """Make `items` the open ones of the run; others leave as closed at `at`.

        Claims of items that stay are kept. How a closed one left is read from
        the newest `DecisionRow` of the run when there is one, else `closed_via`
        is `elsewhere`.
        """

    def claim_item(self, item_id: str, person: str | None, at: datetime) -> None:
        """Claim for `person`, or release with None."""

    def save_decision(self, row: DecisionRow) -> None: ...
