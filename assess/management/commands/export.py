"""``manage.py export``: judgments, their history or training data, to the standard output."""

import os
import sys
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.formats.judgments import EXPORT_FORMATS
from assess.management.campaigns import OperatorCommand, campaign_named
from assess.services.releases import export


class Command(OperatorCommand):
    help = "Print the judgments of a campaign, with pseudonyms of assessors."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="the campaign's name in its address: see campaign list")
        kinds = parser.add_mutually_exclusive_group()
        choose: dict[str, Any] = {"action": "store_const", "dest": "kind"}
        kinds.add_argument("--history", const="history", help="every change instead of the current judgments", **choose)
        triples = "topic, item and target of each graded item instead: 1 if relevant, 0.5 for a lower grade, 0 else"
        kinds.add_argument("--triples", const="triples", help=triples, **choose)
        parser.add_argument("--format", choices=EXPORT_FORMATS, default="csv")
        parser.add_argument("--names", action="store_true", help="user names instead of pseudonyms")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            campaign = campaign_named(options["campaign"])
            kind = options["kind"] or "judgments"
            for piece in export.export_chunks(campaign, kind, options["format"], names=options["names"]):
                self.stdout.write(piece.decode(), ending="")
        except BrokenPipeError:  # as `head` ends it; Python would complain once more when it flushes
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
