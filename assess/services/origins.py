"""What a pool is made from, and whether a pool is still what it would be if it were made now."""

from assess.models import Campaign, Pool, Run
from assess.services import formulas, seeding
from assess.services.errors import Refused


def origin(campaign: Campaign) -> list[dict[str, str]]:
    """What a pool keeps of the runs it is made from."""
    return [origin_of(run) for run in campaign.runs.pooled()]


def origin_of(run: Run) -> dict[str, str]:
    return {"name": run.name, "team": run.team, "role": run.pool_role, "order": run.order, "sha256": run.sha256}


def outdated(pool: Pool) -> str:
    """Why an open pool has to be made again before it can be frozen, as the end of a sentence; empty where nothing it
    was made from has changed. Which runs a pool of a file was made from is not known."""
    campaign = pool.campaign
    changes = {
        "runs have changed": not pool.source and facts(pool.runs) != facts(origin(campaign)),
        "rules have changed": pool.rules != campaign.rules,
        "the seed has changed": pool.seed != campaign.seed,
        "visual ids have changed": campaign.is_formulas
        and not formulas.is_current(campaign.collection, pool.visual_map),
    }
    found = [change for change, is_true in changes.items() if is_true]
    return f"{' and '.join(found)} since" if found else seeded_otherwise(pool)


def facts(runs: list[dict[str, str]]) -> set[tuple[str, str]]:
    return {(run["sha256"], run["role"]) for run in runs}


def seeded_otherwise(pool: Pool) -> str:
    """Why the pool of answers that seeds this one is not the one it was seeded from; empty where it is."""
    try:
        is_same = seeding.is_current(pool)
    except Refused as error:
        reason = str(error)
        return reason[0].lower() + reason[1:].removesuffix(".")
    return "" if is_same else "the pool of answers that seeds it has changed since"
