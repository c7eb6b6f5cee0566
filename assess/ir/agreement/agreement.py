"""Agreement of assessors who judged the same documents: each pair, each assessor, each topic. All are compared in one
pass: the join of the judgments with themselves, counted by pair and pair of labels."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from assess.ir.agreement.kappa import NO_ITEMS, Kappa, Weights, kappas
from assess.ir.common.rows import LABS, JudgmentRow, Scale, grouped

ITEM = ["round", "topic_id", "doc_id"]
PAIR = ["first", "second"]
SCHEMA = dict.fromkeys(JudgmentRow._fields, pl.String) | {"grade": pl.Int64}


class PairAgreement(NamedTuple):
    """Two assessors on the ``n`` items that both graded: the fraction of equal grades, kappa over the grades and over
    relevant or not (``_hm``, as in H+M), and the kappas with weights that were asked for. ``prevalence``: the share of
    relevant ones among the grades of both. ``confusion``: how often ``first`` gave a grade (row) and ``second`` another
    (column), the lowest first. Items with an outcome from either are left out, with a note."""

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
    """Every two judgments of one item, in one round, by two assessors; for weights, neighbours on the ``scale`` are one
    apart. Raises ``ValueError`` if an assessor has judged an item twice, or by a grade that is not on the scale."""

    def __init__(self, judgments: Iterable[JudgmentRow], scale: Scale = LABS) -> None:
        self.scale, self.grades = scale, sorted(scale.values)
        rows = pl.DataFrame(list(judgments), schema=SCHEMA, orient="row")
        is_repeated, is_known = rows.select("assessor", *ITEM).is_duplicated(), pl.col("grade").is_in(self.grades)
        for row in rows.filter(is_repeated).head(1).iter_rows(named=True):
            raise ValueError("{assessor} has two judgments of {doc_id} in {topic_id}".format(**row))
        for row in rows.filter(~is_known).head(1).iter_rows(named=True):
            known = ", ".join(map(str, self.grades))
            reason = "{assessor} gave {doc_id} in {topic_id} grade {grade}".format(**row)
            raise ValueError(f"{reason}, not one of {known}")
        self.assessors: list[str] = sorted(rows["assessor"].unique())
        places = list(range(len(self.grades) + 1))  # outcomes are the last row and column
        place = pl.col("grade").replace_strict([*self.grades, None], places, return_dtype=pl.Int64)
        rows = rows.select("assessor", *ITEM, "week", place)
        joined = rows.join(rows, on=ITEM, suffix="_2").filter(pl.col("assessor") < pl.col("assessor_2"))
        week = pl.max_horizontal("week", "week_2")
        self.rows = joined.select(*ITEM, "grade", "grade_2", first="assessor", second="assessor_2", week=week)

    def pairs(self, *weights: Weights) -> list[PairAgreement]:
        """Every pair of assessors, sorted by name, including those without common items."""
        every = pl.DataFrame(list(combinations(self.assessors, 2)), dict.fromkeys(PAIR, pl.String), orient="row")
        return [pair for _, pair in self.compare(every, weights)]

    def common_pairs(self, *weights: Weights) -> list[PairAgreement]:
        """The same without those that graded nothing in common, which are nearly all if there are many assessors."""
        judged = self.rows.select(PAIR).unique().sort(PAIR)
        return [pair for _, pair in self.compare(judged, weights) if pair.n]

    def by(self, column: str, *weights: Weights) -> dict[str, list[PairAgreement]]:
        """The pairs that graded items in each ``topic_id``, ``round`` or ``week`` (of the later judgment), in order."""
        keys = [column, *PAIR]
        compared = self.compare(self.rows.select(keys).unique().sort(keys), weights)
        return grouped((key, pair) for (key, *_), pair in compared if pair.n)

    def compare(
        self, groups: pl.DataFrame, weights: Sequence[Weights]
    ) -> Iterator[tuple[tuple[str, ...], PairAgreement]]:
        """The agreement in each row of ``groups``, whose last two columns are the pair."""
        cells = self.rows.group_by(*groups.columns, "grade", "grade_2").len()
        cells = cells.join(groups.with_row_index("place"), on=groups.columns)
        counts = np.zeros((len(groups), len(self.grades) + 1, len(self.grades) + 1), dtype=np.int64)
        counts[cells["place"], cells["grade"], cells["grade_2"]] = cells["len"]
        graded = counts[:, :-1, :-1]
        edges = [0, self.grades.index(self.scale.level)]
        binary = np.add.reduceat(np.add.reduceat(graded, edges, axis=1), edges, axis=2)
        n = graded.sum(axis=(1, 2))
        with np.errstate(invalid="ignore"):
            equal = np.trace(graded, axis1=1, axis2=2) / n
            relevant = (binary[:, 1].sum(axis=1) + binary[:, :, 1].sum(axis=1)) / (2 * n)
        columns = [each.tolist() for each in (n, counts.sum(axis=(1, 2)) - n, equal, relevant, graded)]
        values = kappas(graded), kappas(binary), *(kappas(graded, each) for each in weights)
        for key, n_graded, left_out, same, share, table, kappa, hm, *weighted in zip(
            groups.rows(), *columns, *values, strict=True
        ):
            pair = PairAgreement(
                first=key[-2],
                second=key[-1],
                n=n_graded,
                agreement=same if n_graded else None,
                kappa=kappa,
                kappa_hm=hm,
                note=pair_note(kappa, hm, left_out, self.scale.relevant),
                prevalence=share if n_graded else None,
                confusion=table,
                weighted=dict(zip(weights, weighted, strict=True)),
            )
            yield key, pair


def pair_note(kappa: Kappa, kappa_hm: Kappa, left_out: int, relevant: str) -> str:
    """Why kappas of the pair are undefined or degenerate, each with its own reason, and how many items are left out."""
    parts = []
    for name, each in {"kappa": kappa, relevant: kappa_hm}.items():
        if each.reason and (name == "kappa" or each != kappa):
            kind = "undefined" if each.value is None else "degenerate"
            parts.append(NO_ITEMS if each.reason == NO_ITEMS else f"{name} {kind}: {each.reason}")
    if left_out:
        parts.append(f"{left_out} with an outcome left out")
    return "; ".join(parts)


def mean_by_assessor(
    pairs: Iterable[PairAgreement], weights: Weights = "none", relevant: str = LABS.relevant, names: Iterable[str] = ()
) -> list[AssessorAgreement]:
    """Each assessor's mean with the others, also of ``names`` without pairs; notes say ``relevant`` for H+M."""
    by_name = grouped((name, pair) for pair in pairs for name in pair[:2])
    rows = []
    for name in sorted({*names, *by_name}):
        mean = mean_over_pairs([pair for pair in by_name[name] if pair.n], weights, relevant)
        note = f"{mean.note} partners, the rest undefined or degenerate" if mean.note else ""
        rows.append(AssessorAgreement(name, mean.of, mean.kappa, mean.kappa_hm, note if mean.of else NO_ITEMS))
    return rows


