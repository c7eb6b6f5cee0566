"""The names of measures on pages and in addresses."""

from collections.abc import Iterable

from django.http import QueryDict

from assess.ir.scores import definitions


def key_of(measure: str) -> str:
    """In addresses; empty without a measure."""
    return definitions.find_measure(measure).key if measure else ""


def on_screen(measure: str) -> str:
    """With a typographic prime; files and commands keep the apostrophe."""
    return measure.replace("'", "\N{PRIME}")


def measure_links(names: Iterable[str], chosen: str) -> list[tuple[str, str, bool]]:
    """The measures to choose from, for the template ``scores/_measures.html``."""
    return [(key_of(name), on_screen(name), name == chosen) for name in names]


def asked(sent: QueryDict, names: Iterable[str]) -> str:
    """The measure that a request names, by default the first of these; empty if there are none."""
    by_key = {key_of(name): name for name in names}
    return by_key.get(sent.get("measure", ""), next(iter(by_key.values()), ""))
