"""Scores of all runs of a campaign with a release."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import polars as pl
from django.db import transaction

from assess.ir.common.rows import Order, ScoreRow, Task
from assess.ir.runs.judged import JudgedUnits
from assess.ir.runs.ranking import resolve, with_units
from assess.ir.scores import definitions, measures
from assess.ir.scores.definitions import Average, Gain, Measure
from assess.ir.scores.measures import MEASURES, WRITTEN_MEASURES
from assess.ir.scores.overlap import nothing_in_common
from assess.models import Evaluation, Job, Pool, Qrels, QrelsLine, RankProfile, Run, Score, VisualMap
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.runs import runs
from assess.services.scores import rank_profiles, written

Unit = QrelsLine.Unit
UNIT_OF_FORMAT = {
    Run.Format.TASK1: Unit.POST,
    Run.Format.TREC: Unit.POST,
    Run.Format.TASK2: Unit.VISUAL,
    Run.Format.TASK3: Unit.WRITTEN,
}


def unit_of(run: Run) -> str:
    """The file of a release by which a run is scored."""
    return UNIT_OF_FORMAT[Run.Format(run.format)]


def offered(task: Task) -> list[Measure]:
    """The measures that runs of the task can be evaluated by."""
    return [measure for measure in definitions.offered_measures(task) if measure.name != definitions.CS]


def default_average(qrels: Qrels) -> Average:
    """As in the labs, for what the campaign judges."""
    return measures.default_average(qrels.pool.rules.task)


class ScoringOptions(NamedTuple):
    """How runs are scored. By default as the labs did: their measures, the grade as gain, the lowest relevant grade of
    the release's protocol, each run in the order chosen at import."""

    measures: Sequence[str] = MEASURES
    written_measures: Sequence[str] = WRITTEN_MEASURES
    gain: Gain = "linear"
    level: int | None = None
    order: Order | None = None
    imported: Sequence[ScoreRow] = ()
    """Values of measures of written answers that were computed elsewhere (`written.read_imported`)."""

    @property
    def all_written(self) -> list[str]:
        """The measures of written answers, with those that are imported."""
        return measures.order_measures([*self.written_measures, *written.measures(self.imported)])


LABS = ScoringOptions()


def evaluate(
    qrels: Qrels, average: str, on_progress: OnProgress, job: Job | None = None, options: ScoringOptions = LABS
) -> Evaluation:
    """Score all runs; written answers, and first answers of rankings, always over the topics where they are judged.
    Raises Refused without runs."""
    entered = list(qrels.pool.campaign.runs.select_related("ranking"))
    if not entered:
        raise Refused("There are no runs to score.")
    evaluation = Evaluation(
        qrels=qrels,
        average=average,
        level=options.level or qrels.protocol["level"],
        gain=options.gain,
        order=options.order or "",
        measures=measures.order_measures(options.measures),
        written_measures=options.all_written,
        not_pooled=not_pooled(qrels.pool, entered),
        job=job,
    )
    rankings = resolved(qrels, entered)
    judged = {unit: JudgedUnits(qrels.lines_of(unit)) for unit in qrels.counts}
    others = written.scores(qrels, entered, evaluation.written_measures, evaluation.level, options.imported)
    scores: list[tuple[Run, list[ScoreRow]]] = []
    profiles: list[RankProfile] = []
    for number, run in enumerate(entered):
        on_progress(number, len(entered), f"scoring {run.name}")
        ranking = rankings.get(run.pk)
        units = judged.get(unit_of(run), JudgedUnits([]))
        ranking = runs.load(run) if ranking is None else ranking
        values = score_one(evaluation, run, ranking, units)
        if not measures.has_judged(values) and (reason := nothing_in_common(ranking, units)):
            evaluation.notes += [f"{run.name} has {reason}{remedy(qrels.pool)}"]
        scores.append((run, averaged(evaluation, run, [*values, *others.get(run.pk, [])], units)))
        profiles += rank_profiles.made(evaluation, run, ranking, units)
    on_progress(len(entered), len(entered), "storing the scores")
    return store(evaluation, scores, profiles)


def remedy(pool: Pool) -> str:
    """The advice for runs of formulas without visual ids."""
    if pool.campaign.has_visual_ids and pool.campaign.collection is None:
        return ": the campaign has no formula index. Import one before you make the pool"
    return ""


def not_pooled(pool: Pool, entered: Iterable[Run]) -> list[int]:
    """The ids of the runs that the pool was made without; none if its runs are unknown, since it was imported.
    Answers written for a pool are all in it."""
    pooled = {record["sha256"] for record in pool.runs}
    return sorted(run.pk for run in entered if run.sha256 not in pooled) if pooled else []


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


def score_one(evaluation: Evaluation, run: Run, ranking: pl.DataFrame, judged: JudgedUnits) -> list[ScoreRow]:
    """The values that the ranking of a run gives."""
    task: Task = "written" if run.is_written else run.campaign.rules.task
    names = evaluation.measures_of(run)
    return measures.score(
        run.name,
        ranking,
        judged,
        task,
        by=evaluation.order or run.order,  # type: ignore[arg-type]
        level=evaluation.level,
        gain=evaluation.gain,  # type: ignore[arg-type]
        names=names,
    )


def averaged(evaluation: Evaluation, run: Run, values: list[ScoreRow], judged: JudgedUnits) -> list[ScoreRow]:
    """The values of a run for each topic in its means."""
    average = measures.default_average("written") if run.is_written else evaluation.average
    return measures.complete_scores(run.name, values, judged, evaluation.measures_of(run), average)  # type: ignore[arg-type]


@transaction.atomic
def store(
    evaluation: Evaluation, scores: Iterable[tuple[Run, list[ScoreRow]]], profiles: Iterable[RankProfile] = ()
) -> Evaluation:
    scores = list(scores)
    evaluation.means = [
        {**mean._asdict(), "run_id": run.pk}
        for run, rows in scores
        for mean in measures.means(rows, evaluation.measures_of(run))
    ]
    evaluation.save()
    Score.objects.bulk_create(
        [
            Score(evaluation=evaluation, run=run, topic_id=row.topic_id, measure=row.measure, value=row.value)
            for run, rows in scores
            for row in rows
        ],
        batch_size=1000,
    )
    RankProfile.objects.bulk_create(profiles)
    return evaluation
