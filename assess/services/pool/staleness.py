"""What a pool is made from, and whether that has changed since."""

from typing import Any

from assess.models import Campaign, Pool, Run
from assess.services.formulas import visual_ids


def run_records(campaign: Campaign) -> list[dict[str, Any]]:
    """The pooled runs as a pool records them."""
    return [run_record(run) for run in campaign.runs.pooled()]


def run_record(run: Run) -> dict[str, Any]:
    """``known``: how many of its documents are in the collection; of formulas, only these are pooled."""
    return {
        "name": run.name,
        "team": run.team,
        "role": run.pool_role,
        "order": run.order,
        "sha256": run.sha256,
        "known": run.coverage.get("known"),
    }


def outdated(pool: Pool) -> str:
    """Why an open pool must be built again before it is frozen, as the end of a sentence; empty if nothing has
    changed. The runs of an imported pool are unknown."""
    campaign = pool.campaign
    changes = {
        "runs have changed": not pool.source and facts(pool.runs, campaign) != facts(run_records(campaign), campaign),
        "rules have changed": pool.rules != campaign.rules,
        "the seed has changed": pool.seed != campaign.seed,
        "visual ids have changed": campaign.has_visual_ids
        and not visual_ids.is_current(campaign.collection, pool.visual_map),
    }
    reasons = [reason for reason, is_true in changes.items() if is_true]
    return f"{' and '.join(reasons)} since" if reasons else ""


def facts(records: list[dict[str, Any]], campaign: Campaign) -> set[tuple[Any, ...]]:
    """The facts about runs on which the pool depends."""
    names = ("sha256", "role", "known") if campaign.is_formulas else ("sha256", "role")
    return {tuple(record.get(name) for name in names) for record in records}
