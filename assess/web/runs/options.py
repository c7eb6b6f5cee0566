"""Options of what makes runs, in words on the page of a run."""

from typing import Any

from assess.ir.common.options import options_in
from assess.ir.runs.fusion.methods import OPTIONS
from assess.models import Run
from assess.services.runs.baselines import KINDS


def words_of_options(run: Run) -> list[str]:
    """The options of a run that was made here, in the words of the form."""
    record = run.provenance
    options = record.get("options", {})
    kinds = (options_in(kind.options) for kind in KINDS.values() if kind.label == record.get("baseline"))
    asked = OPTIONS if "method" in record else next(kinds, {})
    unused = "folds" if options.get("training") else ""
    return [
        asked[name].in_words(value)
        for name, value in options.items()
        if name != unused and name in asked and asked[name].label
    ]


def fused_runs(run: Run) -> list[dict[str, Any]]:
    """The runs that were fused, as the record has them, each with its weight."""
    runs = run.provenance.get("runs", [])
    weights = run.provenance.get("options", {}).get("weights") or [None] * len(runs)
    return [fused | {"weight": weight} for fused, weight in zip(runs, weights, strict=True)]
