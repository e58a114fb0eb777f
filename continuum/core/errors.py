"""Every error the product raises on purpose.

ContinuumError
├── InvalidInput            bad value from the caller; nothing was written
│   └── TooLarge            a documented limit bit
├── NotFound                the thing named does not exist
│   ├── RunNotFound
│   ├── NoActiveRun
│   ├── NoEvents            the run has a row but no start
│   ├── ActionNotFound
│   └── VersionNotFound
├── NotAllowed              who asks may not do this
│   └── CallerRefused       a program is not let in
├── Conflict                valid, but the run has moved on
│   ├── StaleHead           another writer appended first
│   ├── RunExists
│   ├── DecisionChanged     what was shown to the person is no longer true
│   │   └── ProposalOutdated    nor is what the first of two people saw
│   ├── AlreadyDecided      somebody settled it before
│   ├── ItemHeld            somebody else works on it
│   └── KeyReused           one idempotency key, other arguments
├── Refused                 valid and current, but a rule says no
│   ├── OutcomeUnknown      the effect may have happened: settle it first
│   ├── GrantSpent
│   ├── BudgetExhausted
│   ├── ClaimHeld           another agent holds a live claim
│   ├── OpenItems           completing over unresolved questions
│   └── SecondPersonNeeded  one person alone may not decide this
├── Corrupted               the record itself is damaged
│   ├── UnreadableRecord
│   └── Unprojectable       an event the fold refuses
├── NotReadYet              a run is too long to be read while somebody waits
├── StoreUnavailable        the store cannot be used at all
│   ├── StoreMissing
│   ├── StoreLocked
│   ├── StoreReadOnly
│   ├── ConnectionLost      the server went away; nothing was written
│   ├── StoreNewer          a schema this version does not know
│   └── StoreChanged        replaced or altered below an open reader
└── ConfigurationError      a registry, policy or setting is malformed

Each class carries `code` (stable, for programs), `exit_status` (command line)
and `http_status` (console, sidecar). Names end without "Error" except at the
root and where the bare word would mislead.
"""

from __future__ import annotations


class ContinuumError(Exception):
    """Something was refused or could not be done."""

    code = "error"
    exit_status = 1
    http_status = 500


class InvalidInput(ContinuumError):
    """A value from the caller is not acceptable; nothing was written.

    `field` names the argument, where a front end knows it.
    """

    code = "invalid_input"
    http_status = 422

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class TooLarge(InvalidInput):
    """A documented size limit was exceeded."""

    code = "too_large"
    http_status = 413


class NotFound(ContinuumError):
    """The thing named does not exist in this store."""

    code = "not_found"
    exit_status = 2
    http_status = 404


class RunNotFound(NotFound):
    """No run of that id."""

    code = "run_not_found"

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id!r} does not exist; `continuum runs` lists what does")
        self.run_id = run_id


class NoActiveRun(NotFound):
    """No run is open, so none can be picked."""

    code = "no_active_run"


class NoEvents(NotFound):
    """The run has a row but nothing to judge."""

    code = "no_events"

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id!r} has recorded no start, so there is nothing to assess")
        self.run_id = run_id


class ActionNotFound(NotFound):
    """The run has no such action."""

    code = "action_not_found"


class VersionNotFound(NotFound):
    """The run has no such state version."""

    code = "version_not_found"


class NotAllowed(ContinuumError):
    """Whoever asks may not do this."""

    code = "not_allowed"
    http_status = 403


class CallerRefused(NotAllowed):
    """A calling program may not use a tool; `reason` is a `DenialReason`."""

    def __init__(self, message: str, *, reason: str, caller: str, tool: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.caller = caller
        self.tool = tool


class Conflict(ContinuumError):
    """The request was valid, but the run has moved on."""

    code = "conflict"
    http_status = 409


class StaleHead(Conflict):
    """Another writer appended first; read the head again and retry."""

    code = "stale_head"

    def __init__(self, run_id: str, expected: int) -> None:
        super().__init__(f"run {run_id!r} is no longer at sequence {expected}")
        self.run_id = run_id
        self.expected = expected


class RunExists(Conflict):
    """The run id is taken."""

    code = "run_exists"

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id!r} exists already; choose another id")
        self.run_id = run_id


