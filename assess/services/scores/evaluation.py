"""Scores of all runs of a campaign with a release; of written answers also by measures that need more than qrels."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from django.db import transaction

from assess import models
from assess.ir.collection.html import plain_text
from assess.ir.common.problems import refuse
from assess.ir.common.rows import ScoreRow, abbreviated, grouped
from assess.ir.formats.scores import read_scores
from assess.ir.pool.pooling import prefixes
from assess.ir.runs.ranking import JudgedUnits, resolve, with_units
from assess.ir.scores import definitions, measures
from assess.ir.scores.definitions import CS, LO, MG, UI
from assess.ir.scores.lexical_overlap import Answer, Overlaps, references
from assess.ir.scores.reusability import rank_profile
from assess.models import Evaluation, Post, Qrels, QrelsLine, RankProfile, Run, Score
from assess.services.common.errors import Refused
from assess.services.desk.post_tasks import replies_of
from assess.services.formulas import visual_ids
from assess.services.pool.pools import as_pooled, runs_in_pool
from assess.services.runs import runs

Unit = QrelsLine.Unit
NO_INDEX = ": the campaign has no formula index. Import one before you make the pool"


def unit_of(run: Run) -> str:
    """The file of a release by which a run is scored."""
    return Unit.WRITTEN if run.is_written else run.campaign.rules.kind.unit


def evaluate(
    qrels: Qrels,
    average: str,
    on_progress: models.OnProgress,
    job: models.Job | None = None,
    imported: Sequence[ScoreRow] = (),
    **options: Any,
) -> Evaluation:
    """Score all runs; written answers, and first answers of rankings, always over the topics where they are judged.
    ``options``: fields of `Evaluation`, by default as the protocol says, or as the labs did. ``imported``: values of
    measures of written answers that were computed elsewhere (`read_imported`). Raises Refused without runs."""
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
    others = score_written(qrels, entered, evaluation.written_measures, evaluation.level, imported)
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
            only = [definitions.JUDGED]  # also if the evaluation does not ask for it
            shares = complete_run(evaluation, run, score_run(evaluation, run, ranking, units, only), units, only)
            judged10 = {row.topic_id: row.value for row in shares}
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


def entered_runs(campaign: models.Campaign) -> list[Run]:
    """Raises Refused without runs."""
    entered = list(campaign.entered_runs().select_related("ranking"))
    if not entered:
        raise Refused("There are no runs to score.")
    return entered


def load_rankings(
    qrels: Qrels, entered: Sequence[Run], on_progress: models.OnProgress = lambda *_: None, verb: str = ""
) -> Iterator[tuple[Run, pl.DataFrame]]:
    """The runs with their rankings under the visual ids of the release; one at a time, unless these ids are no longer
    the current ones, which the rankings have."""
    campaign, by_document, version = qrels.pool.campaign, qrels.pool.rules.unit == "document", None
    collection = campaign.collection if campaign.is_formulas and not by_document else None
    if collection and not visual_ids.is_current(collection, qrels.visual_map):
        version = qrels.visual_map or visual_ids.versions(collection).filter(kind=models.VisualMap.Kind.INDEX).first()
    rankings: Iterable[pl.DataFrame] = (runs.load_ranking(run) for run in entered)
    if version:
        rankings = list(rankings)
        units = visual_ids.units_of_rankings(version, rankings)
        rankings = (with_units(ranking, units) for ranking in rankings)
    for number, (run, ranking) in enumerate(zip(entered, rankings, strict=True)):
        on_progress(number, len(entered), f"{verb} {run.name}")
        yield run, resolve(ranking, None) if by_document else ranking


def score_run(
    evaluation: Evaluation, run: Run, ranking: pl.DataFrame, judged: JudgedUnits, names: Sequence[str] = ()
) -> list[ScoreRow]:
    """The values that the ranking of a run gives, of all measures or of these."""
    return measures.score(
        run.name,
        ranking,
        judged,
        by=evaluation.order_of(run),
        level=evaluation.level,
        gain=evaluation.gain,  # type: ignore[arg-type]
        names=names or evaluation.measures_of(run),
    )


def complete_run(
    evaluation: Evaluation, run: Run, values: list[ScoreRow], judged: JudgedUnits, names: Sequence[str] = ()
) -> list[ScoreRow]:
    """The values of a run for each topic in its means."""
    chosen = names or evaluation.measures_of(run)
    return measures.complete_scores(run.name, values, judged, chosen, evaluation.average)  # type: ignore[arg-type]


Document = tuple[str, str]
"""A topic and a document's id."""


