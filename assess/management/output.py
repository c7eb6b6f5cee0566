"""What the commands without a database share: options, files, tables as text or JSON, and errors with exit code 2."""

import argparse
import io
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence, Set
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeVar, get_args

import polars as pl
from django.core.management.base import BaseCommand, CommandParser

from assess.ir.campaign.presets import PRESETS
from assess.ir.common.options import Option
from assess.ir.common.problems import BadInput, Problem, refuse
from assess.ir.common.rows import RELEVANT, Order, Qrel
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.run_columns import RunFormat
from assess.ir.formats.runs import RunFile, read_run, run_names
from assess.ir.scores.definitions import Average

Row = TypeVar("Row")
Cell = str | int | float | None
UNDEFINED = "—"


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


OPTIONS: dict[str, dict[str, Any]] = {
    "run": {"nargs": "+", "action": "extend", "required": True, "metavar": "FILE"},
    "qrels": {"required": True, "metavar": "FILE"},
    "roles": {
        "required": True,
        "metavar": "FILE",
        "help": "lines of a run and primary, alternate, none or a priority, 1 to 5",
    },
    "preset": {"required": True, "choices": list(PRESETS), "help": "the rules of the pool"},
    "formula-index": {"metavar": "FILE", "help": "formulas only: resolves them to visual ids"},
    "format": {"choices": get_args(RunFormat), "help": "of the runs (default: recognized by their columns)"},
    "order": {"choices": get_args(Order), "default": "score", "help": "the column that orders the runs"},
    "average": {"choices": get_args(Average), "help": "over all topics of the qrels, or those of the run"},
    "level": {"type": positive, "default": RELEVANT, "help": "lowest relevant grade (default: %(default)s)"},
    "sheet": {"metavar": "FILE", "help": "a table with a line for each topic: results by category of the topics"},
    "by": {"default": "category", "metavar": "COLUMN", "help": "of the sheet (default: %(default)s)"},
}


def argument_of(name: str, option: Option, about: str = "") -> tuple[str, dict[str, Any]]:
    """The argument for an option that a dataclass declares; None if it is not given."""
    how: dict[str, Any] = {"choices": option.values} if option.choices else {"type": option.kind}
    many = {"nargs": "*"} if option.is_list else {}
    return f"--{name.replace('_', '-')}", {"help": f"{about}{option.help or option.label}", **how, **many}


def add_options(parser: argparse._ActionsContainer, *names: str) -> None:
    for name in names:
        parser.add_argument(f"--{name}", **OPTIONS[name])


class NamedRun(NamedTuple):
    """A run file, its path as given, and the name under which its results are printed."""

    name: str
    path: str
    file: RunFile


def read_file(path: str, reader: Callable[[BinaryIO, str], Row]) -> Row:
    """What ``reader`` reads from the file; problems name the file without its folder."""
    with Path(path).open("rb") as file:
        source = file if file.seekable() else io.BytesIO(file.read())  # a pipe
        return reader(source, Path(path).name)


class FileCommand(BaseCommand, ABC):
    """Reads files and prints a text. Warnings and errors go to stderr; bad input ends with exit code 2, like a wrong
    argument."""

    requires_system_checks: list[str] = []

    def handle(self, *args: str, **options: Any) -> str:
        try:
            return self.output(options)
        except BadInput as error:
            self.fail(str(error))
        except OSError as error:
            self.fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))

    @abstractmethod
    def output(self, options: dict[str, Any]) -> str: ...

    def warn(self, notes: Iterable[Problem | str]) -> None:
        for note in notes:
            self.stderr.write(f"warning: {note}")

    def read_runs(self, options: dict[str, Any]) -> list[NamedRun]:
        """The run files with their names: the tag, or the file's stem if tags collide."""
        files = [(path, read_file(path, partial(read_run, run_format=options["format"]))) for path in options["run"]]
        self.warn(note for _, file in files for note in file.notes)
        names = run_names([(file.tag, Path(path).stem) for path, file in files])
        return [NamedRun(name, path, file) for name, (path, file) in zip(names, files, strict=True)]

    def read_qrels(self, path: str, run_format: RunFormat | None = None) -> list[Qrel]:
        file = read_file(path, partial(read_qrels, run_format=run_format))
        self.warn(file.notes)
        return file.qrels

    def fail(self, reason: str) -> NoReturn:
        self.stderr.write(reason)
        sys.exit(2)


class TableCommand(FileCommand):
    """Prints a table, tab-separated with a header line, or with all digits as JSON."""

    header: Sequence[str]
    decimals = 4

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print a list of JSON objects")

    def output(self, options: dict[str, Any]) -> str:
        rows = list(self.rows(options))
        if not options["json"]:
            return self.as_text(rows)
        objects = [dict(zip(self.header, row, strict=True)) for row in rows]
        return json.dumps(objects, ensure_ascii=False, indent=1) + "\n"

    @abstractmethod
    def rows(self, options: dict[str, Any]) -> Iterable[Sequence[Cell]]: ...

    def as_text(self, rows: Iterable[Sequence[Cell]]) -> str:
        lines = [self.header, *([self.text(cell) for cell in row] for row in rows)]
        return "".join("\t".join(line) + "\n" for line in lines)

    def text(self, cell: Cell) -> str:
        if isinstance(cell, float):
            return f"{round(cell, self.decimals) + 0.0:.{self.decimals}f}"  # without a negative zero
        return UNDEFINED if cell is None else str(cell)


def retrieved(runs: Sequence[NamedRun]) -> set[str]:
    return {doc_id for run in runs for doc_id in run.file.lines["doc_id"].unique()}


def visual_ids(path: str, wanted: Set[str], *, comments: bool = True) -> dict[str, str]:
    """The visual ids of these formulas, as far as the index has them; with or without those in comments."""
    from assess.ir.formats.formula_index import IN_COMMENT, formula_frames  # take memory; most commands don't need them

    is_wanted = pl.col("formula_id").is_in(pl.Series(list(wanted), dtype=pl.String).implode())

    def read_index(source: BinaryIO, name: str) -> dict[str, str]:
        formulas: dict[str, str] = {}
        has_visual_ids = False
        for frame in formula_frames(source, name):
            has_visual_ids = has_visual_ids or bool((frame["visual_id"] != "").any())
            rows = frame.filter(is_wanted, ~IN_COMMENT | comments).select("formula_id", "visual_id")
            for formula_id, visual_id in rows.iter_rows():
                if (first := formulas.setdefault(formula_id, visual_id)) != visual_id:
                    raise refuse(name, f"formula {formula_id} has two visual ids, {first} and {visual_id}: keep one")
        if not has_visual_ids:
            raise refuse(name, "the index has no visual ids; take its version 2 or 3")
        return formulas

    return read_file(path, read_index)


def occurring(posts: str, comments: str | None, runs: Sequence[NamedRun]) -> set[str]:
    """The formulas of the runs that occur in the text of a post or, if comments are given, of a comment."""
    from assess.ir.formats import formula_index  # takes memory, as lxml does
    from assess.ir.formats.posts import iter_comments, iter_posts

    wanted = retrieved(runs)

    def in_posts(source: BinaryIO, name: str) -> set[str]:
        return formula_index.occurring((post.title + post.body for post in iter_posts(source, name)), wanted)

    def in_comments(source: BinaryIO, name: str) -> set[str]:
        return formula_index.occurring((comment.text for comment in iter_comments(source, name)), wanted)

    return read_file(posts, in_posts) | (read_file(comments, in_comments) if comments else set())
