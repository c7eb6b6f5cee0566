"""``manage.py import_campaign``: a campaign from a campaign file."""

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError, CommandParser

from assess.ir.common.ids import CONTROL
from assess.ir.common.problems import BadInput
from assess.ir.common.rows import LONGEST_NAME
from assess.services import importing
from assess.services.common.access import creator


class Command(BaseCommand):
    help = "Make a campaign from a campaign file: all of it or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--organizer", required=True, help="user name of the account that will organize it")
        parser.add_argument("--name", default="", help="a name for the campaign, instead of the file's")

    def handle(self, *args: Any, **options: Any) -> None:
        by = organizer(options["organizer"])
        path, name = options["file"], options["name"]
        if len(name) > LONGEST_NAME or CONTROL.search(name):
            raise CommandError(f"--name: use at most {LONGEST_NAME} characters, and no line breaks or tabs.")
        try:
            with path.open("rb") as source:
                campaign = importing.import_campaign(source, path.name, by, lambda *_: None, name)
        except FileNotFoundError as error:
            raise CommandError(f"{path}: no such file") from error
        except (BadInput, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{campaign} is at {campaign.get_absolute_url()}")
        for note in campaign.imported["notes"]:
            self.stdout.write(note)


def organizer(name: str) -> User:
    """The account with this name. Raises CommandError if there is none, or if it may not create campaigns."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no account {name}. Make it first, with createsuperuser.")
    try:
        return creator(user)
    except PermissionDenied as error:
        remedy = "Tick “Staff status” of the account on the admin pages, or name another organizer"
        raise CommandError(f"{name} may not create campaigns. {remedy}.") from error
