"""What the commands that measure runs share: ``score`` and ``compare``."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple, get_args

import polars as pl
from django.core.management.base import CommandParser

from assess.ir.campaign.kinds import KINDS
from assess.ir.common.problems import refuse
from assess.ir.common.rows import Qrel, ScoreRow, Task
from assess.ir.formats.pools import read_answers
from assess.ir.formats.run_columns import RunFormat
from assess.ir.formats.runs import read_run, run_names, written_id
from assess.ir.runs import ranking
from assess.ir.runs.ranking import JudgedUnits
from assess.ir.scores import definitions, measures
from assess.ir.scores.lexical_overlap import Answer, Overlaps
from assess.management.output import TableCommand, add_options, read_file, visual_ids

TASKS: dict[RunFormat, Task] = {"task1": "answers", "trec": "answers", "task2": "formulas", "task3": "written"}


class RankedRun(NamedTuple):
    """A run in our order, ready to be measured. ``name``: its tag, ``stem``: its file's name without extension."""

    name: str
    stem: str
    format: RunFormat
    ranking: pl.DataFrame
    notes: list[str]
    answers: list[Answer]  # of Task 3, if the file has their texts

    @property
    def task(self) -> Task:
        return TASKS[self.format]


class RunScores(NamedTuple):
    """The values of a run that enter the means of the ``measures`` that were asked for."""

    name: str
    stem: str
    measures: Sequence[str]
    scores: list[ScoreRow]
    notes: list[str]


class ScoringCommand(TableCommand):
    """Reads qrels and runs, and measures each run on each topic."""

    shows_judged = False
    overlaps: Overlaps | None = None

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--qrels", required=True, metavar="FILE", help="of the task of the first run")
        add_options(parser, "format", "order", "average", "level", "formula-index")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--run", nargs="+", action="extend", default=[], metavar="FILE")
        source.add_argument("--answers", metavar="FILE", help="written answers only: run, topic and answer id")
        names = ", ".join(definitions.BY_NAME)
        parser.add_argument("--measure", nargs="+", action="extend", metavar="NAME", type=measure, help=names)
        gain = "what nDCG adds: grade, or 2^grade - 1"
        parser.add_argument("--gain", choices=get_args(definitions.Gain), default="linear", help=gain)

    def scored_runs(self, options: dict[str, Any]) -> Iterator[RunScores]:
        """The runs under their names, with their warnings printed before each."""
        units = self.units(options)
        ranked = (self.ranked(path, units, options) for path in options["run"])
        runs = self.answers(options) if options["answers"] else ranked
        first = next(runs)
        # Beside runs in TREC's format, qrels can have any grades.
        qrels = JudgedUnits(self.read_qrels(options["qrels"], first.format))
        if not any(qrel.grade >= options["level"] for qrel in qrels):
            self.warn([f"no unit of the qrels is relevant: none has grade {options['level']}; choose another --level"])
        measured = partial(self.scored, first.format, qrels, options)
        scored = [measured(first)]
        del first  # so that it is gone when the second is read
        scored += map(measured, runs)  # a loop would hold one run while the next is read
        names = run_names([(run.name, run.stem) for run in scored])
        for name, run in zip(names, scored, strict=True):
            self.warn(f"{name}: {note}" for note in run.notes)
            yield run._replace(name=name, scores=[score._replace(run=name) for score in run.scores])

    def scored(self, first: RunFormat, qrels: JudgedUnits, options: dict[str, Any], run: RankedRun) -> RunScores:
        """The values of a run, after a first one of this format. The run itself is then no longer needed: one is in
        memory at a time."""
        if (run.format == "task3") != (first == "task3"):
            raise refuse("--run", "runs of Task 3 have their own measures: score them separately")
        names = chosen_for(run.task, options)
        average = options["average"] or ("run" if run.task == "written" else KINDS[run.task].average)
        how = {"by": options["order"], "level": options["level"], "gain": options["gain"]}
        try:
            scores = measures.score(run.name, run.ranking, qrels, names=names, **how)
        except ValueError as error:
            raise refuse("--gain", str(error)) from error
        if reason := measures.nothing_in_common(scores, run.ranking, qrels):
            is_by_instance = run.task == "formulas" and not options["formula_index"]
            hint = " To score formulas by visual id, use --formula-index." if is_by_instance else ""
            raise refuse(run.name, f"{reason}. Are these the qrels of its task and edition?{hint}")
        if definitions.LO in names:
            self.overlaps = self.overlaps or overlaps_of_files(options["run"], qrels, options["level"])
            plain = [answer._replace(text=as_plain(answer.text)) for answer in run.answers]
            scores += self.overlaps.score(run.name, plain, run.name)
        notes = [*run.notes, *missing(run, scores, qrels, average)]
        if self.shows_judged and not options["measure"] and run.task != "written":
            names = [*names, definitions.JUDGED]
            is_resolved = (run.ranking["unit_id"] != run.ranking["doc_id"]).any()  # else the first ten documents do
            rows = run.ranking if is_resolved else run.ranking.filter(pl.col("rank") <= 10)
            scores += measures.score(run.name, rows, qrels, by=options["order"], names=names[-1:])
        full = measures.complete_scores(run.name, scores, qrels, names, average, options["average"] or "run")
        return RunScores(run.name, run.stem, names, full, notes)

    def answers(self, options: dict[str, Any]) -> Iterator[RankedRun]:
        if options["format"] not in (None, "task3"):
            raise refuse("--answers", f"these are answers of Task 3, not of format {options['format']}")
        if options["formula_index"]:
            raise refuse("--formula-index", "answers of Task 3 are not formulas: leave it out")
        answers = read_file(options["answers"], read_answers)
        for name, lines in answers.items():
            yield RankedRun(name, name, "task3", ranking.order(ranking.as_lines(lines)), [], [])

    def ranked(self, path: str, units: dict[str, str] | None, options: dict[str, Any]) -> RankedRun:
        file, stem = read_file(path, partial(read_run, run_format=options["format"])), Path(path).stem
        self.warn(file.notes)
        rows = ranking.resolve(file.ranking(options["order"], stem), units)
        without = (rows["unit_id"] == "").sum()
        notes = [f"{without:,} of {len(rows):,} formulas have no visual id and are skipped"] if without else []
        texts = file.lines.select("topic_id", "text").iter_rows() if file.format == "task3" else ()
        return RankedRun(file.tag, stem, file.format, rows, notes, list(starmap(Answer, texts)))

    def units(self, options: dict[str, Any]) -> dict[str, str] | None:
        """The visual ids of the retrieved formulas; None without an index. With one, runs are read twice."""
        if options["formula_index"] is None or options["answers"]:
            return None
        wanted: set[str] = set()
        for path in options["run"]:
            file = read_file(path, partial(read_run, run_format=options["format"]))
            if file.format in ("task1", "task3"):
                raise refuse("--formula-index", f"{path} holds no formulas: leave it out")
            wanted.update(file.lines["doc_id"].unique())
        return visual_ids(options["formula_index"], wanted)


