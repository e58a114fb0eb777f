"""The address a request came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the address failed sign-ins are counted for.

    Behind a trusted proxy that is what the proxy itself added last; earlier
    entries of the header are whatever the client claimed.
    """
    forwarded: str = request.META.get("HTTP_X_FORWARDED_FOR", "")
    if settings.TRUST_PROXY and forwarded:
        return forwarded.rpartition(",")[2].strip()
    address: str = request.META.get("REMOTE_ADDR", "")
    return address
