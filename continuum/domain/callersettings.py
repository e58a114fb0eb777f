"""What admins decide about a caller, checked, and what a change of it means."""

from __future__ import annotations

from continuum.core.errors import InvalidInput
from continuum.core.records import NamedTuple
from continuum.domain.allowlist import TOOLS, CallerKind, Right, storable_name
from continuum.domain.callerrows import ALL, MAX_CALLER_NAME, Tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from continuum.domain.callerrows import Caller

MAX_PATTERN = 512
MAX_NOTE = 2000


class Settings(NamedTuple):
    """Everything about a caller that an admin decides, but for its secret and whether it is on.

    Attributes:
        run_pattern: shell-style (`*`, `?`, `[…]`), case-sensitive; empty for all runs.
        expires_at: column time, or None.
        confirm_override: why it may confirm its own work; empty when it may not.
    """

    kind: str = CallerKind.AGENT
    tools: Tools = Tools()
    run_pattern: str = ""
    expires_at: str | None = None
    confirm_override: str = ""
    note: str = ""


class FieldChange(NamedTuple):
    """One thing about a caller that changes, each side in words; empty for nothing."""

    field: str
    before: str
    after: str


class CallerDiff(NamedTuple):
    """What a change does.

    Attributes:
        gains, loses: tools, as `(right, name)`; the name `*` is any tool that comes later.
        changes: everything else.
    """

    gains: tuple[tuple[str, str], ...]
    loses: tuple[tuple[str, str], ...]
    changes: tuple[FieldChange, ...]

    @property
    def is_empty(self) -> bool:
        """True when nothing changes."""
        return not (self.gains or self.loses or self.changes)


def settings_of(caller: Caller) -> Settings:
    """Return what was decided about a caller."""
    return Settings._make(getattr(caller, field) for field in Settings._fields)


def ensure_caller_name(name: str) -> str:
    """Return the name, which is compared exactly and so is not trimmed.

    Raises:
        InvalidInput: empty, too long, or with characters nobody can see.
    """
    if not name:
        raise InvalidInput("a caller needs the name it gives in its handshake")
    if len(name) > MAX_CALLER_NAME:
        raise InvalidInput(f"the caller's name is longer than {MAX_CALLER_NAME} characters")
    if not name.isprintable() or storable_name(name) != name:
        raise InvalidInput(f"the caller's name {name!r} holds characters that cannot be seen")
    return name


def ensure_settings(settings: Settings, *, has_secret: bool) -> Settings:
    """Return the settings with trimmed texts.

    Raises:
        InvalidInput: an unknown kind or tool, a tool under the wrong right, a
            text that is too long, or the right to confirm without a secret.
    """
    if settings.kind not in list(CallerKind):
        kinds = ", ".join(CallerKind)
        raise InvalidInput(f"kind {settings.kind!r} is not known; it is one of {kinds}")
    trimmed = settings._replace(
        run_pattern=settings.run_pattern.strip(),
        confirm_override=settings.confirm_override.strip(),
        note=settings.note.strip(),
    )
    _ensure_lengths(trimmed)
    for right in Right:
        _ensure_tools(settings.tools.of(right), right)
    if settings.tools.confirm and not has_secret:
        raise InvalidInput(
            "the right to confirm needs a secret, or any program could give this name and speak "
            "as a person; `continuum callers rotate NAME` sets one"
        )
    return trimmed


def read_tools(words: Iterable[str]) -> Tools:
    """Return the tools that words name: tools, or a right for all of its tools.

    Raises:
        InvalidInput: a word is neither.
    """
    lists: dict[str, list[str]] = {str(right): [] for right in Right}
    for word in words:
        right, name = _tool_named(word)
        if name not in lists[right]:
            lists[right].append(name)
    return Tools(*(_normal(names) for names in lists.values()))


def with_tools(tools: Tools, more: Tools) -> Tools:
    """Return `tools` and `more`."""
    return Tools(*(_normal([*tools.of(right), *more.of(right)]) for right in Right))


