"""Agreement of assessors who judged the same documents: each pair, each assessor, each topic.

All judgments are compared in one pass: the join of the judgments with themselves, counted by pair and pair of labels.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from assess.ir.agreement.kappa import NO_ITEMS, Counts, Kappa, Weights, kappas
from assess.ir.common.rows import GRADES, RELEVANT, JudgmentRow

ITEM = ["round", "topic_id", "doc_id"]
PAIR = ["first", "second"]


class PairAgreement(NamedTuple):
    """Two assessors on the ``n`` items that both graded: the fraction of equal grades, kappa over the grades and over
    relevant or not (H+M), and the kappas with weights that were asked for. ``prevalence``: the share of relevant ones
    among the grades of both. ``confusion``: how often ``first`` gave grade i (row) and ``second`` grade j
    (column). Items with an outcome from either are left out, with a note."""

    first: str
    second: str
    n: int
    agreement: float | None
    kappa: Kappa
    kappa_hm: Kappa
    note: str
    prevalence: float | None
    confusion: list[list[int]]
    weighted: dict[Weights, Kappa]


class MeanAgreement(NamedTuple):
    """The mean of the kappas of ``of`` pairs or topics with ``n`` comparisons, without those that are undefined or
    degenerate; ``note`` tells how many are in the mean if it is not all."""

    of: int
    n: int
    agreement: float | None
    kappa: float | None
    kappa_hm: float | None
    note: str


class AssessorAgreement(NamedTuple):
    """The mean kappa of an assessor with each of the others (ARQMath-2); ``partners``: the others with common items."""

    assessor: str
    partners: int
    kappa: float | None
    kappa_hm: float | None
    note: str


class Comparisons:
    """Every two judgments of one item, in one round, by two assessors; ``labels``: how many grades there
    are, ``level``: the lowest relevant one. Raises ``ValueError`` if an assessor has judged an item twice."""

    def __init__(self, judgments: Iterable[JudgmentRow], level: int = RELEVANT, labels: int = len(GRADES)) -> None:
        self.level, self.labels = level, labels
        rows = pl.DataFrame(list(judgments), schema=SCHEMA, orient="row")
        refuse_repeated(rows)
        self.assessors: list[str] = sorted(rows["assessor"].unique())
        rows = rows.select("assessor", *ITEM, "week", pl.col("grade").fill_null(labels))  # the last row and column
        joined = rows.join(rows, on=ITEM, suffix="_2").filter(pl.col("assessor") < pl.col("assessor_2"))
        self.rows = joined.select(
            *ITEM,
            "grade",
            "grade_2",
            first="assessor",
            second="assessor_2",
            week=pl.max_horizontal("week", "week_2"),
        )

    def pairs(self, *weights: Weights) -> list[PairAgreement]:
        """Every pair of assessors, sorted by name, including those without common items."""
        compared = {(pair.first, pair.second): pair for _, pair in self.grouped(weights)}
        empty = np.zeros((1, self.labels + 1, self.labels + 1), dtype=np.int64)
        (nothing,) = self.agreements([("", "")], empty, weights)
        names = combinations(self.assessors, 2)
        return [compared.get(pair) or nothing._replace(first=pair[0], second=pair[1]) for pair in names]

    def by(self, column: str, *weights: Weights) -> dict[str, list[PairAgreement]]:
        """For each ``topic_id``, ``round`` or ``week`` (of the later judgment), in order, the pairs with items that
        both graded in it."""
        groups: defaultdict[str, list[PairAgreement]] = defaultdict(list)
        for (key, *_), pair in self.grouped(weights, column):
            if pair.n:
                groups[key].append(pair)
        return dict(groups)

    def grouped(self, weights: Sequence[Weights], *columns: str) -> list[tuple[tuple[str, ...], PairAgreement]]:
        """Each pair in each group of the columns, in order."""
        keys = [*columns, *PAIR]
        cells = self.rows.group_by(*keys, "grade", "grade_2").len()
        groups = cells.select(keys).unique().sort(keys).with_row_index("place")
        cells = cells.join(groups, on=keys)
        counts = np.zeros((len(groups), self.labels + 1, self.labels + 1), dtype=np.int64)
        counts[cells["place"], cells["grade"], cells["grade_2"]] = cells["len"]
        names = groups.drop("place").rows()
        return list(zip(names, self.agreements([name[-2:] for name in names], counts, weights), strict=True))

    def agreements(
        self, names: Sequence[tuple[str, ...]], counts: Counts, weights: Sequence[Weights]
    ) -> Iterator[PairAgreement]:
        """The pair of each matrix, whose last row and column count outcomes."""
        graded = counts[:, :-1, :-1]
        binary = binarised(graded, self.level)
        values = zip(kappas(graded), kappas(binary), *(kappas(graded, each) for each in weights), strict=True)
        rows = zip(names, shares(counts, binary), values, graded.tolist(), strict=True)
        for name, (n, left_out, equal, relevant), (kappa, hm, *weighted), table in rows:
            yield PairAgreement(
                first=name[0],
                second=name[1],
                n=n,
                agreement=equal if n else None,
                kappa=kappa,
                kappa_hm=hm,
                note=pair_note(kappa, hm, left_out),
                prevalence=relevant if n else None,
                confusion=table,
                weighted=dict(zip(weights, weighted, strict=True)),
            )


def shares(counts: Counts, binary: Counts) -> Iterator[tuple[int, int, float, float]]:
    """For each matrix: graded by both, left out for an outcome, the fraction of equal grades and of relevant ones."""
    graded = counts[:, :-1, :-1]
    n = graded.sum(axis=(1, 2))
    left_out = counts.sum(axis=(1, 2)) - n
    with np.errstate(invalid="ignore"):
        equal = np.trace(graded, axis1=1, axis2=2) / n
        relevant = (binary[:, 1].sum(axis=1) + binary[:, :, 1].sum(axis=1)) / (2 * n)
    return zip(n.tolist(), left_out.tolist(), equal.tolist(), relevant.tolist(), strict=True)


def binarised(counts: Counts, level: int) -> Counts:
    """Each matrix over not relevant (0) and relevant (1)."""
    edges = [0, level]
    return np.asarray(np.add.reduceat(np.add.reduceat(counts, edges, axis=1), edges, axis=2))


SCHEMA = dict.fromkeys(JudgmentRow._fields, pl.String) | {"grade": pl.Int64}


def refuse_repeated(rows: pl.DataFrame) -> None:
    for row in rows.filter(rows.select("assessor", *ITEM).is_duplicated()).head(1).iter_rows(named=True):
        raise ValueError("{assessor} has two judgments of {doc_id} in {topic_id}".format(**row))


def pair_note(kappa: Kappa, kappa_hm: Kappa, left_out: int) -> str:
    """Why kappas of the pair are undefined or degenerate, each with its own reason, and how many items are left out."""
    if kappa == kappa_hm:
        parts = [explained("kappa", kappa)] if kappa.reason else []
    else:
        named = (("kappa", kappa), ("H+M", kappa_hm))
        parts = [explained(name, value) for name, value in named if value.reason]
    if left_out:
        parts.append(f"{left_out} with an outcome left out")
    return "; ".join(parts)


def explained(name: str, kappa: Kappa) -> str:
    if kappa.reason == NO_ITEMS:
        return kappa.reason
    return f"{name} {'undefined' if kappa.value is None else 'degenerate'}: {kappa.reason}"


def with_least(pairs: Iterable[PairAgreement], least: int) -> list[PairAgreement]:
    """The pairs with at least so many items that both graded."""
    return [pair for pair in pairs if pair.n >= least]


def assessors(pairs: Iterable[PairAgreement], weights: Weights = "none") -> list[AssessorAgreement]:
    """Each assessor's mean with the others."""
    by_name: defaultdict[str, list[PairAgreement]] = defaultdict(list)
    for pair in pairs:
        by_name[pair.first].append(pair)
        by_name[pair.second].append(pair)
    return [with_others(name, by_name[name], weights) for name in sorted(by_name)]


