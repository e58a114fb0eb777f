"""Parts of the store that most commands never use; each is loaded when first asked for.

A command starts in thirty milliseconds, and a module costs a tenth of one or
more. So a store begins with what judging and appending take. Whatever else it
is asked for is looked up in the modules below, once for a process, and then
belongs to the class like any other method. What writes, and what reads the
bodies of checkpoints, are functions or classes of their own: `loaded` has them.
"""

from __future__ import annotations

from sys import modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from continuum.store.actionlists import ActionListReads
    from continuum.store.attestations import AttestationTableReads, AttestationTableWrites
    from continuum.store.callers import CallerTableReads, CallerTableWrites
    from continuum.store.families import FamilyTableReads
    from continuum.store.guards import GuardTableReads, GuardTableWrites
    from continuum.store.logs import LogTableReads
    from continuum.store.notes import NoteTableReads, NoteTableWrites
    from continuum.store.policies import PolicyTableReads, PolicyTableWrites
    from continuum.store.search import SearchTableReads, SearchTableWrites

    class LateReads(
        ActionListReads,
        AttestationTableReads,
        CallerTableReads,
        FamilyTableReads,
        GuardTableReads,
        LogTableReads,
        NoteTableReads,
        PolicyTableReads,
        SearchTableReads,
    ):
        """Every read that is loaded late."""

    class LateWrites(
        AttestationTableWrites,
        CallerTableWrites,
        GuardTableWrites,
        NoteTableWrites,
        PolicyTableWrites,
        SearchTableWrites,
    ):
        """Every write that is loaded late."""


def loaded(module: str, name: str) -> Any:
    """Return what `module` calls `name`; the module is loaded when it is first asked for."""
    __import__(module)
    return getattr(modules[module], name)


if not TYPE_CHECKING:

    class _Late:
        """Finds a method in one of several classes that are not loaded yet."""

        _PARTS = ()

        def __getattr__(self, name):
            if not name.startswith("__"):
                for module, part in self._PARTS:
                    found = _member(loaded(f"continuum.store.{module}", part), name)
                    if found is not None:
                        setattr(type(self), name, found)
                        return getattr(self, name)
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

        def __dir__(self):
            parts = (loaded(f"continuum.store.{module}", part) for module, part in self._PARTS)
            return sorted({*super().__dir__(), *(name for part in parts for name in dir(part))})

    class LateReads(_Late):
        _PARTS = (
            ("guards", "GuardTableReads"),
            ("policies", "PolicyTableReads"),
            ("callers", "CallerTableReads"),
            ("notes", "NoteTableReads"),
            ("actionlists", "ActionListReads"),
            ("families", "FamilyTableReads"),
            ("logs", "LogTableReads"),
            ("search", "SearchTableReads"),
            ("attestations", "AttestationTableReads"),
        )

    class LateWrites(_Late):
        _PARTS = (
            ("guards", "GuardTableWrites"),
            ("policies", "PolicyTableWrites"),
            ("callers", "CallerTableWrites"),
            ("notes", "NoteTableWrites"),
            ("search", "SearchTableWrites"),
            ("attestations", "AttestationTableWrites"),
        )

    def _member(part, name):
        owners = (one for one in part.__mro__ if name in vars(one) and one is not object)
        owner = next(owners, None)
        return vars(owner)[name] if owner else None