def mean_over_pairs(
    pairs: Sequence[PairAgreement], weights: Weights = "none", relevant: str = LABS.relevant
) -> MeanAgreement:
    """The mean of kappas of pairs, each over the items of the pair; ``agreement`` is over all comparisons."""
    n = sum(pair.n for pair in pairs)
    equal = sum(pair.agreement * pair.n for pair in pairs if pair.agreement is not None)
    kappas = [pair.weighted.get(weights, pair.kappa).counted for pair in pairs]
    return mean_agreement(n, equal / n if n else None, kappas, [pair.kappa_hm.counted for pair in pairs], relevant)


def mean_over_topics(topics: Collection[MeanAgreement], relevant: str = LABS.relevant) -> MeanAgreement:
    """The mean of the means of topics, in which every topic has the same weight."""
    agreement = mean_of_defined([topic.agreement for topic in topics])
    kappas, kappas_hm = [topic.kappa for topic in topics], [topic.kappa_hm for topic in topics]
    return mean_agreement(sum(topic.n for topic in topics), agreement, kappas, kappas_hm, relevant)


def mean_agreement(
    n: int, agreement: float | None, kappas: Sequence[float | None], kappas_hm: Sequence[float | None], relevant: str
) -> MeanAgreement:
    of = len(kappas)
    defined = {name: of - values.count(None) for name, values in (("kappa", kappas), (relevant, kappas_hm))}
    note = "; ".join(f"{name} over {number} of {of}" for name, number in defined.items() if number < of)
    return MeanAgreement(of, n, agreement, mean_of_defined(kappas), mean_of_defined(kappas_hm), note)


def mean_of_defined(values: Iterable[float | None]) -> float | None:
    """None if none is defined."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None
