"""Leases: who holds a live claim, and until when.

A claim made by a holder keeps everybody else waiting until its lease is over;
nobody is told to perform the effect meanwhile, and nothing is written. The
lease stands in the event that began the attempt, beside the record:

    "lease": {"client": …, "connection": …, "taken_at": …, "until": …}

Rules:

1. A live lease holds off every claimant but one: a client of the holder's
   name on another connection, since that is the holder after a restart. It
   leaves the attempt in doubt.
2. An attempt whose lease is over, or that has none, is left in doubt by the
   next claim, as ever.
3. The event that raises the doubt keeps the lease, so that the holder, if it
   was working all the time, may still record what it did.
"""

from __future__ import annotations

from datetime import timedelta

from continuum.core.clock import body_time, parse_time
from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

LEASE_SECONDS = 15 * 60
LONGEST_LEASE = timedelta(hours=1)
"""What says that it holds an action longer than this keeps nobody from looking."""

LEASE_MEMBER = "lease"


class Holder(NamedTuple):
    """Who claims, so that a claim can be told to be the same one's.

    Attributes:
        client: the caller's name.
        connection: one per connection of the caller; equal for callers whose
            door knows no connections.
        lease_seconds: how long the claim keeps others waiting.
    """

    client: str
    connection: str
    lease_seconds: float = LEASE_SECONDS


class Lease(NamedTuple):
    """A claim that is held. `until` is aware UTC."""

    client: str
    connection: str
    until: datetime

    def holds_off(self, claimant: Holder | None, at: datetime) -> bool:
        """Return whether `claimant` has to wait for this lease at the time `at`."""
        if at >= self.until:
            return False
        restarted = (
            claimant is not None
            and claimant.client == self.client
            and claimant.connection != self.connection
        )
        return not restarted

    def is_of(self, claimant: Holder) -> bool:
        """Return whether `claimant` is the holder."""
        return (claimant.client, claimant.connection) == (self.client, self.connection)


def lease_members(holder: Holder | None, at: datetime) -> dict[str, Any]:
    """Return the payload members of the event that begins an attempt."""
    if holder is None:
        return {}
    lease = {
        "client": holder.client,
        "connection": holder.connection,
        "taken_at": body_time(at),
        "until": body_time(at + timedelta(seconds=holder.lease_seconds)),
    }
    return {LEASE_MEMBER: lease}


def kept_lease(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the payload member that keeps the lease of `payload`, empty without one."""
    return {LEASE_MEMBER: payload[LEASE_MEMBER]} if LEASE_MEMBER in payload else {}


def lease_record(lease: Lease | None) -> dict[str, Any]:
    """Return a lease as `lease_of` reads it."""
    if lease is None:
        return {}
    member = {
        "client": lease.client, "connection": lease.connection, "until": body_time(lease.until)
    }  # fmt: skip
    return {LEASE_MEMBER: member}


def lease_of(payload: Mapping[str, Any]) -> Lease | None:
    """Return the lease a ledger event carries; one that cannot be read is none."""
    member = payload.get(LEASE_MEMBER)
    if not isinstance(member, dict):
        return None
    client, connection, until = (member.get(name) for name in ("client", "connection", "until"))
    if not (isinstance(client, str) and isinstance(connection, str) and isinstance(until, str)):
        return None
    try:
        return Lease(client, connection, parse_time(until))
    except InvalidInput:
        return None
