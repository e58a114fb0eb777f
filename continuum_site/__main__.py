"""`python -m continuum_site COMMAND`: the commands of `continuum` that need Django."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from continuum.core.errors import ContinuumError

_COMMANDS = {
    "dashboard": "continuum_site.dashboard",
    "demo": "continuum_site.demo",
    "users": "continuum_site.users",
}


def main(argv: list[str]) -> int:
    """Run one command; return its exit status."""
    if not argv or argv[0] not in _COMMANDS:
        sys.stderr.write(f"usage: python -m continuum_site {{{','.join(_COMMANDS)}}} …\n")
        return 2
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "continuum_site.settings")
    try:
        # Each command reads its options before Django reads its settings, so
        # only the chosen one may be loaded.
        status: int = import_module(_COMMANDS[argv[0]]).main(argv[1:])
    except ContinuumError as exc:
        sys.stderr.write(f"error: {exc}\n")
        return exc.exit_status
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
