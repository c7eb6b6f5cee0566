"""``manage.py remind``: mails what is overdue and what waits; for cron, once a week."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.mail import send_mass_mail
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from assess.services.common.wording import number
from assess.services.rounds.reminders import weekly_reminders

FOOT = "You can switch these mails off on your account page"


class Command(BaseCommand):
    help = "Mail assessors their overdue topics, and organizers where their campaigns stand."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--site", required=True, help="the beginning of links, such as https://assess.example")

    def handle(self, *, site: str, **options: Any) -> None:
        if not settings.EMAIL_HOST:
            raise CommandError("no e-mail can be sent: set EMAIL_HOST first")
        site = site.rstrip("/")
        reminders = weekly_reminders(timezone.localdate(), site)
        foot = f"\n\n{FOOT}: {site}/account/\n"
        send_mass_mail([("Assess: this week", text + foot, None, [email]) for email, text in reminders])
        self.stdout.write(f"Sent {number(len(reminders), 'reminder')}.")
