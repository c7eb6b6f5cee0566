"""Tables of results: order, best values, and sets of topics side by side."""

from typing import Any

import pytest

from assess.ir.scores.definitions import AR, MAP, NDCG
from assess.models import Campaign, Evaluation, Member, Run
from assess.services.runs.runs import withdraw_run
from assess.services.scores import results, topic_values
from assess.services.scores.evaluation import entered_runs
from assess.services.scores.results import offered_sets
from tests.cast import Cast, make_campaign
from tests.evaluations import add_values, make_evaluation
from tests.web.organizer import make_run

near: Any = pytest.approx
pytestmark = [pytest.mark.django_db, pytest.mark.engines]

RUNS = {
    "low": {"team": "Beta"},
    "high": {"team": "Beta", "kind": "alternate", "pool_role": "alternate"},
    "middle": {"team": "Alpha"},
    "base": {"team": "Lab", "kind": "baseline", "pool_role": "alternate", "method": "automatic"},
    "late": {"team": "Alpha", "kind": "alternate", "pool_role": "none", "method": "automatic"},
}
VALUES = {
    "low": {"A.1": 0.1, "A.2": 0.2},
    "high": {"A.1": 0.9, "A.2": 0.8},
    "middle": {"A.1": 0.5, "A.2": 0.5},
    "base": {"A.1": 0.0, "A.2": 0.4},
    "late": {"A.1": 0.9},
}


@pytest.fixture
def evaluation(cast: Cast, campaign: Campaign) -> Evaluation:
    return make_evaluation(campaign, VALUES, runs=RUNS)


def names(table: results.ResultsTable) -> list[str]:
    return [row.run.name for row in table.rows]


def cells(table: results.ResultsTable, run: str) -> list[Any]:
    """The values of a run in each set by the first measure, and the numbers of topics."""
    [row] = [row for row in table.rows if row.run.name == run]
    return [(entry.cells[0] and near(entry.cells[0].value), entry.topics) for entry in row.entries]


def keys(evaluation: Evaluation, cast: Cast) -> list[str]:
    return [choice.key for choice in offered_sets(evaluation, cast.olga)]


def test_baselines_come_first_then_teams_by_their_best_run(evaluation: Evaluation) -> None:
    table = results.results_tables(evaluation)["main"]
    assert names(table) == ["base", "late", "middle", "high", "low"]
    best = {row.run.name for row in table.rows for cell in row.entries[0].cells if cell and cell.best}
    assert best == {"late"}
    assert [cells(table, run) for run in ("late", "low", "high")] == [[(0.9, 1)], [(0.15, 2)], [(0.85, 2)]]
    flags = [row.flags for row in table.rows]
    assert flags == ["bA", "", "PM", "M", "PM"]
    assert [row.run.name for row in table.rows if not row.is_pooled] == ["late"]
    evaluation.campaign.runs.filter(name="low").update(name="lowest")
    assert cells(results.results_tables(evaluation)["main"], "lowest") == [(0.15, 2)]


def test_a_withdrawn_run_leaves_the_tables_until_it_is_brought_back(evaluation: Evaluation, cast: Cast) -> None:
    late = Run.objects.get(name="late")
    withdraw_run(late, cast.olga)
    [*rows] = results.results_tables(evaluation)["main"].rows
    assert [row.run.name for row in rows] == ["base", "high", "low", "middle"]
    assert {row.run.name for row in rows for cell in row.entries[0].cells if cell and cell.best} == {"high"}
    assert late not in entered_runs(evaluation.campaign)
    assert late.pk not in topic_values.values_by_run(evaluation, NDCG)
    withdraw_run(late, cast.olga, is_withdrawn=False)
    assert names(results.results_tables(evaluation)["main"])[1] == "late"


def test_test_and_additional_topics_stand_beside_all(evaluation: Evaluation, cast: Cast) -> None:
    assert keys(evaluation, cast) == ["all"]
    evaluation.campaign.topics.filter(topic_id="A.2").update(kind="additional")
    assert keys(evaluation, cast) == ["test", "additional", "all"]
    table = results.results_tables(evaluation, offered_sets(evaluation, cast.olga))["main"]
    assert cells(table, "low") == [(0.1, 1), (0.2, 1), (0.15, 2)]
    assert cells(table, "late") == [(0.9, 1), (None, 0), (0.9, 1)]


