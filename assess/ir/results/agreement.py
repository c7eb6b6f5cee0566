"""Cohen's kappa of assessors who judged the same documents (J. Cohen 1960)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from assess.ir.common.rows import RELEVANT, JudgmentRow

Item = tuple[str, str]
Rated = Mapping[Item, int | None]
"""The grades of one assessor by (topic, document); None for an outcome."""


class Kappa(NamedTuple):
    """A kappa. If it is undefined (None) or degenerate (0 because a rater is constant), ``reason`` says why, and it
    enters no mean (ARQMath-2: kappa means nothing for an assessor who found nothing relevant)."""

    value: float | None
    reason: str = ""

    @property
    def counts(self) -> bool:
        return self.value is not None and not self.reason


class PairAgreement(NamedTuple):
    """Two assessors on the ``n`` items that both graded: the fraction of equal grades, kappa over the four grades and
    over relevant or not (H+M). Items with an outcome from either are left out, with a note."""

    first: str
    second: str
    n: int
    agreement: float | None
    kappa: Kappa
    kappa_hm: Kappa
    note: str


class AssessorAgreement(NamedTuple):
    """The mean kappa of an assessor with each of the others (ARQMath-2); ``partners``: the others with common items."""

    assessor: str
    partners: int
    kappa: float | None
    kappa_hm: float | None
    note: str


def cohen_kappa(first: list[int], second: list[int]) -> Kappa:
    """Kappa of two lists of labels for the same items. Undefined without items, and if both raters give all items the
    same label (0/0); 0 if just one rater is constant, whatever the other does."""
    from sklearn.metrics import cohen_kappa_score

    if not first:
        return Kappa(None, "no common items")
    labels = set(first), set(second)
    if labels[0] == labels[1] and len(labels[0]) == 1:
        return Kappa(None, "both raters constant")
    if 1 in map(len, labels):
        return Kappa(0.0, "one rater constant" if max(map(len, labels)) > 1 else "both raters constant")
    return Kappa(float(cohen_kappa_score(first, second)))


def pairs(judgments: Iterable[JudgmentRow], level: int = RELEVANT) -> list[PairAgreement]:
    """Every pair of assessors, sorted by name, including those without common items."""
    rated = by_assessor(judgments)
    return [pair(first, second, rated, level) for first, second in combinations(sorted(rated), 2)]


def pair(first: str, second: str, rated: Mapping[str, Rated], level: int) -> PairAgreement:
    common = sorted(rated[first].keys() & rated[second].keys())
    graded = list(both_graded(rated[first], rated[second], common))
    left, right = [a for a, _ in graded], [b for _, b in graded]
    kappa = cohen_kappa(left, right)
    kappa_hm = cohen_kappa([a >= level for a in left], [b >= level for b in right])
    equal = sum(a == b for a, b in graded) / len(graded) if graded else None
    note = pair_note(kappa, kappa_hm, len(common) - len(graded))
    return PairAgreement(first, second, len(graded), equal, kappa, kappa_hm, note)


def both_graded(first: Rated, second: Rated, items: Iterable[Item]) -> Iterator[tuple[int, int]]:
    for item in items:
        left, right = first[item], second[item]
        if left is not None and right is not None:
            yield left, right


def pair_note(kappa: Kappa, kappa_hm: Kappa, left_out: int) -> str:
    if kappa.reason and kappa.reason == kappa_hm.reason:
        parts = [explained("kappa", kappa)]
    else:
        named = (("kappa", kappa), ("H+M", kappa_hm))
        parts = [explained(name, value) for name, value in named if value.reason]
    if left_out:
        parts.append(f"{left_out} with an outcome left out")
    return "; ".join(parts)


def explained(name: str, kappa: Kappa) -> str:
    if kappa.reason == "no common items":
        return kappa.reason
    return f"{name} {'undefined' if kappa.value is None else 'degenerate'}: {kappa.reason}"


def assessors(pairs: Iterable[PairAgreement]) -> list[AssessorAgreement]:
    """Each assessor's mean with the others."""
    by_name: defaultdict[str, list[PairAgreement]] = defaultdict(list)
    for pair in pairs:
        by_name[pair.first].append(pair)
        by_name[pair.second].append(pair)
    return [with_others(name, by_name[name]) for name in sorted(by_name)]


def with_others(name: str, pairs: list[PairAgreement]) -> AssessorAgreement:
    partners = [pair for pair in pairs if pair.n]
    kappas = [pair.kappa for pair in partners]
    kappas_hm = [pair.kappa_hm for pair in partners]
    fewer = "; ".join(filter(None, [over("kappa", kappas), over("H+M", kappas_hm)]))
    note = f"{fewer} partners, the rest undefined or degenerate" if fewer else "" if partners else "no common items"
    return AssessorAgreement(name, len(partners), mean_kappa(kappas), mean_kappa(kappas_hm), note)


def mean_kappa(kappas: Iterable[Kappa]) -> float | None:
    """The mean of the kappas that are defined and not degenerate; None if there are none."""
    values = [kappa.value for kappa in kappas if kappa.counts and kappa.value is not None]
    return sum(values) / len(values) if values else None


def over(name: str, kappas: list[Kappa]) -> str:
    counted = sum(kappa.counts for kappa in kappas)
    return "" if counted == len(kappas) else f"{name} over {counted} of {len(kappas)}"


def by_topic(judgments: Iterable[JudgmentRow], level: int = RELEVANT) -> dict[str, list[PairAgreement]]:
    """For each topic the pairs of assessors with common items in it."""
    topics: defaultdict[str, list[JudgmentRow]] = defaultdict(list)
    for judgment in judgments:
        topics[judgment.topic_id].append(judgment)
    compared = {topic: [pair for pair in pairs(rows, level) if pair.n] for topic, rows in sorted(topics.items())}
    return {topic: pairs for topic, pairs in compared.items() if pairs}


def confusion(judgments: Iterable[JudgmentRow], first: str, second: str) -> list[list[int]]:
    """How often ``first`` gave grade i (row) and ``second`` grade j (column), grades 0 to 3."""
    rated = by_assessor(judgments)
    rows, columns = rated.get(first, {}), rated.get(second, {})
    matrix = [[0] * 4 for _ in range(4)]
    for row, column in both_graded(rows, columns, rows.keys() & columns.keys()):
        matrix[row][column] += 1
    return matrix


def by_assessor(judgments: Iterable[JudgmentRow]) -> dict[str, Rated]:
    """Each assessor's grades. Raises ``ValueError`` if an assessor has judged an item twice."""
    rated: defaultdict[str, dict[Item, int | None]] = defaultdict(dict)
    for judgment in judgments:
        grades, item = rated[judgment.assessor], (judgment.topic_id, judgment.doc_id)
        if item in grades:
            raise ValueError(f"{judgment.assessor} has two judgments of {judgment.doc_id} in {judgment.topic_id}")
        grades[item] = judgment.grade
    return dict(rated)
