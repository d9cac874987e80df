"""Whether workers complete tasks: an orchestrator's liveness probe."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.health import worker_is_working


class Command(BaseCommand):
    """`manage.py worker_alive QUEUE`: fails when its workers complete no tasks."""

    help = "Fail when no worker of the queue completed a task within the last minute."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("queue", choices=("sweep", "default"))

    def handle(self, *args: Any, queue: str, **options: Any) -> None:
        if not worker_is_working(queue):
            raise CommandError(f"No worker of {queue} completed a task within the last minute.")
        self.stdout.write("ok")
