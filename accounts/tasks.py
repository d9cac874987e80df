"""Celery's tasks for accounts."""

from celery import shared_task
from django.utils import timezone

from accounts.services.expiry import forget_expired


@shared_task(name="accounts.forget_expired")
def forget_what_expired() -> int:
    """Remove what has served its time; meant to run every hour."""
    return forget_expired(now=timezone.now())
