"""Tasks are sent through the project's Celery application, from whatever thread."""

from concurrent.futures import ThreadPoolExecutor

from celery import current_app
from django.conf import settings


def test_every_thread_sends_through_the_same_application():
    with ThreadPoolExecutor(1) as threads:
        broker = threads.submit(lambda: current_app.conf.broker_url).result()
    assert broker == settings.CELERY_BROKER_URL
