"""Compile the translations, without the gettext tools."""

from typing import Any

from django.core.management.base import BaseCommand

from config.assets import compile_messages
from config.processes import ROOT


class Command(BaseCommand):
    """`manage.py compile_texts`: .po to .mo; `run` and the tests do it by themselves."""

    help = "Compile config/locale/*/LC_MESSAGES/*.po where it is newer than its .mo."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        count = compile_messages(ROOT / "config" / "locale")
        self.stdout.write(f"{count} compiled.")
