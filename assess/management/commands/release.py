"""``manage.py release``: the releases of a campaign."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from assess.ir.releases.release_options import OPTIONS
from assess.management.campaigns import CAMPAIGN, CampaignCommand, campaign_named, do_job, release_of
from assess.management.options import argument_of
from assess.management.output import Cell
from assess.models import Qrels
from assess.services.pool import freezing
from assess.services.releases import derivation


class Command(CampaignCommand):
    help = "Make, verify and list the releases of a campaign."
    verbs = {
        "make": [
            *CAMPAIGN,
            ("--note", {"default": "", "help": "what the release is for, in a few words"}),
            *(argument_of(name, option) for name, option in OPTIONS.items()),
        ],
        "verify": [*CAMPAIGN, ("release", {"type": int, "help": "the number of the release"})],
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

    def verify(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """Make a release again from its history, compare everything, and note the result for the pages.

        Exit code 1 if anything differs; "qrels verify" prints what."""
        release = release_of(options["campaign"], options["release"])
        do_job(self, release.pool.campaign, "verify", qrels=release.pk)
        release.refresh_from_db()
        if not release.verification["is_intact"]:
            self.stderr.write(f"NOT verified: {release} of {release.pool.campaign}")
            sys.exit(1)
        yield row_of(release)

    def list(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """List the releases of a campaign, the latest first."""
        yield from map(row_of, Qrels.objects.of(campaign_named(options["campaign"])))


def row_of(release: Qrels) -> Sequence[Cell]:
    totals = [sum(counts[name] for counts in release.counts.values()) for name in ("lines", "topics")]
    is_intact = release.verification.get("is_intact")
    verified = "" if is_intact is None else "yes" if is_intact else "NO"
    return release.version, release.created.isoformat(), release.note, *totals, verified, release.sha256
