"""Options, declared where they are used: forms, API, command line and the pages' words follow."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields
from math import inf, isfinite
from typing import Any, NamedTuple

from assess.ir.common.problems import refuse

LONGEST_LINE = 500


class Option(NamedTuple):
    """A field of a dataclass of options. ``kind``: float, int or str; ``default``: MISSING if a value must be given;
    ``label`` and ``help`` stand on the form, which asks only for options with a label; ``choices``: the values with
    their labels (the empty one is for the form); ``least`` and ``most``: bounds; ``least`` of a list: how many are
    needed, ``most`` of a text: its length."""

    kind: type
    default: Any
    label: str = ""
    help: str = ""
    choices: Mapping[str, str] = {}
    least: float | None = None
    most: float | None = None
    is_list: bool = False

    @property
    def is_required(self) -> bool:
        return self.default is MISSING

    @property
    def is_long(self) -> bool:
        """Whether a text may have several lines; others have no control characters."""
        return (self.most or 0) > LONGEST_LINE

    @property
    def values(self) -> list[str]:
        return [value for value in self.choices if value]

    def in_words(self, value: Any) -> str:
        """The option with this value, as the form says it."""
        if self.is_list:
            return f"{self.label}: {' '.join(value)}"
        return f"{self.label}: {self.choices.get(value, value) if self.choices else f'{value:g}'}"


def option(kind: type, default: Any, label: str = "", help: str = "", **more: Any) -> Any:
    """The field of a dataclass for an `Option`."""
    return field(default=default, metadata={"option": Option(kind, default, label, help, **more)})


def options_in(kind: Any) -> dict[str, Option]:
    """The options of a dataclass, by name; those of the class itself first, then inherited ones."""
    named: dict[str, Field[Any]] = {each.name: each for each in fields(kind)}
    own = [name for name in named if name in kind.__annotations__]
    return {name: each.metadata["option"] for name in (*own, *named) if (each := named[name]).metadata}


def wrong_value(each: Option, value: Any) -> str:
    """Why an option cannot have this value; empty if it can. Of a list, each part must be one of the choices."""
    if each.is_list and len(value) < (each.least or 0):
        return f"choose {each.least:g} or more"
    if each.choices:
        wrong = [part for part in (value if each.is_list else [value]) if part not in each.values]
        return f"choose {' or '.join(each.values)}, found {wrong[0]!r}" if wrong else ""
    if each.is_list or each.kind is str or (value is None and each.default is None):
        return ""
    if each.kind is bool:
        return "" if isinstance(value, bool) else f"true or false is needed, found {value!r}"
    least, most = (-inf if each.least is None else each.least), (inf if each.most is None else each.most)
    is_number = type(value) is int or (each.kind is float and isinstance(value, float) and isfinite(value))
    if is_number and least <= value <= most:
        return ""
    number = "a whole number" if each.kind is int else "a number"
    bounds = "" if least == -inf else f", {least:,g} or more," if most == inf else f" from {least:,g} to {most:,g}"
    return f"{number}{bounds} is needed, found {value!r}"


def check_options(made: Any) -> None:
    """Raises BadInput if an option of this object is out of its bounds or none of its choices."""
    for name, each in options_in(made).items():
        if reason := wrong_value(each, getattr(made, name)):
            raise refuse(name.replace("_", " "), reason)
