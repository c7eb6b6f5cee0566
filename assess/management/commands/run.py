"""``manage.py run``: the runs of a campaign."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assess.management.campaigns import CAMPAIGN, CampaignCommand, campaign_named, do_job
from assess.management.output import Cell
from assess.models import Run
from assess.services.runs.metadata import described_run

CHOICES = {"--kind": Run.Kind.values, "--method": Run.Method.values, "--pool-role": Run.PoolRole.values}


class Command(CampaignCommand):
    help = "Import runs into a campaign, and list them."
    verbs = {
        "add": [
            *CAMPAIGN,
            ("file", {"nargs": "+", "help": "run files, plain or packed"}),
            ("--team", {"help": "whose runs these are, unless their heads say so"}),
            *((name, {"choices": values, "help": "of all files"}) for name, values in CHOICES.items()),
        ],
        "list": CAMPAIGN,
    }
    header = ("name", "team", "kind", "pool_role", "topics", "lines", "known", "sha256", "withdrawn")

    def add(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """Import run files, all or none, and print them.

        A run is named by the tag in its file. What the head of a file says (ir_metadata) counts, unless an option says
        otherwise. Once the pool is frozen, runs need --pool-role none."""
        names = ("team", "kind", "method", "pool_role")
        about = {name: options[name] for name in names if options[name]}
        files = []
        for path in map(Path, options["file"]):
            with path.open("rb") as source:
                meta = described_run(source, path.name, about)
            files.append({"path": str(path.resolve()), "meta": meta._asdict()})
        job = do_job(self, campaign_named(options["campaign"]), "runs", files=files)
        self.warn(job.result.get("notes", []))
        yield from map(row_of, job.runs.order_by("pk"))

    def list(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """List the runs of a campaign: "known" is the share of their documents that the collection has."""
        yield from map(row_of, campaign_named(options["campaign"]).runs.all())


def row_of(run: Run) -> Sequence[Cell]:
    withdrawn = f"{run.withdrawn:%Y-%m-%d}" if run.withdrawn else ""
    return run.name, run.team, run.kind, run.pool_role, run.topics, run.lines, run.known_share, run.sha256, withdrawn
