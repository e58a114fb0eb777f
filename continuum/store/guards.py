"""Our triggers: are they what this program made, and making them again.

Triggers notice every change of an event by any client, so that a verified mark
falls and the first hash is kept. Whoever may change the schema can take them
away. What should be there is what the numbered scripts define, the last
definition of a name; what is there, the database says itself.
"""

from __future__ import annotations

from continuum.store.statements import Statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from continuum.store.database import Database

_FOLDERS = {"sqlite": "sqlite", "postgresql": "postgres"}
_BODY = "$body$"


class GuardTableReads:
    """What triggers the store has."""

    has_read_model: bool
    backend: str
    _database: Database

    def missing_guards(self) -> list[str]:
        """Return our triggers, and functions of theirs, that are gone, off or altered; by name."""
        if not self.has_read_model:
            return []
        wanted = _wanted(self._database)
        found = _found(self._database)
        return sorted(name for name, text in wanted.items() if found.get(name) != _plain(text))

    def guards_mark(self) -> int:
        """Return a number that changes when the schema does; cheap to ask for."""
        row = self._database.one("schema.guards_mark")
        return int(row[0]) if row else 0


class GuardTableWrites:
    """Making triggers again."""

    _database: Database

    def restore_guards(self) -> None:
        """Make every trigger anew as it should be, and believe no mark they kept."""
        texts = _wanted(self._database)
        drops = [_drop(self._database, text) for text in texts.values() if _is_trigger(text)]
        self._database.define([*drops, *texts.values()])
        self._database.run("schema.add_heads", {})
        self._database.run("schema.distrust_heads", {})


def _wanted(database: Database) -> dict[str, str]:
    """Return name → definition, functions before the triggers that call them."""
    statements = Statements(_FOLDERS[database.backend])
    row = database.one("schema.cx_version")
    scripts = range(1, int(row[0]) + 1 if row else 1)
    named: dict[str, str] = {}
    for number in scripts:
        for text in statements.script(f"cx_{number}"):
            name = _defined(text)
            if name:
                named[name] = text
    order = sorted(named, key=lambda name: _is_trigger(named[name]))
    return {name: named[name] for name in order}


def _defined(text: str) -> str:
    """Return the name a statement gives to a trigger or function, else nothing."""
    words = text.replace("(", " ( ").split()
    if words[:1] != ["CREATE"]:
        return ""
    words = words[3:] if words[1:3] == ["OR", "REPLACE"] else words[1:]
    kind, *rest = words
    if kind not in ("TRIGGER", "FUNCTION"):
        return ""
    rest = rest[3:] if rest[:3] == ["IF", "NOT", "EXISTS"] else rest
    return f"{rest[0]}()" if kind == "FUNCTION" else rest[0]


def _found(database: Database) -> dict[str, str]:
    return {str(name): _plain(str(text)) for name, text in database.all("schema.guards")}


def _plain(text: str) -> str:
    """Return a definition so that equal ones are equal texts: of a function, its body."""
    if _BODY in text:
        text = text.split(_BODY)[1]
    for optional in (" OR REPLACE", " IF NOT EXISTS"):
        text = text.replace(optional, "", 1)
    # PostgreSQL tells the events of a trigger in an order of its own.
    return " ".join(text.rstrip(";").split()).replace("DELETE OR UPDATE", "UPDATE OR DELETE")


def _is_trigger(text: str) -> bool:
    return not _defined(text).endswith("()")


def _drop(database: Database, text: str) -> str:
    """Return the statement that takes a trigger away; the names are those of our own scripts."""
    name, words = _defined(text), text.split()
    if database.backend == "sqlite":
        return f"DROP TRIGGER IF EXISTS {name}"
    return f"DROP TRIGGER IF EXISTS {name} ON {words[words.index('ON') + 1]}"
