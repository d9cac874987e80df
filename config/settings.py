"""Every setting, read from the environment; `.env.example` lists what may be set."""

import logging
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config.layout import layout_of
from config.logs import logging_settings

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

# --- Mode -----------------------------------------------------------------------------------------

PRODUCTION: bool = env.bool("PRODUCTION", default=False)
DEBUG: bool = env.bool("DEBUG", default=False)
PROCESS: str = env.str("PROCESS", default="command")  # web, worker, beat or command
VERSION = "0.1.0"
COMMIT: str = env.str("COMMIT", default="")

DATA_DIR = layout_of(env.str("DATA_DIR", default=str(BASE_DIR / ".data")))

if PRODUCTION:
    faults = [
        f"{name} is not set"
        for name in ("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL")
        if not env.str(name, default="")
    ]
    if len(env.str("SECRET_KEY", default="x" * 50)) < 50:
        faults.append("SECRET_KEY is shorter than 50 characters")
    if env.str("TIME_SCALE", default="1") != "1":
        faults.append("TIME_SCALE is for tests only")
    if DEBUG:
        faults.append("DEBUG is on")
    if faults:
        raise ImproperlyConfigured("Not fit for production: " + "; ".join(faults) + ".")


def _secret_key() -> str:
    """The configured key; in development the one of the data folder, or one for this process."""
    configured: str = env.str("SECRET_KEY", default="")
    if configured:
        return configured
    try:
        return DATA_DIR.secret_key.read_text().strip()
    except OSError:
        return secrets.token_urlsafe(48)


SECRET_KEY = _secret_key()
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["*"])


def _whole(name: str, default: int) -> int:
    """A whole number from the environment. Raises ImproperlyConfigured, naming it."""
    try:
        return int(env.int(name, default=default))
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number.") from None


# --- Time (rules.md R11, R12; matchmaking.md) -----------------------------------------------------

TIME_SCALE: float = env.float("TIME_SCALE", default=1.0)
"""Multiplies every duration of play, also a rule set's turn_seconds; for tests."""


def _seconds(name: str, default: float) -> float:
    """A duration of play in seconds, already scaled."""
    value: float = env.float(name, default=default)
    return value * TIME_SCALE


LATE_TOLERANCE = _seconds("LATE_TOLERANCE", 0.5)  # R11.1: an action may come this late
TAKEOVER_GRACE = _seconds("TAKEOVER_GRACE", 30)  # R11.2: away this long, the CPU plays
ABANDON_AFTER = _seconds("ABANDON_AFTER", 600)  # R11.2: nobody connected
SOLO_ABANDON_AFTER = _seconds("SOLO_ABANDON_AFTER", 86400)  # R11.2: alone at the table
CPU_PAUSE = _seconds("CPU_PAUSE", 0.8)  # R12.1: thinking time with a human connected
MATCH_PRESENCE = _seconds("MATCH_PRESENCE", 30)  # api.md: a REST request connects this long
QUEUE_PRESENCE = _seconds("QUEUE_PRESENCE", 15)  # api.md
HOST_AWAY_AFTER = _seconds("HOST_AWAY_AFTER", 30)  # a party's host role passes on
MEMBER_AWAY_AFTER = _seconds("MEMBER_AWAY_AFTER", 600)  # a party's member is removed
SWEEP_EVERY = _seconds("SWEEP_EVERY", 1)  # the worker's look for what is due
WEB_SWEEP_EVERY = _seconds("WEB_SWEEP_EVERY", 2)  # every web process's own
REPAIR_EVERY = _seconds("REPAIR_EVERY", 2)  # the hub's look for missed versions
PARTIES_EVERY = _seconds("PARTIES_EVERY", 2)  # the look for absent hosts and members
WAVE_EVERY = _seconds("WAVE_EVERY", 2)  # matchmaking.md 3
WINDOW_POINTS: float = env.float("WINDOW_POINTS", default=100)  # matchmaking.md 2
WINDOW_POINTS_PER_SECOND: float = env.float("WINDOW_POINTS_PER_SECOND", default=20) / TIME_SCALE
WINDOW_UNLIMITED_AFTER = _seconds("WINDOW_UNLIMITED_AFTER", 60)
THREE_ARE_ENOUGH_AFTER = _seconds("THREE_ARE_ENOUGH_AFTER", 10)
TWO_ARE_ENOUGH_AFTER = _seconds("TWO_ARE_ENOUGH_AFTER", 20)
READY_CHECK_TIME = _seconds("READY_CHECK_TIME", 15)  # matchmaking.md 4
PENALTIES = tuple(seconds * TIME_SCALE for seconds in (0, 60, 300, 900))  # matchmaking.md 5
PENALTY_MEMORY = _seconds("PENALTY_MEMORY", 3600)
OUTAGE_PARDON = _seconds("OUTAGE_PARDON", 600)
QUEUE_ABSENCE = _seconds("QUEUE_ABSENCE", 15)  # matchmaking.md 6
BLOCKS_COUNT_FROM = _seconds("BLOCKS_COUNT_FROM", 86400)  # matchmaking.md 2
MET_LATELY = _seconds("MET_LATELY", 3600)  # for so long somebody counts as just met
CORRECTIONS_EVERY = _seconds("CORRECTIONS_EVERY", 15)  # ratings.md RT3.1: shows within 60 s
BOARDS_EVERY = _seconds("BOARDS_EVERY", 5)  # RT4.3: appended changes are added to the counts

