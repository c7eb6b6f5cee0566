"""``manage.py campaign``: make one with topics, documents, runs, people and assignments from a file; look at others."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.db.models import Count, Q

from assess.management.campaigns import CAMPAIGN, CampaignCommand, campaign_named
from assess.management.output import Cell
from assess.models import Campaign
from assess.services import new_lab, pipeline
from assess.services.common.wording import number


class Command(CampaignCommand):
    help = "Make a campaign from the TOML file of a lab; list campaigns, and show how far one is."
    verbs = {
        "new": [
            ("file", {"help": "the TOML file; its table [campaign] names all other files"}),
            ("--site", {"default": "", "help": "the beginning of links, such as https://assess.example"}),
        ],
        "list": [],
        "show": CAMPAIGN,
    }

    def list(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """List all campaigns, the latest first."""
        self.header = ("campaign", "name", "edition", "topics", "runs", "pool", "archived")
        topics = Count("topics", distinct=True, filter=Q(topics__is_training=False))
        rows: Any = Campaign.objects.annotate(n_topics=topics, n_runs=Count("runs", distinct=True))
        for each in rows:
            pool = each.current_pool()
            state = ("frozen" if pool.frozen else "open") if pool else ""
            archived = "yes" if each.archived else ""
            yield each.slug, each.name, each.edition, each.n_topics, each.n_runs, state, archived

    def show(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """Show each step of a campaign, and how far it is."""
        self.header = ("step", "done", "about")
        for step in pipeline.campaign_steps(campaign_named(options["campaign"])):
            yield step.key, "yes" if step.is_done else "no", step.text

    def new(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """Make a campaign from the TOML file of a lab; print its people with their one-time links.

        The file is checked first: what is wrong is named with its key, the reason and the remedy, and nothing is
        stored."""
        self.header = ("username", "name", "email", "role", "topics", "link")
        campaign, people, notes = new_lab.new_lab_of_file(Path(options["file"]))
        self.warn(notes)
        site, pool = options["site"].rstrip("/"), campaign.current_pool()
        about = [number(campaign.topics.count(), "topic"), number(campaign.runs.count(), "run")]
        if pool:
            about.append(f"a {'frozen' if pool.frozen else 'open'} pool")
        self.stderr.write(f"{campaign}: {', '.join(about)}; {site}{campaign.get_absolute_url()}")
        for user, invitee, link in people:
            topics, address = " ".join(invitee.topics), f"{site}{link}" if link else ""
            yield user.username, user.first_name, user.email, invitee.role, topics, address
