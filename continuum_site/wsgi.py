"""The WSGI entry for servers that are started from outside."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "continuum_site.settings")
application = get_wsgi_application()
