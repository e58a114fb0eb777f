"""Files that commands read and write: whole or not at all."""

from __future__ import annotations

import json
import os
import sys

from continuum.core.errors import Conflict, InvalidInput
from continuum.domain.exportlines import MAX_LINE_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any

MAX_DOCUMENT_BYTES = 64 << 20


def read_text(path: str, what: str) -> str:
    """Return the text of a file.

    Raises:
        InvalidInput: there is none, it cannot be read, is too large or no UTF-8.
    """
    try:
        with open(path, "rb") as file:
            raw = file.read(MAX_DOCUMENT_BYTES + 1)
    except OSError as exc:
        raise InvalidInput(f"{what} {path!r} cannot be read: {exc.strerror}") from exc
    if len(raw) > MAX_DOCUMENT_BYTES:
        raise InvalidInput(f"{what} {path!r} is larger than {MAX_DOCUMENT_BYTES >> 20} MiB")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise InvalidInput(f"{what} {path!r} is no UTF-8 text") from exc


def read_document(path: str, what: str) -> dict[str, Any]:
    """Return the JSON object a file holds.

    Raises:
        InvalidInput: it holds something else.
    """
    try:
        document = json.loads(read_text(path, what))
    except (ValueError, RecursionError) as exc:
        raise InvalidInput(f"{what} {path!r} is no JSON: {exc}") from exc
    if not isinstance(document, dict):
        raise InvalidInput(f"{what} {path!r} holds no JSON object")
    return document


def write_new(path: str, text: str, *, mode: int) -> None:
    """Write a file that must not exist yet, with its permissions from the first moment.

    Raises:
        Conflict: it exists.
        InvalidInput: it cannot be written.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    except FileExistsError as exc:
        raise Conflict(f"{path!r} exists already; choose another name") from exc
    except OSError as exc:
        raise InvalidInput(f"{path!r} cannot be written: {exc.strerror}") from exc
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)


class WholeFile:
    """A file that appears under its name only when it is complete.

    Raises:
        InvalidInput: it cannot be written.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._part = f"{path}.{os.getpid()}.part"

    def __enter__(self) -> IO[bytes]:
        try:
            self._file = open(self._part, "xb")
        except OSError as exc:
            raise InvalidInput(f"{self._path!r} cannot be written: {exc.strerror}") from exc
        return self._file

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        self._file.close()
        if kind is None:
            os.replace(self._part, self._path)
        else:
            os.unlink(self._part)


class FileLines:
    """The lines of a file, or of stdin for `-`, each up to a limit and a little more.

    Raises:
        InvalidInput: it cannot be read.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> Iterator[bytes]:
        try:
            self._file = sys.stdin.buffer if self._path == "-" else open(self._path, "rb")
        except OSError as exc:
            raise InvalidInput(f"{self._path!r} cannot be read: {exc.strerror}") from exc
        return iter(self._next, b"")

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        if self._path != "-":
            self._file.close()

    def _next(self) -> bytes:
        try:
            return self._file.readline(MAX_LINE_BYTES + 1)
        except OSError as exc:
            raise InvalidInput(f"{self._path!r} cannot be read: {exc.strerror}") from exc


def write_document(path: str, document: Any) -> None:
    """Write JSON as the reference client does: sorted, ASCII, no final line end.

    Raises:
        InvalidInput: the file cannot be written.
    """
    with WholeFile(path) as file:
        file.write(json.dumps(document, indent=2, sort_keys=True).encode("ascii"))
