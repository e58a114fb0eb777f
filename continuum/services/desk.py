"""Who works on what: taking items, giving them to somebody, and saying something about them.

A claim binds decisions (`services.safeguards.ensure_unclaimed`). Taking,
giving, returning and commenting each leave a note with who did it and when;
notes are only added to. None of this is an event: the log holds what was
decided, not who looked.
"""

from __future__ import annotations

from continuum.core.clock import column_time
from continuum.core.errors import (
    AlreadyDecided,
    InvalidInput,
    NotAllowed,
    NotFound,
)
from continuum.core.records import NamedTuple
from continuum.services.acts import ensure_act
from continuum.services.inbox import get_item, item_id_of
from continuum.store.noteport import NoteRow as NoteRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from continuum.services.acts import Act
    from continuum.store.base import ReadStore, Store, Writer
    from continuum.store.modelport import Item

MAX_AT_ONCE = 200
COMMENT = "comment"


class Handled(NamedTuple):
    """What came of claiming or assigning several items.

    Attributes:
        done: ids of those that now have the wanted holder.
        refused: id and why, of the others.
    """

    done: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


def notes_on(store: ReadStore, item_id: str) -> list[NoteRow]:
    """Return what was noted on an item, newest first."""
    return store.notes(item_id=item_id)


def notes_of_run(store: ReadStore, run_id: str) -> list[NoteRow]:
    """Return what was noted on all items a run ever had, newest first."""
    return store.notes(run_id=run_id, limit=MAX_AT_ONCE)


def comment(store: Store, item_id: str, act: Act) -> Item:
    """Keep `act.reason` as a comment on an item, open or closed; return the item.

    Raises:
        NotFound: no such item.
        InvalidInput: nothing was said, or too much.
    """
    act = ensure_act(act)
    if not act.reason:
        raise InvalidInput("a comment needs a text")
    with store.writing() as writer:
        item = get_item(store, item_id)
        _comment(store, writer, _row(item_id, item.run_id, act, COMMENT))
        return get_item(store, item_id)


def comment_on_action(store: Store, run_id: str, key: str, act: Act) -> None:
    """Keep `act.reason` as a comment on an action's item, listed already or not yet.

    Raises:
        InvalidInput: too much was said.
    """
    act = ensure_act(act)
    item_id = item_id_of(run_id, "action", key)
    with store.writing(run_id) as writer:
        _comment(store, writer, _row(item_id, run_id, act, COMMENT))


def claim(store: Store, item_id: str, act: Act) -> Item:
    """Take an open item, so that others see who works on it; return it.

    Raises:
        NotFound: no such item.
        AlreadyDecided: it is closed, or somebody else holds it.
    """
    act = ensure_act(act)
    with store.writing() as writer:
        _claim(store, writer, item_id, act)
        return get_item(store, item_id)


def release(store: Store, item_id: str, act: Act) -> Item:
    """Give an item back; return it.

    Raises:
        NotFound: no such item, or it is closed.
        NotAllowed: somebody else holds it.
    """
    act = ensure_act(act)
    with store.writing() as writer:
        item = get_item(store, item_id)
        if item.claimed_by and item.claimed_by != act.by:
            raise NotAllowed(f"{item.claimed_by} holds this item; only they can release it")
        writer.claim_item(item_id, None, act.at)
        if item.claimed_by:
            _note(writer, item, act, "released")
        return get_item(store, item_id)


def assign(store: Store, item_id: str, person: str, act: Act) -> Item:
    """Give an open item to somebody, who then holds it as if they had claimed it; return it.

    Raises:
        NotFound: no such item.
        AlreadyDecided: it is closed.
        InvalidInput: it is taken from somebody else without a reason.
    """
    act = ensure_act(act)
    with store.writing() as writer:
        _assign(store, writer, item_id, person, act)
        return get_item(store, item_id)


def claim_all(store: Store, item_ids: Sequence[str], act: Act) -> Handled:
    """Take the named items and no others; what cannot be taken is told, the rest is done.

    Raises:
        InvalidInput: none or too many are named.
    """
    act = ensure_act(act)
    return _each(store, item_ids, lambda writer, one: _claim(store, writer, one, act))


def assign_all(store: Store, item_ids: Sequence[str], person: str, act: Act) -> Handled:
    """Give the named items and no others to somebody.

    Raises:
        InvalidInput: none or too many are named.
    """
    act = ensure_act(act)
    return _each(store, item_ids, lambda writer, one: _assign(store, writer, one, person, act))


def _each(store: Store, item_ids: Sequence[str], handle: Callable[[Writer, str], None]) -> Handled:
    wanted = tuple(dict.fromkeys(item_ids))
    if not wanted:
        raise InvalidInput("tick at least one item")
    if len(wanted) > MAX_AT_ONCE:
        raise InvalidInput(f"at most {MAX_AT_ONCE} items can be handled at once")
    done, refused = [], []
    with store.writing() as writer:
        for item_id in wanted:
            try:
                handle(writer, item_id)
            except (AlreadyDecided, NotFound, InvalidInput) as exc:
                refused.append((item_id, str(exc)))
            else:
                done.append(item_id)
    return Handled(tuple(done), tuple(refused))


def _claim(store: ReadStore, writer: Writer, item_id: str, act: Act) -> None:
    item = _open_item(store, item_id)
    if item.claimed_by and item.claimed_by != act.by:
        raise AlreadyDecided(f"{item.claimed_by} works on this item; ask them to release it")
    if item.claimed_by == act.by:
        return
    writer.claim_item(item_id, act.by, act.at)
    _note(writer, item, act, "claimed")


def _assign(store: ReadStore, writer: Writer, item_id: str, person: str, act: Act) -> None:
    item = _open_item(store, item_id)
    if item.claimed_by == person:
        return
    if item.claimed_by and item.claimed_by != act.by and not act.reason:
        raise InvalidInput(f"{item.claimed_by} works on this item; taking it away needs a reason")
    writer.claim_item(item_id, person, act.at)
    _note(writer, item, act, "assigned", subject=person)


def _open_item(store: ReadStore, item_id: str) -> Item:
    item = get_item(store, item_id)
    if item.closed_at:
        raise AlreadyDecided(f"this item was closed at {item.closed_at}; nothing is left to do")
    return item


def _comment(store: ReadStore, writer: Writer, row: NoteRow) -> None:
    """Keep a comment; a form that was sent twice says it once."""
    newest = store.notes(item_id=row.item_id, limit=1)
    if [(one.kind, one.author, one.text) for one in newest] != [(COMMENT, row.author, row.text)]:
        writer.save_note(row)


def _note(writer: Writer, item: Item, act: Act, kind: str, *, subject: str | None = None) -> None:
    writer.save_note(_row(item.item_id, item.run_id, act, kind)._replace(subject=subject))


def _row(item_id: str, run_id: str, act: Act, kind: str) -> NoteRow:
    at = column_time(act.at)
    return NoteRow(0, item_id, run_id, kind, act.by, act.via, at, None, act.reason)
