"""Why a caller was refused, in words that reach it and whoever set it up.

Every refusal names the tool, the caller, and what can be done about it, and
never a secret or anything of one.
"""

from __future__ import annotations

from continuum.core.records import NamedTuple
from continuum.domain.allowlist import DenialReason, Right
from continuum.services.policies import (
    ALLOWLIST_VARIABLE,
    CONFIRM_SECRET_VARIABLE,
    POLICY_PATH,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.domain.allowlist import Identity
    from continuum.services.policies import Policy
    from continuum.store.base import ReadStore

_NAMES_SHOWN = 10
_SHOWN_CHARACTERS = 80


class Denial(NamedTuple):
    """One refusal, before it is put into words.

    Attributes:
        where: `table`, or the variable that holds the secret asked for.
        detail: what a row says, such as its run pattern.
    """

    reason: DenialReason
    where: str = ""
    detail: str = ""


def denial_message(
    store: ReadStore,
    policy: Policy,
    identity: Identity,
    denial: Denial,
    *,
    tool: str,
    run_id: str | None = None,
) -> str:
    """Return the text of a refusal."""
    name = _shown(identity.name or "")
    words = {
        "tool": tool,
        "caller": repr(name),
        "run": repr(_shown(run_id)) if run_id else "RUN",
        "where": denial.where,
        "detail": denial.detail,
        "state": _state(store, policy) if denial.reason in _ABOUT_THE_LIST else "",
    }
    text = _WORDS[denial.reason]
    if denial.reason is DenialReason.WRONG_SECRET and denial.where == "table":
        text = _WRONG_TABLE_SECRET
    return f"{text.format_map(words)} Read-only tools still work."


def _state(store: ReadStore, policy: Policy) -> str:
    """Return who may write now, so that nobody has to guess which list counts."""
    view = store.allowlist_view("")
    if view.decides:
        rows = store.callers(limit=_NAMES_SHOWN * 5)
        names = [one.name for one in rows if one.enabled]
        where = "the table of callers"
    else:
        names, where = [*policy.clients], f"the {policy.source}"
    if not names:
        return "The allowlist is empty: nobody may write."
    shown = ", ".join(repr(_shown(one)) for one in names[:_NAMES_SHOWN])
    more = " and others" if len(names) > _NAMES_SHOWN else ""
    return f"The allowlist is that of {where} and names {shown}{more}."


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


_ABOUT_THE_LIST = {DenialReason.UNIDENTIFIED, DenialReason.UNKNOWN}
_HOW_TO_ALLOW = (
    "An administrator lets a caller in with `continuum callers allow NAME {tool}` or in the "
    "console under Callers, which counts at once; or, while no caller is in the table, by naming "
    f"it in {ALLOWLIST_VARIABLE} or in {POLICY_PATH} and starting the server again."
)
_WRONG_TABLE_SECRET = (
    "{tool} refused: the secret of caller {caller} is missing or wrong. It goes into "
    "`_meta.authToken` of the first handshake of a connection; an administrator makes a new one "
    "with `continuum callers rotate NAME`."
)
_WORDS = {
    DenialReason.UNIDENTIFIED: (
        "{tool} refused: the caller does not say who it is; `clientInfo.name` is empty or "
        "missing. {state} " + _HOW_TO_ALLOW
    ),
    DenialReason.UNKNOWN: (
        "{tool} refused: caller {caller} is not on the allowlist. {state} " + _HOW_TO_ALLOW
    ),
    DenialReason.NOT_REGISTERED: (
        "{tool} refused: no secret is registered for caller {caller}. Whoever runs the server "
        "adds NAME:SECRET to {where}; the caller presents the secret as `_meta.authToken` of the "
        "first handshake of a connection."
    ),
    DenialReason.WRONG_SECRET: (
        "{tool} refused: the secret of caller {caller} is missing or wrong. It must be the one "
        "that {where} holds and goes into `_meta.authToken` of the first handshake of a connection."
    ),
    DenialReason.DISABLED: (
        "{tool} refused: an administrator has disabled caller {caller}. `continuum callers enable "
        "NAME` lets it in again."
    ),
    DenialReason.EXPIRED: (
        "{tool} refused: caller {caller} was allowed until {detail}. An administrator extends it "
        "with `continuum callers edit NAME --expires WHEN`."
    ),
    DenialReason.WRONG_TOOL: (
        "{tool} refused: caller {caller} may not use this tool, only {detail}. An administrator "
        "adds it with `continuum callers allow NAME {tool}`."
    ),
    DenialReason.WRONG_RUN: (
        "{tool} refused: caller {caller} may write to runs that match {detail}, and {run} does "
        "not. Name such a run, or have an administrator change the pattern with `continuum "
        "callers edit NAME --runs PATTERN`."
    ),
    DenialReason.CONFIRM_UNCONFIGURED: (
        "{tool} refused for caller {caller}: speaking as a person needs a secret of its own, and "
        f"none is set. Set {CONFIRM_SECRET_VARIABLE} for the server, or give a caller the right "
        "with `continuum callers allow NAME {tool}`. A person confirms without it: "
        "`continuum confirm <run_id>` on the host, or the console."
    ),
    DenialReason.CONFIRM_CONFLICT: (
        "{tool} refused: caller {caller} reported progress of run {run} itself, and a word for "
        "one's own work is no review. A person confirms with `continuum confirm <run_id>` or in "
        "the console; an administrator can override this for a caller, with a reason: `continuum "
        "callers edit NAME --confirm-own-work REASON`."
    ),
    DenialReason.SECOND_IDENTITY: (
        "{tool} refused: this connection belongs to the caller that opened it, and {caller} is "
        "another one. Open a connection of its own for each caller."
    ),
}


def tools_in_words(tools: tuple[str, ...], right: Right) -> str:
    """Return the tools of a right for a sentence."""
    return ", ".join(sorted(tools)) if tools else f"no tool that needs the right to {right}"
