"""Which tools a server offers. Later groups join by an entry here."""

from __future__ import annotations

from continuum.core.errors import ConfigurationError
from continuum.mcp.tools import acting, judging, recording, settling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from continuum.mcp.calls import Tool

TOOLSETS: dict[str, tuple[Tool, ...]] = {
    "core": (
        *recording.TOOLS,
        *judging.TOOLS,
        acting.INTERCEPT,
        *settling.TOOLS,
        acting.LIST,
    ),
}
"""Toolset → its tools, in the order they are listed."""

SLIM = frozenset({"continuum_resume", "continuum_validate", "continuum_confirm"})
"""What is left of the tools where only judging is wanted."""


def offered_tools(names: Sequence[str], *, slim: bool = False) -> tuple[Tool, ...]:
    """Return the tools of the toolsets `names`; the first of a name is kept.

    Raises:
        ConfigurationError: there is no such toolset.
    """
    tools: dict[str, Tool] = {}
    for name in names:
        for tool in _toolset(name):
            tools.setdefault(tool.name, tool)
    return tuple(tool for tool in tools.values() if not slim or tool.name in SLIM)


def _toolset(name: str) -> tuple[Tool, ...]:
    if name not in TOOLSETS:
        raise ConfigurationError(
            f"there is no toolset {name!r}; CONTINUUM_MCP_TOOLSETS may name {', '.join(TOOLSETS)}"
        )
    return TOOLSETS[name]
