"""Tasks about the workers themselves."""

from celery import shared_task
from django.conf import settings

from config.health import record_heartbeat


@shared_task(name="config.heartbeat")
def heartbeat() -> None:
    """Show that workers complete tasks: a worker process that is alive may have stopped consuming
    after a broker reset."""
    record_heartbeat(prefix=settings.REDIS_PREFIX, url=settings.REDIS_URL)
