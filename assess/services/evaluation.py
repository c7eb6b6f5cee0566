"""Scoring every run of a campaign with a release."""

from collections.abc import Iterable

from django.db import transaction

from assess.ir import measures
from assess.ir.rows import MeanScore, Qrel, Task
from assess.ir.rows import Score as ScoreRow
from assess.models import Evaluation, Qrels, QrelsLine, Run, Score
from assess.services import qrels as releases
from assess.services import runs
from assess.services.errors import Refused
from assess.services.jobs import Tell

Unit = QrelsLine.Unit
UNIT_OF_FORMAT = {
    Run.Format.TASK1: Unit.POST,
    Run.Format.TREC: Unit.POST,
    Run.Format.TASK2: Unit.VISUAL,
    Run.Format.TASK3: Unit.WRITTEN,
}


def default_average(qrels: Qrels) -> str:
    """As the labs averaged what the campaign judges."""
    return measures.default_average(qrels.pool.rules.task)


def evaluate(qrels: Qrels, average: str, made_by: str, tell: Tell) -> Evaluation:
    """Score all runs; written answers always over the topics whose answer is judged. Raises Refused without runs."""
    entered = list(qrels.pool.campaign.runs.select_related("ranking"))
    if not entered:
        raise Refused("There is no run to score.")
    level = qrels.protocol["level"]
    judged = {unit: releases.lines(qrels, unit) for unit in qrels.counts}
    scores: list[tuple[Run, list[ScoreRow]]] = []
    means: list[MeanScore] = []
    for number, run in enumerate(entered):
        tell(number, len(entered), f"scoring {run.name}")
        values, mean = score_one(run, judged.get(UNIT_OF_FORMAT[Run.Format(run.format)], []), average, level)
        scores.append((run, values))
        means += mean
    return store(qrels, average, level, made_by, scores, means)


def score_one(run: Run, judged: list[Qrel], average: str, level: int) -> tuple[list[ScoreRow], list[MeanScore]]:
    """The values of a run for each topic of its mean, and the means."""
    task: Task = "written" if run.is_written else run.campaign.rules.task
    values = measures.score(run.name, runs.load(run), judged, task, by=run.order, level=level)  # type: ignore[arg-type]
    chosen = measures.default_average(task) if run.is_written else average
    over = measures.averaged_topics(chosen, values, judged)  # type: ignore[arg-type]
    full = measures.complete(run.name, values, over, measures.measures_of(task))
    return full, measures.mean(full, over)


@transaction.atomic
def store(
    qrels: Qrels,
    average: str,
    level: int,
    made_by: str,
    scores: Iterable[tuple[Run, list[ScoreRow]]],
    means: list[MeanScore],
) -> Evaluation:
    evaluation = Evaluation.objects.create(
        qrels=qrels, average=average, level=level, made_by=made_by, means=[mean._asdict() for mean in means]
    )
    Score.objects.bulk_create(
        [
            Score(evaluation=evaluation, run=run, topic_id=row.topic_id, measure=row.measure, value=row.value)
            for run, rows in scores
            for row in rows
        ],
        batch_size=1000,
    )
    return evaluation
