"""What a change of the allowlist would do, before anybody makes it."""

from __future__ import annotations

from continuum.core.records import NamedTuple
from continuum.domain.callerlog import caller_document
from continuum.domain.callersettings import CallerDiff as CallerDiff
from continuum.domain.callersettings import diff_callers, ensure_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.domain.callerrows import Caller
    from continuum.domain.callersettings import Settings
    from continuum.store.base import ReadStore


class Preview(NamedTuple):
    """What a person is shown before they put their name to a change.

    Attributes:
        warnings: what the change brings about beyond the caller itself, or
            what is easily overlooked.
    """

    diff: CallerDiff
    warnings: tuple[str, ...]


def preview_settings(
    store: ReadStore, before: Caller | None, settings: Settings, *, with_secret: bool = True
) -> Preview:
    """Return what setting `settings` on a caller, or adding it, would do.

    Args:
        with_secret: a new caller gets a secret.

    Raises:
        InvalidInput: a setting is not acceptable.
    """
    has_secret = before.secret is not None if before else with_secret
    settings = ensure_settings(settings, has_secret=has_secret)
    new: dict[str, Any] = {
        **(caller_document(before) if before else {"enabled": True}),
        **settings._asdict(),
        "tools": settings.tools.document(),
    }
    diff = diff_callers(caller_document(before) if before else None, new)
    warnings = []
    if before is None and not store.allowlist_view("").decides:
        warnings.append(_TABLE_DECIDES)
    if settings.tools.confirm:
        warnings.append(_CONFIRMS_ITSELF if settings.confirm_override else _CONFIRMS)
    if settings.tools.write and not has_secret:
        warnings.append(_NAME_ALONE)
    return Preview(diff, tuple(warnings))


def preview_switch(store: ReadStore, caller: Caller) -> Preview:
    """Return what disabling an enabled caller, or enabling a disabled one, would do."""
    before = caller_document(caller)
    diff = diff_callers(before, {**before, "enabled": not caller.enabled})
    if not caller.enabled:
        first = not store.allowlist_view("").decides
        return Preview(diff, (_TABLE_DECIDES,) if first else ())
    others = any(one.enabled and one.name != caller.name for one in store.callers(limit=200))
    return Preview(diff, () if others else (_TABLE_YIELDS,))


_TABLE_DECIDES = (
    "No caller is enabled yet. From this change on the list here decides alone: programs that the "
    "environment or the policy file lets in are refused unless they are on it."
)
_TABLE_YIELDS = (
    "No other caller is enabled. From this change on the environment and the policy file decide "
    "again who may write; callers that are disabled here stay refused."
)
_CONFIRMS = (
    "With continuum_confirm an agent could confirm itself. The caller is refused for runs whose "
    "progress it reported, but not for those of other agents."
)
_CONFIRMS_ITSELF = (
    "This caller may confirm the work it reported itself, so its runs go on without a person."
)
_NAME_ALONE = "Without a secret, any program that gives this name is let in."
