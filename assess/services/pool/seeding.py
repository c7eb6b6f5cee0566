"""Which pool of answers (Task 1) seeds a pool of formulas (Task 2), and what it brings in; with it the places of
formulas, which other rules ask for too."""

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
"""What a seeded pool keeps of the pool of answers: ``campaign`` (its name), ``pool`` (its key) and ``version``. Empty
where the protocol does not seed."""


class Places(NamedTuple):
    """What ``build_pool`` needs to know of places: ``posts`` where one formula of each post is taken, ``seeded`` where
    a pool of answers seeds; else None."""

    posts: pl.DataFrame | None
    seeded: pl.DataFrame | None


def answer_pools(campaign: Campaign) -> list[Pool]:
    """The frozen pools of answers with this campaign's collection and edition, one of each campaign; none where the
    protocol does not seed."""
    if not campaign.rules.seed_from_task1:
        return []
    siblings = job_queue.sharing(campaign).filter(edition=campaign.edition, protocol__task="answers")
    found = Pool.objects.filter(frozen__isnull=False, campaign__in=siblings)
    return list(found.select_related("campaign").order_by("campaign_id"))


def answer_pool_of(campaign: Campaign) -> dict[str, Any]:
    """The pool of answers that seeds the campaign's pool, as it is now. Raises Refused unless there is just one."""
    if not campaign.rules.seed_from_task1:
        return {}
    found = answer_pools(campaign)
    kind = f"with this collection and the edition {campaign.edition}"
    if not found:
        raise Refused(
            f"The protocol seeds the pool from Task 1, but no campaign of answers {kind} has a frozen pool. Freeze "
            "that pool first, or take the rule out of the protocol."
        )
    if len(found) > 1:
        names = ", ".join(pool.campaign.name for pool in found)
        raise Refused(
            f"The protocol seeds the pool from Task 1, but several campaigns of answers {kind} have a frozen pool: "
            f"{names}. Give those that are not meant another edition."
        )
    return {"campaign": found[0].campaign.name, "pool": found[0].pk, "version": found[0].version}


def lacking(campaign: Campaign) -> str:
    """What keeps the campaign's pool from being seeded as its protocol says; empty where nothing does."""
    try:
        answer_pool_of(campaign)
    except Refused as error:
        return str(error)
    return ""


def is_current(pool: Pool) -> bool:
    """Whether a pool was seeded from the pool of answers as it is now. Raises Refused as ``answer_pool_of``."""
    now = answer_pool_of(pool.campaign)
    return all(pool.answer_pool.get(name) == now.get(name) for name in ("pool", "version"))


def seeded_from(pool: Pool) -> Pool | None:
    """A frozen pool of formulas that this pool of answers has seeded."""
    return Pool.objects.filter(frozen__isnull=False, answer_pool__pool=pool.pk).first()


def places(campaign: Campaign, rules: Protocol, pooled: Sequence[PooledRun], answer_pool: AnswerPool) -> Places:
    """Where the formulas of these runs stand, as far as the rules ask. Raises Refused where that is not known."""
    if not answer_pool and not rules.one_per_post:
        return Places(None, None)
    posts = coverage.look_up(campaign, [run.ranking for run in pooled])
    if not answer_pool:
        return Places(posts, None)
    if posts is None:
        raise Refused("The protocol seeds the pool from Task 1: import the formula index, which tells the posts.")
    return Places(posts if rules.one_per_post else None, seeded_by(answers_in(answer_pool), posts))


def answers_in(answer_pool: AnswerPool) -> pl.DataFrame:
    """What the pool of answers held in that version, topics and posts. Raises Refused where it is gone."""
    found = PoolEntry.objects.filter(pool=answer_pool["pool"], version__lte=answer_pool["version"])
    rows = list(found.values_list("topic__topic_id", "unit_id"))
    if not rows:
        raise Refused(f"The pool of {answer_pool['campaign']} that has seeded this one is gone. Make this pool again.")
    return answer_posts(rows)
