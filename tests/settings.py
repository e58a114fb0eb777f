"""The console's settings for tests: fast passwords, plain static files.

People's data are in a file of each test process, as they are in production: a
database in memory that threads share locks whole tables, and waits for none.
"""

from __future__ import annotations

import os
import tempfile

os.environ["CONTINUUM_SECRET_KEY"] = "only-for-tests-" * 5
os.environ["CONTINUUM_DB"] = "tests-name-their-own-store.db"
for _name in ("CONTINUUM_PUBLIC_URL", "CONTINUUM_STATE", "CONTINUUM_STATE_DB"):
    os.environ.pop(_name, None)

from continuum_site.settings import *  # noqa: E402, F403
from continuum_site.settings import DATABASES, MIDDLEWARE  # noqa: E402

_PEOPLE = f"{tempfile.gettempdir()}/continuum-people-{os.getpid()}.db"
DATABASES["default"]["TEST"] = {"NAME": _PEOPLE}
DATABASES["store"] |= {"NAME": ":memory:", "TEST": {"MIGRATE": False}}
MIDDLEWARE = [name for name in MIDDLEWARE if not name.startswith("whitenoise.")]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
