"""`dashboard`: prepare people's database and static files, then serve the console."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.checks import run_checks
from django.core.management import call_command
from gunicorn.app.base import BaseApplication

from continuum.core.errors import ConfigurationError
from continuum_site import env
from continuum_site.binding import DEFAULT_BIND, Binding, ensure_safe, read_binding
from runs.engine import current_store, drop_store

_LONGEST_ADDRESS = 8190


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn, configured from here and from no file or command line."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        super().__init__()

    def load_config(self) -> None:
        """Hand our options over."""
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Return the WSGI application; called in each worker."""
        return import_module("continuum_site.wsgi").application


def main(argv: list[str]) -> int:
    """Serve until stopped; return 0 after an orderly stop."""
    options = read_options(argv)
    binding = read_binding(options.bind)
    certificate = (env.text("CONTINUUM_TLS_CERT"), env.text("CONTINUUM_TLS_KEY"))
    ensure_safe(
        binding,
        public=env.public_url("CONTINUUM_PUBLIC_URL") is not None,
        trust_proxy=env.flag("CONTINUUM_TRUST_PROXY"),
        certificate=certificate,
    )
    # Links in messages lead there, where no public address is set.
    os.environ.setdefault("CONTINUUM_ADDRESS", f"http://{binding.address}")
    prepare(options.db)
    _ensure_store()
    Server(server_options(binding, certificate)).run()
    return 0


def read_options(argv: list[str]) -> argparse.Namespace:
    """Parse the command's options."""
    parser = argparse.ArgumentParser(prog="continuum dashboard", allow_abbrev=False)
    parser.add_argument("--db", help="store to show; else CONTINUUM_DB, else continuum.db")
    parser.add_argument("--bind", default=DEFAULT_BIND, help=f"HOST:PORT ({DEFAULT_BIND})")
    return parser.parse_args(argv)


def prepare(db: str | None) -> None:
    """Point the settings at the store, then make everything a first start needs.

    Called once before the server starts, so that no request pays for it.
    """
    if db:
        os.environ["CONTINUUM_DB"] = db
    django.setup()
    ensure_sound()
    call_command("migrate", verbosity=0, interactive=False)
    if _static_is_stale():
        call_command("collectstatic", verbosity=0, interactive=False, clear=True)


def ensure_sound() -> None:
    """Refuse to start with settings that Django's checks or ours find wrong.

    Raises:
        ConfigurationError: names the first of them, and what to do.
    """
    for found in run_checks(include_deployment_checks=settings.PUBLIC_URL is not None):
        if found.is_serious():
            hint = f" {found.hint}" if found.hint else ""
            raise ConfigurationError(f"{found.msg}{hint} ({found.id})")


def server_options(binding: Binding, certificate: tuple[str, str]) -> dict[str, Any]:
    """Return gunicorn's settings: threads, since requests mostly wait for the disk."""
    options: dict[str, Any] = {
        "bind": [binding.address],
        "worker_class": "gthread",
        "workers": env.integer("CONTINUUM_WORKERS", default=2, least=1, most=64),
        "threads": env.integer("CONTINUUM_THREADS", default=4, least=1, most=64),
        "graceful_timeout": 3,
        "timeout": 60,
        "keepalive": 15,
        "control_socket_disable": True,
        # A run id and a key of 512 characters outside ASCII make a long address.
        "limit_request_line": _LONGEST_ADDRESS,
        "loglevel": "warning",
        "proc_name": "continuum-console",
        # Which proxy may speak for a browser is Django's setting, not gunicorn's.
        "forwarded_allow_ips": "",
        "when_ready": lambda _server: _announce(binding),
        "post_worker_init": _keep_lists_current,
    }
    if all(certificate):
        options["certfile"], options["keyfile"] = certificate
    return options


def _ensure_store() -> None:
    """Refuse to start without a store; bring an older one up to date before anybody looks."""
    current_store(settings.CONTINUUM_DB)
    drop_store()


def _keep_lists_current(_worker: object) -> None:
    """Start the background loop in a worker process; threads do not survive a fork."""
    lock_file = Path(settings.STATE_FOLDER) / "keeper.lock"
    # Its module needs people's models, and this one is read before there are settings.
    keeper = import_module("runs.keeper").Keeper
    keeper(settings.CONTINUUM_DB, lock_file, settings.VERIFY_EVERY).start()


def _static_is_stale() -> bool:
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    if not manifest.is_file():
        return True
    built = manifest.stat().st_mtime
    sources = (Path(folder) for folder in settings.STATICFILES_DIRS)
    return any(file.stat().st_mtime > built for folder in sources for file in folder.rglob("*"))


def _announce(binding: Binding) -> None:
    public = settings.PUBLIC_URL
    address = public.address if public else f"http://{binding.address}"
    sys.stdout.write(f"Continuum console on {address}/ (Ctrl+C stops it)\n")
    sys.stdout.flush()
