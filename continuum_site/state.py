"""The state folder: people's database, the secret key, the built static files.

It lies apart from the store, so that a store can be copied or handed to an
auditor without a password hash in it.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from continuum.core.errors import ConfigurationError

_KEY_BYTES = 50


def ensure_folder(folder: Path) -> Path:
    """Create the folder for its owner only, if it is missing."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as exc:
        raise ConfigurationError(
            f"the state folder {folder} cannot be made ({exc.strerror}); "
            f"set CONTINUUM_STATE to a folder that can be written"
        ) from exc
    return folder


def secret_key(folder: Path) -> str:
    """Return the key kept in `folder`; make one on first use.

    The file appears complete or not at all, readable by its owner only. Of two
    processes that start at once, both get the key of the first.

    Raises:
        ConfigurationError: the file can be read by others, is too short, or
            cannot be written.
    """
    path = ensure_folder(folder) / "secret_key"
    try:
        if not path.exists():
            _write_once(path, secrets.token_urlsafe(_KEY_BYTES))
        mode = path.stat().st_mode
        key = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigurationError(f"the secret key {path} cannot be used: {exc}") from exc
    if mode & 0o077:
        raise ConfigurationError(f"{path} can be read by others; run chmod 600 on it")
    if len(key) < _KEY_BYTES:
        raise ConfigurationError(f"{path} is too short for a key; delete it to get a new one")
    return key


def _write_once(path: Path, content: str) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _link_unless_there(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _link_unless_there(draft: Path, path: Path) -> None:
    # A link fails where a rename would replace the key another process just made.
    try:
        os.link(draft, path)
    except FileExistsError:
        return