def with_others(name: str, pairs: list[PairAgreement], weights: Weights) -> AssessorAgreement:
    partners = with_least(pairs, 1)
    mean = mean_over_pairs(partners, weights)
    rest = " partners, the rest undefined or degenerate" if mean.note else ""
    note = mean.note + rest if partners else "no common items"
    return AssessorAgreement(name, len(partners), mean.kappa, mean.kappa_hm, note)


def mean_over_pairs(pairs: Sequence[PairAgreement], weights: Weights = "none") -> MeanAgreement:
    """The mean of kappas of pairs, each over the items of the pair; ``agreement`` is over all comparisons."""
    n = sum(pair.n for pair in pairs)
    equal = sum(pair.agreement * pair.n for pair in pairs if pair.agreement is not None)
    kappas = [counted(pair.weighted.get(weights, pair.kappa)) for pair in pairs]
    return mean_agreement(n, equal / n if n else None, kappas, [counted(pair.kappa_hm) for pair in pairs])


def mean_over_topics(topics: Iterable[MeanAgreement]) -> MeanAgreement:
    """The mean of the means of topics, in which every topic has the same weight."""
    rows = list(topics)
    kappas, kappas_hm = [row.kappa for row in rows], [row.kappa_hm for row in rows]
    return mean_agreement(sum(row.n for row in rows), mean([row.agreement for row in rows]), kappas, kappas_hm)


def mean_agreement(
    n: int, agreement: float | None, kappas: Sequence[float | None], kappas_hm: Sequence[float | None]
) -> MeanAgreement:
    fewer = "; ".join(filter(None, [over("kappa", kappas), over("H+M", kappas_hm)]))
    return MeanAgreement(len(kappas), n, agreement, mean(kappas), mean(kappas_hm), fewer)


def counted(kappa: Kappa) -> float | None:
    """Its value, or None if it enters no mean."""
    return kappa.value if kappa.counts else None


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are defined; None if there are none."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def over(name: str, values: Sequence[float | None]) -> str:
    defined = sum(value is not None for value in values)
    return "" if defined == len(values) else f"{name} over {defined} of {len(values)}"
