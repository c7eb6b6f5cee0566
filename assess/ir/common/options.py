"""Options of what makes runs, declared where they are used: forms, API, command line and the pages' words follow."""

from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields
from typing import Any, NamedTuple

Words = Callable[[Any], str]


class Option(NamedTuple):
    """A field of a dataclass of options. ``kind``: float, int, bool or str; ``label`` and ``help`` stand on the form,
    which asks only for options with a label; ``words``: what a value means, as a run's page says it; ``choices``: the
    values with their labels (the empty one is for the form); ``least`` and ``most``: bounds of the form."""

    kind: type
    default: Any
    label: str = ""
    help: str = ""
    words: Words = lambda value: ""
    choices: Mapping[str, str] = {}
    least: float | None = None
    most: float | None = None
    is_list: bool = False

    @property
    def values(self) -> list[str]:
        return [value for value in self.choices if value]


def option(
    kind: type, default: Any, label: str = "", help: str = "", words: Words = lambda value: "", **more: Any
) -> Any:
    """The field of a dataclass for an `Option`."""
    return field(default=default, metadata={"option": Option(kind, default, label, help, words, **more)})


def options_in(kind: Any) -> dict[str, Option]:
    """The options of a dataclass, by name; those of the class itself first, then inherited ones."""
    named: dict[str, Field[Any]] = {each.name: each for each in fields(kind)}
    own = [name for name in named if name in kind.__annotations__]
    return {name: each.metadata["option"] for name in (*own, *named) if (each := named[name]).metadata}
