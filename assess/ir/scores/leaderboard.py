"""Runs ranked by their means: Kendall's tau between two leaderboards and how many pairs of runs change places; and the
leaderboards under the judgments of each two assessors who judged the same documents."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import polars as pl

from assess.ir.common.figures import EQUAL, places
from assess.ir.common.rows import JudgmentRow, nested
from assess.ir.releases.aggregation import qrels_by_unit
from assess.ir.runs.ranking import JudgedUnits
from assess.ir.scores import measures
from assess.ir.scores.correlation import coefficient
from assess.ir.scores.definitions import Average, Gain

DECIMALS = 9
"""Means that are equal up to these are tied (`figures.EQUAL`)."""


Entered = tuple[str, pl.DataFrame]
"""A run to be scored with several sets of qrels: its name, and the units that any of them has, in the order of
`ranking.prime`; a run of written answers is kept whole."""
Means = Mapping[str, Mapping[str, float]]
"""By measure and run; without a run that has nothing to average over."""


class Scoring(NamedTuple):
    """Runs of one task, their ``measures`` (all of judged units, or all of first answers), which topics the means are
    over, the lowest relevant grade, and what nDCG adds for a grade."""

    runs: Sequence[Entered]
    measures: Sequence[str]
    average: Average
    level: int
    gain: Gain = "linear"

    def means(self, qrels: JudgedUnits) -> Means:
        """The means of all runs; of first answers always over the run's topics."""
        table: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for name, ranking in self.runs:
            scores = measures.score(
                name, ranking, qrels, by="rank", level=self.level, gain=self.gain, names=self.measures
            )
            full = measures.complete_scores(name, scores, qrels, self.measures, self.average)
            for mean in measures.means(full, self.measures):
                table[mean.measure][name] = mean.value
        return table


class Tau(NamedTuple):
    """Kendall's tau-b (Kendall 1945; SciPy) between two leaderboards, None with the reason if it is undefined; and how
    many pairs of runs are in the opposite order."""

    value: float | None
    reason: str
    swaps: int


def tau(first: Mapping[str, float], second: Mapping[str, float]) -> Tau:
    """Between two leaderboards, over the runs of both."""
    runs = [run for run in first if run in second]
    columns = ([round(means[run], DECIMALS) for run in runs] for means in (first, second))
    swaps = 0
    for run, other in combinations(runs, 2):
        before, after = first[run] - first[other], second[run] - second[other]
        swaps += min(abs(before), abs(after)) > EQUAL and (before > 0) != (after > 0)  # ties are no order
    return Tau(*coefficient("kendalltau", *columns), swaps)


FIRST_JUDGMENTS, SECOND_JUDGMENTS, OFFICIAL, ADJUDICATED = "first", "second", "official", "adjudicated"
TopicDocument = tuple[str, str]
"""Topic and document."""
ByDocument = Mapping[TopicDocument, JudgmentRow]


class Compared(NamedTuple):
    """The documents that two assessors judged: ``judgments`` has all of them by each judge. ``first`` and ``second``
    are the names of the assessors, both empty for the first judgments of all topics against the second ones. Judges are
    the two; the official judgments, if neither of the two is `FIRST_JUDGMENTS`; and, if an expert settled some
    of the documents, the official judgments with the settled grades."""

    first: str
    second: str
    judgments: dict[str, list[JudgmentRow]]


def comparisons(
    official: Sequence[JudgmentRow],
    others: Sequence[JudgmentRow],
    settled: Mapping[TopicDocument, int],
    written: Collection[str] = (),
    decided: Iterable[JudgmentRow] | None = None,
) -> list[Compared]:
    """All topics with two judgments, if there is more than one pair of assessors; then each pair. A document counts if
    both gave it a grade; of ``written`` answers, outcomes count, too. The first of the ``official`` judgments of a
    document, in the order given, is compared with the next one or, without one, the earliest of ``others``.
    ``decided``: which judgment counts, if a document has several official ones."""

    def counting(rows: Iterable[JudgmentRow]) -> list[JudgmentRow]:
        return [row for row in rows if row.grade is not None or row.doc_id in written]

    firsts, rows = first_judgments(counting(official)), counting([*official, *others])
    seconds = first_judgments(row for row in rows if row is not firsts.get((row.topic_id, row.doc_id)))
    counts = firsts if decided is None else first_judgments(counting(decided))
    by_name = nested((row.assessor, (row.topic_id, row.doc_id), row) for row in rows)
    pairs = [
        compare_judges(names, {name: by_name[name] for name in names}, counts, settled)
        for names in combinations(sorted(by_name), 2)
        if by_name[names[0]].keys() & by_name[names[1]].keys()
    ]
    if len(pairs) < 2:
        return pairs
    return [compare_judges(("", ""), {FIRST_JUDGMENTS: firsts, SECOND_JUDGMENTS: seconds}, counts, settled), *pairs]


def first_judgments(rows: Iterable[JudgmentRow]) -> ByDocument:
    """The first judgment of each document."""
    firsts: dict[TopicDocument, JudgmentRow] = {}
    for row in rows:
        firsts.setdefault((row.topic_id, row.doc_id), row)
    return firsts


def compare_judges(
    names: tuple[str, str], of_two: Mapping[str, ByDocument], official: ByDocument, settled: Mapping[TopicDocument, int]
) -> Compared:
    """The documents that both judged and, if the official assessor judged any of them, that one too."""
    first, second = of_two.values()
    common = first.keys() & second.keys()
    is_official = bool(common & official.keys())
    documents = sorted(common & official.keys() if is_official else common)
    judges: dict[str, ByDocument] = {**of_two}
    if is_official and official is not first:
        judges[OFFICIAL] = official
    if is_official and settled.keys() & documents:
        grades = {key: official[key]._replace(grade=settled[key], outcome="") for key in settled if key in official}
        judges[ADJUDICATED] = {**official, **grades}
    return Compared(*names, {judge: [rows[key] for key in documents] for judge, rows in judges.items()})


def boards(compared: Compared, scoring: Scoring, written: Collection[str] = ()) -> list[dict[str, Any]]:
    """The runs by each measure under each judge; the judges' qrels have the same documents."""
    if not scoring.runs:
        return []
    by_judge = {
        judge: scoring.means(JudgedUnits(qrels_by_unit(rows, written))) for judge, rows in compared.judgments.items()
    }
    return [
        board_of(measure, {judge: means.get(measure, {}) for judge, means in by_judge.items()})
        for measure in scoring.measures
    ]


def board_of(measure: str, by_judge: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """All runs by one measure, as a report stores them, in the order of the first judge: the mean of each and its place
    under each judge (None without a topic to average over); and the `Tau` of the leaderboards of each two judges."""
    by_place = {judge: places(means) for judge, means in by_judge.items()}
    leading = next(iter(by_judge.values()))
    return {
        "measure": measure,
        "runs": [
            {
                "run": run,
                "values": [means.get(run) for means in by_judge.values()],
                "places": [at.get(run) for at in by_place.values()],
            }
            for run in sorted(leading, key=lambda run: (-leading[run], run))
        ],
        "correlations": [
            {"first": first, "second": second, "tau": value, "reason": reason, "swaps": swaps}
            for first, second in combinations(by_judge, 2)
            for value, reason, swaps in [tau(by_judge[first], by_judge[second])]
        ],
    }
