"""Evaluations with values that a test chooses."""

from collections.abc import Mapping
from typing import Any

from assess.ir.common.rows import ScoreRow
from assess.ir.scores import definitions
from assess.models import Campaign, Evaluation, Qrels, RankProfile
from assess.services.scores.evaluation import save_scores
from tests.cast import make_pool
from tests.web.organizer import make_run

Values = Mapping[str, Mapping[str, float]]
"""By run and topic."""


def make_evaluation(
    campaign: Campaign,
    values: Values,
    measure: str = definitions.NDCG,
    runs: Mapping[str, Mapping[str, Any]] | None = None,
) -> Evaluation:
    """An evaluation with a release of its own and without judgments. ``runs``: fields of runs that are not primary,
    manual ones of a team T."""
    pool = campaign.frozen_pool() or make_pool(campaign)
    for name in values.keys() - set(campaign.runs.values_list("name", flat=True)):
        about = dict((runs or {}).get(name, {}))
        make_run(campaign, name=name, **about)
    release = Qrels.objects.create(
        pool=pool,
        version=pool.qrels.count() + 1,
        protocol={**pool.protocol, "min_relevant": 0},
        made_with={"left_out": []},
        main_round={"judged": 0, "documents": 0},
        released_by=campaign.members.filter(role="organizer")[0].user,
    )
    evaluation = Evaluation.objects.create(qrels=release, average="run")
    return add_values(evaluation, values, measure)


def add_values(evaluation: Evaluation, values: Values, measure: str) -> Evaluation:
    """The same runs by another measure."""
    runs = {run.name: run for run in evaluation.campaign.runs.all()}
    rows = {name: [ScoreRow(name, topic, measure, value) for topic, value in of.items()] for name, of in values.items()}
    return save_scores(evaluation, ((runs[name], of_run) for name, of_run in rows.items()))


def add_profile(evaluation: Evaluation, run: str, bands: list[tuple[int, int, int, int, int]]) -> None:
    """In place of the run's own."""
    of = evaluation.campaign.runs.get(name=run)
    RankProfile.objects.update_or_create(evaluation=evaluation, run=of, defaults={"bands": bands})
