"""`python -m continuum.mcp` is `continuum-mcp`."""

from __future__ import annotations

import sys

from continuum.mcp.main import main

if __name__ == "__main__":
    sys.exit(main())
