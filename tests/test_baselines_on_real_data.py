"""Every baseline clearly beats chance on the labs' judgments. docs/baselines.md has the numbers for all years."""

import pytest

from benchmarks.baselines import Figure, answer_figures, formula_figure, linked_figure
from tests.real import DATA, data_file

LEAST = 0.05
SPREADS = 3
NEEDED = ("posts/Posts.xml", "formula-index/formulas.v3.tsv", "topics/topics.arqmath-2020-task1-origin.xml")


def beats_chance(figure: Figure) -> bool:
    return figure.value > figure.chance + max(LEAST, SPREADS * figure.spread)


def test_baselines_beat_random_orders_of_the_documents_they_retrieve() -> None:
    for path in NEEDED:
        data_file(path)
    figures = [*answer_figures(DATA, years=(2020,), every=1000), formula_figure(DATA, years=(2020,), every=10)]
    assert len(figures) == 7
    assert [str(figure) for figure in figures if not beats_chance(figure)] == []
    assert all(figure.topics > 20 and figure.judged > 150 for figure in figures)


def test_linked_posts_beat_random_orders_of_generated_answers() -> None:
    assert beats_chance(linked_figure())


@pytest.mark.parametrize("lead", [0.0, 0.04, 0.05])
def test_a_small_lead_over_chance_does_not_count(lead: float) -> None:
    figure = linked_figure(topics=5)
    assert not beats_chance(figure._replace(value=figure.chance + lead, spread=0.01))
