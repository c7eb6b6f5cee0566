"""Importing pools from files."""

from typing import BinaryIO

from assess.ir.common.problems import Problems
from assess.ir.common.rows import PoolLine
from assess.ir.formats.pools import read_pool
from assess.models import Campaign, Pool
from assess.services.campaign.campaigns import require_open
from assess.services.formulas import visual_ids
from assess.services.pool import pools


def import_pool(campaign: Campaign, source: BinaryIO, name: str) -> Pool:
    """Import a pool made elsewhere, in the format of ``manage.py pool``. Raises BadInput for unknown topics, and for
    formulas whose visual id differs from the index."""
    require_open(campaign, "the pool")
    lines = read_pool(source, name)
    check_fits(campaign, lines, name)
    return pools.store(campaign, lines, source=name)


def check_fits(campaign: Campaign, lines: list[PoolLine], name: str) -> None:
    """Raise BadInput unless the topics are the campaign's, the units of formulas are their visual ids in the index,
    and the units of answers are the answers themselves."""
    topics = set(campaign.topics.values_list("topic_id", flat=True))
    units = {line.doc_id: line.doc_id for line in lines}
    if campaign.has_visual_ids:
        units = visual_ids.unit_ids(campaign.collection, units)
    problems = Problems(name)
    for number, line in enumerate(lines, start=2):
        unit = units.get(line.doc_id, line.unit_id)
        if line.topic_id not in topics:
            problems.add(number, f"unknown topic {line.topic_id}: import its topics first")
        elif unit != line.unit_id:
            problems.add(number, f"unit {line.unit_id} of document {line.doc_id} should be {unit}")
    problems.check()
