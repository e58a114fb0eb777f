#!/usr/bin/env python3
"""Django's own commands; day-to-day work goes through `continuum` and `make`."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

from continuum.core.errors import ContinuumError


def main() -> int:
    """Run the command on argv; a wrong setting is one line, never a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "continuum_site.settings")
    try:
        execute_from_command_line(sys.argv)
    except ContinuumError as exc:
        sys.stderr.write(f"error: {exc}\n")
        return exc.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
