"""``manage.py fuse``: one run made of several, without a database."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from django.core.management.base import CommandParser

from assess.ir.common.problems import refuse
from assess.ir.common.rows import CONTROL, LONGEST_NAME, Qrel
from assess.ir.formats.run_columns import RunFormat, write_run
from assess.ir.runs import ranking
from assess.ir.runs.fusion.lists import RankedList, stack
from assess.ir.runs.fusion.methods import METHODS, OPTIONS, method, methods_with
from assess.ir.runs.fusion.regression import TRAINED
from assess.management.output import FileCommand, NamedRun, add_options, argument_of, retrieved, visual_ids


class Command(FileCommand):
    help = "Fuse runs into one: " + "; ".join(f"{name}: {kind.label}" for name, kind in METHODS.items())

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--method", required=True, choices=METHODS)
        add_options(parser, "run", "format", "order")
        parser.add_argument("--name", metavar="TAG", help="the run's name in the file (default: the method)")
        parser.add_argument("--formula-index", metavar="FILE", help="formulas only: fuses them by visual id")
        parser.add_argument("--qrels", metavar="FILE", help="regression: what to train on")
        for name, option in OPTIONS.items():  # each method refuses those that it does not take
            argument, how = argument_of(name, option, f"{', '.join(methods_with(name))}: ")
            parser.add_argument(argument, **how)

    def output(self, options: dict[str, Any]) -> str:
        tag = tag_of(options)
        runs = self.read_runs(options)
        run_format = common_format(runs)
        chosen_options = {name: options[name] for name in OPTIONS if options[name] is not None}
        chosen = method(options["method"], chosen_options, self.qrels(options, run_format))
        units = units_of(options["formula_index"], runs, run_format)
        by = options["order"]
        rankings = (ranking.resolve(run.file.ranking(by, run.path), units) for run in runs)
        fused = chosen.fuse(stack([RankedList(run.name, rows, by) for run, rows in zip(runs, rankings, strict=True)]))
        self.report(fused.facts)
        posts = pl.concat([run.file.lines.select("doc_id", "post_id") for run in runs]).filter(pl.col("post_id") != "")
        posts = posts.unique("doc_id", keep="first", maintain_order=True)
        return write_run(fused.lines.join(posts, on="doc_id", how="left"), run_format, tag)

    def qrels(self, options: Mapping[str, Any], run_format: RunFormat) -> Sequence[Qrel]:
        if (options["method"] == TRAINED) != bool(options["qrels"]):
            reason = f"{TRAINED} needs them" if options["method"] == TRAINED else f"only {TRAINED} uses them: leave out"
            raise refuse("--qrels", reason)
        return self.read_qrels(options["qrels"], run_format) if options["qrels"] else ()

    def report(self, facts: Mapping[str, Any]) -> None:
        """What is worth knowing of the result, on stderr."""
        for key, share in facts.get("tied", {}).items():
            self.stderr.write(f"tied after {key}: {share:.2f} %")
        for model in facts.get("models", []):
            weights = " ".join(f"{weight:g}" for weight in model["weights"])
            topics = f"trained on {len(model['training'])} topics, scored {len(model['scored'])}"
            self.stderr.write(f"{topics}: {model['units']} units, intercept {model['intercept']:g}, weights {weights}")


def tag_of(options: Mapping[str, Any]) -> str:
    tag: str = options["name"] or options["method"]
    if CONTROL.search(tag) or len(tag) > LONGEST_NAME or " " in tag:
        raise refuse("--name", f"at most {LONGEST_NAME} characters, without spaces and control characters")
    return tag


def common_format(runs: Sequence[NamedRun]) -> RunFormat:
    """The format of the fused run: that of the runs, and of its task if some are in TREC's."""
    formats = {run.file.format for run in runs}
    if "task3" in formats:
        raise refuse("--run", "runs of Task 3 cannot be fused: no two of them share an answer")
    if {"task1", "task2"} <= formats:
        raise refuse("--run", "these are runs of Task 1 and of Task 2: fuse them separately")
    return next(iter(formats - {"trec"}), "trec")


def units_of(index: str | None, runs: Sequence[NamedRun], run_format: RunFormat) -> dict[str, str] | None:
    if index is None:
        return None
    if run_format == "task1":
        raise refuse("--formula-index", "these runs hold no formulas: leave it out")
    return visual_ids(index, retrieved(runs))
