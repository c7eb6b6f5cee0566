"""``manage.py kappa``: agreement of assessors, from a file of judgments, without a database."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess.ir.agreement import agreement
from assess.ir.agreement.kappa import WEIGHTS
from assess.ir.common.problems import refuse
from assess.ir.common.rows import GRADES, OUTCOMES, RELEVANT, Scale
from assess.ir.formats.judgments import read_judgments
from assess.ir.releases.aggregation import judgments_of_units
from assess.management.output import Cell, TableCommand, read_file


class Command(TableCommand):
    help = "Cohen's kappa of each pair of assessors, of each assessor with the others, or by topic."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        judgments = "header: assessor item grade; or exported judgments as CSV"
        parser.add_argument("--judgments", required=True, metavar="FILE", help=judgments)
        parser.add_argument("--by", choices=TABLES, default="pair", help="topics are what stands before / in items")
        parser.add_argument("--weights", choices=WEIGHTS, default="none", help="of distant grades; relevance has none")
        parser.add_argument("--level", choices=("instance", "visual"), default="instance", help=LEVEL)
        parser.add_argument("--labels", nargs="+", default=[], metavar="LABEL", help=LABELS)
        parser.add_argument("--relevant", metavar="LABEL", help="the lowest relevant label; default: the upper half")
        parser.add_argument("--intervals", action="store_true", help="also prevalence and 95 %% intervals, by pair")

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        self.header, make = TABLES[options["by"]]
        if options["intervals"] and options["by"] == "pair":
            self.header = WITH_INTERVALS
        return make(compare_judgments(options), options)


LEVEL = "formulas only: compare instances, or visually distinct formulas by the highest grade of their instances"
LABELS = "the labels of the file in place of 0 1 2 3, the least relevant first"


def compare_judgments(options: dict[str, Any]) -> agreement.Comparisons:
    """Raises ``BadInput`` for a file or options that do not fit each other."""
    name, labels = Path(options["judgments"]).name, options["labels"]
    level = relevant_level(labels, options["relevant"])
    judgments = read_file(options["judgments"], partial(read_judgments, labels=labels))
    if options["by"] == "topic" and not all(row.topic_id for row in judgments):
        raise refuse(name, "has items without a topic: for --by topic, write them as TOPIC/DOCUMENT")
    if options["level"] == "visual":
        if not all(row.unit_id for row in judgments):
            raise refuse(name, "has no visual ids: for --level visual, give an export of judgments")
        judgments = judgments_of_units(judgments)
    grades = {*GRADES, *(row.grade for row in judgments if row.grade is not None)}  # an export has those of its lab
    try:
        return agreement.Comparisons(judgments, Scale(tuple(range(len(labels))) or tuple(grades), level))
    except ValueError as error:
        raise refuse(name, f"{error}: keep one of them") from error


def relevant_level(labels: Sequence[str], relevant: str | None) -> int:
    """The place of the lowest relevant label."""
    scale = labels or [str(grade) for grade in sorted(GRADES)]
    if len(scale) < 2 or len(set(scale)) < len(scale) or set(scale) & set(OUTCOMES):
        raise refuse("--labels", "give at least two different labels, none of them an outcome")
    if relevant is None:
        return len(scale) // 2 if labels else RELEVANT
    if relevant not in scale[1:]:
        raise refuse("--relevant", f"must be one of {', '.join(scale[1:])}, found {relevant!r}")
    return scale.index(relevant)


def by_pair(comparisons: agreement.Comparisons, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
    for pair in comparisons.pairs(options["weights"]):
        kappa, hm = pair.weighted.get(options["weights"], pair.kappa), pair.kappa_hm
        values: Sequence[Cell] = (kappa.value, hm.value)
        if options["intervals"]:
            values = (pair.prevalence, kappa.value, kappa.low, kappa.high, hm.value, hm.low, hm.high)
        yield pair.first, pair.second, pair.n, pair.agreement, *values, pair.note


def by_assessor(comparisons: agreement.Comparisons, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
    return iter(agreement.mean_by_assessor(comparisons.pairs(options["weights"]), options["weights"]))


def by_topic(comparisons: agreement.Comparisons, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
    """The topics, then the mean of pairs over all their items and the mean of topics."""
    means, weights = [], options["weights"]
    for topic, pairs in comparisons.by("topic_id", weights).items():
        means.append(agreement.mean_over_pairs(pairs, weights))
        yield topic, *means[-1]
    yield "all, mean over pairs", *agreement.mean_over_pairs(comparisons.common_pairs(weights), weights)
    yield "all, mean over topics", *agreement.mean_over_topics(means)


PAIR = ("first", "second", "n", "agreement", "kappa", "kappa_hm", "note")
WITH_INTERVALS = (*PAIR[:4], "prevalence", "kappa", "low", "high", "kappa_hm", "low_hm", "high_hm", "note")
TABLES: dict[str, tuple[Sequence[str], Callable[..., Iterator[Sequence[Cell]]]]] = {
    "pair": (PAIR, by_pair),
    "assessor": (agreement.AssessorAgreement._fields, by_assessor),
    "topic": (("topic", *agreement.MeanAgreement._fields), by_topic),
}
