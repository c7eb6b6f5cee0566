"""What a pool is made from, and whether a pool is still what it would be if it were made now."""

from typing import Any

from assess.models import Campaign, Pool, Run
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.pool import seeding


def origin(campaign: Campaign) -> list[dict[str, Any]]:
    """What a pool keeps of the runs it is made from."""
    return [origin_of(run) for run in campaign.runs.pooled()]


def origin_of(run: Run) -> dict[str, Any]:
    """``known``: how many of its documents the collection held; of formulas only these are pooled."""
    return {
        "name": run.name,
        "team": run.team,
        "role": run.pool_role,
        "order": run.order,
        "sha256": run.sha256,
        "known": run.coverage.get("known"),
    }


def outdated(pool: Pool) -> str:
    """Why an open pool has to be made again before it can be frozen, as the end of a sentence; empty where nothing it
    was made from has changed. Which runs a pool of a file was made from is not known."""
    campaign = pool.campaign
    changes = {
        "runs have changed": not pool.source and facts(pool.runs, campaign) != facts(origin(campaign), campaign),
        "rules have changed": pool.rules != campaign.rules,
        "the seed has changed": pool.seed != campaign.seed,
        "visual ids have changed": campaign.has_visual_ids
        and not visual_ids.is_current(campaign.collection, pool.visual_map),
    }
    found = [change for change, is_true in changes.items() if is_true]
    return f"{' and '.join(found)} since" if found else seeded_otherwise(pool)


def facts(runs: list[dict[str, Any]], campaign: Campaign) -> set[tuple[Any, ...]]:
    """What of its runs makes the pool."""
    names = ("sha256", "role", "known") if campaign.is_formulas else ("sha256", "role")
    return {tuple(run.get(name) for name in names) for run in runs}


def seeded_otherwise(pool: Pool) -> str:
    """Why the pool of answers that seeds this one is not the one it was seeded from; empty where it is."""
    try:
        is_same = seeding.is_current(pool)
    except Refused:
        return "it is seeded from Task 1, where there is no longer just one frozen pool of answers"
    return "" if is_same else "the pool of answers that seeds it has changed since"
