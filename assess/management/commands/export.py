"""``manage.py export``: judgments, their history or training data, to the standard output."""

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assess.ir.formats.judgment_export import EXPORT_FORMATS
from assess.models import Campaign
from assess.services.releases import export


class Command(BaseCommand):
    help = "Print the judgments of a campaign, with pseudonyms of assessors."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="the campaign's name in its address, such as demo-task1")
        kinds = parser.add_mutually_exclusive_group()
        choose: dict[str, Any] = {"action": "store_const", "dest": "kind"}
        kinds.add_argument("--history", const="history", help="every change instead of the current judgments", **choose)
        triples = "topic, item and target of each graded item instead: 1 for high and medium, 0.5 for low, 0 else"
        kinds.add_argument("--triples", const="triples", help=triples, **choose)
        parser.add_argument("--format", choices=EXPORT_FORMATS, default="csv")
        parser.add_argument("--names", action="store_true", help="user names instead of pseudonyms")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            slugs = ", ".join(Campaign.objects.values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no campaign {options['campaign']}. There are: {slugs}")
        kind = options["kind"] or "judgments"
        pieces = export.export_chunks(campaign, kind, options["format"], names=options["names"])
        try:
            for piece in pieces:
                self.stdout.write(piece.decode(), ending="")
        except BrokenPipeError:  # as `head` ends it; Python would complain once more when it flushes
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
