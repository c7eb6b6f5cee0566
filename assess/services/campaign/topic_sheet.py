"""What the organizers noted about each topic."""

from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.common.problems import Problems
from assess.ir.formats.topic_sheet import COLUMNS, read_topic_sheet
from assess.models import Action, Campaign
from assess.services.common import history
from assess.services.common.wording import number


@transaction.atomic
def import_topic_sheet(campaign: Campaign, source: BinaryIO, name: str, by: User) -> Action:
    """Store what a sheet notes of its topics, in place of what was noted before. Raises BadInput for a sheet with a
    topic that the campaign does not have; then nothing is changed."""
    rows = read_topic_sheet(source, name)
    topics = {topic.topic_id: topic for topic in campaign.topics.all()}
    problems = Problems(name)
    for row in rows:
        if row.topic_id not in topics:
            problems.add(0, f"{row.topic_id} is no topic of this campaign: import its topics first, or remove the line")
    problems.check()
    for row in rows:
        for column in COLUMNS:
            setattr(topics[row.topic_id], column, getattr(row, column))
        topics[row.topic_id].sheet = dict(row.more)
    campaign.topics.bulk_update([topics[row.topic_id] for row in rows], [*COLUMNS, "sheet"], batch_size=100)
    return history.note(by, f"Noted the columns of {name} for {number(len(rows), 'topic')}", campaign, page="topics")
