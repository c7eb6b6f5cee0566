"""One settings file. The defaults run everything on one machine (SQLite, no Redis); environment variables
alone move it to PostgreSQL, Redis and several hosts: see docs/operations.md."""

import os
import secrets
from contextlib import suppress
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import ModuleType

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

PACKAGE = Path(__file__).resolve().parent
IS_INSTALLED = (PACKAGE / "shipped").is_dir()
"""From a wheel, which has what it reads of the checkout in there."""
BASE_DIR = PACKAGE / "shipped" if IS_INSTALLED else PACKAGE.parent


def env_bool(name: str, default: bool) -> bool:
    """A switch from the environment: True or False, nothing else."""
    value = os.environ.get(name)
    if value is None:
        return default
    if value not in ("True", "False"):
        raise ImproperlyConfigured(f"{name}={value}: use True or False")
    return value == "True"


def require_package(name: str, setting: str) -> ModuleType:
    """A package that only this setting needs."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImproperlyConfigured(f"{setting} is set, but {name} cannot be imported ({error}): install it") from error


def env_list(name: str, default: str) -> list[str]:
    """A comma-separated list from the environment."""
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


OWN_DATA = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share", "assess")
VAR_DIR = Path(os.environ.get("ASSESS_VAR") or (OWN_DATA if IS_INSTALLED else BASE_DIR / "var")).resolve()
DATA_DIR = Path(os.environ.get("ASSESS_DATA", BASE_DIR / "../shared/data")).resolve()
"""Real data of the labs for tests and benchmarks, if present."""
VERSION = "0.2.0.dev0"


def stored_secret() -> str:
    """The key of this installation: made once, readable by its owner only."""
    path = VAR_DIR / "secret-key"
    VAR_DIR.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(50))
    return path.read_text()


DEBUG = env_bool("DEBUG", False)
SECRET_KEY = os.environ.get("SECRET_KEY") or stored_secret()
SIGNING_KEY_FILE = os.environ.get("SIGNING_KEY_FILE", "")
SIGNING_NAME = os.environ.get("SIGNING_NAME", "Assess")
"""The key that signs releases (Ed25519, PEM), and whose it is."""
# This machine's own names are always right: health checks come from it.
ALLOWED_HOSTS = [*env_list("ALLOWED_HOSTS", ""), "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", "")
HTTPS = env_bool("HTTPS", False)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "csp",
    "axes",
    "assess",
]

USER_HEADER = os.environ.get("USER_HEADER", "")
"""With it, people are signed in under the name that the proxy sends in this header."""
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
"""With it, `/metrics` answers whoever sends it."""
if METRICS_TOKEN:
    require_package("django_prometheus", "METRICS_TOKEN")
MIDDLEWARE = [
    *(["django_prometheus.middleware.PrometheusBeforeMiddleware"] if METRICS_TOKEN else []),
    "assess.web.common.logs.log_requests",
    "assess.api.problems.describe_failures",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "assess.web.common.middleware.clean_requests",
    "assess.web.common.middleware.file_forms",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "assess.web.common.middleware.limit_bodies",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    *(["assess.web.common.middleware.ProxySignIn"] if USER_HEADER else []),
    "assess.web.common.middleware.PersonRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    *(["django_prometheus.middleware.PrometheusAfterMiddleware"] if METRICS_TOKEN else []),
]

ROOT_URLCONF = "assess.urls"
WSGI_APPLICATION = "assess.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "assess.web.common.doors.page_of_campaign",
            ],
            "builtins": ["assess.web.common.filters"],
            "libraries": {
                "navigation": "assess.web.common.navigation",
                "badges": "assess.web.desk.labels",
                "results": "assess.web.scores.filters",
            },
        },
    },
]

# IMMEDIATE takes SQLite's write lock at the start of a transaction: a deferred one fails as soon as two
# assessors save at once. FULL: what was acknowledged survives a power cut.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA foreign_keys=ON;",
}
DATABASES = {
    "default": dj_database_url.parse(
        os.environ.get("DATABASE_URL") or f"sqlite:///{VAR_DIR / 'assess.sqlite3'}",
        conn_max_age=None,
        conn_health_checks=True,  # PostgreSQL may have been restarted since the last request
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = SQLITE_OPTIONS
    # A file, because a worker process must see it too.
    DATABASES["default"]["TEST"] = {"NAME": VAR_DIR / "test.sqlite3"}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
if USER_HEADER:
    AUTHENTICATION_BACKENDS.append("django.contrib.auth.backends.RemoteUserBackend")
# After ten wrong passwords for a name from an address, that name is refused from there for a quarter of an hour; after
# 50, from everywhere; after 100 for any names from an address, all names from there.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 10
AXES_HANDLER = "assess.web.campaign.accounts.SignInHandler"
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "assess.web.campaign.accounts.locked_out"
AXES_CLIENT_IP_CALLABLE = "assess.web.common.middleware.client_address"
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
PASSWORD_RESET_TIMEOUT = 7 * 24 * 3600  # seconds that a one-time link works; pages, mails and the handbook say so
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"

# E-mail is sent if EMAIL_HOST names a server; otherwise links are passed on by hand.
EMAIL_HOST = os.environ.get("EMAIL_HOST", "")
EMAIL_PORT = int(os.environ.get("EMAIL_PORT", "25"))
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env_bool("EMAIL_USE_TLS", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = os.environ.get("EMAIL_FROM", "assess@localhost")

LANGUAGE_CODE = os.environ.get("ASSESS_LANGUAGE", "en")
LOCALE_PATHS = [PACKAGE / "locale"]
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("ASSESS_STATIC", VAR_DIR / "static")).resolve()
STATICFILES_DIRS = [BASE_DIR / "frontend" / "dist", ("pictures", BASE_DIR / "docs" / "pictures")]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "assess.static.StaticStorage"},
}
WHITENOISE_IMMUTABLE_FILE_TEST = r"\.[0-9a-f]{12}\.[^/]+$|/chunk-[0-9A-Z]{8}\.js$|/mathjax-[0-9.]+/"
"""Addresses with a hash or a version, by Django or by esbuild: browsers keep these files for good."""
MEDIA_ROOT = Path(os.environ.get("ASSESS_MEDIA", VAR_DIR / "media")).resolve()
UPLOAD_LIMIT = int(os.environ.get("ASSESS_MAX_UPLOAD_MB", "20000")) * 1_000_000
"""The most bytes of a request with files."""
ANONYMOUS_UPLOAD_LIMIT = 1_000_000
"""The most bytes of a request from somebody who is not signed in."""
UNPACK_LIMIT = int(os.environ.get("ASSESS_MAX_UNPACKED_MB", "1000")) * 1_000_000
"""The most bytes that an uploaded archive may unpack to."""
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024
FILE_UPLOAD_PERMISSIONS = 0o600

DESK_EARLY_MS = 300
"""For so long after a new item is in view a key does not judge it: it was meant for the one before."""
DESK_STORED = int(os.environ.get("ASSESS_DESK_STORED", "40"))
"""So many items the desk stores besides those that it has ready, for judging without a network."""

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^metrics$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# Preloading is the domain owner's decision, so it stays off.
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SILENCED_SYSTEM_CHECKS = ["security.W021"]
# MathJax sets style attributes, so styles are the one thing not limited to files; scripts never run inline.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'", "'unsafe-inline'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

ADMINS = [(address, address) for address in env_list("ADMINS", "")]
"""Whom an e-mail tells that the program has failed."""
if ADMINS and not EMAIL_HOST:
    raise ImproperlyConfigured("ADMINS is set, but no e-mail can be sent to them: set EMAIL_HOST, too")
LOG_FORMAT = os.environ.get("LOG_FORMAT", "line")
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured(f"LOG_FORMAT={LOG_FORMAT}: use line or json")
if os.environ.get("SENTRY_DSN"):
    require_package("sentry_sdk", "SENTRY_DSN").init(dsn=os.environ["SENTRY_DSN"], release=VERSION)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "assess.web.common.logs.JsonLines"},
    },
    "filters": {
        "passing": {"()": "assess.web.common.logs.PassingInOneLine"},
        "ours": {"()": "assess.web.common.logs.OnlyOurFaults"},
    },
    "handlers": {
        "mail": {"class": "django.utils.log.AdminEmailHandler", "level": "ERROR", "filters": ["ours"]},
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["passing"]},
    },
    "root": {"handlers": [*(["mail"] if ADMINS else []), "console"], "level": os.environ.get("LOG_LEVEL", "WARNING")},
    # Django's own handlers mail the administrators or, without DEBUG, say nothing.
    "loggers": {
        "django": {"handlers": [], "level": "INFO"},
        "assess.accounts": {"level": "INFO"},  # sign-ins and lock-outs, so that axes need not say them again
        "assess.requests": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"},
        "assess.jobs": {"level": "INFO"},
        "celery.app.trace": {"level": "WARNING"},
        "axes": {"level": "ERROR"},
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "assess.api.access.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["assess.api.access.ScopeAllows"],
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": os.environ.get("ASSESS_API_RATE", "1200/min")},
    "NUM_PROXIES": int(HTTPS),
    "DEFAULT_METADATA_CLASS": None,  # /api/schema/ describes everything
    "EXCEPTION_HANDLER": "assess.api.problems.answer_problem",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": 100,
    "DEFAULT_SCHEMA_CLASS": "assess.api.problems.ProblemSchema",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Assess",
    "VERSION": "1",
    "SERVE_PERMISSIONS": [],
    "ENUM_NAME_OVERRIDES": {
        "JudgedByEnum": "assess.models.JudgmentSource.Kind",
        "RoleEnum": "assess.models.Member.Role",
        "RoundKindEnum": "assess.models.Round.Kind",
        "RunKindEnum": "assess.models.Run.Kind",
        "RunMethodEnum": "assess.models.Run.Method",
        "RunFormatEnum": "assess.models.Run.Format",
        "PoolRoleEnum": "assess.models.Run.PoolRole",
        "SourceFormatEnum": "assess.models.JudgmentSource.Format",
    },
}

# Celery: over Redis if REDIS_URL names one, else over files in VAR_DIR. The Job table is the truth about
# jobs, so no result backend is needed.
REDIS_URL = os.environ.get("REDIS_URL", "")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = os.environ.get("ASSESS_QUEUE", "assess")
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_ACKS_LATE = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
if REDIS_URL:
    # What limits forgotten passwords is counted here.
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": CELERY_TASK_DEFAULT_QUEUE,
        }
    }
    CELERY_BROKER_URL = REDIS_URL
    # Keeps installations that share a Redis apart.
    CELERY_BROKER_TRANSPORT_OPTIONS = {"global_keyprefix": f"{CELERY_TASK_DEFAULT_QUEUE}:"}
else:
    BROKER_DIR = VAR_DIR / "broker"
    for folder in ("queue", "control"):
        (BROKER_DIR / folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_URL = "filesystem://localhost"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER_DIR / "queue"),
        "data_folder_out": str(BROKER_DIR / "queue"),
        "control_folder": str(BROKER_DIR / "control"),
    }
