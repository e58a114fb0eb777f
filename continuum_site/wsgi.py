"""The WSGI entry, for our own server and for those that are started from outside."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from continuum_site.subpath import below

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "continuum_site.settings")
application = below(get_wsgi_application(), settings.PUBLIC_URL.path if settings.PUBLIC_URL else "")
