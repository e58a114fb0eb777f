"""Addresses of the site: the console's own, the admin, signing in and out."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from runs.views import health, queue, session

urlpatterns = [
    path("login/", session.SignIn.as_view(), name="login"),
    path("logout/", session.SignOut.as_view(), name="logout"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", queue.metrics, name="metrics"),
    path("favicon.ico", health.favicon, name="favicon"),
    path("admin/", admin.site.urls),
    path("", include("runs.urls")),
]

handler400 = "runs.views.errors.bad_request"
handler403 = "runs.views.errors.forbidden"
handler404 = "runs.views.errors.not_found"
handler500 = "runs.views.errors.server_error"
