"""System checks: a wrong set-up is named at start, not met at request time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.utils.module_loading import import_string

from continuum_site.databases import store_path

_SECURE = (
    "SESSION_COOKIE_SECURE",
    "SESSION_COOKIE_HTTPONLY",
    "CSRF_COOKIE_SECURE",
    "CSRF_COOKIE_HTTPONLY",
    "SECURE_SSL_REDIRECT",
)
_NEEDED = (
    "runs.middleware.HeadersMiddleware",
    "runs.trust.middleware.FetchSiteMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "runs.trust.middleware.PeopleMiddleware",
)


def check_places(**_kwargs: Any) -> list[CheckMessage]:
    """Refuse a people's database inside the store's own file."""
    file = store_path(settings.CONTINUUM_DB)
    people = settings.DATABASES["default"]["NAME"]
    if file is None or Path(str(people)).absolute() != file.absolute():
        return []
    return [
        Error(
            "People's data and the store are one file, so a copy of the store would carry "
            "password hashes.",
            hint="Unset CONTINUUM_STATE_DB, or point it at another file.",
            id="runs.E001",
        )
    ]


def check_proxy(**_kwargs: Any) -> list[CheckMessage]:
    """Refuse to believe a proxy about an address nobody named."""
    if not settings.TRUST_PROXY or settings.PUBLIC_URL is not None:
        return []
    return [
        Error(
            "CONTINUUM_TRUST_PROXY is set, but not where people reach the console, so whoever "
            "reaches it directly could say any address is theirs.",
            hint="Set CONTINUUM_PUBLIC_URL to the https address of the proxy, or unset "
            "CONTINUUM_TRUST_PROXY.",
            id="runs.E002",
        )
    ]


def check_doors(**_kwargs: Any) -> list[CheckMessage]:
    """Refuse settings of one's own that leave a door open."""
    present = [import_string(name) for name in settings.MIDDLEWARE]
    found: list[CheckMessage] = [
        Error(f"MIDDLEWARE lacks {name}, which keeps people and their data apart.", id="runs.E003")
        for name in _NEEDED
        if not any(_stands_for(one, import_string(name)) for one in present)
    ]
    if "*" in settings.ALLOWED_HOSTS:
        found.append(
            Error(
                "ALLOWED_HOSTS takes every name, so a page of another site could talk to the "
                "console by rebinding its own.",
                hint="Name the hosts, or set CONTINUUM_PUBLIC_URL.",
                id="runs.E004",
            )
        )
    if settings.PUBLIC_URL is not None:
        found += [
            Error(f"{name} is off, but people reach the console over a network.", id="runs.E005")
            for name in _SECURE
            if not getattr(settings, name, False)
        ]
    return found


def _stands_for(middleware: Any, needed: type) -> bool:
    """Return whether a middleware is the one needed, or made from it."""
    return isinstance(middleware, type) and issubclass(middleware, needed)


def check_mail(**_kwargs: Any) -> list[CheckMessage]:
    """Say when mail is to be sent and links would lead nowhere for others."""
    if settings.PUBLIC_URL is not None or "console" in settings.EMAIL_BACKEND:
        return []
    if settings.EMAIL_BACKEND.endswith(("locmem.EmailBackend", "dummy.EmailBackend")):
        return []
    return [
        Warning(
            "Mail is sent, but links in it lead to this machine only.",
            hint="Set CONTINUUM_PUBLIC_URL.",
            id="runs.W001",
        )
    ]


def check_signing_key(**_kwargs: Any) -> list[CheckMessage]:
    """Say when the key that signs attestations is not there, or open to others."""
    if not settings.SIGNER_KEY:
        return []
    try:
        mode = Path(settings.SIGNER_KEY).stat().st_mode
    except OSError as exc:
        return [
            Error(
                f"CONTINUUM_SIGNER_KEY names a file that cannot be used: {exc.strerror}.",
                hint="`continuum attest-keygen` makes a key.",
                id="runs.E006",
            )
        ]
    if not mode & 0o077:
        return []
    return [
        Warning(
            "Others on this machine can read the key that signs attestations.",
            hint="Give it the mode 0600, and let only the console's user own it.",
            id="runs.W002",
        )
    ]
