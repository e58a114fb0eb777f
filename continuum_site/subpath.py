"""Serving below a path of a host, whether the proxy in front cuts the path off or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication

    Application = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]


def below(application: WSGIApplication, path: str) -> WSGIApplication:
    """Return `application` served below `path`; itself where that is empty.

    Addresses that Django writes begin with `path` (FORCE_SCRIPT_NAME). A proxy
    that hands requests on as they are sends it along; one that cuts it off
    does not. Both are understood; `path` without a slash is sent to the page.
    """
    if not path:
        return application

    def served(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        asked = environ.get("PATH_INFO", "")
        if asked == path:
            start_response("308 Permanent Redirect", [("Location", f"{path}/")])
            return []
        if asked.startswith(f"{path}/"):
            environ = {**environ, "PATH_INFO": asked[len(path) :]}
        return application(environ, start_response)

    return served
