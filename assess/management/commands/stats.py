"""``manage.py stats``: what the labs' papers report of their qrels, without a database."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from django.core.management.base import CommandParser

from assess.ir.common.problems import refuse
from assess.ir.common.rows import GRADES, RELEVANT, Qrel
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.topic_sheet import column_of, read_topic_sheet
from assess.ir.releases.retention import removed
from assess.ir.scores.breakdowns import NOT_NOTED, order_categories
from assess.ir.scores.statistics import highest_p10, spread
from assess.management.files import read_file
from assess.management.output import Cell, TableCommand


class Command(TableCommand):
    help = "Statistics of qrels: judged and relevant units by topic, grades, highest possible P'@10."
    header = ("topics", "number", "what", "mean", "most", "most in", "fewest", "fewest in")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--qrels", required=True, metavar="FILE")
        parser.add_argument("--topics-of", metavar="FILE", help="take only the topics of these qrels")
        parser.add_argument("--min-relevant", type=int, default=0, help="leave out topics with fewer (the labs: 2)")
        parser.add_argument("--level", type=int, default=RELEVANT, help="lowest relevant grade (default: %(default)s)")
        parser.add_argument("--sheet", metavar="FILE", help="the labs' topic sheet")
        parser.add_argument("--by", default="category", metavar="COLUMN", help="of the sheet (default: %(default)s)")

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        qrels = self.qrels(options["qrels"])
        if options["topics_of"]:
            chosen = {qrel.topic_id for qrel in self.qrels(options["topics_of"])}
            qrels = [qrel for qrel in qrels if qrel.topic_id in chosen]
        relevant = counted(qrels, options["level"])
        left_out = removed(relevant, relevant, options["min_relevant"], {})
        if left_out:
            self.warn([f"fewer than {options['min_relevant']} relevant units: {' '.join(left_out)} (left out)"])
        qrels = [qrel for qrel in qrels if qrel.topic_id not in left_out]
        if not qrels:
            raise refuse(options["qrels"], "no topic is left")
        yield from table("all", qrels, options["level"])
        if options["sheet"]:
            groups = column_of(read_file(options["sheet"], read_topic_sheet), options["by"], options["sheet"])
            for name in order_categories({groups.get(qrel.topic_id, "") for qrel in qrels}):
                of_group = [qrel for qrel in qrels if groups.get(qrel.topic_id, "") == name]
                yield from table(name or NOT_NOTED, of_group, options["level"])

    def qrels(self, path: str) -> list[Qrel]:
        def read(source: BinaryIO, name: str) -> list[Qrel]:
            file = read_qrels(source, name)
            self.warn(file.notes)
            return file.qrels

        return read_file(path, read)


def counted(qrels: Sequence[Qrel], level: int) -> dict[str, int]:
    """How many units of each topic have at least this grade."""
    counts = Counter(qrel.topic_id for qrel in qrels if qrel.grade >= level)
    return {topic: counts[topic] for topic in dict.fromkeys(qrel.topic_id for qrel in qrels)}


def table(name: str, qrels: Sequence[Qrel], level: int) -> Iterator[Sequence[Cell]]:
    """The rows about some topics."""
    relevant = counted(qrels, level)
    lines: list[tuple[str, Mapping[str, int]]] = [("judged", counted(qrels, 0)), ("H+M+L", counted(qrels, 1))]
    lines += [("relevant" if level != RELEVANT else "H+M", relevant)]
    lines += [(f"grade {grade}", of_grade(qrels, grade)) for grade in GRADES]
    for kind, counts in lines:
        row = spread(kind, counts)
        yield name, row.topics, kind, row.mean, row.most, row.most_topic, row.fewest, row.fewest_topic
    yield name, len(relevant), "highest P'@10", highest_p10(relevant), None, "", None, ""


def of_grade(qrels: Sequence[Qrel], grade: int) -> dict[str, int]:
    counts = Counter(qrel.topic_id for qrel in qrels if qrel.grade == grade)
    return {topic: counts[topic] for topic in dict.fromkeys(qrel.topic_id for qrel in qrels)}