class DecisionChanged(Conflict):
    """What the person was shown is no longer what the run says."""

    code = "decision_changed"


class ProposalOutdated(DecisionChanged):
    """The question a first person answered has changed before a second one confirmed it."""

    code = "proposal_outdated"

    def __init__(self, message: str, *, proposal_id: str) -> None:
        super().__init__(message)
        self.proposal_id = proposal_id


class AlreadyDecided(Conflict):
    """The question was answered before."""

    code = "already_decided"


class ItemHeld(Conflict):
    """Somebody else has claimed the item this decision would answer."""

    code = "item_held"


class KeyReused(Conflict):
    """The idempotency key belongs to a call with other arguments."""

    code = "key_reused"


class Refused(ContinuumError):
    """The request is valid and current, but a rule forbids it."""

    code = "refused"
    http_status = 409


class OutcomeUnknown(Refused):
    """The effect may or may not have happened; settle it before anything else."""

    code = "outcome_unknown"

    def __init__(
        self, message: str, *, key: str | None = None, action_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.key = key
        self.action_id = action_id


class GrantSpent(Refused):
    """The single-use grant was used up by an earlier action."""

    code = "grant_denied"


class BudgetExhausted(Refused):
    """No attempt is left for this operation."""

    code = "budget_exhausted"


class ClaimHeld(Refused):
    """Another caller holds a live claim on this action; nothing was written."""

    code = "claim_held"

    def __init__(
        self,
        message: str,
        *,
        key: str | None = None,
        action_id: str | None = None,
        started_at: str | None = None,
    ) -> None:
        super().__init__(message)
        self.key = key
        self.action_id = action_id
        self.started_at = started_at


class OpenItems(Refused):
    """Unresolved questions stand in the way."""

    code = "open_items"


class SecondPersonNeeded(Refused):
    """Two different people must decide this, and one of them is missing."""

    code = "second_person_needed"


class Corrupted(ContinuumError):
    """A stored record is damaged; nothing that depends on it can be trusted."""

    code = "corrupted"
    exit_status = 3


class UnreadableRecord(Corrupted):
    """A stored row cannot be read back."""

    code = "unreadable_record"


class Unprojectable(Corrupted):
    """The log holds an event that does not fold into a state."""

    code = "unprojectable"
    exit_status = 1

    def __init__(self, message: str, *, sequence: int = 0, event_type: str = "") -> None:
        super().__init__(message)
        self.sequence = sequence
        self.event_type = event_type


class NotReadYet(ContinuumError):
    """More of a run is unread than whoever asks will wait for; nothing is known to be wrong."""

    code = "not_read_yet"
    http_status = 503

    def __init__(self, run_id: str, events: int) -> None:
        super().__init__(
            f"{events:,} events of run {run_id!r} have not been read yet, so nobody can say "
            "whether it is safe to go on; `continuum inbox` reads them now"
        )
        self.run_id = run_id
        self.events = events


class StoreUnavailable(ContinuumError):
    """The store cannot be opened or used."""

    code = "store_unavailable"
    http_status = 503


class StoreMissing(StoreUnavailable):
    """There is no store at the address."""

    code = "store_missing"


class StoreLocked(StoreUnavailable):
    """Another process holds the write lock for too long."""

    code = "store_locked"


class StoreReadOnly(StoreUnavailable):
    """The store was opened, or can only be opened, for reading."""

    code = "store_read_only"


class ConnectionLost(StoreUnavailable):
    """The connection to the server broke before anything was committed."""

    code = "connection_lost"


class StoreNewer(StoreUnavailable):
    """The store has a schema this version does not know."""

    code = "store_newer"


class StoreChanged(StoreUnavailable):
    """The file changed below a reader; read again."""

    code = "store_changed"


class ConfigurationError(ContinuumError):
    """A registry, policy or setting is malformed."""

    code = "configuration"
