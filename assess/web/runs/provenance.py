"""How a run was made, in the words of the pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from django.forms import ChoiceField, Field

from assess.ir.runs.fusion.ensemble import LastKey
from assess.models import Run
from assess.services.common.wording import number
from assess.services.runs.baselines import KINDS
from assess.web.runs.baselines import FORMS

LAST_KEYS: dict[LastKey, str] = {
    "name": "Document id, descending (as published)",
    "name-ascending": "Document id, ascending",
    "list": "The run it comes from, which interleaves them",
}
NORMALIZATIONS = {"min-max": "scores scaled to 0–1 for each topic", "none": "scores as they are"}
FUSION_OPTIONS: dict[str, Callable[[Any], str]] = {
    "k": lambda k: f"k {k:g}, added to each rank",
    "normalization": lambda name: NORMALIZATIONS[name],
    "alpha": lambda alpha: f"α {alpha:g}, the weight of the first run; the second has {1 - alpha:g}",
    "top": lambda top: f"the first {number(top, 'document')} of the first run",
    "last_key": lambda key: f"remaining ties by {LAST_KEYS[key][0].lower()}{LAST_KEYS[key][1:]}",
    "seed_faithful": lambda yes: "scores as MIRMU reported them" if yes else "",
    "folds": lambda folds: number(folds, "fold"),
    "training": lambda topics: f"trained on the topics {' '.join(topics)}",
    "score_training": lambda yes: "the training topics scored, too" if yes else "",
}
"""What each option of a fusion means; the seed and the weights of runs are shown elsewhere."""


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
    for name, words in FUSION_OPTIONS.items():
        if name in options and (text := words(options[name])):
            yield text


def baseline_options(label: str, options: dict[str, Any]) -> Iterator[str]:
    """In the words of the form of the baseline with this label. An option that the form no longer has keeps its
    name."""
    fields: Mapping[str, Field] = next(
        (FORMS[name].base_fields for name, kind in KINDS.items() if kind.label == label), {}
    )
    for name, value in options.items():
        field = fields.get(name)
        yield f"{field.label if field else name}: {in_words(field, value)}"


def in_words(field: Field | None, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    choices = dict(field.choices) if isinstance(field, ChoiceField) else {}  # type: ignore[arg-type]
    return str(choices.get(value, value))


def runs_of(record: dict[str, Any]) -> Iterator[SourceRun]:
    runs = record.get("runs", [])
    weights = record.get("options", {}).get("weights") or [None] * len(runs)
    for run, weight in zip(runs, weights, strict=True):
        yield SourceRun(run["name"], run["sha256"], run["order"] == Run.Order.RANK, weight)


def model_of(row: dict[str, Any]) -> FoldModel:
    return FoldModel(row["training"], row["scored"], row["units"], row["intercept"], row["weights"])
