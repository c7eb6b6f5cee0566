"""``manage.py export_campaign``: a whole campaign as a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assess.models import Campaign
from assess.services import exporting


class Command(BaseCommand):
    help = "Write a whole campaign to a file, which import_campaign reads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="the campaign's name in its address, such as demo-task1")
        parser.add_argument("file", type=Path, help="a new file, such as demo-task1.campaign.zip")
        parser.add_argument("--pseudonyms", action="store_true", help="instead of user names; without the history")
        parser.add_argument("--emails", action="store_true", help="with people's e-mail addresses")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']}.")
        names = {"names": not options["pseudonyms"], "emails": options["emails"]}
        try:
            with options["file"].open("xb") as target:
                exporting.export(campaign, target, lambda *_: None, **names)
        except FileExistsError as error:
            raise CommandError(f"{options['file']} exists: name a new file, or remove it.") from error
