"""How long judgments took in the labs, from their papers."""

from typing import NamedTuple

from assess.ir.campaign.presets import Protocol


class LabPace(NamedTuple):
    """Mean seconds of a judgment in a lab, and the paper that reports it."""

    seconds: float
    source: str


THESIS = "ARQMath-1, in B. Mansouri's dissertation (2022)"
OVERVIEWS = ("overview of ARQMath-2 (CLEF 2021)", "overview of ARQMath-3 (CLEF 2022)")
SECONDS = {
    "arqmath1-task1": LabPace(63.1, THESIS),
    "arqmath1-task2": LabPace(38.1, THESIS),
    "arqmath2-task1": LabPace(83.3, OVERVIEWS[0]),
    "arqmath2-task2": LabPace(39.5, OVERVIEWS[0]),
    "arqmath3-task1": LabPace(44.1, OVERVIEWS[1]),
    "arqmath3-task2": LabPace(26.6, OVERVIEWS[1]),
}
LATEST = {"answers": "arqmath3-task1", "formulas": "arqmath3-task2"}


def lab_pace(protocol: Protocol) -> LabPace:
    """The pace in the protocol's lab, or else in the latest lab with its task."""
    return SECONDS.get(protocol.preset) or SECONDS[LATEST[protocol.task]]
