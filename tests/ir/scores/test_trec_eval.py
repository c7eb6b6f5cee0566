"""On random runs with ties, the measures equal trec_eval's own values of the raw scores, and formulas by hand; the
order of the lines never matters. ERR equals gdeval's, which takes numbers for topics and prints five decimals."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import log2
from typing import Any, NamedTuple

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import ERR, gdeval

from assess.ir.common.rows import Qrel, RunLine
from assess.ir.runs.ranking import as_lines, order
from assess.ir.scores import definitions, measures

NAMES = [measure.name for measure in definitions.offered_measures("answers") if not measure.of_means]
TOPICS = ["A.1", "A.2", "A.10"]
UNITS = [f"d{number}" for number in range(12)]
PRIME = {
    **{"ndcg": "nDCG'", "ndcg_cut_5": "nDCG'@5", "ndcg_cut_10": "nDCG'@10", "ndcg_cut_1000": "nDCG'@1000"},
    **{"map": "MAP'", "P_5": "P'@5", "P_10": "P'@10", "bpref": "bpref"},
}
WHOLE = {
    **{"ndcg": "nDCG", "map": "MAP", "P_5": "P@5", "P_10": "P@10", "P_15": "P@15", "P_20": "P@20"},
    **{"set_P": "P@hit", "recip_rank": "MRR"},
}
Values = dict[tuple[str, str], float]


class Case(NamedTuple):
    """The lines of a run, with ties, in any order; and grades by topic and unit."""

    lines: list[RunLine]
    grades: dict[str, dict[str, int]]

    @property
    def raw(self) -> dict[str, dict[str, float]]:
        scores: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for line in self.lines:
            scores[line.topic_id][line.doc_id] = line.score
        return dict(scores)

    @property
    def judged(self) -> dict[str, dict[str, float]]:
        """The scores of judged units."""
        return {
            topic: {unit: score for unit, score in units.items() if unit in self.grades.get(topic, {})}
            for topic, units in self.raw.items()
        }

    def scored(self, names: Sequence[str] = NAMES, **options: Any) -> Values:
        qrels = [Qrel(topic, unit, grade) for topic, units in self.grades.items() for unit, grade in units.items()]
        rows = measures.score("run", order(as_lines(self.lines)), qrels, names=names, **options)
        return {(row.topic_id, row.measure): row.value for row in rows}

    def gains(self, topic: str, scores: dict[str, float]) -> list[int]:
        """The grades from the top down, -1 for an unjudged unit."""
        ranked = sorted(scores, key=lambda unit: (scores[unit], unit), reverse=True)
        return [self.grades[topic].get(unit, -1) for unit in ranked]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    retrieved = draw(st.sets(st.tuples(st.sampled_from(TOPICS), st.sampled_from(UNITS)), min_size=1))
    lines = [RunLine(topic, unit, 0, float(draw(st.integers(0, 3)))) for topic, unit in sorted(retrieved)]
    judged = st.dictionaries(st.sampled_from(UNITS), st.integers(0, 3), min_size=1, max_size=9)
    return Case(draw(st.permutations(lines)), draw(st.dictionaries(st.sampled_from(TOPICS), judged, min_size=1)))


def trec_eval(case: Case, scores: dict[str, dict[str, float]], names: dict[str, str], level: int) -> Values:
    """Of the raw scores: it orders them and breaks ties itself."""
    evaluator = pytrec_eval.RelevanceEvaluator(case.grades, set(names), relevance_level=level)
    values = evaluator.evaluate({topic: units for topic, units in scores.items() if units})
    return {(topic, names[key]): value for topic, of in values.items() for key, value in of.items()}


@given(cases(), st.integers(1, 3))
def test_measures_equal_trec_evals_own(case: Case, level: int) -> None:
    values = case.scored([*PRIME.values(), *WHOLE.values()], level=level)
    expected = trec_eval(case, case.judged, PRIME, level) | trec_eval(case, case.raw, WHOLE, level)
    assert values == pytest.approx(expected, abs=1e-12)


@given(cases(), st.randoms())
def test_the_order_of_lines_and_qrels_never_matters(case: Case, random: Any) -> None:
    lines, topics = list(case.lines), list(case.grades)
    random.shuffle(lines)
    random.shuffle(topics)
    assert Case(lines, {topic: case.grades[topic] for topic in topics}).scored() == case.scored()


def dcg(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def normalized(gains: Sequence[int], judged: Sequence[int], gain: Callable[[int], float]) -> float:
    ideal = dcg(sorted(map(gain, judged), reverse=True))
    return dcg([gain(max(each, 0)) for each in gains]) / ideal if ideal else 0.0


def bpref(gains: Sequence[int], judged: Sequence[int], level: int) -> float:
    relevant = sum(grade >= level for grade in judged)
    bound = min(relevant, len(judged) - relevant)
    above, total = 0, 0.0
    for grade in gains:
        if grade >= level:
            total += 1 - min(above, bound) / bound if above else 1
        above += grade < level
    return total / relevant if relevant else 0.0


@given(cases())
def test_measures_equal_formulas_by_hand(case: Case) -> None:
    whole = {topic: case.gains(topic, units) for topic, units in case.raw.items() if topic in case.grades}
    judged = {topic: [grade for grade in gains if grade >= 0] for topic, gains in whole.items()}
    expected: Values = {}
    for topic, gains in ((topic, gains) for topic, gains in judged.items() if gains):
        of_topic = list(case.grades[topic].values())
        expected[topic, "nDCG'"] = normalized(gains, of_topic, lambda grade: 2**grade - 1)
        expected[topic, "bpref full"] = bpref(gains, of_topic, 3)
        expected[topic, "bpref partial"] = bpref(gains, of_topic, 1)
    for topic, gains in whole.items():
        expected[topic, "nDCG"] = normalized(gains, list(case.grades[topic].values()), lambda grade: 2**grade - 1)
        for cutoff in (5, 10):
            expected[topic, f"judged@{cutoff}"] = sum(grade >= 0 for grade in gains[:cutoff]) / min(cutoff, len(gains))
        if gains[0] >= 0:
            expected |= {(topic, "AR"): gains[0], (topic, "P@1"): float(gains[0] >= 2)}
    names = ["nDCG'", "bpref hm", "nDCG", "judged@5", "judged@10", "AR", "P@1"]
    assert case.scored(names, gain="exponential") == pytest.approx(expected, abs=1e-12)


@given(cases(), st.sampled_from(["qrels", "run"]))
def test_the_harmonic_mean_is_of_the_means(case: Case, average: definitions.Average) -> None:
    qrels = [Qrel(topic, unit, grade) for topic, units in case.grades.items() for unit, grade in units.items()]
    rows = measures.score("run", order(as_lines(case.lines)), qrels, names=["bpref hm"])
    rows = measures.complete_scores("run", rows, qrels, ["bpref hm"], average)
    names = ["bpref full", "bpref partial", "bpref hm"]
    means = {mean.measure: mean.value for mean in measures.means(rows, names)}
    if means:
        full, partial = means["bpref full"], means["bpref partial"]
        assert means["bpref hm"] == pytest.approx(2 * full * partial / (full + partial) if full and partial else 0)
    else:
        assert not rows


GRADES = {"1": {"a": 3, "b": 0, "c": 4, "d": 1}, "2": {"a": 2, "e": -2}}


def score(grades: dict[str, dict[str, int]], run: dict[str, list[str]], *names: str, **options: Any) -> Any:
    lines = [RunLine(topic, unit, 0, -float(at)) for topic, units in run.items() for at, unit in enumerate(units)]
    qrels = [Qrel(topic, unit, grade) for topic, units in grades.items() for unit, grade in units.items()]
    rows = measures.score("run", order(as_lines(lines)), qrels, names=names, **options)
    return {(row.topic_id, row.measure): row.value for row in rows}


def test_a_relevant_unit_at_rank_i_adds_a_fifth_of_its_chance_and_err_is_for_grades_up_to_4() -> None:
    values = score(GRADES, {"1": ["c", "x", "a"], "3": ["a"]}, "RBP", level=3)
    assert values == {("1", "RBP"): pytest.approx(0.2 * (1 + 0.8**2))}
    with pytest.raises(ValueError, match="ERR is for grades up to 4, found 5"):
        score({"1": {"a": 5}}, {"1": ["a"]}, "ERR@10")
    assert score({"1": {"a": 5}}, {"1": ["a"]}, "RBP") == {("1", "RBP"): pytest.approx(0.2)}


@settings(max_examples=10)
@given(st.permutations("abcdefgh"), st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-2, 4), min_size=1))
def test_err_equals_gdevals(ranking: list[str], grades: dict[str, int]) -> None:
    grades["z"] = 1  # it leaves out a topic without any relevant unit
    (expected,) = gdeval.iter_calc([ERR @ 5], {"1": grades}, {"1": {unit: 9.0 - at for at, unit in enumerate(ranking)}})
    assert score({"1": grades}, {"1": ranking}, "ERR@5") == {("1", "ERR@5"): pytest.approx(expected.value, abs=6e-6)}
