"""Who may call: the one check every door makes, and what it remembers.

Sources, in this order: the table of callers when it has an enabled row, then
the environment, then the policy file. Deny by default. A row that is disabled
is a no, whichever source decides.

Reading is open to everybody, except where a row limits the caller of that
name. Confirming is a right of its own: it needs a secret, and it is refused to
a caller that reported progress of the same run, because a word for one's own
work is no review. Only an admin's override on the caller's row changes that.

The table is read at every call, so a change counts at once. A refusal writes
no event and no run; it is counted in a small transaction of its own.
"""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from hmac import compare_digest

from continuum.core.clock import column_time, parse_time
from continuum.core.errors import CallerRefused, StoreUnavailable
from continuum.core.records import NamedTuple
from continuum.domain.allowlist import DenialReason as DenialReason
from continuum.domain.allowlist import Grantee as Grantee
from continuum.domain.allowlist import Identity as Identity
from continuum.domain.allowlist import Right as Right
from continuum.domain.allowlist import (
    denial_by_row,
    denial_of_reading,
    storable_name,
    valid_seals,
)
from continuum.domain.callers import caller_name
from continuum.domain.events import EventType
from continuum.services.denials import Denial, denial_message, tools_in_words
from continuum.services.policies import (
    CLIENT_SECRETS_VARIABLE,
    CONFIRM_SECRET_VARIABLE,
    SHARED_SECRET_VARIABLE,
)
from continuum.services.policies import Policy as Policy
from continuum.services.policies import load_policy as load_policy
from continuum.services.refusals import count_refusal, write_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from continuum.domain.callerrows import AllowlistView, Caller, SecretSeal
    from continuum.store.base import ReadStore, Store

_SEEN_EVERY = timedelta(minutes=1)

_REPORTS = (EventType.RUN_STARTED, EventType.TASK_UPDATED)


def authorize(
    store: Store,
    policy: Policy,
    identity: Identity,
    *,
    tool: str,
    right: Right,
    run_id: str | None,
    at: datetime,
) -> Grantee:
    """Return who is let in, or refuse.

    Args:
        right: what the tool needs.
        run_id: the run the call is about; None while it is not known.

    Raises:
        CallerRefused: with `reason`, a `DenialReason`. It was counted, nothing
            else was written.
    """
    call = _Call(identity, tool, right, run_id, column_time(at))
    view = _view(store, identity)
    denial, source = _judged(store, policy, view, call)
    if denial is not None:
        raise _refusal(store, policy, call, denial, at)
    if policy.meter is not None:
        write_counts(store, policy.meter.due(at), at)
    if view.caller is not None and right is not Right.READ:
        _mark_seen(store, view.caller, identity, at)
    return Grantee(identity.name or "", source)


def refusal(
    store: Store,
    policy: Policy,
    identity: Identity,
    reason: DenialReason,
    *,
    tool: str,
    at: datetime,
) -> CallerRefused:
    """Count a refusal that only the door can see, and return it to be raised.

    Such as a second identity on one connection.
    """
    call = _Call(identity, tool, Right.WRITE, None, column_time(at))
    return _refusal(store, policy, call, Denial(reason), at)


def secret_digest(salt: str, secret: str) -> str:
    """Return what is stored of a secret.

    Secrets are 256 random bits made here, so there is nothing to guess and no
    need for a slow hash, which every call would pay for: SHA-256 with a salt
    per secret is enough. The salt keeps equal secrets from looking equal.
    """
    return sha256(f"{salt}:".encode() + _bytes(secret)).hexdigest()


class _Call(NamedTuple):
    identity: Identity
    tool: str
    right: Right
    run_id: str | None
    now: str


def _view(store: ReadStore, identity: Identity) -> AllowlistView:
    name = storable_name(identity.name)
    return store.allowlist_view(name if name == identity.name else "")


def _judged(
    store: ReadStore, policy: Policy, view: AllowlistView, call: _Call
) -> tuple[Denial | None, str]:
    """Return why the call is refused, if it is, and the source that says so."""
    if call.right is Right.READ:
        return _denial_of_reading(view, call), "table" if view.caller else "open"
    if view.decides or view.caller is not None:
        return _denial_by_table(store, policy, view, call), "table"
    return _denial_by_policy(store, policy, call), policy.source


def _denial_of_reading(view: AllowlistView, call: _Call) -> Denial | None:
    if view.caller is None:
        return None
    reason = denial_of_reading(view.caller, tool=call.tool, run_id=call.run_id)
    return _row_denial(reason, view.caller, call)


