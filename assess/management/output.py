"""What the commands without a database share: options, tables as text or JSON, and errors with exit code 2."""

import argparse
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NoReturn, get_args

from django.core.management.base import BaseCommand, CommandParser

from assess.ir.campaign.presets import PRESETS
from assess.ir.common.options import Option
from assess.ir.common.problems import BadInput, Problem
from assess.ir.common.rows import RELEVANT, Order, Qrel
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.run_columns import RunFormat
from assess.ir.scores.definitions import Average
from assess.management.files import NamedRun, read_file, read_runs

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
        runs = read_runs(options["run"], options["format"])
        for run in runs:
            self.warn(run.file.notes)
        return runs

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
