"""How much each disagreement matters to the results."""

from collections import defaultdict
from typing import Any

import polars as pl
from django.db.models import Q

from assess.ir.agreement.influence import ScoredRun, TopicValue, influences, ndcg, relevance
from assess.ir.common.rows import Qrel, nested
from assess.ir.releases.aggregation import SUM, points
from assess.ir.runs.ranking import as_points, judged_only, prime
from assess.ir.scores import definitions
from assess.models import Evaluation, Instance, Pool, QrelsLine
from assess.services.agreement.disagreements import Chosen, compare_judgments
from assess.services.releases.qrels import official_grades
from assess.services.rounds import adjudication
from assess.services.scores import evaluation

WRITTEN = QrelsLine.Unit.WRITTEN
VALUES: dict[str, TopicValue] = {definitions.NDCG: ndcg, definitions.AR: relevance}


def influence_of_disagreements(pool: Pool) -> dict[str, Any]:
    """For each document on which the official and another assessor disagree, what the other grade would change in the
    latest evaluation of the pool that has the grade as gain: ``evaluation`` and, by instance and grade, ``documents``;
    empty without one. A formula has the highest grade of its instances. What an expert has settled is left out."""
    evaluations = Evaluation.objects.filter(qrels__pool=pool, gain=Evaluation.Gain.LINEAR)
    latest = evaluations.select_related("qrels__pool__campaign__collection").first()
    if latest is None:
        return {}
    documents: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for unit, measure in ((pool.rules.kind.unit, definitions.NDCG), (WRITTEN, definitions.AR)):
        lines = latest.qrels.lines_of(unit)
        cases = alternatives(pool, unit, lines)
        scored = scored_runs(latest, measure, lines, {line.topic_id for line in cases.values()})
        values = influences(scored, lines, [*cases.values()], VALUES[measure])
        for (instance, grade), influence in zip(cases, values, strict=True):
            documents[str(instance)][str(grade)] = influence._asdict() | {"measure": measure}
    return {"evaluation": latest.pk, "documents": documents}


def alternatives(pool: Pool, unit: str, lines: list[Qrel]) -> dict[tuple[int, int], Qrel]:
    """The other line of the qrels for each instance and grade that an assessor gave it, but that does not count."""
    released = {(line.topic_id, line.unit_id) for line in lines}
    units = nested(((row.topic_id, row.unit_id), row.doc_id, row.grade) for row in official_grades(pool))
    is_written = Q(kind=Instance.Kind.WRITTEN)
    of_kind = Instance.objects.filter(is_written if unit == WRITTEN else ~is_written, entry__pool=pool)
    columns = ("pk", "entry__topic__topic_id", "entry__unit_id", "doc_id")
    places = {pk: ((topic, of_unit), document) for pk, topic, of_unit, document in of_kind.values_list(*columns)}
    settled, is_sum = adjudication.settled_instances(pool), pool.rules.rule_of_grades == SUM
    others: dict[tuple[int, int], Qrel] = {}
    fields = ("instance", "grade", "other_grade")
    different = compare_judgments(pool, Chosen()).values_list(*fields)
    for instance, grade in {(instance, grade) for instance, *grades in different for grade in grades}:
        key, document = places.get(instance, (("", ""), ""))
        counted = 2 * points(grade, pool.rules.level) if is_sum else grade
        if key in released and instance not in settled and units[key].get(document, counted) != counted:
            others[instance, grade] = Qrel(*key, max((units[key] | {document: counted}).values()))
    return others


def scored_runs(latest: Evaluation, measure: str, lines: list[Qrel], topics: set[str]) -> list[ScoredRun]:
    """The runs that the evaluation scored by the measure, with what counts of these topics."""
    means = {row["run_id"]: row for row in latest.means if row["measure"] == measure}
    is_written = measure == definitions.AR  # rankings can have an AR, too
    runs = latest.campaign.entered_runs().select_related("ranking")
    entered = [run for run in runs if run.pk in means and run.is_written == is_written]
    wanted = [line for line in lines if line.topic_id in topics]
    scored = []
    for run, ranking in evaluation.load_rankings(latest.qrels, entered):
        of_topics = ranking.filter(ranking["topic_id"].is_in(list(topics)))
        if run.is_written:
            judged = judged_only(of_topics.filter(pl.col("rank") == 1), wanted)
        else:
            judged = prime(of_topics, wanted, latest.order_of(run))
        scored.append(ScoredRun(run.name, means[run.pk]["value"], means[run.pk]["topics"], as_points(judged)))
    return scored