def without_tools(tools: Tools, less: Tools) -> Tools:
    """Return `tools` but for `less`; `*` less one tool is all the others by name."""
    return Tools(*(_without(tools.of(right), less.of(right), right) for right in Right))


def diff_callers(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> CallerDiff:
    """Return what lies between two documents of a caller; None is no caller."""
    old, new = before or _NOBODY, after or _NOBODY
    changes = [
        FieldChange(field, _in_words(field, old.get(field)), _in_words(field, new.get(field)))
        for field in _FIELDS
        if (old.get(field) or None) != (new.get(field) or None)
    ]
    had, has = _granted(old), _granted(new)
    return CallerDiff(
        tuple(one for one in has if one not in had),
        tuple(one for one in had if one not in has),
        tuple(changes),
    )


def grants_in_words(grants: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return `(right, words)` for tools gained or lost, all of a right in one."""
    lists: dict[str, list[str]] = {}
    for right, name in grants:
        lists.setdefault(right, []).append(name)
    return [(right, words) for right, names in lists.items() for words in _words(right, names)]


_FIELDS = (
    "kind",
    "enabled",
    "secret",
    "old_secret",
    "run_pattern",
    "expires_at",
    "confirm_override",
    "note",
)
_NOBODY: dict[str, Any] = {"tools": {}}


def _ensure_lengths(settings: Settings) -> None:
    if len(settings.run_pattern) > MAX_PATTERN:
        raise InvalidInput(f"the run pattern is longer than {MAX_PATTERN} characters")
    if len(settings.note) > MAX_NOTE:
        raise InvalidInput(f"the note is longer than {MAX_NOTE} characters")
    if len(settings.confirm_override) > MAX_NOTE:
        raise InvalidInput(f"the reason to confirm is longer than {MAX_NOTE} characters")


def _ensure_tools(names: Iterable[str], right: Right) -> None:
    for name in names:
        if name == ALL and right is not Right.CONFIRM:
            continue
        if TOOLS.get(name) is not right:
            raise InvalidInput(f"{name!r} is no tool that needs the right to {right}")


def _tool_named(word: str) -> tuple[Right, str]:
    if word == Right.CONFIRM:
        return Right.CONFIRM, "continuum_confirm"
    if word in (Right.READ, Right.WRITE):
        return Right(word), ALL
    right = TOOLS.get(word)
    if right is None:
        raise InvalidInput(
            f"{word!r} is no tool; it is `read`, `write`, `confirm` or one of {', '.join(TOOLS)}"
        )
    return right, word


def _normal(names: Iterable[str]) -> tuple[str, ...]:
    distinct = sorted(set(names))
    return (ALL,) if ALL in distinct else tuple(distinct)


def _without(names: tuple[str, ...], less: tuple[str, ...], right: Right) -> tuple[str, ...]:
    if ALL in less:
        return ()
    if not less:
        return names
    by_name = [tool for tool, needs in TOOLS.items() if needs is right] if ALL in names else names
    return _normal(set(by_name) - set(less))


def _granted(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    tools = document.get("tools") or {}
    return [(str(right), name) for right in Right for name in _named(tools, right)]


def _named(tools: Mapping[str, Any], right: Right) -> list[str]:
    """Return the tools of a right by name; behind `*` stand all, and those to come."""
    names = list(tools.get(str(right), ()))
    if ALL not in names:
        return names
    return [*(tool for tool, needs in TOOLS.items() if needs is right), ALL]


def _words(right: str, names: list[str]) -> list[str]:
    every = [tool for tool, needs in TOOLS.items() if needs == right]
    if ALL in names and len(names) > len(every):
        return [f"every tool that may {right}, later ones too"]
    return ["any tool that comes later" if name == ALL else name for name in names]


def _in_words(field: str, value: Any) -> str:
    if isinstance(value, dict):
        until = value.get("until")
        return f"{value['prefix']}… until {_minute(until)}" if until else f"{value['prefix']}…"
    if field == "expires_at" and value:
        return _minute(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _minute(column: str) -> str:
    return f"{column[:16].replace('T', ' ')} UTC"
