"""Trust at the door: where a request comes from, who sent it, and whether it is one too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings

from runs.trust import history, sessions
from runs.trust.limits import count, limit_of, most
from runs.views.errors import misconfigured, other_site, too_often

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    GetResponse = Callable[[HttpRequest], HttpResponse]

_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_FROM_HERE = frozenset({"same-origin", "none"})
_POLLS = frozenset({"runs:live"})


class ProxyMiddleware:
    """Refuses to guess how people reached a proxy that does not say it.

    Without `X-Forwarded-Proto` each request looks unencrypted and would be
    sent to the same address for ever.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer 500 and say what the proxy has to send, or go on."""
        if not settings.TRUST_PROXY or "HTTP_X_FORWARDED_PROTO" in request.META:
            return self.get_response(request)
        if settings.PUBLIC_URL is None or request.path_info in ("/healthz", "/readyz"):
            return self.get_response(request)
        return misconfigured(
            request,
            "The proxy in front of the console does not set X-Forwarded-Proto, so nobody can tell "
            "whether people reached it over https. Set it there, or unset CONTINUUM_TRUST_PROXY.",
        )


class FetchSiteMiddleware:
    """Refuses to write for a page of another site, beside the token every form carries.

    Browsers say on whose behalf they send a request, and no page can make them
    say something else. Programs without the header are left to the token.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer 403, or go on."""
        site = request.headers.get("Sec-Fetch-Site", "same-origin")
        if request.method not in _SAFE and site not in _FROM_HERE:
            return other_site(request)
        return self.get_response(request)


class PeopleMiddleware:
    """Knows who acts, keeps when their session was last in use, and counts their acts."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer on behalf of whoever sent the request."""
        with history.within(request):
            return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        """Answer 429 to one act too many."""
        if not request.user.is_authenticated:
            return None
        match = request.resolver_match
        if match is None or match.view_name not in _POLLS:
            sessions.touch(request)
        limit = limit_of(request, view)
        if limit is None or count(request.user, limit):
            return None
        return too_often(request, f"{most(limit)} {limit} a minute are possible for one person.")
