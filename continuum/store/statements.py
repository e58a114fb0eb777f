"""Named SQL statements, read from the `.sql` files beside this module.

A file holds blocks that start with `-- name: WORD`, one statement each. A
block is known as `FILE.WORD`: `events.head` is the block `head` of
`events.sql`. A file in the folder of a back end adds to the one of the same
name in `common` and wins where both define a block.

Four marks keep SQL out of the code, and most of it in `common`:

* `--? size !kind` at the end of a line: it stands only when the parameter
  `size` is given (not None) and `kind` is not, so each combination of filters
  is a statement of its own with its own plan. `sqlite` and `postgres` are
  given where they are meant;
* `--+ word`: the lines of the part `word`, which stands as a block
  `-- part: word` before the first statement of its file;
* `IN :kinds[]`: one of a list of texts, as `Database.values` hands it over;
* parameters are written `:size` for both back ends.

Scripts (`cx_1`, …) are all blocks of the common file, then those of the back
end's own.

Files are read when a statement of theirs is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_FOLDER = __file__.rpartition("/")[0] + "/sql"
_NAME_MARK = "-- name: "
_PART_MARK = "-- part: "
_PART_HERE = "--+ "
_OPTION_MARK = "--?"
_LIST_MARK = "IN :"
_LISTS = {"sqlite": ("IN (SELECT value FROM json_each(:", "))"), "postgres": ("= ANY(:", ")")}
"""How each back end asks whether a list has a value: before and behind the parameter's name."""

_IDENTIFIER = frozenset("abcdefghijklmnopqrstuvwxyz_0123456789")


class Statements:
    """The statements of one back end, by name.

    Args:
        backend: folder of the statements that win over the common ones.
        pyformat: write parameters as `%(size)s` instead of `:size`.
    """

    def __init__(self, backend: str, *, pyformat: bool = False) -> None:
        self._backend = backend
        self._pyformat = pyformat
        self._sources: dict[str, str] = {}
        self._read: set[str] = set()
        self._texts: dict[str, str] = {}
        self._variants: dict[tuple[str, frozenset[str]], str] = {}

    def text(self, name: str, params: Mapping[str, Any]) -> str:
        """Return the statement `name` with the optional lines that `params` give."""
        text = self._texts.get(name)
        if text is not None:
            return text
        source = self._source(name)
        if _OPTION_MARK not in source:
            self._texts[name] = text = self._written(source)
            return text
        present = frozenset(
            (self._backend, *(key for key, value in params.items() if value is not None))
        )
        variant = self._variants.get((name, present))
        if variant is None:
            variant = self._written(_with_options(source, present))
            self._variants[name, present] = variant
        return variant

    def script(self, file: str) -> list[str]:
        """Return all statements of a script, in order; they have no parameters."""
        blocks = [
            block
            for folder in ("common", self._backend)
            for block in _blocks(_read_file(f"{folder}/{file}"))
        ]
        return [_with_options(source, frozenset((self._backend,))) for _, source in blocks]

    def _source(self, name: str) -> str:
        file = name.partition(".")[0]
        if file not in self._read:
            for folder in ("common", self._backend):
                blocks = _blocks(_read_file(f"{folder}/{file}"))
                self._sources.update((f"{file}.{word}", source) for word, source in blocks)
            self._read.add(file)
        return self._sources[name]

    def _written(self, source: str) -> str:
        spelled = _with_lists(source, _LISTS[self._backend])
        return _pyformat(spelled) if self._pyformat else spelled


def _read_file(path: str) -> str:
    try:
        with open(f"{_FOLDER}/{path}.sql", encoding="utf-8") as file:
            return _with_parts(file.read())
    except FileNotFoundError:
        return ""


def _with_parts(text: str) -> str:
    """Put the lines of each part where it is asked for."""
    if _PART_HERE not in text:
        return text
    head, mark, statements = text.partition(_NAME_MARK)
    parts = dict(part.split("\n", 1) for part in head.split(_PART_MARK)[1:])
    lines = [
        parts[line.removeprefix(_PART_HERE)].rstrip() if line.startswith(_PART_HERE) else line
        for line in statements.splitlines()
    ]
    return mark + "\n".join(lines)


def _blocks(text: str) -> list[tuple[str, str]]:
    blocks = []
    for block in text.split(_NAME_MARK)[1:]:
        word, *lines = block.splitlines()
        source = "\n".join(line for line in lines if line.strip() and line[:2] != "--")
        blocks.append((word.strip(), source.rstrip(";")))
    return blocks


def _with_options(source: str, present: frozenset[str]) -> str:
    lines = []
    for line in source.splitlines():
        kept, mark, option = line.partition(_OPTION_MARK)
        if not mark or _stands(option, present):
            lines.append(kept)
    return "\n".join(lines)


def _with_lists(source: str, spelling: tuple[str, str]) -> str:
    first, *rest = source.split(_LIST_MARK)
    parts = [first]
    for part in rest:
        name, mark, tail = part.partition("[]")
        is_list = mark and _IDENTIFIER.issuperset(name)
        named = f"{spelling[0]}{name}{spelling[1]}{tail}"
        parts.append(named if is_list else f"{_LIST_MARK}{part}")
    return "".join(parts)


def _stands(option: str, present: frozenset[str]) -> bool:
    return all(
        word[1:] not in present if word.startswith("!") else word in present
        for word in option.split()
    )


def _pyformat(source: str) -> str:
    first, *rest = source.replace("%", "%%").split(":")
    parts = [first]
    for part in rest:
        size = 0
        while size < len(part) and part[size] in _IDENTIFIER:
            size += 1
        parts.append(f"%({part[:size]})s{part[size:]}" if size else f":{part}")
    return "".join(parts)
