"""Which disagreements matter to the results."""

from collections import defaultdict
from typing import Any

from assess.ir.common.rows import Qrel
from assess.ir.results import measures
from assess.ir.results.influence import ScoredRun, influences, points
from assess.ir.runs.ranking import prime
from assess.models import Evaluation, Instance, Judgment, Pool
from assess.services.judging import adjudication
from assess.services.results import disagreements, evaluation, qrels
from assess.services.runs import runs


def of_pool(pool: Pool) -> dict[str, Any]:
    """For each document of which the official and another assessor disagree, what the grade of the other one would
    change in the latest evaluation of the pool: ``evaluation`` and, by instance and grade, ``documents``. Empty
    without an evaluation. A formula has the highest grade of its instances. Written answers are left out, and so are
    documents that an expert has settled."""
    latest = Evaluation.objects.filter(qrels__pool=pool).select_related("qrels__pool__campaign__collection").first()
    if latest is None:
        return {}
    lines = qrels.lines(latest.qrels, qrels.unit_of_topics(pool))
    cases = alternatives(pool, lines)
    values = influences(
        scored_runs(latest, lines, {line.topic_id for line in cases.values()}), lines, [*cases.values()]
    )
    documents: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for (instance, grade), value in zip(cases, values, strict=True):
        documents[str(instance)][str(grade)] = value._asdict()
    return {"evaluation": latest.pk, "documents": documents}


def alternatives(pool: Pool, lines: list[Qrel]) -> dict[tuple[int, int], Qrel]:
    """The other line of the qrels for each instance and grade that another assessor gave it."""
    released = {(line.topic_id, line.unit_id) for line in lines}
    official = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True, grade__isnull=False)
    official = official.filter(assignment__closed=None).exclude(instance__kind=Instance.Kind.WRITTEN)
    columns = ("instance__entry__topic__topic_id", "instance__entry__unit_id", "instance", "grade")
    units: defaultdict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    keys: dict[int, tuple[str, str]] = {}
    for topic_id, unit_id, instance, grade in official.values_list(*columns):
        units[topic_id, unit_id][instance] = grade
        keys[instance] = topic_id, unit_id
    settled = set(adjudication.settled_instances(pool))
    others: dict[tuple[int, int], Qrel] = {}
    for instance, grade in disagreements.other_grades(pool):
        key = keys.get(instance)
        if key in released and key is not None and instance not in settled:
            others[instance, grade] = Qrel(*key, max((units[key] | {instance: grade}).values()))
    return others


def scored_runs(latest: Evaluation, lines: list[Qrel], topics: set[str]) -> list[ScoredRun]:
    """The runs that the evaluation scored by nDCG', with what counts of these topics."""
    means = {row["run"]: row for row in latest.means if row["measure"] == measures.NDCG}
    entered = [run for run in latest.qrels.pool.campaign.runs.select_related("ranking") if run.name in means]
    rankings = evaluation.resolved(latest.qrels, entered)
    wanted = [line for line in lines if line.topic_id in topics]
    scored = []
    for run in entered:
        ranking = rankings[run.pk] if run.pk in rankings else runs.load(run)
        reduced = prime(ranking.filter(ranking["topic_id"].is_in(list(topics))), wanted, run.order)  # type: ignore[arg-type]
        mean = means[run.name]
        scored.append(ScoredRun(run.name, mean["value"], mean["topics"], points(reduced)))
    return scored
