"""Decorators that say, in front of each view, who may use it and how.

The site is closed by default (`LoginRequiredMiddleware`); a view opens itself
to a right here, and the right can be read from the view for the role matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.http.response import HttpResponseBase

from runs.roles import RIGHT_NAMES, Right, holds

if TYPE_CHECKING:
    from runs.http import OperatorRequest


View = Callable[..., HttpResponseBase]


def require(right: Right) -> Callable[[View], View]:
    """Let only people with `right` reach the view; 403 for everyone else."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: OperatorRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not holds(request.user, right):
                raise PermissionDenied(f"This needs the right: {RIGHT_NAMES[right].lower()}.")
            return view(request, *args, **kwargs)

        named: Any = guarded
        named.right = right
        return guarded

    return decorate
