"""How a run was made, in the words of the pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assess.ir.common.options import options_in
from assess.ir.runs.fusion.methods import OPTIONS
from assess.models import Run
from assess.services.runs.baselines import KINDS


def words_of_options(run: Run) -> list[str]:
    """The options of a run that was made here, in the words of the form."""
    record = run.provenance
    options = record.get("options", {})
    return list(
        fusion_options(options) if "method" in record else baseline_options(record.get("baseline", ""), options)
    )


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


def fused_runs(run: Run) -> list[dict[str, Any]]:
    """The runs that were fused, as the record has them, each with its weight."""
    runs = run.provenance.get("runs", [])
    weights = run.provenance.get("options", {}).get("weights") or [None] * len(runs)
    return [fused | {"weight": weight} for fused, weight in zip(runs, weights, strict=True)]
