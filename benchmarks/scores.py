"""An evaluation of many runs at random, for the pages of results."""

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assess.ir.common.rows import ScoreRow
    from assess.models import Campaign, Evaluation, Run

RUNS, TEAMS, PAIRS = 60, 10, 20
CATEGORIES = {
    "category": ("Computation", "Concept", "Proof"),
    "difficulty": ("Low", "Medium", "High"),
    "dependency": ("Both", "Formula", "Text", ""),
}


def make(campaign: "Campaign") -> "Evaluation":
    """Values of as many runs for all topics, which have categories, with the latest release; and how they are judged by
    rank."""
    from assess.models import Evaluation, Qrels
    from assess.services.scores import evaluation
    from tests.web.organizer import make_run

    draw = random.Random(campaign.pk)
    topics = list(campaign.topics.all())
    for topic in topics:
        for column, words in CATEGORIES.items():
            setattr(topic, column, draw.choice(words))
    campaign.topics.bulk_update(topics, list(CATEGORIES))
    runs = [
        make_run(campaign, name=f"run {n}", team=f"Team {n % TEAMS}", kind="primary" if n < TEAMS else "alternate")
        for n in range(RUNS)
    ]
    release = Qrels.objects.of(campaign)[0]
    made = Evaluation(qrels=release, average="qrels")
    return evaluation.save_scores(
        made, [(run, list(values(run, [topic.topic_id for topic in topics], draw))) for run in runs]
    )


def values(run: "Run", topics: list[str], draw: random.Random) -> Iterator["ScoreRow"]:
    from assess.ir.common.rows import ScoreRow
    from assess.ir.scores.measures import MEASURES

    level = draw.uniform(0.1, 0.6)
    for topic in topics:
        for name in MEASURES:
            yield ScoreRow(run.name, topic, name, min(1.0, max(0.0, draw.gauss(level, 0.15))))


def make_reliability(evaluation: "Evaluation") -> None:
    """A report on the evaluation with numbers at random, for as many pairs of assessors as a large lab has."""
    from assess.models import ReliabilityReport
    from assess.services.agreement.agreement import as_json

    draw = random.Random(evaluation.pk)
    names = [f"run {number}" for number in range(RUNS)]
    pairs = [("", ""), *((f"assessor {number}", f"assessor {number + 1}") for number in range(PAIRS))]
    teams = {name: f"Team {number % TEAMS}" for number, name in enumerate(names)}
    ReliabilityReport.objects.create(
        evaluation=evaluation,
        assessors=[as_json(compared(pair, names, draw)) for pair in pairs],
        reusability=as_json(reused(teams, draw)),
    )


def compared(pair: tuple[str, str], names: list[str], draw: random.Random) -> dict[str, object]:
    from assess.ir.scores import leaderboard
    from assess.ir.scores.leaderboard import ADJUDICATED, FIRST_JUDGMENTS, OFFICIAL, SECOND_JUDGMENTS
    from assess.ir.scores.measures import MEASURES

    judges = [pair[0] or FIRST_JUDGMENTS, pair[1] or SECOND_JUDGMENTS, OFFICIAL, ADJUDICATED]
    boards = [leaderboard.board_of(name, {judge: means(names, draw) for judge in judges}) for name in MEASURES]
    rest = {"written": False, "topics": ["A.1"], "documents": 360, "apart": 100}
    return {"first": pair[0], "second": pair[1], "judges": judges, "boards": boards} | rest


def reused(teams: dict[str, str], draw: random.Random) -> dict[str, object]:
    from assess.ir.releases.differences import Move
    from assess.ir.scores.leaderboard import tau
    from assess.ir.scores.measures import MEASURES

    before, after = ({name: means(list(teams), draw) for name in MEASURES} for _ in range(2))
    of_team = {team: [run for run in teams if teams[run] == team] for team in teams.values()}
    brought = {"units": 1000, "relevant": 200, "unique": 100, "unique_relevant": 20}
    return {
        "assumed": False,
        "runs": [
            brought | {"run": run, "team": teams[run], "pooled": True, "share": 0.2, "topics": 80} for run in teams
        ],
        "left_out": [
            {
                **{"team": team, "lines": 100, "relevant": 20},
                "changes": [
                    Move(run, name, before[name][run], after[name][run], 1, 2) for name in MEASURES for run in own
                ],
                "leaderboards": {name: tau(before[name], after[name]) for name in MEASURES},
            }
            for team, own in of_team.items()
        ],
    }


def means(names: list[str], draw: random.Random) -> dict[str, float]:
    return {name: draw.uniform(0.1, 0.6) for name in names}
