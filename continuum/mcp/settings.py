"""What the server is started with, read and checked before any store is opened."""

from __future__ import annotations

import os
from ipaddress import ip_address

from continuum.core.errors import ConfigurationError
from continuum.core.records import NamedTuple
from continuum.services.policies import (
    CLIENT_SECRETS_VARIABLE,
    SHARED_SECRET_VARIABLE,
    load_policy,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from continuum.services.policies import Policy

DEFAULT_DB = "continuum.db"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000
STDIO = "stdio"
TRANSPORTS = (STDIO, "sse", "streamable-http")
TOOLSETS_VARIABLE = "CONTINUUM_MCP_TOOLSETS"
SLIM_VARIABLE = "CONTINUUM_MCP_SLIM"
AUTO_CHECKPOINT_VARIABLE = "CONTINUUM_MCP_AUTO_CHECKPOINT"
DEFAULT_TOOLSETS = ("core",)

_MAX_PORT = 65535


class Settings(NamedTuple):
    """How one server runs.

    Attributes:
        db: path or URL of the store.
        slim: only the three tools that judge and confirm are offered.
        toolsets: names of `toolsets.TOOLSETS`, unchecked.
        auto_checkpoint: take a checkpoint behind the answer where it is worth one.
        policy: who may write where the table of callers does not decide.
    """

    db: str
    transport: str
    host: str
    port: int
    slim: bool
    toolsets: tuple[str, ...]
    auto_checkpoint: bool
    policy: Policy


def read_settings(options: Namespace, environ: Mapping[str, str], directory: str) -> Settings:
    """Return the settings of a command line, an environment and a working folder.

    Raises:
        ConfigurationError: something is malformed, or would serve the network
            without a secret.
    """
    policy = load_policy(environ, directory)
    settings = Settings(
        db=options.db or environ.get("CONTINUUM_DB") or DEFAULT_DB,
        transport=options.transport,
        host=options.host,
        port=options.port,
        slim=environ.get(SLIM_VARIABLE) == "1",
        toolsets=_toolsets(environ.get(TOOLSETS_VARIABLE, "")),
        auto_checkpoint=environ.get(AUTO_CHECKPOINT_VARIABLE) == "1",
        policy=policy,
    )
    if settings.transport != STDIO:
        _ensure_safe_address(settings)
    return settings


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server that listens on `host`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _toolsets(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    return names or DEFAULT_TOOLSETS


def _ensure_safe_address(settings: Settings) -> None:
    if not 0 <= settings.port <= _MAX_PORT:
        raise ConfigurationError(f"--port must lie between 0 and {_MAX_PORT}, not {settings.port}")
    guarded = settings.policy.shared_secret or settings.policy.client_secrets
    if not guarded and not is_loopback(settings.host):
        raise ConfigurationError(
            f"--host {settings.host} can be reached from other machines and no secret is asked of "
            f"callers; set {SHARED_SECRET_VARIABLE} or {CLIENT_SECRETS_VARIABLE}, or listen on "
            f"{DEFAULT_HOST}"
        )


def working_folder() -> str:
    """Return the folder that `.continuum/` is looked for in."""
    return os.getcwd()
