"""Seeding a pool of formulas (Task 2) from a pool of answers (Task 1): which one it is, and what it brings in."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from assess.ir.campaign.presets import Protocol
from assess.ir.pool.pooling import PooledRun, answer_posts, seeded_by
from assess.models import Campaign, Pool, PoolEntry
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.services.runs import coverage

AnswerPool = Mapping[str, Any]
"""The pool of answers as a seeded pool records it: ``campaign`` (its name), ``pool`` (its key) and ``version``. Empty
if the protocol does not seed."""


class FormulaPlaces(NamedTuple):
    """Arguments of ``build_pool``: ``posts`` if one formula of each post is taken, ``seeded`` if a pool of answers
    seeds; else None."""

    posts: pl.DataFrame | None
    seeded: pl.DataFrame | None


def answer_pools(campaign: Campaign) -> list[Pool]:
    """The frozen pools of answers with this campaign's collection and edition, one of each campaign; none if the
    protocol does not seed."""
    if not campaign.rules.seed_from_task1:
        return []
    siblings = job_queue.sharing(campaign).filter(edition=campaign.edition, protocol__task="answers")
    pools = Pool.objects.filter(frozen__isnull=False, campaign__in=siblings)
    return list(pools.select_related("campaign").order_by("campaign_id"))


def answer_pool_of(campaign: Campaign) -> dict[str, Any]:
    """The pool of answers that seeds the campaign's pool. Raises Refused unless there is exactly one."""
    if not campaign.rules.seed_from_task1:
        return {}
    pools = answer_pools(campaign)
    kind = f"with this collection and the edition {campaign.edition}"
    if not pools:
        raise Refused(
            f"The protocol seeds the pool from Task 1, but no campaign of answers {kind} has a frozen pool. Freeze "
            "that pool first, or remove the rule from the protocol."
        )
    if len(pools) > 1:
        names = ", ".join(pool.campaign.name for pool in pools)
        raise Refused(
            f"The protocol seeds the pool from Task 1, but several campaigns of answers {kind} have a frozen pool: "
            f"{names}. Change the edition of the others."
        )
    return {"campaign": pools[0].campaign.name, "pool": pools[0].pk, "version": pools[0].version}


def obstacle(campaign: Campaign) -> str:
    """Why the campaign's pool cannot be seeded as the protocol says; empty if it can."""
    try:
        answer_pool_of(campaign)
    except Refused as error:
        return str(error)
    return ""


def is_current(pool: Pool) -> bool:
    """Whether a pool was seeded from the current pool of answers. Raises Refused as ``answer_pool_of``."""
    now = answer_pool_of(pool.campaign)
    return all(pool.answer_pool.get(name) == now.get(name) for name in ("pool", "version"))


def seeded_pool(pool: Pool) -> Pool | None:
    """A frozen pool of formulas that this pool of answers seeded."""
    return Pool.objects.filter(frozen__isnull=False, answer_pool__pool=pool.pk).first()


def formula_places(
    campaign: Campaign, rules: Protocol, pooled: Sequence[PooledRun], answer_pool: AnswerPool
) -> FormulaPlaces:
    """The posts of the formulas in these runs, as far as the rules need them. Raises Refused if they are unknown."""
    if not answer_pool and not rules.one_per_post:
        return FormulaPlaces(None, None)
    posts = coverage.look_up(campaign, [run.ranking for run in pooled])
    if not answer_pool:
        return FormulaPlaces(posts, None)
    if posts is None:
        raise Refused("The protocol seeds the pool from Task 1. Import the formula index first.")
    return FormulaPlaces(posts if rules.one_per_post else None, seeded_by(answers_in(answer_pool), posts))


def answers_in(answer_pool: AnswerPool) -> pl.DataFrame:
    """Topics and posts of that version of the pool of answers. Raises Refused if it was deleted."""
    entries = PoolEntry.objects.filter(pool=answer_pool["pool"], version__lte=answer_pool["version"])
    rows = list(entries.values_list("topic__topic_id", "unit_id"))
    if not rows:
        raise Refused(f"The pool of {answer_pool['campaign']} that seeded this one was deleted. Rebuild this pool.")
    return answer_posts(rows)
