"""``manage.py score``: measure runs against qrels, without a database."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple, get_args

import polars as pl
from django.core.management.base import CommandParser

from assess.ir.common.problems import refuse
from assess.ir.common.rows import RELEVANT, Order, Qrel, ScoreRow, Task
from assess.ir.formats.judgment_export import ExportedJudgment, as_rows, is_export, read_export
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.roles import read_answers
from assess.ir.formats.runs import RunFormat
from assess.ir.results import measures
from assess.ir.results.aggregation import qrels_by_unit
from assess.ir.results.overlap import nothing_in_common
from assess.ir.runs import ranking
from assess.management.files import NamedRun, read_file, read_runs, visual_ids
from assess.management.output import Cell, TableCommand

TASKS: dict[RunFormat, Task] = {"task1": "answers", "trec": "answers", "task2": "formulas", "task3": "written"}


class Ranked(NamedTuple):
    """A run in our order, ready to be measured."""

    name: str
    format: RunFormat
    ranking: pl.DataFrame

    @property
    def task(self) -> Task:
        return TASKS[self.format]


class Command(TableCommand):
    help = "Measure runs against qrels: nDCG', MAP', P'@10 and bpref; AR and P@1 for written answers."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--qrels", required=True, metavar="FILE", help="qrels, or what manage.py export prints")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--run", nargs="+", action="extend", default=[], metavar="FILE")
        source.add_argument("--answers", metavar="FILE", help="Task 3: lines with run, topic and answer id")
        parser.add_argument(
            "--format", choices=get_args(RunFormat), help="of the runs (default: recognized by their columns)"
        )
        parser.add_argument("--order", choices=get_args(Order), default="score")
        parser.add_argument("--average", choices=get_args(measures.Average), help="which topics the mean covers")
        parser.add_argument(
            "--level", type=positive, default=RELEVANT, help="lowest relevant grade (default: %(default)s)"
        )
        parser.add_argument("--formula-index", metavar="FILE", help="scores formulas by visual id")
        parser.add_argument("--per-topic", action="store_true")

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        runs = self.answers(options) if options["answers"] else self.runs(options)
        qrels = self.qrels(options["qrels"], {run.format for run in runs})
        self.header = ("run", "topic", "measure", "value") if options["per_topic"] else MEANS
        for run in runs:
            if reason := nothing_in_common(run.ranking, qrels):
                is_by_instance = run.task == "formulas" and not options["formula_index"]
                hint = " To score formulas by visual id, use --formula-index." if is_by_instance else ""
                raise refuse(run.name, f"{reason}. Are these the qrels of its task and edition?{hint}")
        for run in runs:
            average = options["average"] or measures.default_average(run.task)
            by, level = options["order"], options["level"]
            scores = measures.score(run.name, run.ranking, qrels, run.task, by=by, level=level)
            topics = measures.averaged_topics(average, scores, qrels)
            self.warn(missing(run, scores, qrels, average))
            yield from table(run, scores, topics, per_topic=options["per_topic"])

    def answers(self, options: dict[str, Any]) -> list[Ranked]:
        if options["format"] not in (None, "task3"):
            raise refuse("--answers", f"these are answers of Task 3, not of format {options['format']}")
        if options["formula_index"]:
            raise refuse("--formula-index", "answers of Task 3 are not formulas: leave it out")
        answers = read_file(options["answers"], read_answers)
        return [Ranked(name, "task3", ranking.order(ranking.as_lines(lines))) for name, lines in answers.items()]

    def runs(self, options: dict[str, Any]) -> list[Ranked]:
        runs = read_runs(options["run"], options["format"])
        for run in runs:
            self.warn(run.file.notes)
        units = self.units(options["formula_index"], runs)
        return [self.ranked(run, units, options["order"]) for run in runs]

    def units(self, path: str | None, runs: Sequence[NamedRun]) -> dict[str, str] | None:
        if path is None:
            return None
        for run in runs:
            if run.file.format in ("task1", "task3"):
                raise refuse("--formula-index", f"{run.path} holds no formulas: leave it out")
        return visual_ids(path, runs)

    def ranked(self, run: NamedRun, units: dict[str, str] | None, by: Order) -> Ranked:
        rows = ranking.resolve(ranking.order(run.file.lines, by), units)
        without = (rows["unit_id"] == "").sum()
        if without:
            self.warn([f"{run.name}: {without:,} of {len(rows):,} formulas have no visual id and are skipped"])
        return Ranked(run.name, run.file.format, rows)

    def qrels(self, path: str, formats: set[RunFormat]) -> list[Qrel]:
        if "task3" in formats and len(formats) > 1:
            raise refuse("--run", "runs of Task 3 have their own measures: score them separately")
        is_written = formats == {"task3"}
        run_format: RunFormat = formats.pop() if len(formats) == 1 else "trec"

        def read(source: BinaryIO, name: str) -> list[Qrel]:
            if is_export(source, name):
                return exported_qrels(read_export(source, name), is_written=is_written)
            file = read_qrels(source, name, run_format)
            self.warn(file.notes)
            return file.qrels

        return read_file(path, read)


def exported_qrels(judgments: Iterable[ExportedJudgment], *, is_written: bool) -> list[Qrel]:
    """The qrels that exported judgments make: those of the main round, of written answers or of all else; formulas by
    visual id. Topics with few relevant units are kept."""
    rows = as_rows(row for row in judgments if row.round == "main" and (row.kind == "written") == is_written)
    return qrels_by_unit(rows, {row.doc_id for row in rows} if is_written else ())


MEANS = ("run", "measure", "value", "topics")


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def missing(run: Ranked, scores: Iterable[ScoreRow], qrels: Iterable[Qrel], average: str) -> Iterator[str]:
    """Topics that the run and the qrels do not share."""
    judged, scored = {qrel.topic_id for qrel in qrels}, {score.topic_id for score in scores}
    unknown = set(run.ranking["topic_id"].unique()) - judged
    if judged - scored:
        effect = "counted as 0" if average == "qrels" else "left out"
        yield f"{run.name}: topics of the qrels without a judged document: {len(judged - scored)} ({effect})"
    if unknown:
        yield f"{run.name}: topics that the qrels do not have: {len(unknown)} (left out)"


def table(
    run: Ranked, scores: Iterable[ScoreRow], topics: Sequence[str], *, per_topic: bool
) -> Iterator[Sequence[Cell]]:
    """The rows of one run. A mean over no topics is undefined."""
    names = measures.measures_of(run.task)
    complete = measures.complete(run.name, scores, topics, names)
    if per_topic:
        yield from complete
    elif topics:
        yield from measures.mean(complete, topics)
    else:
        yield from ((run.name, name, None, 0) for name in names)
