"""The console's settings for tests: nothing on disk, fast passwords, plain static files."""

from __future__ import annotations

import os

os.environ["CONTINUUM_SECRET_KEY"] = "only-for-tests-" * 5
os.environ["CONTINUUM_DB"] = "tests-name-their-own-store.db"
for _name in ("CONTINUUM_PUBLIC_URL", "CONTINUUM_STATE", "CONTINUUM_STATE_DB"):
    os.environ.pop(_name, None)

from continuum_site.settings import *  # noqa: E402, F403
from continuum_site.settings import DATABASES, MIDDLEWARE  # noqa: E402

DATABASES["default"]["TEST"] = {"NAME": None}
DATABASES["store"] |= {"NAME": ":memory:", "TEST": {"MIGRATE": False}}
MIDDLEWARE = [name for name in MIDDLEWARE if not name.startswith("whitenoise.")]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
