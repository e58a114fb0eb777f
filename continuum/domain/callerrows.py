"""What the allowlist's tables hold: rows, and nothing that judges them.

Every store that is opened loads this module, so it declares records only.
`domain.allowlist` has the rules, `domain.callerlog` the chain.
"""

from __future__ import annotations

from continuum.core.records import NamedTuple

ALL = "*"
"""Instead of names of tools: every tool of a right, later ones included."""

OTHERS = "…"
"""Under this name refusals of callers are counted that are too many to be told apart."""

MAX_CALLER_NAME = 200


class Tools(NamedTuple):
    """The names of the tools a caller may use, by right; `*` stands for all.

    `confirm` takes no `*`: who may speak as a person is said by name.
    """

    read: tuple[str, ...] = (ALL,)
    write: tuple[str, ...] = ()
    confirm: tuple[str, ...] = ()

    def allows(self, tool: str, right: str) -> bool:
        """Return whether `tool` is among those of `right`."""
        names = self.of(right)
        return tool in names or ALL in names

    def of(self, right: str) -> tuple[str, ...]:
        """Return the names under `read`, `write` or `confirm`."""
        names: tuple[str, ...] = getattr(self, right)
        return names

    def document(self) -> dict[str, list[str]]:
        """Return the three lists, sorted, as JSON."""
        return {right: sorted(names) for right, names in self._asdict().items()}


class SecretSeal(NamedTuple):
    """What is kept of a secret: enough to recognise it, not to use it.

    Attributes:
        salt: 32 hex digits, one per secret.
        digest: SHA-256 over salt and secret, 64 hex digits.
        prefix: the first characters, so that people can tell secrets apart.
        set_at: column time.
        until: column time after which it counts no more; None for the current one.
    """

    salt: str
    digest: str
    prefix: str
    set_at: str
    until: str | None = None


class Caller(NamedTuple):
    """One row of the allowlist.

    Attributes:
        secret: None when the name alone is enough, which makes it a claim.
        old_secret: the one before, until its overlap ends.
        run_pattern: shell-style pattern over run ids; empty for all runs.
        expires_at: column time, or None.
        confirm_override: why this caller may confirm what it reported itself;
            empty when it may not.
        version: counts changes; who changes a row says which one they saw.
        entry_sequence: the entry of the history that wrote this row.
        last_seen_at: when it was last let in, to the minute.
    """

    name: str
    kind: str
    enabled: bool
    tools: Tools
    secret: SecretSeal | None
    old_secret: SecretSeal | None
    run_pattern: str
    expires_at: str | None
    confirm_override: str
    note: str
    version: int
    entry_sequence: int
    added_by: str
    added_at: str
    changed_at: str
    last_seen_at: str | None = None
    last_seen_version: str | None = None


class RefusalCount(NamedTuple):
    """How often a caller was refused for one reason in one hour.

    Attributes:
        caller: the name it gave; empty for callers without one.
        hour: `YYYY-MM-DDThh`, UTC.
        last_at: column time.
    """

    caller: str
    reason: str
    hour: str
    times: int
    last_at: str
    last_tool: str
    last_via: str


class AllowlistView(NamedTuple):
    """What one call needs to know of the table, read in one look-up.

    Attributes:
        decides: the table has an enabled row, so it alone says who may write.
        caller: the row of the name that calls, or None.
    """

    decides: bool
    caller: Caller | None


CLOSED_TABLE = AllowlistView(False, None)
"""A store without the table, or with an empty one."""


class EntryRow(NamedTuple):
    """The columns of an entry of the history as a store holds them, nothing interpreted."""

    sequence: int
    entry_id: str
    type: str
    caller: str
    timestamp: str
    payload: str
    prev_hash: str | None
    hash: str
