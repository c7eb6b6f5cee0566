"""How far two measures, or two sets of qrels, agree about systems. A coefficient is None, with the reason, with fewer
than two systems or if one side is constant."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import scipy

FEW, CONSTANT = "fewer than two systems", "all values are equal"


class Correlation(NamedTuple):
    value: float | None
    reason: str = ""


class Correlations(NamedTuple):
    """Two measures (or one measure twice) over the ``n`` systems that have both: Pearson's r of the values; Kendall's
    tau-b (ARQMath-3, Table 6) and Spearman's rho of the rankings of the systems, in which equal values share a rank."""

    first: str
    second: str
    n: int
    pearson: Correlation
    kendall: Correlation
    spearman: Correlation


def coefficient(name: str, first: Sequence[float], second: Sequence[float]) -> Correlation:
    """The coefficient by its name in SciPy, of as many values on both sides."""
    if len(first) < 2:
        return Correlation(None, FEW)
    if min(len(set(first)), len(set(second))) == 1:
        return Correlation(None, CONSTANT)
    return Correlation(float(getattr(scipy.stats, name)(first, second).statistic))


Table = Mapping[str, Mapping[str, float]]
"""The means of systems by measure and system."""


def between_measures(table: Table) -> list[Correlations]:
    """Every two measures over the systems that have both."""
    return [correlations(a, b, table[a], table[b]) for a, b in combinations(table, 2)]


def between_tables(first: Table, second: Table) -> list[Correlations]:
    """Each measure of both tables, over the systems of both: do two sets of qrels, or assessors, rank these alike?"""
    return [correlations(name, name, first[name], second[name]) for name in first if name in second]


def correlations(a: str, b: str, first: Mapping[str, float], second: Mapping[str, float]) -> Correlations:
    systems = [system for system in first if system in second]
    pair = [first[system] for system in systems], [second[system] for system in systems]
    values = (coefficient(name, *pair) for name in ("pearsonr", "kendalltau", "spearmanr"))
    return Correlations(a, b, len(systems), *values)
