"""Django settings; everything a deployment may change is an environment variable.

CONTINUUM_DB            store to show: path, sqlite:// or postgresql:// (continuum.db)
CONTINUUM_STATE         folder for people's database, secret key and static files
CONTINUUM_STATE_DB      people's database, when it is not in that folder
CONTINUUM_SECRET_KEY    the key itself, for several hosts that share people's data
CONTINUUM_PUBLIC_URL    https://host[/path] people use; switches every TLS rule on
CONTINUUM_TRUST_PROXY   1 when a proxy in front ends TLS and sets X-Forwarded-Proto
CONTINUUM_TLS_CERT/_KEY certificate and key, when the console ends TLS itself
CONTINUUM_VERIFY_EVERY  hours after which the console verifies a chain again (24; 0 for never)
CONTINUUM_SIGNER_KEY    private key file with which reviewers may sign attestations
CONTINUUM_SIGNER        whose key that is, as attestations name it
CONTINUUM_DECISIONS_A_MINUTE, CONTINUUM_EXPORTS_A_MINUTE
                        how much one person may do
CONTINUUM_MAIL          smtp://user:password@host:port, by which mail is sent; none without it
CONTINUUM_MAIL_FROM     whom mail comes from
CONTINUUM_REMIND_AFTER  hours after which an open item is told again (4, 24, 72)
CONTINUUM_DEBUG         1 for Django's debug pages, on this machine only
"""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

from continuum_site import databases, env, state

_HERE = Path(__file__).resolve().parent
# A wheel carries templates and static files inside this package.
ASSETS = _HERE if (_HERE / "templates").is_dir() else _HERE.parent

# -- where things are
CONTINUUM_DB = env.text("CONTINUUM_DB", "continuum.db")
PUBLIC_URL = env.public_url("CONTINUUM_PUBLIC_URL")
TRUST_PROXY = env.flag("CONTINUUM_TRUST_PROXY")
_HOME = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "continuum"
_PLACES = databases.places(
    CONTINUUM_DB,
    state=env.text("CONTINUUM_STATE"),
    state_db=env.text("CONTINUUM_STATE_DB"),
    home=_HOME,
)
STATE_FOLDER = _PLACES.folder
PEOPLE_SCHEMA = _PLACES.schema
SECRET_KEY = env.text("CONTINUUM_SECRET_KEY") or state.secret_key(STATE_FOLDER)
DEBUG = env.flag("CONTINUUM_DEBUG") and PUBLIC_URL is None

DATABASES = {"default": _PLACES.people, "store": databases.store_settings(CONTINUUM_DB)}
DATABASE_ROUTERS = ["runs.routers.StoreIsReadOnly"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Auditing.
_VERIFY_HOURS = env.integer("CONTINUUM_VERIFY_EVERY", default=24, least=0, most=8760)
VERIFY_EVERY = timedelta(hours=_VERIFY_HOURS) if _VERIFY_HOURS else None
SIGNER_KEY = env.text("CONTINUUM_SIGNER_KEY")
SIGNER = env.text("CONTINUUM_SIGNER")

# How long a page waits for another writer of the store before it says so.
STORE_WAIT_SECONDS = 5.0

# -- the site
INSTALLED_APPS = [
    "runs.apps.ConsoleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
    "runs.apps.RunsConfig",
]
MIDDLEWARE = [
    "runs.middleware.HeadersMiddleware",
    "runs.trust.middleware.ProxyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "runs.middleware.VisibleTextMiddleware",
    "runs.middleware.BodyLimitMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "runs.trust.middleware.FetchSiteMiddleware",
    "runs.polls.PollMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "runs.trust.middleware.PeopleMiddleware",
    "runs.middleware.SignedInMiddleware",
    "runs.middleware.ZoneMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "runs.middleware.EngineMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "continuum_site.urls"
WSGI_APPLICATION = "continuum_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ASSETS / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "runs.context.console",
            ],
            "builtins": [
                "runs.templatetags.console",
                "runs.templatetags.rows",
                "runs.templatetags.panels",
            ],
        },
    }
]
STATIC_URL = "static/"
STATIC_ROOT = STATE_FOLDER / "static"
STATICFILES_DIRS = [ASSETS / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-us"
USE_I18N = False

# -- signing in
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "runs.trust.backend.PeopleBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
_VALIDATION = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATION}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATION}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_VALIDATION}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATION}.NumericPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "runs:inbox"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "runs.views.session.locked_out"
AXES_CLIENT_IP_CALLABLE = "runs.trust.addresses.client_address"
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
MOST_A_MINUTE = {
    "decisions": env.integer("CONTINUUM_DECISIONS_A_MINUTE", default=120, least=1, most=10_000),
    "exports": env.integer("CONTINUUM_EXPORTS_A_MINUTE", default=30, least=1, most=10_000),
}

# -- what a browser may do
SESSION_ENGINE = "runs.trust.sessionstore"
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "runs.views.errors.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
METRICS_TOKEN = env.text("CONTINUUM_METRICS_TOKEN")
MAX_BODY_BYTES = 2 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]

if PUBLIC_URL is not None:
    ALLOWED_HOSTS = [PUBLIC_URL.host]
    CSRF_TRUSTED_ORIGINS = [PUBLIC_URL.origin]
    # Browsers take `__Host-` for the whole of a host only.
    _PREFIX = "__Secure-" if PUBLIC_URL.path else "__Host-"
    SESSION_COOKIE_NAME = f"{_PREFIX}session"
    CSRF_COOKIE_NAME = f"{_PREFIX}csrf"
    FORCE_SCRIPT_NAME = PUBLIC_URL.path or None
    SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"{PUBLIC_URL.path}/"
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    SECURE_HSTS_SECONDS = 31_536_000
    # Sub-domains and the browsers' preload list belong to whoever owns the domain.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if TRUST_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# -- telling people
vars().update(env.mail("CONTINUUM_MAIL"))
DEFAULT_FROM_EMAIL = env.text("CONTINUUM_MAIL_FROM", "continuum@localhost")
CONSOLE_ADDRESS = (
    PUBLIC_URL.address if PUBLIC_URL else env.text("CONTINUUM_ADDRESS", "http://127.0.0.1:8000")
)
REMIND_AFTER = env.ages("CONTINUUM_REMIND_AFTER", "4, 24, 72")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        "axes": {"handlers": ["stderr"], "level": "ERROR", "propagate": False},
    },
}
