"""What happens around every request: headers, size limit, the engine, its errors."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.core.exceptions import RequestDataTooBig
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from continuum.core.errors import ContinuumError, StoreUnavailable, TooLarge
from runs.engine import current_store, drop_store
from runs.http import wants_fragment
from runs.personal import zone_of
from runs.views.errors import refusal, signed_out, wrong_method

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    GetResponse = Callable[[HttpRequest], HttpResponse]

# C0 controls but tab and line ends, DEL, and the direction overrides of UTF-8 text.
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r"})
# Behind one literal byte, which the search finds far faster than any set of first bytes.
_OVERRIDES = re.compile(rb"\xe2(?:\x80[\xaa-\xae]|\x81[\xa6-\xa9])")
_ACTING = re.compile(b"[" + re.escape(_CONTROLS) + b"]|" + _OVERRIDES.pattern)
_CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_PERMISSIONS_POLICY = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
    "magnetometer=(), microphone=(), midi=(), payment=(), usb=()"
)


class HeadersMiddleware:
    """Sets the same strict headers on every answer; pages are never stored by anyone."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, then add what the answer lacks."""
        response = self.get_response(request)
        response.headers["Content-Security-Policy"] = _CONTENT_POLICY
        response.headers["Permissions-Policy"] = _PERMISSIONS_POLICY
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response


class VisibleTextMiddleware:
    """Shows characters that act on a reader instead of being read.

    Escaping makes text from agents harmless as markup, but a terminal escape
    still acts when a command is copied, and a direction override still turns
    a line around. Pages hold their pictures instead; the log keeps the text.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, with such characters replaced in pages."""
        response = self.get_response(request)
        if response.get("Content-Type", "").startswith("text/html") and not response.streaming:
            content = response.content
            if _has_acting(content):
                response.content = _ACTING.sub(_picture, content)
        return response


def _has_acting(content: bytes) -> bool:
    """Tell in a fraction of a replacement's time; nearly every page has nothing of the kind."""
    has_controls = len(content.translate(None, _CONTROLS)) < len(content)
    return has_controls or _OVERRIDES.search(content) is not None


def _picture(match: re.Match[bytes]) -> bytes:
    found = match.group()
    if len(found) > 1:
        return "\N{REPLACEMENT CHARACTER}".encode()
    return chr(0x2421 if found == b"\x7f" else 0x2400 + found[0]).encode()


class BodyLimitMiddleware:
    """Refuses a request body that says it is larger than the limit, unread."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer 413 where the announced length is too large."""
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdigit() and int(length) > settings.MAX_BODY_BYTES:
            limit = settings.MAX_BODY_BYTES // 1024
            return refusal(request, TooLarge(f"What you sent is larger than {limit} KiB."))
        return self.get_response(request)


class SignedInMiddleware(LoginRequiredMiddleware):
    """Sends strangers to the sign-in page; tells a page that asks for a part that it is signed out.

    A sign-in page swapped into the middle of another one would swallow what
    was typed there.
    """

    def handle_no_permission(  # type: ignore[override]  # not every answer is a redirect
        self, request: HttpRequest, view_func: Any
    ) -> HttpResponse:
        """Answer 401 with a notice where htmx would swap the answer in."""
        if wants_fragment(request):
            return signed_out(request)
        response: HttpResponse = super().handle_no_permission(request, view_func)
        return response


class ZoneMiddleware:
    """Shows times in the zone the reader chose, which is UTC unless they did."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the reader's zone."""
        with timezone.override(zone_of(request.user)):
            return self.get_response(request)


class EngineMiddleware:
    """Gives each request a store, and turns the engine's refusals into pages."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Attach a store that opens when a view first asks for it."""
        opening = partial(current_store, settings.CONTINUUM_DB)
        request.store = SimpleLazyObject(opening)  # type: ignore[attr-defined]
        response = self.get_response(request)
        if response.status_code == 405 and not response.streaming and not response.content:
            return wrong_method(request, response["Allow"])
        return response

    def process_exception(self, request: HttpRequest, exc: Exception) -> HttpResponse | None:
        """Answer the engine's errors with a page of their status; leave others alone."""
        if isinstance(exc, RequestDataTooBig):
            return refusal(request, TooLarge("What you sent is too large."))
        if not isinstance(exc, ContinuumError):
            return None
        if isinstance(exc, StoreUnavailable):
            drop_store()
        return refusal(request, exc)
