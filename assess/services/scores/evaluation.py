"""Scores of all runs of a campaign with a release."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl
from django.db import transaction

from assess.ir.common.rows import ScoreRow, Task
from assess.ir.runs.judged import JudgedUnits
from assess.ir.runs.ranking import resolve, with_units
from assess.ir.scores import definitions, measures
from assess.ir.scores.rank_profile import rank_profile
from assess.models import Campaign, Evaluation, Job, Qrels, QrelsLine, RankProfile, Run, Score, VisualMap
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.runs import runs
from assess.services.scores import written

Unit = QrelsLine.Unit
NO_INDEX = ": the campaign has no formula index. Import one before you make the pool"


def unit_of(run: Run) -> str:
    """The file of a release by which a run is scored."""
    return Unit.WRITTEN if run.is_written else run.campaign.rules.kind.unit


def evaluate(
    qrels: Qrels,
    average: str,
    on_progress: OnProgress,
    job: Job | None = None,
    imported: Sequence[ScoreRow] = (),
    **options: Any,
) -> Evaluation:
    """Score all runs; written answers, and first answers of rankings, always over the topics where they are judged.
    ``options``: fields of `Evaluation`, by default as the protocol says, or as the labs did. ``imported``: values of
    measures of written answers that were computed elsewhere (`written.read_imported`). Raises Refused without runs."""
    campaign = qrels.pool.campaign
    entered = entered_runs(campaign)
    official = measures.official_measures(qrels.pool.rules)
    usual = {"level": qrels.protocol["level"], "measures": official}
    evaluation = Evaluation(qrels=qrels, average=average, job=job, **{**usual, **options})
    evaluation.measures = measures.order_measures(evaluation.measures, official)
    with_imported = [*evaluation.written_measures, *(row.measure for row in imported)]
    evaluation.written_measures = measures.order_measures(with_imported)
    if pooled := {record["sha256"] for record in qrels.pool.runs}:  # unknown if the pool was imported
        evaluation.not_pooled = sorted(run.pk for run in entered if run.sha256 not in pooled)
    judged = {unit: JudgedUnits(qrels.lines_of(unit)) for unit in qrels.counts}
    others = written.score_written(qrels, entered, evaluation.written_measures, evaluation.level, imported)
    scores: list[tuple[Run, list[ScoreRow]]] = []
    profiles: list[RankProfile] = []
    for run, ranking in load_rankings(qrels, entered, on_progress, "scoring"):
        units = judged.get(unit_of(run), JudgedUnits([]))
        values = score_run(evaluation, run, ranking, units)
        if reason := measures.nothing_in_common(values, ranking, units):
            is_unindexed = campaign.has_visual_ids and campaign.collection is None
            evaluation.notes += [f"{run.name} has {reason}{NO_INDEX if is_unindexed else ''}"]
        scores.append((run, complete_run(evaluation, run, [*values, *others.get(run.pk, [])], units)))
        if not run.is_written and (bands := rank_profile(ranking, units, evaluation.order_of(run))):
            judged10 = judged_shares(evaluation, run, ranking, units)
            profiles.append(RankProfile(evaluation=evaluation, run=run, bands=bands, judged=judged10))
    on_progress(len(entered), len(entered), "storing the scores")
    return save_scores(evaluation, scores, profiles)


@transaction.atomic
def save_scores(
    evaluation: Evaluation, scores: Iterable[tuple[Run, list[ScoreRow]]], profiles: Iterable[RankProfile] = ()
) -> Evaluation:
    """Add the scores, with their means, to those that the evaluation has."""
    rows: list[Score] = []
    for run, of_run in scores:
        means = measures.means(of_run, evaluation.measures_of(run))
        evaluation.means += [{**mean._asdict(), "run_id": run.pk} for mean in means]
        about = {"evaluation": evaluation, "run": run}
        rows += [Score(**about, topic_id=row.topic_id, measure=row.measure, value=row.value) for row in of_run]
    evaluation.save()
    Score.objects.bulk_create(rows, batch_size=1000)
    RankProfile.objects.bulk_create(profiles)
    return evaluation


def entered_runs(campaign: Campaign) -> list[Run]:
    """Raises Refused without runs."""
    entered = list(campaign.entered_runs().select_related("ranking"))
    if not entered:
        raise Refused("There are no runs to score.")
    return entered


def load_rankings(
    qrels: Qrels, entered: Sequence[Run], on_progress: OnProgress = lambda *_: None, verb: str = ""
) -> Iterator[tuple[Run, pl.DataFrame]]:
    """The runs with their rankings under the visual ids of the release; one at a time, unless these ids are no longer
    the current ones, which the rankings have."""
    campaign, by_document, version = qrels.pool.campaign, qrels.pool.rules.unit == "document", None
    collection = campaign.collection if campaign.is_formulas and not by_document else None
    if collection and not visual_ids.is_current(collection, qrels.visual_map):
        version = qrels.visual_map or visual_ids.versions(collection).filter(kind=VisualMap.Kind.INDEX).first()
    rankings: Iterable[pl.DataFrame] = (runs.load_ranking(run) for run in entered)
    if version:
        rankings = list(rankings)
        units = visual_ids.units_of_rankings(version, rankings)
        rankings = (with_units(ranking, units) for ranking in rankings)
    for number, (run, ranking) in enumerate(zip(entered, rankings, strict=True)):
        on_progress(number, len(entered), f"{verb} {run.name}")
        yield run, resolve(ranking, None) if by_document else ranking


def judged_shares(evaluation: Evaluation, run: Run, ranking: pl.DataFrame, judged: JudgedUnits) -> dict[str, float]:
    """Judged@10 of each topic, also if the evaluation does not ask for it."""
    names = [definitions.JUDGED]
    values = score_run(evaluation, run, ranking, judged, names)
    return {row.topic_id: row.value for row in complete_run(evaluation, run, values, judged, names)}


def score_run(
    evaluation: Evaluation, run: Run, ranking: pl.DataFrame, judged: JudgedUnits, names: Sequence[str] = ()
) -> list[ScoreRow]:
    """The values that the ranking of a run gives, of all measures or of these."""
    task: Task = "written" if run.is_written else run.campaign.rules.task
    return measures.score(
        run.name,
        ranking,
        judged,
        task,
        by=evaluation.order_of(run),
        level=evaluation.level,
        gain=evaluation.gain,  # type: ignore[arg-type]
        names=names or evaluation.measures_of(run),
    )


def complete_run(
    evaluation: Evaluation, run: Run, values: list[ScoreRow], judged: JudgedUnits, names: Sequence[str] = ()
) -> list[ScoreRow]:
    """The values of a run for each topic in its means."""
    average = measures.default_average("written") if run.is_written else evaluation.average
    return measures.complete_scores(run.name, values, judged, names or evaluation.measures_of(run), average)  # type: ignore[arg-type]
