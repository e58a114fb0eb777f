"""`python -m continuum.cli`: the same as `continuum`."""

from __future__ import annotations

import sys

from continuum.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
