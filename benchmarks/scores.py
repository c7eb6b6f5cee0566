"""An evaluation of many runs at random, for the pages of results."""

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assess.ir.common.rows import ScoreRow
    from assess.models import Campaign, Evaluation, Run

RUNS, TEAMS = 60, 10
CATEGORIES = {
    "category": ("Computation", "Concept", "Proof"),
    "difficulty": ("Low", "Medium", "High"),
    "dependency": ("Both", "Formula", "Text", ""),
}


def make(campaign: "Campaign") -> "Evaluation":
    """Values of as many runs for all topics, which have categories, with the latest release; and how they are judged by
    rank."""
    from assess.models import Evaluation, Qrels
    from assess.services.results import evaluation

    draw = random.Random(campaign.pk)
    topics = list(campaign.topics.all())
    for topic in topics:
        for column, words in CATEGORIES.items():
            setattr(topic, column, draw.choice(words))
    campaign.topics.bulk_update(topics, list(CATEGORIES))
    runs = [make_run(campaign, number) for number in range(RUNS)]
    release = Qrels.objects.filter(pool__campaign=campaign)[0]
    made = Evaluation(qrels=release, average="qrels")
    return evaluation.store(
        made, [(run, list(values(run, [topic.topic_id for topic in topics], draw))) for run in runs]
    )


def make_run(campaign: "Campaign", number: int) -> "Run":
    from assess.models import Run

    return Run.objects.create(
        campaign=campaign,
        name=f"run {number}",
        team=f"Team {number % TEAMS}",
        kind="primary" if number < TEAMS else "alternate",
        method="automatic",
        data="both",
        pool_role="alternate",
        format="task1",
        file_name=f"run-{number}.tsv",
        sha256=str(number),
        lines=0,
        topics=0,
    )


def values(run: "Run", topics: list[str], draw: random.Random) -> Iterator["ScoreRow"]:
    from assess.ir.common.rows import ScoreRow
    from assess.ir.results.measures import MEASURES

    level = draw.uniform(0.1, 0.6)
    for topic in topics:
        for name in MEASURES:
            yield ScoreRow(run.name, topic, name, min(1.0, max(0.0, draw.gauss(level, 0.15))))
