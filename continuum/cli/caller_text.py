"""The allowlist as text: callers, their facts and their history."""

from __future__ import annotations

from continuum.cli.colour import Painted, ok_mark
from continuum.cli.output import Column
from continuum.domain.callerrows import ALL
from continuum.domain.callersettings import grants_in_words
from continuum.services.callerlists import tools_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.cli.output import Piece, Terminal
    from continuum.domain.callersettings import CallerDiff
    from continuum.services.callerlists import (
        Allowlist,
        HistoryReport,
        ListedCaller,
        ListedEntry,
        Refusals,
    )

_VIOLATIONS_SHOWN = 20
_COLUMNS = (
    Column("CALLER", 24),
    Column("STATE", 8),
    Column("READ", 5),
    Column("WRITE", 6),
    Column("CONFIRM", 7),
    Column("SECRET", 10),
    Column("LAST SEEN (UTC)", 16),
    Column("REFUSED 24H", 0),
)


def print_list(terminal: Terminal, shown: Allowlist) -> None:
    """Print the table, what follows from it, and who was refused without being on it."""
    if shown.callers:
        terminal.table(_COLUMNS, (_row(one) for one in shown.callers))
    if not shown.decides:
        terminal.line(
            "No caller is enabled here; environment variables and the policy file decide, and "
            "without them nobody may write."
        )
    elif not shown.may_write:
        terminal.line(Painted("No caller may write.", "yellow"))
    refused = [f"{one.name}: {_counted(one.refusals)}" for one in shown.suggestions]
    terminal.lines("Refused in the last 24 hours, not on the list:", refused)
    if shown.unnamed.times:
        terminal.line(f"  and {shown.unnamed.times} calls without a usable name")


def _row(listed: ListedCaller) -> tuple[Piece, ...]:
    caller = listed.caller
    return (
        caller.name,
        _state(listed),
        _count(caller.tools.read),
        _count(caller.tools.write),
        _count(caller.tools.confirm),
        caller.secret.prefix + "…" if caller.secret else Painted("none", "yellow"),
        (caller.last_seen_at or "never")[:16].replace("T", " "),
        _counted(listed.refusals),
    )


def _state(listed: ListedCaller) -> Piece:
    if not listed.caller.enabled:
        return Painted("disabled", "red")
    return Painted("expired", "red") if listed.is_expired else "enabled"


def _count(names: tuple[str, ...]) -> str:
    return "all" if ALL in names else str(len(names) or "–")


def _counted(refusals: Refusals) -> str:
    reasons = ", ".join(f"{reason} {times}" for reason, times, _ in refusals.reasons)
    return f"{refusals.times} ({reasons})" if refusals.times else "–"


def print_caller(terminal: Terminal, listed: ListedCaller) -> None:
    """Print everything about one caller."""
    for label, value in _facts(listed):
        terminal.line(f"{label:<10} ", value)


def print_entry(terminal: Terminal, listed: ListedEntry) -> None:
    """Print one entry of the history and what it changed."""
    row = listed.row
    when = row.timestamp[:19].replace("T", " ")
    terminal.line(f"{row.sequence:>4}  {when}  {row.type:<18}  {row.caller}  {row.hash[:12]}…")
    if listed.entry is None or listed.diff is None:
        terminal.line("      ", Painted("unreadable", "red"))
        return
    payload = listed.entry.payload
    terminal.line(f"      {payload.get('by')}: {payload.get('reason')}")
    for text in _differences(listed.diff):
        terminal.line("      ", text)


def _differences(diff: CallerDiff) -> list[str]:
    return [
        *(f"+ {right}: {words}" for right, words in grants_in_words(diff.gains)),
        *(f"- {right}: {words}" for right, words in grants_in_words(diff.loses)),
        *(f"{one.field}: {one.before or '–'} → {one.after or '–'}" for one in diff.changes),
    ]


def print_report(terminal: Terminal, report: HistoryReport) -> None:
    """Print what a walk over the history found."""
    if report.ok:
        terminal.line(ok_mark(True), f" history whole: {report.checked} entries")
        return
    terminal.line(ok_mark(False), f" history broken: {len(report.flaws)} violations")
    for flaw in report.flaws[:_VIOLATIONS_SHOWN]:
        terminal.line(f"  entry {flaw.sequence}, {flaw.caller}: {flaw.kind}, {flaw.detail}")
    terminal.line(f"  trusted through entry {report.trusted_through}")


def _facts(listed: ListedCaller) -> list[tuple[str, Piece]]:
    caller = listed.caller
    rights = [
        (right, ", ".join(tools_shown(names)) or "nothing")
        for right, names in caller.tools._asdict().items()
    ]
    old = caller.old_secret
    facts: list[tuple[str, Piece]] = [
        ("caller", f"{caller.name} ({caller.kind})"),
        ("state", _state(listed)),
        *rights,
        ("runs", caller.run_pattern or "all"),
        ("expires", caller.expires_at or "never"),
        ("secret", f"{caller.secret.prefix}… set {caller.secret.set_at}" if caller.secret
         else "none: its name alone lets it in"),
        ("old secret", f"{old.prefix}… until {old.until}" if old else "none"),
        ("own work", caller.confirm_override or "may not be confirmed by it"),
        ("note", caller.note or "–"),
        ("seen", caller.last_seen_at or "never"),
        ("refused", _counted(listed.refusals)),
        ("added", f"{caller.added_at} by {caller.added_by}"),
        ("version", f"{caller.version}, written by entry {caller.entry_sequence}"),
    ]  # fmt: skip
    return facts
