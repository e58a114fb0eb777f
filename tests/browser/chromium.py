"""The browser the tests drive: Debian's Chromium, kept off the network."""

from __future__ import annotations

EXECUTABLE = "/usr/bin/chromium"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
