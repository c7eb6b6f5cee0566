"""How much each disagreement matters to the results."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import polars as pl

from assess.ir.agreement.influence import ScoredRun, TopicValue, influences, judged_points, ndcg, relevance
from assess.ir.common.rows import Qrel
from assess.ir.releases.releasing import unit_of_topics
from assess.ir.runs.ranking import judged_only, prime
from assess.ir.scores import definitions
from assess.models import Evaluation, Instance, Pool, QrelsLine
from assess.services.agreement import disagreements
from assess.services.releases.qrels import official_grades
from assess.services.rounds import adjudication
from assess.services.scores import evaluation

Case = tuple[int, int]
"""An instance, and the grade that another assessor gave it."""
WRITTEN = QrelsLine.Unit.WRITTEN
VALUES: dict[str, TopicValue] = {definitions.NDCG: ndcg, definitions.AR: relevance}


def influence_of_disagreements(pool: Pool) -> dict[str, Any]:
    """For each document of which the official and another assessor disagree, what the grade of the other one would
    change in the latest evaluation of the pool that has the grade as gain: ``evaluation`` and, by instance and grade,
    ``documents``. Empty without one. A formula has the highest grade of its instances. Documents that an expert has
    settled are left out."""
    evaluations = Evaluation.objects.filter(qrels__pool=pool, gain=Evaluation.Gain.LINEAR)
    latest = evaluations.select_related("qrels__pool__campaign__collection").first()
    if latest is None:
        return {}
    documents: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for unit, measure in ((unit_of_topics(pool.rules.task), definitions.NDCG), (WRITTEN, definitions.AR)):
        for (instance, grade), influence in influence_of_unit(latest, unit, measure):
            documents[str(instance)][str(grade)] = influence
    return {"evaluation": latest.pk, "documents": documents}


def influence_of_unit(latest: Evaluation, unit: str, measure: str) -> Iterator[tuple[Case, dict[str, Any]]]:
    """The influence of the disagreements over one kind of unit on the runs that are scored by it."""
    lines = latest.qrels.lines_of(unit)
    cases = alternatives(latest.qrels.pool, unit, lines)
    scored = scored_runs(latest, measure, lines, {line.topic_id for line in cases.values()})
    values = influences(scored, lines, [*cases.values()], VALUES[measure])
    for case, influence in zip(cases, values, strict=True):
        yield case, influence._asdict() | {"measure": measure}


def alternatives(pool: Pool, unit: str, lines: list[Qrel]) -> dict[Case, Qrel]:
    """The other line of the qrels for each instance and grade that another assessor gave it."""
    released = {(line.topic_id, line.unit_id) for line in lines}
    is_written = {"instance__kind": Instance.Kind.WRITTEN}
    graded = official_grades(pool).filter(assignment__closed=None)
    official = graded.filter(**is_written) if unit == WRITTEN else graded.exclude(**is_written)
    columns = ("instance__entry__topic__topic_id", "instance__entry__unit_id", "instance", "grade")
    units: defaultdict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    keys: dict[int, tuple[str, str]] = {}
    for topic_id, unit_id, instance, grade in official.values_list(*columns):
        units[topic_id, unit_id][instance] = grade
        keys[instance] = topic_id, unit_id
    settled = adjudication.settled_instances(pool)
    others: dict[Case, Qrel] = {}
    for instance, grade in disagreements.other_grades(pool):
        key = keys.get(instance)
        if key in released and key is not None and instance not in settled:
            others[instance, grade] = Qrel(*key, max((units[key] | {instance: grade}).values()))
    return others


def scored_runs(latest: Evaluation, measure: str, lines: list[Qrel], topics: set[str]) -> list[ScoredRun]:
    """The runs that the evaluation scored by the measure, with what counts of these topics."""
    means = {row["run_id"]: row for row in latest.means if row["measure"] == measure}
    of_kind = [run for run in latest.campaign.runs.select_related("ranking") if run.pk in means]
    entered = [run for run in of_kind if run.is_written == (measure == definitions.AR)]  # rankings can have an AR, too
    wanted = [line for line in lines if line.topic_id in topics]
    scored = []
    for run, ranking in evaluation.load_rankings(latest.qrels, entered):
        of_topics = ranking.filter(ranking["topic_id"].is_in(list(topics)))
        if run.is_written:
            judged = judged_only(of_topics.filter(pl.col("rank") == 1), wanted)
        else:
            judged = prime(of_topics, wanted, latest.order_of(run))
        scored.append(ScoredRun(run.name, means[run.pk]["value"], means[run.pk]["topics"], judged_points(judged)))
    return scored
