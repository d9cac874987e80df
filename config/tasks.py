"""Tasks about the workers themselves."""

from celery import shared_task

from config.health import record_heartbeat


@shared_task(name="config.heartbeat")
def heartbeat(queue: str) -> None:
    """Show that the queue's workers complete tasks: a process that is alive may have stopped
    consuming after a broker reset."""
    record_heartbeat(queue)
