"""Looking at the allowlist: who is on it, who was refused, what changed, and is it all true."""

from __future__ import annotations

from datetime import timedelta

from continuum.core.clock import column_time
from continuum.core.errors import NotFound, UnreadableRecord
from continuum.core.records import NamedTuple
from continuum.domain.allowlist import is_expired
from continuum.domain.callerlog import HistoryReport as HistoryReport
from continuum.domain.callerlog import entry_from_row, verify_entries
from continuum.domain.callerrows import ALL, OTHERS
from continuum.domain.callersettings import diff_callers
from continuum.services.refusals import hour_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from continuum.domain.callerlog import Entry
    from continuum.domain.callerrows import Caller, EntryRow, RefusalCount
    from continuum.domain.callersettings import CallerDiff
    from continuum.store.base import ReadStore

MAX_PAGE = 200
REFUSALS_SHOWN = timedelta(hours=24)


class Refusals(NamedTuple):
    """How often a caller was refused lately, and how it was refused last.

    Attributes:
        times: in the last 24 hours, counted by whole hours.
        reasons: `(reason, times, last_at)`, most frequent first.
    """

    times: int = 0
    reasons: tuple[tuple[str, int, str], ...] = ()
    last_at: str = ""
    last_tool: str = ""
    last_via: str = ""


class ListedCaller(NamedTuple):
    """A caller with what happened at the door."""

    caller: Caller
    refusals: Refusals
    is_expired: bool

    @property
    def may_write(self) -> bool:
        """True when some tool that writes or confirms is open to it now."""
        tools = self.caller.tools
        return self.caller.enabled and not self.is_expired and bool(tools.write or tools.confirm)


class Suggestion(NamedTuple):
    """A program that was refused and is on no list: somebody may want to let it in."""

    name: str
    refusals: Refusals


class Allowlist(NamedTuple):
    """The table as a page shows it.

    Attributes:
        decides: it has an enabled row; else environment and policy file decide.
        suggestions: refused callers that are not in the table, most refused first.
        unnamed: refusals of callers without a name, and of those too many to tell apart.
    """

    callers: tuple[ListedCaller, ...]
    decides: bool
    suggestions: tuple[Suggestion, ...]
    unnamed: Refusals

    @property
    def may_write(self) -> tuple[str, ...]:
        """The names of those who may write now, as far as the table says."""
        return tuple(one.caller.name for one in self.callers if one.may_write)


class ListedEntry(NamedTuple):
    """One entry of the history; `entry` and `diff` are None where it is unreadable."""

    row: EntryRow
    entry: Entry | None
    diff: CallerDiff | None


def read_allowlist(store: ReadStore, at: datetime) -> Allowlist:
    """Return the whole table with the refusals of the last 24 hours."""
    with store.reading():
        callers = list(all_callers(store))
        counts = store.refusals(since_hour=hour_of(at - REFUSALS_SHOWN))
        decides = store.allowlist_view("").decides
    refused = _by_caller(counts)
    now = column_time(at)
    listed = [
        ListedCaller(one, refused.pop(one.name, Refusals()), is_expired(one, now))
        for one in callers
    ]
    refused.pop("", None), refused.pop(OTHERS, None)
    unnamed = _summed([one for one in counts if one.caller in ("", OTHERS)])
    suggestions = [Suggestion(name, refusals) for name, refusals in refused.items()]
    suggestions.sort(key=lambda one: (-one.refusals.times, one.name))
    return Allowlist(tuple(listed), decides, tuple(suggestions[:MAX_PAGE]), unnamed)


def find_caller(store: ReadStore, name: str, at: datetime) -> ListedCaller:
    """Return one caller.

    Raises:
        NotFound: no such caller.
    """
    caller = store.caller(name)
    if caller is None:
        raise NotFound(f"there is no caller {name!r}; `continuum callers list` shows who there is")
    counts = store.refusals(since_hour=hour_of(at - REFUSALS_SHOWN), caller=name)
    return ListedCaller(caller, _summed(counts), is_expired(caller, column_time(at)))


def all_callers(store: ReadStore) -> Iterator[Caller]:
    """Yield every row by name."""
    after = ""
    while page := store.callers(after=after, limit=MAX_PAGE):
        yield from page
        after = page[-1].name


def list_entries(
    store: ReadStore, *, limit: int = 50, before: int | None = None, caller: str | None = None
) -> list[ListedEntry]:
    """Return entries of the history, newest first."""
    rows = store.caller_entry_page(limit=limit, before=before, caller=caller)
    return [_listed_entry(row) for row in rows]


def verify_history(store: ReadStore) -> HistoryReport:
    """Walk the whole history and compare the table with it."""
    with store.reading():
        return verify_entries(store.caller_entries(), all_callers(store))


def tools_shown(names: Iterable[str]) -> list[str]:
    """Return tools for a list, without the part of their names that all have."""
    return ["all" if name == ALL else name.removeprefix("continuum_") for name in names]


def _listed_entry(row: EntryRow) -> ListedEntry:
    try:
        entry = entry_from_row(row)
        diff = diff_callers(entry.payload.get("before"), entry.payload.get("after"))
    except (UnreadableRecord, AttributeError, TypeError, KeyError):
        # What stands there was not written by this program.
        return ListedEntry(row, None, None)
    return ListedEntry(row, entry, diff)


def _by_caller(counts: Iterable[RefusalCount]) -> dict[str, Refusals]:
    grouped: dict[str, list[RefusalCount]] = {}
    for count in counts:
        grouped.setdefault(count.caller, []).append(count)
    return {caller: _summed(members) for caller, members in grouped.items()}


def _summed(counts: list[RefusalCount]) -> Refusals:
    if not counts:
        return Refusals()
    times: dict[str, int] = {}
    last: dict[str, str] = {}
    for one in counts:
        times[one.reason] = times.get(one.reason, 0) + one.times
        last[one.reason] = max(last.get(one.reason, ""), one.last_at)
    reasons = sorted(times, key=lambda reason: (-times[reason], reason))
    newest = max(counts, key=lambda one: one.last_at)
    return Refusals(
        times=sum(times.values()),
        reasons=tuple((reason, times[reason], last[reason]) for reason in reasons),
        last_at=newest.last_at,
        last_tool=newest.last_tool,
        last_via=newest.last_via,
    )