RATINGS_REPAIR: bool = env.bool("RATINGS_REPAIR", default=False)
"""Whether a difference that the nightly check finds is repaired (ratings.md RT3.2)."""

# --- Rate limits (api.md): (a second, burst) ------------------------------------------------------

RATE_ACTIONS: tuple[float, int] = (
    env.float("RATE_ACTIONS", default=60.0),
    env.int("RATE_ACTIONS_BURST", default=120),
)
RATE_READS: tuple[float, int] = (
    env.float("RATE_READS", default=120.0),
    env.int("RATE_READS_BURST", default=300),
)
RATE_FRAMES: tuple[float, int] = (
    env.float("RATE_FRAMES", default=60.0),
    env.int("RATE_FRAMES_BURST", default=200),
)
RATE_QUEUE: tuple[float, int] = (
    env.float("RATE_QUEUE", default=0.5),
    env.int("RATE_QUEUE_BURST", default=30),
)
RATE_ACCOUNTS: tuple[float, int] = (
    env.float("RATE_ACCOUNTS", default=0.1),
    env.int("RATE_ACCOUNTS_BURST", default=100),
)
RATE_TRANSFERS: tuple[float, int] = (
    env.float("RATE_TRANSFERS", default=1 / 30),
    env.int("RATE_TRANSFERS_BURST", default=20),
)
RATE_GUEST_STRATEGIES: tuple[float, int] = (
    env.float("RATE_GUEST_STRATEGIES", default=5 / 3600),
    env.int("RATE_GUEST_STRATEGIES_BURST", default=5),
)
RATE_STRATEGIES: tuple[float, int] = (
    env.float("RATE_STRATEGIES", default=0.01),
    env.int("RATE_STRATEGIES_BURST", default=30),
)
TRUSTED_PROXIES: int = env.int("TRUSTED_PROXIES", default=0)
"""How many proxies in front add to X-Forwarded-For; 0: the peer's address is the client's."""

# --- The web process ------------------------------------------------------------------------------

HOST: str = env.str("HOST", default="127.0.0.1")
PORT: int = _whole("PORT", 8000)
FORWARDED_ALLOW_IPS: list[str] = env.list("FORWARDED_ALLOW_IPS", default=["127.0.0.1"])
DRAIN_SECONDS: float = env.float("DRAIN_SECONDS", default=5.0 if PRODUCTION else 0.0)
"""How long a stopping process still serves while it is not ready, so that a proxy notices."""
GRACEFUL_SECONDS: int = env.int("GRACEFUL_SECONDS", default=20 if PRODUCTION else 4)
"""How long running requests may take after that."""
SOCKET_PING_SECONDS: float = env.float("SOCKET_PING_SECONDS", default=20.0)
"""How often a socket is pinged, and how long its answer may take: a dead one ends after both."""

SITE_URL: str = env.str("SITE_URL", default="").rstrip("/")
"""Where people reach the site, like https://example.org, for links in messages that many read;
empty: links begin at the origin of whoever asks."""

SITE_NAME: str = env.str("SITE_NAME", default="Taku")
SITE_OPERATOR: str = env.str("SITE_OPERATOR", default="")
CONTACT_URL: str = env.str("CONTACT_URL", default="")
"""What the pages say of themselves, and who runs them."""

