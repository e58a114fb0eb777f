"""Running the server on one of its transports. The only way in that needs the SDK."""

from __future__ import annotations

import logging
import sys

import anyio

from continuum.mcp.door import Door
from continuum.mcp.network import serve_network
from continuum.mcp.server import make_server
from continuum.mcp.settings import STDIO
from continuum.mcp.stdio import stdio_streams, take_standard_streams
from continuum.mcp.toolsets import offered_tools
from continuum.mcp.upkeep import Upkeep
from continuum.mcp.worker import Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mcp.server import Server

    from continuum.mcp.calls import Tool
    from continuum.mcp.settings import Settings
    from continuum.store.base import Store


def chosen_tools(settings: Settings) -> tuple[Tool, ...]:
    """Return the tools that are offered.

    Raises:
        ConfigurationError: a toolset that does not exist is asked for.
    """
    return offered_tools(settings.toolsets, slim=settings.slim)


def serve(settings: Settings, tools: Sequence[Tool], store: Store) -> None:
    """Serve until the client leaves or the process is stopped.

    Raises:
        ConfigurationError: the address cannot be listened on.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    with Worker() as worker:
        door = Door(store, settings.policy, tools)
        upkeep = Upkeep(store, tools, auto_checkpoint=settings.auto_checkpoint)
        server = make_server(tools, door, worker, upkeep)
        if settings.transport == STDIO:
            anyio.run(_serve_stdio, server)
        else:
            serve_network(server, settings)


async def _serve_stdio(server: Server[Any]) -> None:
    async with stdio_streams(*take_standard_streams()) as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())
