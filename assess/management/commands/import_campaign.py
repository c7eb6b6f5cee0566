"""``manage.py import_campaign``: a campaign from a campaign file."""

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from assess.ir.common.problems import BadInput
from assess.services import importing


class Command(BaseCommand):
    help = "Make a campaign from a campaign file: all of it or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--organizer", required=True, help="user name of the account that will organize it")

    def handle(self, *args: Any, **options: Any) -> None:
        by = User.objects.filter(username=options["organizer"]).first()
        if by is None:
            raise CommandError(f"There is no account {options['organizer']}. Make it first, with createsuperuser.")
        path = options["file"]
        try:
            with path.open("rb") as source:
                campaign = importing.import_campaign(source, path.name, by, lambda *_: None)
        except FileNotFoundError as error:
            raise CommandError(f"{path}: no such file") from error
        except (BadInput, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{campaign} is at {campaign.get_absolute_url()}")
        for note in campaign.imported["notes"]:
            self.stdout.write(note)
