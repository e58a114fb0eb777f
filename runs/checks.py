"""System checks: a wrong set-up is named at start, not met at request time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from continuum_site.databases import store_path


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
