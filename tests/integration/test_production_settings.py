"""Production refuses to start half configured, and says what is missing."""

import os
import subprocess
import sys

from config.processes import ROOT

COMPLETE = {
    "PRODUCTION": "true",
    "SECRET_KEY": "k" * 64,
    "ALLOWED_HOSTS": "taku.example",
    "DATABASE_URL": "postgres://taku@db/taku",
    "REDIS_URL": "redis://valkey:6379/0",
    "STATIC_MANIFEST": "false",
}
PRINT = (
    "import django; django.setup(); from django.conf import settings as s;"
    "print(s.SECURE_SSL_REDIRECT, s.SESSION_COOKIE_SECURE, s.DEBUG, s.CELERY_BROKER_URL)"
)


def settings_of(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "config.settings"}
    return subprocess.run(
        [sys.executable, "-c", PRINT],
        cwd=ROOT,
        env=clean | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_everything_missing_is_listed_at_once() -> None:
    refusal = settings_of({"PRODUCTION": "true", "TIME_SCALE": "0.5", "DEBUG": "true"}).stderr
    for name in ("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL", "TIME_SCALE", "DEBUG"):
        assert name in refusal.splitlines()[-1]


def test_short_secret_key_is_refused() -> None:
    assert "shorter" in settings_of(COMPLETE | {"SECRET_KEY": "short"}).stderr


def test_complete_configuration_is_safe() -> None:
    answer = settings_of(COMPLETE)
    assert answer.stdout.split() == ["True", "True", "False", "redis://valkey:6379/0"], answer