def score_written(
    release: Qrels, entered: Iterable[Run], names: Collection[str], level: int, imported: Sequence[ScoreRow] = ()
) -> dict[int, list[ScoreRow]]:
    """The values of LO, MG, UI and imported measures, as far as they are asked for, by run: of the runs of written
    answers. Imported values of LO take the place of those from our tokens. MG and UI: 1 for each answer that its
    official assessor took for machine-generated, or saw unrelated information in, 0 for others with replies."""
    written = {
        run: list(runs.load_ranking(run).filter(rank=1).select("topic_id", "doc_id").iter_rows())
        for run in entered
        if run.is_written
    }
    values = {run.pk: [row for row in imported if row.run == run.name] for run in written}
    if written and {MG, UI} & set(names):
        replies = {(reply.topic_id, reply.doc_id): reply for reply in replies_of(release.pool)}
        for run, documents in written.items():
            for reply in (replies[document] for document in documents if document in replies):
                for name, said in ((MG, reply.machine), (UI, reply.unrelated)):  # “cannot tell” counts 0
                    value = float(said == models.PostTask.Reply.YES)
                    values[run.pk].append(ScoreRow(run.name, reply.topic_id, name, value))
    if written and LO in names and all(row.measure != LO for row in imported):
        stored = models.WrittenAnswer.objects.filter(topic__campaign=release.pool.campaign)
        bodies = stored.values_list("topic__topic_id", "doc_id", "body")
        texts = {(topic, doc): plain_text(body) for topic, doc, body in bodies}
        overlaps = Overlaps(known_answers(release, texts, level))
        for run, documents in written.items():
            answers = [Answer(document[0], texts[document]) for document in documents if document in texts]
            values[run.pk] += overlaps.score(run.name, answers, run.team)
    return {run: [row for row in rows if row.measure in names] for run, rows in values.items()}


def read_imported(path: Path, name: str, campaign: models.Campaign) -> list[ScoreRow]:
    """Values of CS or LO that were computed elsewhere, of runs of written answers. Raises BadInput for other measures,
    and for runs and topics that the campaign lacks."""
    with path.open("rb") as source:
        rows = read_scores(source, name)
    written = campaign.runs.filter(format=Run.Format.TASK3)
    fields = [
        ("run", {row.run for row in rows}, set(written.values_list("name", flat=True))),
        ("topic", {row.topic_id for row in rows}, set(campaign.topics.values_list("topic_id", flat=True))),
        ("measure", {row.measure for row in rows}, {LO, CS}),
    ]
    for kind, sent, stored in fields:
        if unknown := sorted(sent - stored):
            expected = abbreviated(sorted(stored)) or "none"
            raise refuse(name, f"unknown {kind} {abbreviated(unknown)}: written answers here have {expected}")
    return rows


def known_answers(release: Qrels, texts: Mapping[Document, str], level: int) -> list[Answer]:
    """The relevant written answers, and the relevant answers of the collection that are not longer than those may be;
    each with the teams whose runs brought it into the pool."""
    written, posts = (
        [(line.topic_id, line.unit_id) for line in release.lines_of(unit) if line.grade >= level]
        for unit in (QrelsLine.Unit.WRITTEN, QrelsLine.Unit.POST)
    )
    teams = contributors(release.pool)
    stored = Post.objects.filter(collection=release.pool.campaign.collection, post_id__in={doc for _, doc in posts})
    bodies = {post_id: plain_text(body) for post_id, body in stored.values_list("post_id", "body")}
    return references(
        [Answer(each[0], texts[each], teams.get(each, frozenset())) for each in written if each in texts],
        [Answer(topic, bodies[doc], teams.get((topic, doc), frozenset())) for topic, doc in posts if doc in bodies],
    )


def contributors(pool: models.Pool) -> dict[Document, frozenset[str]]:
    """The teams whose runs brought each document into the pool, by the depth of their role; baselines are a team, too.
    Empty if the runs of the pool are unknown."""
    entered = runs_in_pool(pool)
    if not entered:
        return {}
    pooled = as_pooled(pool.campaign, pool.rules, entered, lambda *_: None, pool.visual_map)
    parts = zip(entered, prefixes(pooled, pool.rules), strict=True)
    brought = ((part.select("topic_id", "doc_id"), run.team) for (run, _), part in parts)
    teams = grouped((document, team) for documents, team in brought for document in documents.iter_rows())
    return {document: frozenset(names) for document, names in teams.items()}