# --- Applications ---------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django_prometheus",
    "servestatic.runserver_nostatic",
    "staff.apps.StaffAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "drf_standardized_errors",
    "csp",
    "django_structlog",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "accounts",
    "ratings",
    "tables",
    "api",
    "staff.apps.StaffConfig",
    "config",
]
MIDDLEWARE = [
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "api.language.language_middleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "axes.middleware.AxesMiddleware",  # the last of those that answer
    "django_prometheus.middleware.PrometheusAfterMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "staff" / "templates"],  # before the admin's own, which it completes
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# --- PostgreSQL -----------------------------------------------------------------------------------

DATABASE_URL: str = env.str("DATABASE_URL", default=DATA_DIR.database_url)
DATABASE_POOL_SIZE: int = env.int("DATABASE_POOL_SIZE", default=10)


def _database(*, pool: bool, lasting: bool) -> dict[str, Any]:
    """One connection alias. Under ASGI requests run on short-lived threads, so a web process pools;
    a worker must not (Celery closes the connection around every task) and keeps its connection."""
    config: dict[str, Any] = dict(environ.Env.db_url_config(DATABASE_URL))
    options: dict[str, Any] = dict(config.pop("OPTIONS", {}))
    config["HOST"] = options.pop("host", config.get("HOST", ""))
    options["connect_timeout"] = 5
    options["application_name"] = f"taku-{PROCESS}"
    if pool:
        options["pool"] = {
            "min_size": 2,
            "max_size": DATABASE_POOL_SIZE,
            "timeout": 10,
            "max_lifetime": 1800,
        }
    return {
        **config,
        "OPTIONS": options,
        "CONN_MAX_AGE": None if lasting else 0,
        "CONN_HEALTH_CHECKS": lasting,
        "DISABLE_SERVER_SIDE_CURSORS": env.bool("DISABLE_SERVER_SIDE_CURSORS", default=False),
    }


DATABASES = {"default": _database(pool=PROCESS == "web", lasting=PROCESS != "web")}

# --- Valkey ---------------------------------------------------------------------------------------

REDIS_URL: str = env.str("REDIS_URL", default=DATA_DIR.redis_url)
"""As redis-py reads it: redis://, rediss:// or unix:///path?db=0."""
REDIS_PREFIX: str = env.str("REDIS_PREFIX", default="taku:")
"""Goes before every key and channel, so that instances can share a server."""


def _broker_url() -> str:
    """The same server as Celery spells a socket's address."""
    parts = urlsplit(REDIS_URL)
    if parts.scheme != "unix":
        return REDIS_URL
    query = parts.query.replace("db=", "virtual_host=")
    return f"redis+socket://{urlunsplit(('', '', parts.path, query, ''))}"


# --- Celery ---------------------------------------------------------------------------------------

CELERY_BROKER_URL = _broker_url()
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "global_keyprefix": REDIS_PREFIX,
    "visibility_timeout": 3600,  # nothing is scheduled by ETA, so this only bounds redelivery
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    # Whoever sends a task does not wait for a dead broker: what is to be done stands in the
    # database, where a sweep finds it.
    "max_retries": 1,
    "interval_start": 0.0,
    "interval_step": 0.1,
    "interval_max": 0.1,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_CREATE_MISSING_QUEUES = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 5.0
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True

# --- Language and time ----------------------------------------------------------------------------

LANGUAGE_CODE = "ja"
LANGUAGES = [("ja", "日本語"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "config" / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- REST -----------------------------------------------------------------------------------------

REST_FRAMEWORK: dict[str, Any] = {
    # Who may come, and how often, is said by `api.endpoints`, from which every view of ours comes.
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "api.schema.Schema",
    "EXCEPTION_HANDLER": "api.errors.exception_handler",
    "UNAUTHENTICATED_USER": None,
    "COERCE_DECIMAL_TO_STRING": True,
    "DATETIME_FORMAT": "iso-8601",
    "NUM_PROXIES": TRUSTED_PROXIES,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Taku",
    "DESCRIPTION": "Ranked matchmaking, ratings and live play for table games.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "MatchKindEnum": "tables.models.MatchKind",
        "MatchStatusEnum": "tables.models.MatchStatus",
        "NoticeKindEnum": "accounts.models.NoticeKind",
        "PartyStatusEnum": "tables.party_view.PartyStatus",
        "ReportReasonEnum": "tables.models.ReportReason",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "api.schema.add_structs",
    ],
}

# --- Static files ---------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(DATA_DIR.static)))
STATIC_MANIFEST: bool = env.bool("STATIC_MANIFEST", default=PRODUCTION)
"""Whether `collectstatic` has run: hashed names, cached for ever. Without, files are found in the
apps and read on each request."""
STATICFILES_FINDERS = ["config.static.ServedFiles"]
SERVESTATIC_KEEP_ONLY_HASHED_FILES = True
SERVESTATIC_USE_MANIFEST = STATIC_MANIFEST
SERVESTATIC_USE_FINDERS = not STATIC_MANIFEST
SERVESTATIC_AUTOREFRESH = not STATIC_MANIFEST
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "config.static.HashedModules"
        if STATIC_MANIFEST
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# --- Security -------------------------------------------------------------------------------------

HTTPS: bool = env.bool("HTTPS", default=PRODUCTION)
"""Whether clients come by https (through a proxy that says so in X-Forwarded-Proto)."""
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=True)
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
    SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=31536000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "api.views.pages.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# --- Staff ----------------------------------------------------------------------------------------

STAFF_SECOND_FACTOR: bool = env.bool("STAFF_SECOND_FACTOR", default=False)
"""Whether staff need a code of their authenticator at every login (`manage.py staff_otp NAME`)."""
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
SESSION_COOKIE_AGE = 8 * 3600
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
OTP_TOTP_ISSUER = SITE_NAME

# --- Logs, metrics --------------------------------------------------------------------------------

LOGGING = logging_settings(
    json=PRODUCTION,
    level=env.str("LOG_LEVEL", default="INFO" if PRODUCTION else "WARNING"),
)
LOGGING_CONFIG = "logging.config.dictConfig"
DJANGO_STRUCTLOG_CELERY_ENABLED = True
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = logging.DEBUG
DJANGO_STRUCTLOG_REQUEST_CANCELLED_LOG_LEVEL = logging.INFO
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = logging.INFO
DJANGO_STRUCTLOG_USER_ID_FIELD = None
PROMETHEUS_EXPORT_MIGRATIONS = False
