"""``manage.py demo``: load the demo campaigns into an empty database."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from assess.models import Campaign
from assess.services import demo


class Command(BaseCommand):
    help = "Load the demo campaigns if the database has no campaigns; print their accounts."

    def handle(self, *args: Any, **options: Any) -> None:
        if others := set(settings.ALLOWED_HOSTS) - {"localhost", "127.0.0.1", "[::1]"}:
            raise CommandError(
                f"This installation serves {', '.join(sorted(others))}, and the demo's password is public. Load the "
                "demo where ALLOWED_HOSTS is empty."
            )
        if not Campaign.objects.exists():
            with transaction.atomic():
                demo.load_demo(settings.BASE_DIR / "fixtures" / "demo")
                demo.load_kitchen(settings.BASE_DIR / "fixtures" / "kitchen")
            self.stdout.write("The demo campaigns are loaded.")
        elif not Campaign.objects.filter(slug__in=demo.CAMPAIGNS).exists():
            return
        expert = "expert (judges like an assessor and sees everyone's progress)"
        people = {demo.ORGANIZER: "organizer", **demo.MEMBERS}
        self.stdout.write(f"Demo accounts, password {demo.PASSWORD}:")
        self.stdout.write(
            "".join(f"  {name:8} {expert if role == 'expert' else role}\n" for name, role in people.items()), ending=""
        )
