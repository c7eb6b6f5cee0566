"""``manage.py export``: the judgments of a campaign, or their history, to the standard output."""

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assess.ir.formats.judgment_export import EXPORT_FORMATS, ExportedEvent, ExportedJudgment, write_export
from assess.models import Campaign
from assess.services.results import export


class Command(BaseCommand):
    help = "Print the judgments of a campaign, with pseudonyms of assessors."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="the campaign's name in its address, such as demo-task1")
        parser.add_argument("--history", action="store_true", help="every change instead of the current judgments")
        parser.add_argument("--format", choices=EXPORT_FORMATS, default="tsv")
        parser.add_argument("--names", action="store_true", help="user names instead of pseudonyms")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            known = ", ".join(Campaign.objects.values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no campaign {options['campaign']}. There are: {known}")
        if options["history"]:
            lines = write_export(
                export.exported_events(campaign, names=options["names"]), ExportedEvent._fields, options["format"]
            )
        else:
            rows = export.exported_judgments(campaign, names=options["names"])
            lines = write_export(rows, ExportedJudgment._fields, options["format"])
        try:
            for line in lines:
                self.stdout.write(line, ending="")
        except BrokenPipeError:  # as `head` ends it; Python would complain once more when it flushes
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
