"""Changing the allowlist: one function per verb, for every front end.

The protocol, in one transaction:

1. Keep other changes waiting, read the row as it is.
2. Compare with the version the person was shown.
3. Append the change to the callers' history, with who, why and the row before
   and after, then write the row.

Every change needs a name and a reason. Secrets are made here, returned once
and kept only as seals.
"""

from __future__ import annotations

from binascii import b2a_base64
from datetime import timedelta
from os import urandom

from continuum.core.clock import column_time
from continuum.core.errors import Conflict, DecisionChanged, InvalidInput, NotFound
from continuum.core.records import NamedTuple
from continuum.domain.callerlog import EntryDraft, EntryType, caller_document, seal_entry
from continuum.domain.callerrows import ALL, Caller, SecretSeal
from continuum.domain.callersettings import (
    Settings,
    diff_callers,
    ensure_caller_name,
    ensure_settings,
    settings_of,
    with_tools,
    without_tools,
)
from continuum.domain.events import NO_HEAD, Head
from continuum.services.acts import act_members, ensure_act
from continuum.services.callers import secret_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from continuum.domain.callerrows import EntryRow, Tools
    from continuum.services.acts import Act
    from continuum.store.base import ReadStore, Store, Writer

SECRET_MARK = "cxs_"
MAX_OVERLAP = timedelta(days=30)

_SECRET_BYTES = 32
_PREFIX_CHARACTERS = len(SECRET_MARK) + 4
_AT_ONCE = timedelta(0)


class CallerChange(NamedTuple):
    """What came of a change.

    Attributes:
        caller: the row as it is now.
        entry: the entry of the history that says so.
        secret: the new secret; shown to a person now and never again.
    """

    caller: Caller
    entry: EntryRow
    secret: str | None = None


def add_caller(
    store: Store, name: str, settings: Settings, act: Act, *, with_secret: bool = True
) -> CallerChange:
    """Put a caller on the allowlist.

    Args:
        with_secret: without one, the name alone lets a program in.

    Raises:
        InvalidInput: a name, setting or reason that is not acceptable.
        Conflict: the caller is there already.
    """
    ensure_new(store, name)
    secret, seal = _new_secret(act) if with_secret else (None, None)
    settings = _checked(settings, seal, act)

    def made(before: Caller | None) -> Caller:
        if before is not None:
            raise Conflict(f"caller {name!r} is on the list already; change it instead")
        now = column_time(act.at)
        return Caller(
            name=name,
            **settings._asdict(),
            enabled=True,
            secret=seal,
            old_secret=None,
            version=0,
            entry_sequence=0,
            added_by=act.by.strip(),
            added_at=now,
            changed_at=now,
        )

    return _change(store, name, act, EntryType.ADDED, made)._replace(secret=secret)


def edit_caller(
    store: Store, name: str, settings: Settings, act: Act, *, seen_version: int | None = None
) -> CallerChange:
    """Set everything that is decided about a caller, its tools included.

    Args:
        seen_version: the version the person was shown; another one is refused.

    Raises:
        NotFound: no such caller.
        DecisionChanged: somebody changed it meanwhile.
        InvalidInput: a setting or the reason is not acceptable, or nothing changes.
    """

    def edited(before: Caller | None) -> Caller:
        caller = _found(before, name, seen_version)
        checked = _checked(settings, caller.secret, act, before=caller)
        return _with_settings(caller, checked)

    return _change(store, name, act, EntryType.EDITED, edited)


def allow_tools(
    store: Store, name: str, tools: Tools, act: Act, *, seen_version: int | None = None
) -> CallerChange:
    """Let a caller use more tools; one that is not on the list is added, without a secret.

    Raises:
        InvalidInput: as `edit_caller`, or the right to confirm without a secret.
        DecisionChanged: somebody changed it meanwhile.
    """
    ensure_caller_name(name)
    if store.caller(name) is None:
        settings = Settings(tools=tools._replace(read=tools.read or (ALL,)))
        return add_caller(store, name, settings, act, with_secret=False)

    def allowed(before: Caller | None) -> Caller:
        caller = _found(before, name, seen_version)
        wider = settings_of(caller)._replace(tools=with_tools(caller.tools, tools))
        return _with_settings(caller, _checked(wider, caller.secret, act, before=caller))

    return _change(store, name, act, EntryType.ALLOWED, allowed)


def deny_tools(
    store: Store, name: str, tools: Tools, act: Act, *, seen_version: int | None = None
) -> CallerChange:
    """Take tools away from a caller.

    Raises:
        NotFound: no such caller.
        DecisionChanged: somebody changed it meanwhile.
        InvalidInput: no reason, or it had none of the tools.
    """

    def denied(before: Caller | None) -> Caller:
        caller = _found(before, name, seen_version)
        return caller._replace(tools=without_tools(caller.tools, tools))

    return _change(store, name, act, EntryType.DENIED, denied)


