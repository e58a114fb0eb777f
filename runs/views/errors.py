"""Pages that say what went wrong and what to do next."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from django.core.exceptions import DisallowedHost
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme

from continuum.core.errors import (
    ContinuumError,
    Corrupted,
    NotReadYet,
    RunNotFound,
    StoreUnavailable,
)
from runs.http import render_either, wants_fragment

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


_log = logging.getLogger(__name__)


class Explanation(NamedTuple):
    """Title and next step for one status."""

    title: str
    advice: str


_DAMAGED = Explanation(
    "This record is damaged", "Nothing was written. Verify the chain to see how far it reaches."
)
_UNREAD = Explanation(
    "This run is still being read", "Nothing was written. Look again in a moment."
)
_OUTDATED = Explanation(
    "This form is out of date", "Open it again; what you typed in this tab is still there."
)
_EXPLAINED = {
    400: Explanation("This request cannot be read", "Go back and try again from the page."),
    403: Explanation("You may not do this", "An admin can change your role."),
    404: Explanation("There is nothing here", "It may have been named differently; search for it."),
    405: Explanation("This address only takes forms", "Go back, and use the page's own button."),
    409: Explanation("This has changed meanwhile", "Look at it again before you decide."),
    413: Explanation(
        "This is too large", "Nothing was written. Send less; what you typed is still there."
    ),
    422: Explanation("This cannot be accepted", "Correct it and send it again."),
    429: Explanation("That was too fast", "Nothing was written. Go on in a minute."),
    500: Explanation(
        "The console failed",
        "Go back and try again: a decision that is sent twice is written once. "
        "The server's log has the details.",
    ),
    503: Explanation("The store cannot be used now", "Nothing was written. Try again shortly."),
}


def refusal(request: HttpRequest, error: ContinuumError) -> HttpResponse:
    """Answer an engine error: a page of its status, or a notice for an htmx swap."""
    status = error.http_status
    if status >= 500:
        _log.warning("%s %s: %r", request.method, status, str(error))
    context = {
        "status": status,
        "explained": _explained(error),
        "detail": str(error),
        "missing_run": error.run_id if isinstance(error, RunNotFound) else None,
        "back": _page_before(request),
        "bare": isinstance(error, StoreUnavailable) or not _is_signed_in(request),
    }
    return render_either(
        request,
        page="errors/page.html",
        fragment="errors/_notice.html",
        context=context,
        status=status,
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what Django's own checks refuse, such as a foreign host name."""
    return _plain(request, 400, "")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a person without the right."""
    return _plain(request, 403, str(exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that is none; the attempted patterns are nobody's business."""
    return _plain(request, 404, "")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a defect of ours, without touching session, store or people's database."""
    return _plain(request, 500, "")


def signed_out(request: HttpRequest) -> HttpResponse:
    """Answer an htmx swap whose session has ended; nothing of the page is replaced."""
    current = urlsplit(request.headers.get("HX-Current-URL", ""))
    back = f"{current.path}?{current.query}" if current.query else current.path
    response = render(request, "errors/_signed_out.html", {"next": back}, status=401)
    patch_vary_headers(response, ("HX-Request",))
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that did not come from this site, or whose session has ended."""
    detail = (
        "You signed in again since you opened it, or another site sent it. Nothing was written."
    )
    return _plain(request, 403, detail, explained=_OUTDATED)


def wrong_method(request: HttpRequest, allowed: str) -> HttpResponse:
    """Answer somebody who opens the address of a form, after signing in again perhaps."""
    response = _plain(request, 405, "")
    response["Allow"] = allowed
    return response


def other_site(request: HttpRequest) -> HttpResponse:
    """Answer a request that a page of another site made a browser send."""
    detail = "The request was sent by another site. Nothing was written."
    return _plain(request, 403, detail)


def too_often(request: HttpRequest, detail: str) -> HttpResponse:
    """Answer one act too many within a minute."""
    response = _plain(request, 429, detail)
    response["Retry-After"] = "60"
    return response


def misconfigured(request: HttpRequest, detail: str) -> HttpResponse:
    """Answer while the way to the console is not set up as its settings say."""
    _log.error("%s", detail)
    return _plain(request, 500, detail)


def _explained(error: ContinuumError) -> Explanation:
    if isinstance(error, Corrupted):
        return _DAMAGED
    if isinstance(error, NotReadYet):
        return _UNREAD
    return _EXPLAINED.get(error.http_status, _EXPLAINED[500])


def _is_signed_in(request: HttpRequest) -> bool:
    user = getattr(request, "user", None)
    return user is not None and user.is_authenticated


def _page_before(request: HttpRequest) -> str | None:
    """Return the address of the page of ours that led here, which may still hold a form."""
    before = request.headers.get("Referer", "")
    try:
        host = request.get_host()
    except DisallowedHost:
        return None
    if not url_has_allowed_host_and_scheme(before, {host}):
        return None
    asked = request.get_full_path()
    address = urlsplit(before)
    path = f"{address.path}?{address.query}" if address.query else address.path
    is_here = request.method == "GET" and path == asked
    return None if is_here or not path.startswith("/") or path.startswith("//") else path


def _plain(
    request: HttpRequest, status: int, detail: str, *, explained: Explanation | None = None
) -> HttpResponse:
    context = {
        "status": status,
        "explained": explained or _EXPLAINED[status],
        "detail": detail,
        "back": _page_before(request),
        "bare": status in (400, 500) or not _is_signed_in(request),
    }
    template = "errors/_notice.html" if wants_fragment(request) else "errors/page.html"
    response = render(request, template, context, status=status)
    patch_vary_headers(response, ("HX-Request",))
    return response
