"""What staff have started and workers do."""

from celery import shared_task

from staff.services.ratings import RUN_TASK, run_waiting


@shared_task(name=RUN_TASK)
def run_ratings_task() -> None:
    """Do the rating runs that wait; harmless when doubled or missed."""
    run_waiting()
