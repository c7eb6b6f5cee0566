"""How long agreement takes, beside the plain way: ``python -m benchmarks.agreement``.

A report of fifty assessors who judged the same 580 documents, 29,000 judgments, and all pairs of a crowd with twenty
common items, with intervals; the labs' data is looked for in ASSESS_DATA. The plain way is a loop over the pairs with
scikit-learn. ``--quick`` takes a tenth of the pairs. The exit code is 0 only if both stay within their limits and have
the plain way's kappas.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from sklearn.metrics import cohen_kappa_score

from assess.ir.common.rows import JudgmentRow
from assess.ir.results.agreement import Comparisons, PairAgreement, assessors, mean_over_pairs, with_least
from assess.ir.results.kappa import WEIGHTED
from assess.ir.results.many_raters import many_raters

VOTES = Path(os.environ.get("ASSESS_DATA", Path(__file__).parents[2] / "shared/data")) / (
    "agreement/vuurens_trec2011_votes.tsv"
)
LIMITS = {"report": 2.0, "crowd": 10.0}
LEAST = 20
ASSESSORS, DOCUMENTS, TOPICS = 50, 580, 58
Kappas = dict[tuple[str, str], tuple[float | None, ...]]


class Case(NamedTuple):
    """Judgments to compare: ``labels`` grades, relevant from ``level`` on, pairs with ``least`` common items."""

    name: str
    judgments: list[JudgmentRow]
    level: int
    labels: int
    least: int


def lab(people: int) -> list[JudgmentRow]:
    """Judgments that agree more than by chance, in topics of ten documents."""
    draw = random.Random(1)
    merits = [draw.uniform(0, 3) for _ in range(DOCUMENTS)]
    return [
        JudgmentRow(f"a{person:02}", f"A.{place % TOPICS}", str(place), str(place), grade(merit + draw.gauss(0, 1)))
        for person in range(people)
        for place, merit in enumerate(merits)
    ]


def grade(merit: float) -> int:
    return max(0, min(3, round(merit)))


def crowd(people: int) -> list[JudgmentRow]:
    if not VOTES.exists():
        raise SystemExit(f"No {VOTES.name} in {VOTES.parent}: set ASSESS_DATA to the folder of the labs' files")
    lines = [line.split("\t") for line in VOTES.read_text().splitlines()]
    chosen = set(sorted({worker for _, _, worker, _ in lines})[:people])
    return [JudgmentRow(worker, "", "", item, int(label)) for _, item, worker, label in lines if worker in chosen]


def report(case: Case) -> Kappas:
    """All of a report on agreement."""
    comparisons = Comparisons(case.judgments, case.level, case.labels)
    pairs = with_least(comparisons.pairs(*WEIGHTED), case.least)
    assessors(pairs)
    many_raters(case.judgments, case.level, case.labels)
    _ = [mean_over_pairs(graded) for graded in comparisons.by("topic_id").values()]
    return {(pair.first, pair.second): values(pair) for pair in pairs}


def values(pair: PairAgreement) -> tuple[float | None, ...]:
    kappas = [pair.kappa, pair.kappa_hm, *pair.weighted.values()]
    return tuple(kappa.value if kappa.counts else None for kappa in kappas)


def plain(case: Case) -> Kappas:
    """The same kappas, without topics and intervals: the judgments of each pair one by one, then scikit-learn."""
    kappas: Kappas = {}
    for first, second in combinations(sorted({row.assessor for row in case.judgments}), 2):
        graded = {row.doc_id: row.grade or 0 for row in case.judgments if row.assessor == first}
        other = {row.doc_id: row.grade or 0 for row in case.judgments if row.assessor == second}
        common = [(graded[item], other[item]) for item in graded.keys() & other.keys()]
        if len(common) >= case.least:
            kappas[first, second] = by_scikit_learn(common, case)
    return kappas


def by_scikit_learn(common: Sequence[tuple[int, int]], case: Case) -> tuple[float | None, ...]:
    first, second = [a for a, _ in common], [b for _, b in common]
    binary = [int(a >= case.level) for a in first], [int(b >= case.level) for b in second]
    kappas = [score(first, second, None, case.labels), score(binary[0], binary[1], None, 2)]
    return (*kappas, *(score(first, second, weights, case.labels) for weights in WEIGHTED))


def score(first: list[int], second: list[int], weights: str | None, labels: int) -> float | None:
    """None if a rater is constant."""
    if 1 in (len(set(first)), len(set(second))):
        return None
    return float(cohen_kappa_score(first, second, labels=range(labels), weights=weights))


def clocked(work: Callable[[Case], Kappas], case: Case) -> tuple[Kappas, float]:
    start = time.process_time()
    kappas = work(case)
    return kappas, time.process_time() - start


def is_within(case: Case) -> bool:
    """Do both, print a line; whether the limit is kept and all kappas are those of scikit-learn."""
    kappas, seconds = clocked(report, case)
    expected, plain_seconds = clocked(plain, case)
    wrong = sum(not same(kappas.get(pair, ()), expected[pair]) for pair in expected) + abs(len(kappas) - len(expected))
    limit = LIMITS[case.name]
    missed = "  MISSED" if seconds > limit or wrong else ""
    print(
        f"{case.name}: {len(kappas):,} pairs, {len(case.judgments):,} judgments: {seconds:.2f} s (limit {limit:g} s), "
        f"plain {plain_seconds:.2f} s, ratio {plain_seconds / seconds:.1f}, other kappas: {wrong}{missed}"
    )
    return not missed


def same(values: Sequence[float | None], expected: Sequence[float | None]) -> bool:
    pairs = zip(values, expected, strict=False)
    return len(values) == len(expected) and all(
        a == b if a is None or b is None else abs(a - b) <= 1e-12 for a, b in pairs
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the pairs")
    share = 0.33 if parser.parse_args(arguments).quick else 1.0
    report(Case("warm", lab(2), 2, 4, 0))  # imports
    cases = [
        Case("report", lab(round(ASSESSORS * share)), 2, 4, 0),
        Case("crowd", crowd(round(445 * share)), 1, 2, LEAST),
    ]
    kept = [is_within(case) for case in cases]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