def test_other_editions_stand_beside_for_runs_of_the_same_name(evaluation: Evaluation, cast: Cast) -> None:
    earlier = make_campaign(name="The year before")
    Campaign.objects.filter(pk=earlier.pk).update(edition="ARQMath-1")
    other = make_evaluation(Campaign.objects.get(pk=earlier.pk), {"low": {"A.1": 0.7}, "unknown": {"A.1": 1.0}})
    assert keys(evaluation, cast) == [str(other.pk), "all"]
    table = results.results_tables(evaluation, offered_sets(evaluation, cast.olga))["main"]
    assert cells(table, "low") == [(0.7, 1), (0.15, 2)]
    assert cells(table, "high")[0] == (None, 0)
    assert names(table)[0] == "base"  # ordered by the evaluation's own topics
    low = next(row for row in table.rows if row.run.name == "low").entries[0]
    assert low.run_key == earlier.runs.get(name="low").pk
    assert low.cells[0]
    assert low.cells[0].best  # of the runs in the table


def test_beside_stands_the_latest_evaluation_with_the_same_options_of_a_campaign_that_the_person_organizes(
    evaluation: Evaluation, cast: Cast
) -> None:
    other = make_evaluation(make_campaign(name="Another"), {"low": {"A.1": 0.7}})
    averages = ("run", evaluation.average, "qrels")
    made = [Evaluation.objects.create(qrels=other.qrels, average=average) for average in averages]
    assert keys(evaluation, cast) == ["all", str(made[1].pk)]
    Member.objects.filter(campaign=other.campaign, user=cast.olga).update(role="expert")
    assert keys(evaluation, cast) == ["all"]


def test_a_table_is_ordered_by_a_column_and_runs_without_a_value_are_last(evaluation: Evaluation) -> None:
    make_run(evaluation.campaign, name="unscored")
    evaluation.campaign.runs.update(created=evaluation.created)
    add_values(evaluation, {"base": {"A.1": 0.3}, "low": {"A.1": 0.2}}, MAP)
    ordered = names(results.results_tables(evaluation, order=("all", MAP))["main"])
    assert (ordered[:2], ordered[-1]) == (["base", "low"], "unscored")
    assert results.results_tables(evaluation, order=("all", "nothing"))["main"].order is None


def test_means_by_category_of_all_runs(evaluation: Evaluation) -> None:
    evaluation.campaign.topics.filter(topic_id="A.1").update(difficulty="High", sheet={"Assessor": "2"})
    sheet = topic_values.sheet_of(evaluation.campaign)
    assert sheet == {"difficulty": {"A.1": "High", "A.2": ""}, "Assessor": {"A.1": "2"}}
    shown = topic_values.by_category(evaluation, NDCG, sheet)
    assert (shown.columns["difficulty"], shown.topics) == ({"High": 1, "": 1}, 2)
    rows = {
        row.run.name: [mean and (near(mean.value), mean.topics) for mean, _ in ((row.whole, 0), *row.columns[0])]
        for row in shown.rows
    }
    assert rows["low"] == [(0.15, 2), (0.1, 1), (0.2, 1)]
    assert rows["late"] == [(0.9, 1), (0.9, 1), None]
    assert list(rows) == ["late", "high", "middle", "base", "low"]


def test_runs_of_generated_answers_are_flagged(campaign: Campaign, cast: Cast) -> None:
    about = {"team": "T", "format": "task3", "answers": "generated", "kind": "baseline"}
    made = make_evaluation(campaign, {"GPT-3": {"A.1": 1.0}}, AR, runs={"GPT-3": about})
    [row] = results.results_tables(made)["written"].rows
    assert row.flags == "bPMG"
    roles = {"primary": "bPMG", "1": "bPMG", "2": "bAMG", "alternate": "bAMG", "none": "bMG"}
    for role, flags in roles.items():
        row.run.pool_role = role
        assert row.flags == flags
