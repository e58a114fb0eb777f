"""What the environment and the policy file say about callers (mcp.md 1.3 and 2).

They are read once, when a door opens, and before any store is. A malformed
one stops the door. The table of callers, when it decides, comes before them.
"""

from __future__ import annotations

import json
import os

from continuum.core.errors import ConfigurationError
from continuum.core.records import NamedTuple
from continuum.services.refusals import RefusalMeter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ALLOWLIST_VARIABLE = "CONTINUUM_MCP_MUTATING_CLIENTS"
OTHER_ALLOWLIST_VARIABLE = "CONTINUUM_MCP_ALLOW"
SHARED_SECRET_VARIABLE = "CONTINUUM_MCP_TOKEN"
CLIENT_SECRETS_VARIABLE = "CONTINUUM_MCP_CLIENT_TOKENS"
CONFIRM_SECRET_VARIABLE = "CONTINUUM_MCP_CONFIRM_TOKEN"
POLICY_PATH = ".continuum/mcp-policy.json"

NOBODY = "nobody"
_MAX_BYTES = 1024 * 1024


class Policy(NamedTuple):
    """Who may write, and with which secrets, where the table does not decide.

    Attributes:
        clients: the names, in the order given.
        source: `environment`, `file`, or `nobody`.
        shared_secret: asked of everybody, or None.
        client_secrets: name → secret; when not empty, the shared one is void.
        confirm_secret: opens `continuum_confirm`; None closes it to everybody.
        meter: keeps a flood of refusals from the store; None counts each at once.
    """

    clients: tuple[str, ...] = ()
    source: str = NOBODY
    shared_secret: str | None = None
    client_secrets: Mapping[str, str] = {}
    confirm_secret: str | None = None
    meter: RefusalMeter | None = None

    def __repr__(self) -> str:
        """Return the names alone: a policy ends up in logs, its secrets must not."""
        return f"Policy(clients={self.clients!r}, source={self.source!r})"


def load_policy(environ: Mapping[str, str], directory: str) -> Policy:
    """Return the policy of an environment and of the folder a door works in.

    The first source of names that is not empty wins, nothing is merged.

    Raises:
        ConfigurationError: the file or a variable is malformed, or the confirm
            secret is that of somebody else.
    """
    clients, source = _clients(environ, directory)
    client_secrets = _client_secrets(environ.get(CLIENT_SECRETS_VARIABLE, ""))
    policy = Policy(
        clients=clients,
        source=source,
        shared_secret=None if client_secrets else environ.get(SHARED_SECRET_VARIABLE) or None,
        client_secrets=client_secrets,
        confirm_secret=environ.get(CONFIRM_SECRET_VARIABLE) or None,
        meter=RefusalMeter(),
    )
    _ensure_confirm_secret_is_its_own(policy, environ)
    return policy


def _clients(environ: Mapping[str, str], directory: str) -> tuple[tuple[str, ...], str]:
    from_file = _file_clients(os.path.join(directory, POLICY_PATH))
    for variable in (ALLOWLIST_VARIABLE, OTHER_ALLOWLIST_VARIABLE):
        names = tuple(_words(environ.get(variable, "")))
        if names:
            return names, "environment"
    return from_file, "file" if from_file else NOBODY


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _client_secrets(text: str) -> dict[str, str]:
    secrets: dict[str, str] = {}
    for pair in _words(text):
        name, colon, secret = pair.partition(":")
        if not (name and colon and secret):
            raise ConfigurationError(
                f"{CLIENT_SECRETS_VARIABLE} holds a pair that is not NAME:SECRET; correct it and "
                "start again (nothing of it is shown here, since it may be a secret)"
            )
        if secrets.setdefault(name, secret) != secret:
            raise ConfigurationError(f"{CLIENT_SECRETS_VARIABLE} gives {name!r} two secrets")
    if text and not secrets:
        raise ConfigurationError(f"{CLIENT_SECRETS_VARIABLE} is set but names nobody; unset it")
    return secrets


def _ensure_confirm_secret_is_its_own(policy: Policy, environ: Mapping[str, str]) -> None:
    others = {environ.get(SHARED_SECRET_VARIABLE), *policy.client_secrets.values()}
    if policy.confirm_secret is not None and policy.confirm_secret in others:
        raise ConfigurationError(
            f"{CONFIRM_SECRET_VARIABLE} is the secret of a session as well, so whoever works could "
            "confirm that work; choose another one"
        )


def _file_clients(path: str) -> tuple[str, ...]:
    try:
        with open(path, "rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return ()
    except OSError as exc:
        raise _malformed(path, exc.strerror or str(exc)) from exc
    if len(content) > _MAX_BYTES:
        raise _malformed(path, f"it is larger than {_MAX_BYTES} bytes")
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as exc:
        raise _malformed(path, str(exc)) from exc
    return _names(document, path)


def _names(document: Any, path: str) -> tuple[str, ...]:
    names = document
    if isinstance(document, dict):
        keys = [key for key in ("allow", "allowed") if key in document]
        if len(keys) != 1:
            raise _malformed(path, "it needs exactly one of the members `allow` and `allowed`")
        names = document[keys[0]]
    if not isinstance(names, list) or not all(isinstance(one, str) and one for one in names):
        raise _malformed(path, "the allowlist must be an array of names")
    return tuple(names)


def _malformed(path: str, problem: str) -> ConfigurationError:
    return ConfigurationError(
        f"{path} cannot be used: {problem}; correct or remove it, then start again"
    )
