"""Signing in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.shortcuts import render

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class SignInForm(AuthenticationForm):
    """Name and password; one message for every way of being wrong."""

    error_messages = dict.fromkeys(  # Django's own class attribute
        ("invalid_login", "inactive"), "Name or password is wrong, or the account is disabled."
    )


class SignIn(LoginView):
    """The sign-in page."""

    template_name = "registration/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """Ends the session; POST only."""


def locked_out(
    request: HttpRequest, original_response: HttpResponse | None = None, *_args: Any, **_kwargs: Any
) -> HttpResponse:
    """Tell that sign-in rests after too many wrong tries."""
    return render(request, "registration/locked.html", status=429)
