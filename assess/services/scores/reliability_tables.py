"""The tables of a report on reliability, in full: a header and rows for a file."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from assess.ir.scores.reusability import COUNTS
from assess.models import ReliabilityReport

Row = Sequence[object]
COMPARED = ("first", "second", "written")
CHANGE = ("run", "measure", "before", "after", "place_before", "place_after")


def of_assessors(report: ReliabilityReport) -> Iterator[Row]:
    """Every run by every measure under every judge."""
    yield *COMPARED, "measure", "run", "judge", "value", "place"
    for pair, board in boards_of_pairs(report):
        for row in board["runs"]:
            for judge, value, place in zip(pair["judges"], row["values"], row["places"], strict=True):
                yield *picked(pair, COMPARED), board["measure"], row["run"], judge, value, place


def correlation_rows(report: ReliabilityReport) -> Iterator[Row]:
    yield *COMPARED, "measure", "judge", "other_judge", "tau", "swaps", "reason"
    for pair, board in boards_of_pairs(report):
        for row in board["correlations"]:
            values = picked(row, ("first", "second", "tau", "swaps", "reason"))
            yield *picked(pair, COMPARED), board["measure"], *values


def contributions_of_runs(report: ReliabilityReport) -> Iterator[Row]:
    yield "run", "team", "pooled", *COUNTS, "unjudged_at_10", "topics"
    for row in report.reusability["runs"]:
        yield picked(row, ("run", "team", "pooled", *COUNTS, "share", "topics"))


def contributions_of_teams(report: ReliabilityReport) -> Iterator[Row]:
    yield "team", *COUNTS
    for row in report.reusability["teams"]:
        yield picked(row, ("name", *COUNTS))


def left_out(report: ReliabilityReport) -> Iterator[Row]:
    yield "team", *CHANGE, "tau"
    for team in report.reusability["left_out"]:
        for change in team["changes"]:
            yield team["team"], *picked(change, CHANGE), team["leaderboards"][change["measure"]]["value"]


def boards_of_pairs(report: ReliabilityReport) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each comparison of assessors with each of its leaderboards."""
    for pair in report.assessors:
        for board in pair["boards"]:
            yield pair, board


def picked(row: dict[str, Any], names: Iterable[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


TABLES: dict[str, Callable[[ReliabilityReport], Iterator[Row]]] = {
    "assessors": of_assessors,
    "correlations": correlation_rows,
    "runs": contributions_of_runs,
    "teams": contributions_of_teams,
    "left-out": left_out,
}
"""By the name in the address of the file."""
