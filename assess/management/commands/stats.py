"""``manage.py stats``: what the labs' papers report of their qrels, without a database."""

import sys
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from statistics import fmean
from typing import Any, get_args

from django.core.management.base import CommandParser

from assess.ir.common.problems import refuse
from assess.ir.common.rows import GRADES, Qrel
from assess.ir.formats.run_columns import RunFormat
from assess.ir.formats.topic_sheet import column_of, read_topic_sheet
from assess.ir.releases.release_options import removed
from assess.ir.scores.breakdowns import NOT_NOTED, highest_p10, order_categories, spread_of
from assess.management.output import Cell, TableCommand, add_options, read_file


class Command(TableCommand):
    help = "Statistics of qrels: judged and relevant units by topic, grades, highest possible P'@10."
    header = ("topics", "number", "what", "mean", "most", "most in", "fewest", "fewest in")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_options(parser, "qrels", "level", "sheet", "by")
        about = "trec: with any grades; task3: with outcomes (default: grades 0 to 3)"
        parser.add_argument("--format", choices=get_args(RunFormat), help=about)
        parser.add_argument("--topics-of", metavar="FILE", help="take only the topics of these qrels")
        parser.add_argument("--min-relevant", type=int, default=0, help="leave out topics with fewer relevant units")

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        qrels, is_written = self.read_qrels(options["qrels"], options["format"]), options["format"] == "task3"
        if options["topics_of"]:
            chosen = {qrel.topic_id for qrel in self.read_qrels(options["topics_of"], options["format"])}
            qrels = [qrel for qrel in qrels if qrel.topic_id in chosen]
        relevant = counted_by_topic(qrels, range(options["level"], sys.maxsize))
        left_out = removed(relevant, relevant, options["min_relevant"], {})
        if left_out:
            self.warn([f"fewer than {options['min_relevant']} relevant units: {' '.join(left_out)} (left out)"])
        qrels = [qrel for qrel in qrels if qrel.topic_id not in left_out]
        if not qrels:
            raise refuse(options["qrels"], "no topic is left")
        how = {"level": options["level"], "found": {qrel.grade for qrel in qrels}, "is_written": is_written}
        yield from rows_of_topics("all", qrels, **how)
        if options["sheet"]:
            groups = column_of(read_file(options["sheet"], read_topic_sheet), options["by"], options["sheet"])
            for name in order_categories({groups.get(qrel.topic_id, "") for qrel in qrels}):
                of_group = [qrel for qrel in qrels if groups.get(qrel.topic_id, "") == name]
                yield from rows_of_topics(name or NOT_NOTED, of_group, **how)


def counted_by_topic(qrels: Sequence[Qrel], grades: Container[int]) -> dict[str, int]:
    """How many units of each topic have one of these grades."""
    counts = Counter(qrel.topic_id for qrel in qrels if qrel.grade in grades)
    return {topic: counts[topic] for topic in dict.fromkeys(qrel.topic_id for qrel in qrels)}


def rows_of_topics(
    name: str, qrels: Sequence[Qrel], *, level: int, found: set[int], is_written: bool
) -> Iterator[Sequence[Cell]]:
    """``found``: the grades of the whole file."""
    end = max(*found, *GRADES) + 1
    grades = {"judged": range(min(found), end), "above 0": range(1, end), "relevant": range(level, end)}
    grades |= {f"grade {grade}": range(grade, grade + 1) for grade in sorted(found | set(GRADES), reverse=True)}
    for kind, counted in grades.items():
        row = spread_of(kind, counted_by_topic(qrels, counted))
        yield name, row.topics, kind, row.mean, row.most, row.most_topic, row.fewest, row.fewest_topic
    relevant = counted_by_topic(qrels, range(level, end))
    yield name, len(relevant), "highest P'@10", highest_p10(relevant), None, "", None, ""
    if is_written:
        best = {topic: max(qrel.grade for qrel in qrels if qrel.topic_id == topic) for topic in relevant}
        yield name, sum(map(bool, relevant.values())), "topics with a relevant answer", None, None, "", None, ""
        yield name, len(best), "highest AR", fmean(best.values()), None, "", None, ""