OF_JUDGES = (definitions.CS, definitions.MG, definitions.UI)


def overlaps_of_files(paths: Iterable[str], qrels: Iterable[Qrel], level: int) -> Overlaps:
    """The overlap with the relevant answers of these run files. Every run is a team by itself."""
    texts: dict[tuple[str, str], str] = {}
    owners: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for path in paths:
        file = read_file(path, partial(read_run, run_format="task3"))
        for topic, text in file.lines.select("topic_id", "text").iter_rows():
            key = topic, written_id(topic, text)
            texts[key] = text
            owners[key].add(file.tag)
    documents = (qrel[:2] for qrel in qrels if qrel.grade >= level)
    return Overlaps(Answer(key[0], as_plain(texts[key]), frozenset(owners[key])) for key in documents if key in texts)


def as_plain(text: str) -> str:
    """A written answer in the form of a post's text: its words, and its TeX without dollars, on one line."""
    from assess.ir.collection.html import canonical, plain_text, written_html  # takes time and memory

    return plain_text(canonical(written_html(text)))


def measure(text: str) -> str:
    try:
        return definitions.find_measure(text).name
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def chosen_for(task: Task, options: dict[str, Any]) -> Sequence[str]:
    """The measures that were asked for. Raises BadInput if runs of the task do not have one of them, or it needs more
    than runs and qrels."""
    usual = measures.WRITTEN_MEASURES if task == "written" else measures.MEASURES
    names = list(dict.fromkeys(options["measure"] or usual))
    if unfit := definitions.unfit_measures(map(definitions.find_measure, names), task):
        fitting = ", ".join(each.name for each in definitions.offered_measures(task))
        raise refuse("--measure", f"these runs have no {', '.join(unfit)}; they have {fitting}")
    if needed := [name for name in names if name in OF_JUDGES or (name == definitions.LO and options["answers"])]:
        hint = "; LO follows from the texts in --run files" if definitions.LO in needed else ""
        raise refuse("--measure", f"no file here has values of {', '.join(needed)}: the page Scores imports them{hint}")
    return names


def missing(run: RankedRun, scores: Iterable[ScoreRow], qrels: JudgedUnits, average: str) -> Iterator[str]:
    """Topics that the run and the qrels do not share."""
    judged, scored = set(qrels.by_topic), {score.topic_id for score in scores}
    unknown = set(run.ranking["topic_id"].unique()) - judged
    if judged - scored:
        needs = {definitions.find_measure(score.measure).input for score in scores}
        lack = "document" if needs == {"whole"} else "judged document"
        effect = "counted as 0" if average == "qrels" else "left out"
        yield f"topics of the qrels without a {lack}: {len(judged - scored)} ({effect})"
    if unknown:
        yield f"topics that the qrels do not have: {len(unknown)} (left out)"
