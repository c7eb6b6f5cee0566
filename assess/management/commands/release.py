"""``manage.py release``: the releases of a campaign."""

from collections.abc import Iterator, Sequence
from typing import Any

from assess.ir.releases.release_options import OPTIONS
from assess.management.campaigns import CAMPAIGN, CampaignCommand, campaign_named, do_job
from assess.management.output import Cell, argument_of
from assess.models import Qrels
from assess.services.pool import freezing
from assess.services.releases import derivation


class Command(CampaignCommand):
    help = "Make and list the releases of a campaign."
    verbs = {
        "make": [
            *CAMPAIGN,
            ("--note", {"default": "", "help": "what the release is for, in a few words"}),
            *(argument_of(name, option) for name, option in OPTIONS.items()),
        ],
        "list": CAMPAIGN,
    }
    header = ("release", "created", "note", "lines", "topics", "verified", "sha256")

    def make(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """Release the qrels, and print the release.

        What is not given is as the protocol says."""
        pool = freezing.require_frozen(campaign_named(options["campaign"]))
        given = {name: options[name] for name in OPTIONS if options[name] is not None}
        chosen = derivation.chosen_options(pool, given).to_dict()
        params = {"pool": pool.pk, "note": options["note"], "options": chosen}
        job = do_job(self, pool.campaign, "release", **params)
        yield row_of(pool.qrels.get(version=job.result["release"]))

    def list(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """List the releases of a campaign, the latest first."""
        yield from map(row_of, Qrels.objects.of(campaign_named(options["campaign"])))


def row_of(release: Qrels) -> Sequence[Cell]:
    totals = [sum(counts[name] for counts in release.counts.values()) for name in ("lines", "topics")]
    is_intact = release.verification.get("is_intact")
    verified = "" if is_intact is None else "yes" if is_intact else "NO"
    return release.version, release.created.isoformat(), release.note, *totals, verified, release.sha256