def _denial_by_table(
    store: ReadStore, policy: Policy, view: AllowlistView, call: _Call
) -> Denial | None:
    if not call.identity.name:
        return Denial(DenialReason.UNIDENTIFIED)
    caller = view.caller
    if caller is None:
        return Denial(DenialReason.UNKNOWN)
    # The secret first: who has none learns nothing about the row.
    denial = _denial_by_secret(policy, caller, call)
    if denial is not None:
        return denial
    reason = denial_by_row(
        caller, tool=call.tool, right=call.right, run_id=call.run_id, now=call.now
    )
    if reason is None and call.right is Right.CONFIRM and not caller.confirm_override:
        return _denial_by_conflict(store, call)
    return _row_denial(reason, caller, call)


def _row_denial(reason: DenialReason | None, caller: Caller, call: _Call) -> Denial | None:
    if reason is None:
        return None
    details = {
        DenialReason.EXPIRED: caller.expires_at or "",
        DenialReason.WRONG_TOOL: tools_in_words(caller.tools.of(call.right), call.right),
        DenialReason.WRONG_RUN: repr(caller.run_pattern),
    }
    return Denial(reason, "table", details.get(reason, ""))


def _denial_by_secret(policy: Policy, caller: Caller, call: _Call) -> Denial | None:
    seals = valid_seals(caller, call.now)
    if seals:
        fits = _opens_any(seals, call.identity.secret)
        return None if fits else Denial(DenialReason.WRONG_SECRET, "table")
    if call.right is Right.CONFIRM:
        return Denial(DenialReason.CONFIRM_UNCONFIGURED)
    # A row without a secret does not void those the environment asks for.
    return _denial_by_session_secret(policy, call.identity)


def _denial_by_policy(store: ReadStore, policy: Policy, call: _Call) -> Denial | None:
    if call.right is Right.CONFIRM:
        denial = _denial_by_confirm_secret(policy, call.identity)
    else:
        denial = _denial_by_session_secret(policy, call.identity)
    if denial is not None:
        return denial
    if not call.identity.name:
        return Denial(DenialReason.UNIDENTIFIED)
    if call.identity.name not in policy.clients:
        return Denial(DenialReason.UNKNOWN)
    return _denial_by_conflict(store, call) if call.right is Right.CONFIRM else None


def _denial_by_session_secret(policy: Policy, identity: Identity) -> Denial | None:
    """Steps 1 to 3 of mcp.md 2."""
    expected, variable = policy.shared_secret, SHARED_SECRET_VARIABLE
    if policy.client_secrets:
        variable = CLIENT_SECRETS_VARIABLE
        expected = policy.client_secrets.get(identity.name or "")
        if expected is None:
            return Denial(DenialReason.NOT_REGISTERED, variable)
    if expected is not None and not _is_same(identity.secret, expected):
        return Denial(DenialReason.WRONG_SECRET, variable)
    return None


def _denial_by_confirm_secret(policy: Policy, identity: Identity) -> Denial | None:
    if policy.confirm_secret is None:
        return Denial(DenialReason.CONFIRM_UNCONFIGURED)
    if not _is_same(identity.secret, policy.confirm_secret):
        return Denial(DenialReason.WRONG_SECRET, CONFIRM_SECRET_VARIABLE)
    return None


def _denial_by_conflict(store: ReadStore, call: _Call) -> Denial | None:
    """Refuse a word for one's own work: events name the caller that caused them."""
    for event in store.events(call.run_id or "", types=_REPORTS):
        if caller_name(event.payload) == call.identity.name:
            return Denial(DenialReason.CONFIRM_CONFLICT)
    return None


def _refusal(
    store: Store, policy: Policy, call: _Call, denial: Denial, at: datetime
) -> CallerRefused:
    identity = call.identity
    count_refusal(store, policy.meter, identity, denial.reason, tool=call.tool, at=at)
    message = denial_message(store, policy, identity, denial, tool=call.tool, run_id=call.run_id)
    return CallerRefused(message, reason=denial.reason, caller=identity.name or "", tool=call.tool)


def _opens_any(seals: list[SecretSeal], secret: str | None) -> bool:
    # All are compared, so that the time taken does not say which one fitted.
    fits = [compare_digest(secret_digest(one.salt, secret or ""), one.digest) for one in seals]
    return secret is not None and any(fits)


def _is_same(presented: str | None, expected: str) -> bool:
    return compare_digest(_bytes(presented or ""), _bytes(expected))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _mark_seen(store: Store, caller: Caller, identity: Identity, at: datetime) -> None:
    last = caller.last_seen_at
    if last is not None and at < parse_time(last) + _SEEN_EVERY:
        return
    try:
        with store.writing() as writer:
            writer.mark_seen(caller.name, at, identity.version)
    except StoreUnavailable:
        return  # a line in a list is not worth failing a call that is allowed
