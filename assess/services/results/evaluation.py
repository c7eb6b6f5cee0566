"""Scores of all runs of a campaign with a release."""

from collections.abc import Iterable

import polars as pl
from django.db import transaction

from assess.ir.common.rows import MeanScore, ScoreRow, Task
from assess.ir.results import measures
from assess.ir.results.overlap import nothing_in_common
from assess.ir.runs.judged import Judged
from assess.ir.runs.ranking import resolve, with_units
from assess.models import Evaluation, Job, Qrels, QrelsLine, Run, Score, VisualMap
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.results import qrels as releases
from assess.services.runs import runs

Unit = QrelsLine.Unit
UNIT_OF_FORMAT = {
    Run.Format.TASK1: Unit.POST,
    Run.Format.TREC: Unit.POST,
    Run.Format.TASK2: Unit.VISUAL,
    Run.Format.TASK3: Unit.WRITTEN,
}


def default_average(qrels: Qrels) -> str:
    """As in the labs, for what the campaign judges."""
    return measures.default_average(qrels.pool.rules.task)


def evaluate(qrels: Qrels, average: str, on_progress: OnProgress, job: Job | None = None) -> Evaluation:
    """Score all runs; written answers always over the topics whose answer is judged. Raises Refused without runs."""
    entered = list(qrels.pool.campaign.runs.select_related("ranking"))
    if not entered:
        raise Refused("There are no runs to score.")
    level = qrels.protocol["level"]
    rankings = resolved(qrels, entered)
    judged = {unit: Judged(releases.lines(qrels, unit)) for unit in qrels.counts}
    scores: list[tuple[Run, list[ScoreRow]]] = []
    means: list[MeanScore] = []
    notes: list[str] = []
    for number, run in enumerate(entered):
        on_progress(number, len(entered), f"scoring {run.name}")
        ranking = rankings.get(run.pk)
        lines = judged.get(UNIT_OF_FORMAT[Run.Format(run.format)], Judged([]))
        ranking = runs.load(run) if ranking is None else ranking
        notes += [f"{run.name} has {reason}" for reason in [nothing_in_common(ranking, lines)] if reason]
        values, mean = score_one(run, ranking, lines, average, level)
        scores.append((run, values))
        means += mean
    evaluation = Evaluation(qrels=qrels, average=average, level=level, job=job, notes=notes)
    return store(evaluation, scores, means)


def resolved(qrels: Qrels, entered: list[Run]) -> dict[int, pl.DataFrame]:
    """The rankings of the runs under the visual ids of the release, by run; none if these are the current ones, which
    the runs already have."""
    collection = qrels.pool.campaign.collection
    if qrels.pool.rules.unit == "document":
        return {run.pk: resolve(runs.load(run), None) for run in entered}
    if collection is None or not qrels.pool.campaign.is_formulas or visual_ids.is_current(collection, qrels.visual_map):
        return {}
    version = qrels.visual_map or visual_ids.versions(collection).filter(kind=VisualMap.Kind.INDEX).first()
    rankings = {run.pk: runs.load(run) for run in entered}
    if version is None:
        return {}
    units = visual_ids.units_of(version, rankings.values())
    return {pk: with_units(ranking, units) for pk, ranking in rankings.items()}


def score_one(
    run: Run, ranking: pl.DataFrame, judged: Judged, average: str, level: int
) -> tuple[list[ScoreRow], list[MeanScore]]:
    """The values of a run for each topic in its mean, and the means."""
    task: Task = "written" if run.is_written else run.campaign.rules.task
    values = measures.score(run.name, ranking, judged, task, by=run.order, level=level)  # type: ignore[arg-type]
    chosen = measures.default_average(task) if run.is_written else average
    over = measures.averaged_topics(chosen, values, judged)  # type: ignore[arg-type]
    full = measures.complete(run.name, values, over, measures.measures_of(task))
    return full, measures.mean(full, over)


@transaction.atomic
def store(evaluation: Evaluation, scores: Iterable[tuple[Run, list[ScoreRow]]], means: list[MeanScore]) -> Evaluation:
    evaluation.means = [mean._asdict() for mean in means]
    evaluation.save()
    Score.objects.bulk_create(
        [
            Score(evaluation=evaluation, run=run, topic_id=row.topic_id, measure=row.measure, value=row.value)
            for run, rows in scores
            for row in rows
        ],
        batch_size=1000,
    )
    return evaluation
