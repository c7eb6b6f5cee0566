"""The options that several commands have in common."""

import argparse
from typing import Any, get_args

from assess.ir.campaign.presets import PRESETS
from assess.ir.common.options import Option
from assess.ir.common.rows import RELEVANT, Order
from assess.ir.formats.run_columns import RunFormat
from assess.ir.scores.definitions import Average


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
