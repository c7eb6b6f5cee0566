"""``manage.py campaign new FILE.toml``: a campaign with topics, documents, runs, people and assignments."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess.management.output import Cell, TableCommand
from assess.services import new_lab
from assess.services.common.errors import Refused
from assess.services.common.wording import number


class Command(TableCommand):
    help = "Make a campaign from the TOML file of a lab; print its people with their one-time links."
    header = ("username", "name", "email", "role", "topics", "link")

    def add_arguments(self, parser: CommandParser) -> None:
        new = parser.add_subparsers(dest="what", required=True).add_parser("new", help=self.help)
        super().add_arguments(new)
        new.add_argument("file", help="the TOML file; its table [campaign] names all other files")
        new.add_argument("--site", default="", help="the beginning of links, such as https://assess.example")

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        try:
            made = new_lab.new_lab_of_file(Path(options["file"]))
        except Refused as error:
            self.fail(str(error))
        self.warn(made.notes)
        site, campaign = options["site"].rstrip("/"), made.campaign
        about = [number(campaign.topics.count(), "topic"), number(campaign.runs.count(), "run")]
        if made.pool:
            about.append(f"a {'frozen' if made.pool.frozen else 'open'} pool")
        self.stderr.write(f"{campaign}: {', '.join(about)}; {site}{campaign.get_absolute_url()}")
        for user, listed, link in made.people:
            topics = " ".join(listed.topics)
            yield (
                user.username,
                user.first_name,
                user.email,
                listed.invitee.role,
                topics,
                f"{site}{link}" if link else "",
            )
