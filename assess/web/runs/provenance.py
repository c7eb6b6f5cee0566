"""How a run was made, in the words of the pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from assess.ir.common.options import options_in
from assess.ir.runs.fusion.methods import OPTIONS
from assess.models import Run
from assess.services.runs.baselines import KINDS


class SourceRun(NamedTuple):
    """A run that was fused."""

    name: str
    sha256: str
    is_by_rank: bool
    weight: float | None


class FoldModel(NamedTuple):
    """A model of a regression: the topics that it is trained on and that it scores, the judged units, and its constant
    with the coefficients of score and reciprocal rank for each run."""

    training: list[str]
    scored: list[str]
    units: int
    constant: float
    coefficients: list[float]


class Provenance(NamedTuple):
    options: list[str]
    runs: list[SourceRun]
    models: list[FoldModel]


def provenance_of(run: Run) -> Provenance:
    record = run.provenance
    options = record.get("options", {})
    words = fusion_options(options) if "method" in record else baseline_options(record.get("baseline", ""), options)
    return Provenance(list(words), list(runs_of(record)), [model_of(row) for row in record.get("models", [])])


def fusion_options(options: dict[str, Any]) -> Iterator[str]:
    if options.get("training"):
        options = {name: value for name, value in options.items() if name != "folds"}
    for name, option in OPTIONS.items():
        if name in options and (text := option.words(options[name])):
            yield text


def baseline_options(label: str, options: dict[str, Any]) -> Iterator[str]:
    """In the words of the form of the baseline with this label."""
    asked = next((options_in(kind.options) for kind in KINDS.values() if kind.label == label), {})
    for name, value in options.items():
        words = ("yes" if value else "no") if isinstance(value, bool) else asked[name].choices.get(value, value)
        yield f"{asked[name].label}: {words}"


def runs_of(record: dict[str, Any]) -> Iterator[SourceRun]:
    runs = record.get("runs", [])
    weights = record.get("options", {}).get("weights") or [None] * len(runs)
    for run, weight in zip(runs, weights, strict=True):
        yield SourceRun(run["name"], run["sha256"], run["order"] == Run.Order.RANK, weight)


def model_of(row: dict[str, Any]) -> FoldModel:
    return FoldModel(row["training"], row["scored"], row["units"], row["intercept"], row["weights"])
