"""`manage.py staff_otp NAME`: a second factor for somebody of the staff."""

import io

import segno
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django_otp.plugins.otp_totp.models import TOTPDevice


class Command(BaseCommand):
    """Makes the second factor anew: what the authenticator had before ends."""

    help = "Make a second factor for somebody of the staff and print its QR code."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose."""
        parser.add_argument("name", help="the staff member's login name")

    def handle(self, *args: object, **options: object) -> None:
        """Print the code; nothing else ever shows it."""
        user = User.objects.filter(username=options["name"], is_staff=True).first()
        if user is None:
            raise CommandError(f"Nobody of the staff is called {options['name']}.")
        with transaction.atomic():
            TOTPDevice.objects.filter(user=user).delete()
            device = TOTPDevice.objects.create(user=user, name="authenticator")
        drawn = io.StringIO()
        segno.make(device.config_url).terminal(out=drawn, compact=True)
        self.stdout.write(drawn.getvalue())
        self.stdout.write(device.config_url)
