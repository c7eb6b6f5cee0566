"""``manage.py score``: measure runs against qrels, without a database."""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, get_args

import polars as pl
from django.core.management.base import CommandParser

from assess.ir.common.problems import BadInput, refuse
from assess.ir.common.rows import RELEVANT, Order, Qrel, ScoreRow, Task
from assess.ir.formats.judgment_export import ExportedJudgment, as_rows, is_export, read_export
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.roles import read_answers
from assess.ir.formats.runs import RunFile, RunFormat, read_run, run_names
from assess.ir.results import measures
from assess.ir.results.aggregation import qrels_by_unit
from assess.ir.results.overlap import nothing_in_common
from assess.ir.runs import ranking
from assess.ir.runs.judged import Judged
from assess.management.files import read_file, visual_ids
from assess.management.output import Cell, TableCommand

TASKS: dict[RunFormat, Task] = {"task1": "answers", "trec": "answers", "task2": "formulas", "task3": "written"}


class Ranked(NamedTuple):
    """A run in our order, ready to be measured. ``name``: its tag, ``stem``: its file's name without extension."""

    name: str
    stem: str
    format: RunFormat
    ranking: pl.DataFrame
    notes: list[str]

    @property
    def task(self) -> Task:
        return TASKS[self.format]


class Scored(NamedTuple):
    """The values of a run for each topic, and the topics of the mean."""

    name: str
    stem: str
    format: RunFormat
    scores: list[ScoreRow]
    topics: list[str]
    notes: list[str]

    def renamed(self, name: str) -> Scored:
        return self._replace(name=name, scores=[score._replace(run=name) for score in self.scores])


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
        first = next(runs)
        qrels, problem = self.qrels(options["qrels"], first.format)
        run_format, runs = first.format, chain([first], runs)
        del first  # so that it is gone when the second is read
        scored = [self.scored(run, qrels, options) for run in same_kind(runs)]
        if problem and {run.format for run in scored} == {run_format}:
            raise problem
        self.header = ("run", "topic", "measure", "value") if options["per_topic"] else MEANS
        names = run_names([(run.name, run.stem) for run in scored])
        for name, run in zip(names, scored, strict=True):
            self.warn(f"{name}: {note}" for note in run.notes)
            yield from table(run.renamed(name), per_topic=options["per_topic"])

    def scored(self, run: Ranked, qrels: Judged, options: dict[str, Any]) -> Scored:
        """The values of a run, which itself is then no longer needed: one run is in memory at a time."""
        if reason := nothing_in_common(run.ranking, qrels):
            is_by_instance = run.task == "formulas" and not options["formula_index"]
            hint = " To score formulas by visual id, use --formula-index." if is_by_instance else ""
            raise refuse(run.name, f"{reason}. Are these the qrels of its task and edition?{hint}")
        average = options["average"] or measures.default_average(run.task)
        by, level = options["order"], options["level"]
        scores = measures.score(run.name, run.ranking, qrels, run.task, by=by, level=level)
        topics = measures.averaged_topics(average, scores, qrels)
        return Scored(
            run.name, run.stem, run.format, scores, topics, [*run.notes, *missing(run, scores, qrels, average)]
        )

    def answers(self, options: dict[str, Any]) -> Iterator[Ranked]:
        if options["format"] not in (None, "task3"):
            raise refuse("--answers", f"these are answers of Task 3, not of format {options['format']}")
        if options["formula_index"]:
            raise refuse("--formula-index", "answers of Task 3 are not formulas: leave it out")
        answers = read_file(options["answers"], read_answers)
        for name, lines in answers.items():
            yield Ranked(name, name, "task3", ranking.order(ranking.as_lines(lines)), [])

    def runs(self, options: dict[str, Any]) -> Iterator[Ranked]:
        """The runs, one after the other. With an index they are read twice: first for the formulas to look up."""
        units = self.units(options)
        for path in options["run"]:
            yield self.run_of(path, units, options)

    def run_of(self, path: str, units: dict[str, str] | None, options: dict[str, Any]) -> Ranked:
        file = read_file(path, lambda source, name: read_run(source, name, options["format"]))
        self.warn(file.notes)
        return ranked(file, Path(path).stem, units, options["order"])

    def units(self, options: dict[str, Any]) -> dict[str, str] | None:
        """The visual ids of the retrieved formulas; None without an index."""
        if options["formula_index"] is None:
            return None
        wanted: set[str] = set()
        for path in options["run"]:
            file = read_file(path, lambda source, name: read_run(source, name, options["format"]))
            if file.format in ("task1", "task3"):
                raise refuse("--formula-index", f"{path} holds no formulas: leave it out")
            wanted.update(file.lines["doc_id"].unique())
        return visual_ids(options["formula_index"], wanted)

    def qrels(self, path: str, run_format: RunFormat) -> tuple[Judged, BadInput | None]:
        """The qrels, with the problem that they have for the format of the first run: beside runs of other formats,
        they may have any grades, as TREC's."""
        content = io.BytesIO(Path(path).read_bytes())
        name = Path(path).name
        if is_export(content, name):
            return Judged(exported_qrels(read_export(content, name), is_written=run_format == "task3")), None
        problem = None
        try:
            file = read_qrels(content, name, run_format)
        except BadInput as error:
            if run_format in ("task3", "trec"):
                raise
            content.seek(0)
            file, problem = read_qrels(content, name, "trec"), error
        self.warn(file.notes)
        return Judged(file.qrels), problem


