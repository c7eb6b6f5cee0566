"""Every baseline beats chance clearly on the labs' own judgments; docs/baselines.md has the figures of all years."""

import pytest

from benchmarks.baselines import answer_figures, formula_figure, linked_figure
from tests.real import DATA, data_file

LEAST = 0.05
SPREADS = 3
NEEDED = ("posts/Posts.xml", "formula-index/formulas.v3.tsv", "topics/topics.arqmath-2020-task1-origin.xml")


def beats_chance(figure):
    return figure.value > figure.chance + max(LEAST, SPREADS * figure.spread)


def test_baselines_of_answers_and_formulas_beat_random_orders_of_what_they_retrieve():
    for path in NEEDED:
        data_file(path)
    figures = [*answer_figures(DATA, years=(2020,), every=1000), formula_figure(DATA, years=(2020,), every=10)]
    assert len(figures) == 7
    assert [str(one) for one in figures if not beats_chance(one)] == []
    assert all(one.topics > 20 and one.judged > 150 for one in figures)


def test_linked_posts_beat_random_orders_of_generated_answers():
    assert beats_chance(linked_figure())


@pytest.mark.parametrize("better", [0.0, 0.04, 0.05])
def test_a_small_lead_over_chance_is_not_clear(better):
    figure = linked_figure(topics=5)
    assert not beats_chance(figure._replace(value=figure.chance + better, spread=0.01))
