"""`manage.py compute_strategies`: computes what was asked for, as the strategies' worker does."""

from django.core.management.base import BaseCommand

from tables.services import strategies


class Command(BaseCommand):
    """For when no worker is there."""

    help = "Compute and store the strategies that are missing."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        """Compute one after the other; what somebody else computes is left to them."""
        strategies.want_standing()
        strategies.compute_wanted()
