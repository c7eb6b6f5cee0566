"""Whether the measures of an evaluation agree about its runs."""

from collections.abc import Sequence

from assess.ir.scores.correlation import Correlations, between_measures
from assess.models import Evaluation
from assess.services.scores.results import runs_of
from assess.services.scores.topic_sets import by_run


def correlations(evaluation: Evaluation, names: Sequence[str]) -> list[Correlations]:
    """Of the means of all runs by these measures. One query."""
    means = by_run(evaluation.means, {run.pk: run.name for run in runs_of(evaluation)})
    table = {name: {run: of[name].value for run, of in means.items() if name in of} for name in names}
    return between_measures(table)
