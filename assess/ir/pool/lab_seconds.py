"""What a judgment took in the labs, as their papers say."""

from typing import NamedTuple

from assess.ir.campaign.presets import Protocol


class Measured(NamedTuple):
    """Mean seconds that a judgment took in a lab, and who says so."""

    seconds: float
    source: str


THESIS = "ARQMath-1, in B. Mansouri's dissertation (2022)"
OVERVIEWS = ("overview of ARQMath-2 (CLEF 2021)", "overview of ARQMath-3 (CLEF 2022)")
SECONDS = {
    "arqmath1-task1": Measured(63.1, THESIS),
    "arqmath1-task2": Measured(38.1, THESIS),
    "arqmath2-task1": Measured(83.3, OVERVIEWS[0]),
    "arqmath2-task2": Measured(39.5, OVERVIEWS[0]),
    "arqmath3-task1": Measured(44.1, OVERVIEWS[1]),
    "arqmath3-task2": Measured(26.6, OVERVIEWS[1]),
}
LATEST = {"answers": "arqmath3-task1", "formulas": "arqmath3-task2"}


def measured(protocol: Protocol) -> Measured:
    """What a judgment took in the protocol's lab, or else in the latest lab with the task."""
    return SECONDS.get(protocol.preset) or SECONDS[LATEST[protocol.task]]