def same_kind(runs: Iterable[Ranked]) -> Iterator[Ranked]:
    """The runs. Raises BadInput for one of Task 3 among others."""
    kinds = set()
    for run in runs:
        kinds.add(run.task == "written")
        if len(kinds) > 1:
            raise refuse("--run", "runs of Task 3 have their own measures: score them separately")
        yield run


def ranked(file: RunFile, stem: str, units: dict[str, str] | None, by: Order) -> Ranked:
    rows = ranking.resolve(ranking.order(file.lines, by), units)
    without = (rows["unit_id"] == "").sum()
    notes = [f"{without:,} of {len(rows):,} formulas have no visual id and are skipped"] if without else []
    return Ranked(file.tag, stem, file.format, rows, notes)


def exported_qrels(judgments: Iterable[ExportedJudgment], *, is_written: bool) -> list[Qrel]:
    """The qrels that exported judgments make: those of the official rounds, of written answers or of all else; formulas
    by visual id. Topics with few relevant units are kept."""
    rows = as_rows(row for row in judgments if row.round in OFFICIAL and (row.kind == "written") == is_written)
    return qrels_by_unit(rows, {row.doc_id for row in rows} if is_written else ())


OFFICIAL = ("main", "additional")
MEANS = ("run", "measure", "value", "topics")


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def missing(run: Ranked, scores: Iterable[ScoreRow], qrels: Judged, average: str) -> Iterator[str]:
    """Topics that the run and the qrels do not share."""
    judged, scored = set(qrels.by_topic), {score.topic_id for score in scores}
    unknown = set(run.ranking["topic_id"].unique()) - judged
    if judged - scored:
        effect = "counted as 0" if average == "qrels" else "left out"
        yield f"topics of the qrels without a judged document: {len(judged - scored)} ({effect})"
    if unknown:
        yield f"topics that the qrels do not have: {len(unknown)} (left out)"


def table(run: Scored, *, per_topic: bool) -> Iterator[Sequence[Cell]]:
    """The rows of one run. A mean over no topics is undefined."""
    names = measures.measures_of(TASKS[run.format])
    complete = measures.complete(run.name, run.scores, run.topics, names)
    if per_topic:
        yield from complete
    elif run.topics:
        yield from measures.mean(complete, run.topics)
    else:
        yield from ((run.name, name, None, 0) for name in names)
