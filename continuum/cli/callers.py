"""callers: who may write, who was refused, and what was changed about it."""

from __future__ import annotations

from argparse import SUPPRESS
from datetime import timedelta

from continuum.cli.caller_text import print_caller, print_entry, print_list, print_report
from continuum.cli.failures import EXIT_CORRUPTED
from continuum.cli.parsing import add_person, person_named
from continuum.core.clock import column_time, parse_time
from continuum.core.errors import InvalidInput
from continuum.domain.callerrows import ALL, Tools
from continuum.domain.callersettings import Settings, read_tools, settings_of
from continuum.services import callerchanges as changes
from continuum.services.acts import Act
from continuum.services.callerlists import (
    MAX_PAGE,
    find_caller,
    list_entries,
    read_allowlist,
    tools_shown,
    verify_history,
)
from continuum.wire import callers as wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from continuum.cli.session import Session
    from continuum.services.callerchanges import CallerChange

_TOOL_HELP = "a tool, or `read`, `write` or `confirm` for all tools of that right"


def add_callers(parser: ArgumentParser) -> None:
    """The verbs of `callers` and their options."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    def verb(name: str, summary: str, *, reason: str | None = None) -> Any:
        added = verbs.add_parser(name, help=summary, description=f"{summary.capitalize()}.")
        if name not in ("list", "verify", "history"):
            added.add_argument("name", metavar="NAME", help="the name it gives in its handshake")
        if reason is not None:
            add_person(added, reason=f"{reason}; needed")
        return added

    verb("list", "list callers, and who was refused")
    verb("show", "show one caller")
    _add_settings(verb("add", "put a caller on the list", reason="why it may write"), new=True)
    _add_settings(verb("edit", "change what is decided about a caller", reason="why"), new=False)
    for name, summary in (("allow", "let a caller use tools"), ("deny", "take tools away")):
        verb(name, summary, reason="why").add_argument(
            "tools", metavar="TOOL", nargs="*", help=f"{_TOOL_HELP}; without one: every write tool"
        )
    verb("rotate", "make a new secret", reason="why").add_argument(
        "--overlap", type=float, default=0, metavar="HOURS", help="the old one stays valid so long"
    )
    verb("disable", "refuse a caller from its next call on", reason="why")
    verb("enable", "let a disabled caller in again", reason="why")
    _add_history(verb("history", "list what was changed, newest first"))
    verb("verify", "audit the history and compare the list with it")


def run_callers(session: Session, options: Namespace) -> int:
    """Look at the allowlist, or change it."""
    status: int = _RUNNERS[options.verb](session, options)
    return status


def _add_settings(parser: ArgumentParser, *, new: bool) -> None:
    kept = None if new else SUPPRESS
    parser.add_argument("--kind", default=kept, metavar="K", help="agent, service or person")
    parser.add_argument(
        "--tools",
        default=kept,
        metavar="LIST",
        help="all it may use from now on, comma-separated; reading stays unless named",
    )
    parser.add_argument("--runs", default=kept, metavar="PATTERN", help="only runs such as inv-*")
    parser.add_argument("--expires", default=kept, metavar="WHEN", help="a time, or `never`")
    parser.add_argument("--note", default=kept, metavar="TEXT", help="for people")
    parser.add_argument(
        "--confirm-own-work",
        default=kept,
        metavar="REASON",
        help="let it confirm runs whose progress it reported itself; an empty reason ends that",
    )
    if new:
        parser.add_argument(
            "--no-secret", action="store_true", help="let its name alone in; a name is a claim"
        )


def _add_history(parser: ArgumentParser) -> None:
    parser.add_argument("--caller", metavar="NAME", help="only this caller")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="at most N entries (50)")


# -- looking


def _list(session: Session, options: Namespace) -> int:
    with session.reading() as store:
        shown = read_allowlist(store, session.at)
    if session.terminal.as_json:
        session.terminal.document(wire.allowlist(shown))
    else:
        print_list(session.terminal, shown)
    return 0


def _show(session: Session, options: Namespace) -> int:
    with session.reading() as store:
        listed = find_caller(store, options.name, session.at)
    if session.terminal.as_json:
        session.terminal.document(wire.listed_caller(listed))
        return 0
    print_caller(session.terminal, listed)
    return 0


def _history(session: Session, options: Namespace) -> int:
    if not 0 < options.limit <= MAX_PAGE:
        raise InvalidInput(f"--limit must lie between 1 and {MAX_PAGE}")
    with session.reading() as store:
        entries = list_entries(store, limit=options.limit, caller=options.caller)
    if session.terminal.as_json:
        session.terminal.document({"entries": [wire.listed_entry(one) for one in entries]})
        return 0
    for one in entries:
        print_entry(session.terminal, one)
    return 0


def _verify(session: Session, options: Namespace) -> int:
    with session.reading() as store:
        report = verify_history(store)
    terminal = session.terminal
    if terminal.as_json:
        terminal.document(wire.verification(report))
    else:
        print_report(terminal, report)
    return 0 if report.ok else EXIT_CORRUPTED


# -- changing


def _add(session: Session, options: Namespace) -> int:
    tools = read_tools(_words(options.tools)) if options.tools is not None else Tools(write=(ALL,))
    settings = _settings(Settings(), options, session)
    settings = settings._replace(tools=tools._replace(read=tools.read or (ALL,)))
    with session.writing() as store:
        done = changes.add_caller(
            store,
            options.name,
            settings,
            _act(session, options),
            with_secret=not options.no_secret,
        )
    return _print_change(session, done)


def _edit(session: Session, options: Namespace) -> int:
    with session.writing() as store:
        caller = find_caller(store, options.name, session.at).caller
        settings = _settings(settings_of(caller), options, session)
        if "tools" in options:
            tools = read_tools(_words(options.tools))
            settings = settings._replace(tools=tools._replace(read=tools.read or caller.tools.read))
        done = changes.edit_caller(
            store, options.name, settings, _act(session, options), seen_version=caller.version
        )
    return _print_change(session, done)


def _settings(settings: Settings, options: Namespace, session: Session) -> Settings:
    given = {
        "kind": getattr(options, "kind", None),
        "run_pattern": getattr(options, "runs", None),
        "note": getattr(options, "note", None),
        "confirm_override": getattr(options, "confirm_own_work", None),
    }
    settings = settings._replace(**{name: text for name, text in given.items() if text is not None})
    expires = getattr(options, "expires", None)
    if expires is None:
        return settings
    when = None if expires == "never" else column_time(parse_time(expires))
    return settings._replace(expires_at=when)


def _allow(session: Session, options: Namespace) -> int:
    with session.writing() as store:
        tools = read_tools(options.tools or ["write"])
        done = changes.allow_tools(store, options.name, tools, _act(session, options))
    if done.caller.secret is None:
        session.terminal.note(
            f"{done.caller.name} has no secret: whoever gives this name is let in; "
            "`continuum callers rotate` sets one."
        )
    return _print_change(session, done)


def _deny(session: Session, options: Namespace) -> int:
    with session.writing() as store:
        tools = read_tools(options.tools or ["write", "confirm"])
        done = changes.deny_tools(store, options.name, tools, _act(session, options))
    return _print_change(session, done)


def _rotate(session: Session, options: Namespace) -> int:
    if not 0 <= options.overlap <= changes.MAX_OVERLAP.days * 24:
        raise InvalidInput(
            f"--overlap must lie between 0 and {changes.MAX_OVERLAP.days * 24} hours"
        )
    overlap = timedelta(hours=options.overlap)
    with session.writing() as store:
        act = _act(session, options)
        done = changes.rotate_secret(store, options.name, act, overlap=overlap)
    return _print_change(session, done)


def _disable(session: Session, options: Namespace) -> int:
    with session.writing() as store:
        return _print_change(
            session, changes.disable_caller(store, options.name, _act(session, options))
        )


def _enable(session: Session, options: Namespace) -> int:
    with session.writing() as store:
        return _print_change(
            session, changes.enable_caller(store, options.name, _act(session, options))
        )


def _act(session: Session, options: Namespace) -> Act:
    by = person_named(options.by)
    return Act(by=by, via="cli", at=session.at, reason=options.reason)


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _print_change(session: Session, done: CallerChange) -> int:
    terminal = session.terminal
    if terminal.as_json:
        terminal.document(wire.change(done))
    elif done.secret is not None:
        terminal.line(done.secret)
        terminal.note("The secret above is shown this once; only a seal of it is kept.")
    elif not done.caller.enabled:
        terminal.line(f"{done.caller.name} is disabled")
    else:
        write = ", ".join(tools_shown(done.caller.tools.write)) or "nothing"
        terminal.line(f"{done.caller.name} may write with: {write}")
    terminal.note(f"Written as entry {done.entry.sequence} ({done.entry.hash[:12]}…).")
    return 0


_RUNNERS = {
    "list": _list,
    "show": _show,
    "add": _add,
    "edit": _edit,
    "allow": _allow,
    "deny": _deny,
    "rotate": _rotate,
    "disable": _disable,
    "enable": _enable,
    "history": _history,
    "verify": _verify,
}
