"""The values of measures for each topic, nearly all by trec_eval through ir-measures; and the mean over topics. A run
is first reduced by ``ranking.prime``, or by ``ranking.by_unit`` for measures of the whole ranking. trec_eval then gets
our order as falling whole numbers, so neither its handling of ties nor its 32-bit scores can change it. (In the labs'
runs that were tried, rounding scores to 32 bits moved no line.)"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from statistics import harmonic_mean
from typing import Any, cast

import polars as pl

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import RELEVANT, MeanScore, Order, Qrel, ScoreRow, abbreviated, grouped, natural, nested
from assess.ir.runs.ranking import LIMIT, JudgedUnits, as_points, by_unit, judged_only, prime
from assess.ir.scores import definitions
from assess.ir.scores.definitions import Average, Gain, Measure, find_measure

MEASURES = (definitions.NDCG, definitions.MAP, definitions.P10, definitions.BPREF)
"""The measures of rankings unless others are asked for."""
WRITTEN_MEASURES = (definitions.AR, definitions.P1)
"""Of the single written answer to each topic, unless others are asked for."""
HIGHEST_GRADE = 20
"""The gain 2^g - 1 of higher grades takes trec_eval, which has a table of all gains, too much memory."""


def official_measures(rules: Protocol) -> tuple[str, ...]:
    """The measures of rankings that a protocol names, by their names here, or the usual ones if it names none. Raises
    ``ValueError`` for a name that is none of them."""
    try:
        chosen = list(map(find_measure, rules.measures))
    except ValueError as error:
        raise ValueError(f"measures: {error}") from error
    if unfit := definitions.unfit_measures(chosen, rules.task):
        raise ValueError(f"measures: rankings have no {', '.join(unfit)}; leave it out")
    return tuple(dict.fromkeys(measure.name for measure in chosen)) or MEASURES


def order_measures(names: Iterable[str], official: Sequence[str] = MEASURES) -> list[str]:
    """The same measures in the order of all tables, each once: the official ones first, then the others as
    `definitions.OFFERED` begins their families, by cut-off in a family. Raises ``ValueError`` for an unknown one."""
    families = [measure.family for measure in definitions.OFFERED]
    places = {name: (families.index(find_measure(name).family), find_measure(name).cutoff or 0) for name in names}
    return [*(name for name in official if name in places), *sorted(places.keys() - official, key=places.__getitem__)]


def score(
    name: str,
    ranking: pl.DataFrame,
    qrels: Collection[Qrel],
    *,
    by: Order = "score",
    level: int = RELEVANT,
    gain: Gain = "linear",
    names: Sequence[str] = MEASURES,
) -> list[ScoreRow]:
    """The measures for each topic with a value: a judged unit for measures of judged units, a judged first document for
    AR and P@1, any document of a topic of the qrels for the rest; without those not computed from rankings."""
    chosen = [find_measure(part) for part in parts_of(names)]
    of_judged, of_whole, of_first = (
        [measure for measure in chosen if measure.input == wanted] for wanted in ("judged", "whole", "first")
    )
    rows = by_trec_eval(name, prime(ranking, qrels, by), qrels, of_judged, level, gain) if of_judged else []
    if of_whole or of_first:
        whole = by_unit(ranking, by)
        deepest = max((measure.cutoff or LIMIT for measure in of_whole), default=0)
        top = whole.filter(pl.col("rank") <= deepest)  # ir-measures would sort all units for judged@10
        rows += by_trec_eval(name, top, qrels, of_whole, level, gain)
        rows += of_firsts(name, whole, qrels, of_first, level)
    return rows


def parts_of(names: Iterable[str]) -> list[str]:
    """The measures with values of topics from which these measures follow, each once."""
    return list(dict.fromkeys(part for name in names for part in find_measure(name).of_means or (name,)))


def by_trec_eval(
    name: str, ranking: pl.DataFrame, qrels: Collection[Qrel], measures: Sequence[Measure], level: int, gain: Gain
) -> list[ScoreRow]:
    """The values for each topic of the qrels in the ranking, by topic and then in the order of the measures."""
    judged = JudgedUnits.of(qrels)
    if not judged or not measures:
        return []
    points = as_points(ranking)
    key = tuple(measures), level, gain
    if key not in judged.engines:
        judged.engines[key] = Engine(judged, measures, level, gain)
    engine = cast(Engine, judged.engines[key])
    scores = of_readers(name, points, judged, measures, level)
    scores += [
        ScoreRow(name, value.query_id, measure, float(value.value))
        for part in engine.parts
        for value in part.iter_calc(points)
        if value.query_id in points and value.query_id in judged.by_topic
        for measure in engine.names[value.measure]
    ]
    places = {measure.name: place for place, measure in enumerate(measures)}
    return sorted(scores, key=lambda score: (score.topic_id, places[score.measure]))


class Engine:
    """trec_eval with qrels: made once, it measures any number of runs. ``names``: ours of ir-measures' measures; two
    may be the same, such as bpref at level 1 and bpref partial."""

    def __init__(self, judged: JudgedUnits, measures: Iterable[Measure], level: int, gain: Gain) -> None:
        from ir_measures import judged as judgment_rate
        from ir_measures import pytrec_eval

        gains = exponential_gains(judged) if gain == "exponential" else {}
        computed = [measure for measure in measures if measure.family not in READERS]
        self.names = grouped((in_ir_measures(measure, level, gains), measure.name) for measure in computed)
        rates = [measure for measure in self.names if measure.NAME == "Judged"]
        others = [measure for measure in self.names if measure not in rates]
        others.sort(key=lambda measure: bool(measure.NAME == "nDCG"))  # it joins a call for others, and needs none
        providers = (pytrec_eval.evaluator, others), (judgment_rate.evaluator, rates)
        self.parts: list[Any] = [provider(chosen, judged.by_topic) for provider, chosen in providers if chosen]


def nothing_in_common(scores: Iterable[ScoreRow], ranking: pl.DataFrame, qrels: Collection[Qrel]) -> str:
    """Why a ranking (`ranking.order`, resolved to units) cannot be scored with these qrels, with ids of both side by
    side; empty if one of its scores or retrieved units is judged."""
    is_judged = any(find_measure(score.measure).input != "whole" for score in scores)
    if is_judged or not judged_only(ranking, qrels).is_empty():
        return ""
    judged = JudgedUnits.of(qrels).by_topic
    retrieved = ranking.filter(pl.col("unit_id") != "").select("topic_id", "unit_id")
    topics = retrieved["topic_id"].unique(maintain_order=True).to_list()
    common = [topic for topic in topics if topic in judged]
    if not common:
        of_qrels = abbreviated(sorted(judged, key=natural))
        return f"no topic in common: {abbreviated(topics) or 'none'} in the run, {of_qrels} in the qrels"
    ids = abbreviated(retrieved.filter(topic_id=common[0])["unit_id"].to_list())
    others = abbreviated(sorted(judged[common[0]]))
    return f"no document in common, for {common[0]}: {ids} in the run, {others} in the qrels"


def in_ir_measures(measure: Measure, level: int, gains: Mapping[int, int]) -> Any:
    """A measure of rankings as ir-measures has it; ``gains`` by grade, empty for the grades themselves."""
    from ir_measures import AP, RR, Bpref, Judged, P, R, SetP, nDCG

    levels = {definitions.BPREF_FULL: definitions.FULL, definitions.BPREF_PARTIAL: definitions.PARTIAL}
    family, cutoff = measure.family.removesuffix("'"), measure.cutoff
    kinds = {"P": P, "R": R, "MAP": AP, "P@hit": SetP, "MRR": RR} | dict.fromkeys((definitions.BPREF, *levels), Bpref)
    if family == "nDCG":
        made: Any = nDCG(gains=dict(gains)) if gains else nDCG
    else:
        made = Judged if family == "judged" else kinds[family](rel=levels.get(measure.name, level))
    return made @ cutoff if cutoff else made


def exponential_gains(judged: JudgedUnits) -> dict[int, int]:
    """2^g - 1 for each grade g. Raises ``ValueError`` for a grade that is too high for trec_eval."""
    grades = {grade for units in judged.by_topic.values() for grade in units.values()}
    if max(grades, default=0) > HIGHEST_GRADE:
        raise ValueError(f"the exponential gain is for grades up to {HIGHEST_GRADE}, found {max(grades)}")
    return {grade: 2**grade - 1 for grade in sorted(grades)}


def of_firsts(
    name: str, ranking: pl.DataFrame, qrels: Collection[Qrel], measures: Sequence[Measure], level: int
) -> list[ScoreRow]:
    """AR and P@1 of the first documents that are judged: a list is cut after its first result, and a topic whose first
    result is not judged does not count (ARQMath-3, Table 7)."""
    if not measures:
        return []
    grades = JudgedUnits.of(qrels).by_topic
    firsts = judged_only(ranking.filter(pl.col("rank") == 1), qrels).select("topic_id", "unit_id").sort("topic_id")
    values = {topic_id: grades[topic_id][unit_id] for topic_id, unit_id in firsts.iter_rows()}
    return [
        ScoreRow(name, topic_id, measure.name, float(grade if measure.name == definitions.AR else grade >= level))
        for topic_id, grade in values.items()
        for measure in measures
    ]


def complete_scores(
    run: str,
    scores: Iterable[ScoreRow],
    qrels: Collection[Qrel],
    names: Iterable[str],
    average: Average,
    firsts: Average = "run",
) -> list[ScoreRow]:
    """The scores of a run that enter the means of these measures, by topic. Each measure has its own topics: all of the
    qrels, with 0 where the run has no score, or those with a score. ``average`` is for measures of whole or judged
    rankings, ``firsts`` for the rest: the labs left out topics whose first answer is not judged."""
    by_measure = nested((score.measure, score.topic_id, score.value) for score in scores)
    rows: list[ScoreRow] = []
    for name in parts_of(names):
        values = by_measure[name]
        chosen = average if find_measure(name).input in ("judged", "whole") else firsts
        topics = JudgedUnits.of(qrels).by_topic if chosen == "qrels" else values
        rows += [ScoreRow(run, topic, name, values.get(topic, 0.0)) for topic in topics]
    return sorted(rows, key=lambda row: row.topic_id)


def means(scores: Iterable[ScoreRow], names: Sequence[str]) -> list[MeanScore]:
    """The mean of each run by these measures over the topics with a score, as `complete_scores` chose them, or the
    harmonic mean of the two from which it follows; there is none without a score."""
    computed = {(row.run, row.measure): row for row in means_of_topics(scores)}
    rows = []
    for run in dict.fromkeys(run for run, _ in computed):
        for measure in map(find_measure, names):
            parts = [computed[run, name] for name in parts_of([measure.name]) if (run, name) in computed]
            if measure.of_means and len(parts) == len(measure.of_means):
                value = float(harmonic_mean([part.value for part in parts]))
                rows.append(MeanScore(run, measure.name, value, min(part.topics for part in parts)))
            elif not measure.of_means:
                rows += parts
    return rows


def means_of_topics(scores: Iterable[ScoreRow]) -> list[MeanScore]:
    """The mean of each run and measure over all topics with a score."""
    groups = grouped(((score.run, score.measure), score.value) for score in scores)
    # Added up from left to right: `sum` rounds less, and published means would differ in the last digit.
    return [MeanScore(*key, reduce(add, values) / len(values), len(values)) for key, values in groups.items()]


READERS = ("RBP", "ERR")
"""The families of measures that model a reader."""
PERSISTENCE = 0.8
"""RBP: the probability that the reader goes on to the next document."""
ERR_HIGHEST = 4
"""The highest grade that ERR takes, by which it turns grades into probabilities, as gdeval does for every scale."""


def of_readers(
    name: str, points: Mapping[str, Iterable[str]], judged: JudgedUnits, measures: Iterable[Measure], level: int
) -> list[ScoreRow]:
    """RBP and ERR. Those of ir-measures need a package without wheels, and a Perl script that takes only numbers as
    topics. Raises ``ValueError`` for grades too high for ERR."""
    rows = []
    for measure in (each for each in measures if each.family in READERS):
        is_err = measure.family == "ERR"
        if is_err and (highest := max(qrel.grade for qrel in judged)) > ERR_HIGHEST:
            raise ValueError(f"ERR is for grades up to {ERR_HIGHEST}, found {highest}")
        for topic_id in points.keys() & judged.by_topic.keys():
            grades = [judged.by_topic[topic_id].get(unit, 0) for unit in points[topic_id]][: measure.cutoff]
            value = expected_reciprocal_rank(grades) if is_err else rank_biased_precision(grades, level)
            rows.append(ScoreRow(name, topic_id, measure.name, value))
    return rows


def rank_biased_precision(grades: Sequence[int], level: int) -> float:
    """The grades of a ranking, from the first. Moffat and Zobel 2008."""
    return (1 - PERSISTENCE) * sum(PERSISTENCE**place for place, grade in enumerate(grades) if grade >= level)


def expected_reciprocal_rank(grades: Sequence[int]) -> float:
    """1/rank of the document that satisfies the reader, each with probability (2^g - 1)/2^4. Chapelle et al. 2009."""
    value, goes_on = 0.0, 1.0
    for rank, grade in enumerate(grades, 1):
        satisfies = (2**grade - 1) / 2**ERR_HIGHEST
        value += goes_on * satisfies / rank
        goes_on *= 1 - satisfies
    return value