def rotate_secret(
    store: Store,
    name: str,
    act: Act,
    *,
    overlap: timedelta = _AT_ONCE,
    seen_version: int | None = None,
) -> CallerChange:
    """Give a caller a new secret.

    Args:
        overlap: how long the one before still counts.

    Raises:
        NotFound: no such caller.
        DecisionChanged: somebody changed it meanwhile.
        InvalidInput: no reason, or an overlap that is negative or too long.
    """
    if not _AT_ONCE <= overlap <= MAX_OVERLAP:
        raise InvalidInput(f"the old secret may stay valid for at most {MAX_OVERLAP.days} days")
    secret, seal = _new_secret(act)

    def rotated(before: Caller | None) -> Caller:
        caller = _found(before, name, seen_version)
        old = caller.secret if overlap else None
        if old is not None:
            old = old._replace(until=column_time(act.at + overlap))
        return caller._replace(secret=seal, old_secret=old)

    return _change(store, name, act, EntryType.SECRET_SET, rotated)._replace(secret=secret)


def disable_caller(
    store: Store, name: str, act: Act, *, seen_version: int | None = None
) -> CallerChange:
    """Refuse a caller everything it writes, from the next call on.

    Raises:
        NotFound: no such caller.
        InvalidInput: no reason, or it is disabled already.
    """
    return _switch(store, name, act, EntryType.DISABLED, seen_version)


def enable_caller(
    store: Store, name: str, act: Act, *, seen_version: int | None = None
) -> CallerChange:
    """Let a disabled caller in again.

    Raises:
        NotFound: no such caller.
        InvalidInput: no reason, or it is enabled already.
    """
    return _switch(store, name, act, EntryType.ENABLED, seen_version)


def _switch(
    store: Store, name: str, act: Act, kind: EntryType, seen_version: int | None
) -> CallerChange:
    def switched(before: Caller | None) -> Caller:
        caller = _found(before, name, seen_version)
        return caller._replace(enabled=kind is EntryType.ENABLED)

    return _change(store, name, act, kind, switched)


def _change(
    store: Store,
    name: str,
    act: Act,
    kind: EntryType,
    after: Callable[[Caller | None], Caller],
) -> CallerChange:
    act = ensure_act(act)
    if not act.reason:
        raise InvalidInput("a change of the allowlist needs a reason; say why")
    with store.writing() as writer:
        writer.hold_callers()
        before = store.caller(name)
        caller = after(before)
        if before is not None and diff_callers(*_documents(before, caller)).is_empty:
            raise InvalidInput(f"nothing would change about caller {name!r}; nothing was written")
        return _written(store, writer, kind, before=before, caller=caller, act=act)


def _written(
    store: ReadStore,
    writer: Writer,
    kind: EntryType,
    *,
    before: Caller | None,
    caller: Caller,
    act: Act,
) -> CallerChange:
    head = history_head(store)
    caller = caller._replace(
        version=caller.version + 1,
        entry_sequence=head.sequence + 1,
        changed_at=column_time(act.at),
    )
    old, new = _documents(before, caller)
    payload = {**act_members(act), "before": old, "after": new}
    entry = seal_entry(EntryDraft(kind, caller.name, payload, act.at), head)
    writer.append_caller_entry(entry)
    writer.save_caller(caller)
    return CallerChange(caller, entry)


def ensure_new(store: ReadStore, name: str) -> None:
    """Check that a name can be put on the list.

    Raises:
        InvalidInput: it cannot be a caller's name.
        Conflict: it is there already.
    """
    if store.caller(ensure_caller_name(name)) is not None:
        raise Conflict(f"caller {name!r} is on the list already; change it instead")


def ensure_seen(caller: Caller, seen_version: int | None) -> None:
    """Check that a caller is still as somebody was shown it.

    Raises:
        DecisionChanged: it is not.
    """
    if seen_version not in (None, caller.version):
        raise DecisionChanged(
            f"caller {caller.name!r} was changed since you were shown it (then version "
            f"{seen_version}, now {caller.version}); look again and decide"
        )


def history_head(store: ReadStore) -> Head:
    """Return the place of the newest entry of the history."""
    newest = store.caller_entry_page(limit=1)
    return Head(newest[0].sequence, newest[0].hash) if newest else NO_HEAD


def _documents(
    before: Caller | None, after: Caller
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    return caller_document(before) if before else None, caller_document(after)


def _found(before: Caller | None, name: str, seen_version: int | None) -> Caller:
    if before is None:
        raise NotFound(f"there is no caller {name!r}; `continuum callers list` shows who there is")
    ensure_seen(before, seen_version)
    return before


def _checked(
    settings: Settings, secret: SecretSeal | None, act: Act, *, before: Caller | None = None
) -> Settings:
    settings = ensure_settings(settings, has_secret=secret is not None)
    is_new = before is None or before.expires_at != settings.expires_at
    if is_new and settings.expires_at is not None and settings.expires_at <= column_time(act.at):
        raise InvalidInput(f"{settings.expires_at} is past; to refuse a caller now, disable it")
    return settings


def _with_settings(caller: Caller, settings: Settings) -> Caller:
    return caller._replace(**settings._asdict())


def _new_secret(act: Act) -> tuple[str, SecretSeal]:
    random = b2a_base64(urandom(_SECRET_BYTES), newline=False).decode()
    secret = SECRET_MARK + random.rstrip("=").replace("+", "-").replace("/", "_")
    salt = urandom(16).hex()
    seal = SecretSeal(
        salt, secret_digest(salt, secret), secret[:_PREFIX_CHARACTERS], column_time(act.at)
    )
    return secret, seal
