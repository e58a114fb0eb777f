"""The floor of a page: Django with the usual middleware and nothing but the table.

The same fifty rows, read by the ORM through an index and drawn by a template;
no sign-in, no verdict, no styles. Served by gunicorn with the workers and
threads of our own server.
"""

from __future__ import annotations

import os
from typing import Any, ClassVar

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path

PAGE = 50
_TABLE = """<!doctype html><title>{{ title }}</title><table>
<tr>{% for name in names %}<th>{{ name }}</th>{% endfor %}</tr>
{% for row in rows %}<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>{% endfor %}
</table>"""
_MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]


def runs(_: HttpRequest) -> HttpResponse:
    """Show the newest fifty runs."""
    names = ("run_id", "goal", "status", "created_at", "updated_at", "parent_run_id")
    newest = Run.objects.order_by("-created_at", "-run_id")[:PAGE]
    return _page("runs", names, [[getattr(one, name) for name in names] for one in newest])


def run(_: HttpRequest, run_id: str) -> HttpResponse:
    """Show the newest fifty events of a run."""
    names = ("sequence", "type", "timestamp", "source", "payload", "hash")
    newest = Event.objects.filter(run_id=run_id).order_by("-sequence")[:PAGE]
    return _page(run_id, names, [[getattr(one, name) for name in names] for one in newest])


def _page(title: str, names: tuple[str, ...], rows: list[list[Any]]) -> HttpResponse:
    return HttpResponse(_TEMPLATE.render({"title": title, "names": names, "rows": rows}))


urlpatterns = [path("runs/", runs), path("runs/<str:run_id>/", run)]

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ["BENCH_STORE"],
            "CONN_MAX_AGE": None,
        }
    },
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
    ],
    MIDDLEWARE=_MIDDLEWARE,
    ROOT_URLCONF=__name__,
    SECRET_KEY="only for measuring",
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    USE_TZ=True,
)
django.setup()


class Run(models.Model):
    """A row of `runs`."""

    run_id = models.TextField(primary_key=True)
    goal = models.TextField()
    status = models.TextField()
    created_at = models.TextField()
    updated_at = models.TextField()
    parent_run_id = models.TextField(null=True)
    objects: ClassVar[models.Manager[Run]] = models.Manager()

    class Meta:
        app_label = "floor"
        db_table = "runs"
        managed = False


class Event(models.Model):
    """A row of `events`."""

    event_id = models.TextField(primary_key=True)
    run_id = models.TextField()
    sequence = models.IntegerField()
    type = models.TextField()
    timestamp = models.TextField()
    source = models.TextField()
    payload = models.TextField()
    hash = models.TextField()
    objects: ClassVar[models.Manager[Event]] = models.Manager()

    class Meta:
        app_label = "floor"
        db_table = "events"
        managed = False


_TEMPLATE = engines["django"].from_string(_TABLE)
application = get_wsgi_application()
