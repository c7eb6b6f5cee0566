"""Tables of results: order, best values, and sets of topics side by side."""

import pytest

from assess.ir.scores import definitions
from assess.models import Campaign, Evaluation, Member
from assess.services.scores import categories, results, significance
from assess.services.scores.topic_sets import offered_sets
from tests.cast import Cast, make_campaign
from tests.evaluations import add_values, make_evaluation
from tests.web.organizer import make_run

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
def evaluation(campaign: Campaign, cast: Cast) -> Evaluation:
    return make_evaluation(campaign, VALUES, runs=RUNS)


def names(table: results.ResultsTable) -> list[str]:
    return [row.run.name for row in table.rows]


def test_baselines_come_first_then_teams_by_their_best_run(evaluation: Evaluation) -> None:
    table = results.results_tables(evaluation)["main"]
    assert names(table) == ["base", "late", "middle", "high", "low"]
    cells = {row.run.name: row.entries[0].cells[0] for row in table.rows}
    assert {name for name, cell in cells.items() if cell and cell.best} == {"late"}
    assert (cells["late"].topics, cells["low"].topics) == (1, 2)
    assert cells["high"].value == pytest.approx(0.85)


def test_flags_are_those_of_the_labs_tables(evaluation: Evaluation) -> None:
    rows = results.results_tables(evaluation)["main"].rows
    assert {row.run.name: results.flags(row.run) for row in rows} == {
        "base": "bA",
        "high": "M",
        "late": "",
        "low": "PM",
        "middle": "PM",
    }
    assert [row.run.name for row in rows if not row.is_pooled] == ["late"]


def test_test_and_additional_topics_stand_beside_all(evaluation: Evaluation, cast: Cast) -> None:
    assert [choice.key for choice in offered_sets(evaluation, cast.olga)] == ["all"]
    evaluation.campaign.topics.filter(topic_id="A.2").update(kind="additional")
    sets = offered_sets(evaluation, cast.olga)
    assert [choice.key for choice in sets] == ["test", "additional", "all"]
    table = results.results_tables(evaluation, sets)["main"]
    row = next(row for row in table.rows if row.run.name == "low")
    assert [entry.cells[0].value for entry in row.entries] == pytest.approx([0.1, 0.2, 0.15])
    assert [entry.topics for entry in row.entries] == [1, 1, 2]
    late = next(row for row in table.rows if row.run.name == "late")
    assert [entry.topics for entry in late.entries] == [1, 0, 1]
    assert late.entries[1].cells[0] is None


def test_other_editions_stand_beside_for_runs_of_the_same_name(evaluation: Evaluation, cast: Cast) -> None:
    earlier = make_campaign(name="The year before")
    Campaign.objects.filter(pk=earlier.pk).update(edition="ARQMath-1")
    other = make_evaluation(Campaign.objects.get(pk=earlier.pk), {"low": {"A.1": 0.7}, "unknown": {"A.1": 1.0}})
    sets = offered_sets(evaluation, cast.olga)
    assert [choice.key for choice in sets] == [str(other.pk), "all"]
    table = results.results_tables(evaluation, sets)["main"]
    values = {row.run.name: [entry.cells[0] and entry.cells[0].value for entry in row.entries] for row in table.rows}
    assert values["low"] == [pytest.approx(0.7), pytest.approx(0.15)]
    assert values["high"][0] is None
    assert names(table)[0] == "base"  # ordered by the evaluation's own topics
    low = next(row for row in table.rows if row.run.name == "low")
    assert low.entries[0].run_key == earlier.runs.get(name="low").pk
    assert low.entries[0].cells[0].best  # of the runs in the table


def test_beside_stands_the_latest_evaluation_with_the_same_options(evaluation: Evaluation, cast: Cast) -> None:
    other = make_evaluation(make_campaign(name="Another"), {"low": {"A.1": 0.7}})
    for average in ("run", "run", "qrels"):
        again = Evaluation.objects.create(qrels=other.qrels, average=average)
        if average == evaluation.average:
            same = again
    assert [choice.key for choice in offered_sets(evaluation, cast.olga) if choice.key != "all"] == [str(same.pk)]


def test_only_campaigns_that_the_person_organizes_stand_beside(evaluation: Evaluation, cast: Cast) -> None:
    earlier = make_campaign(name="Not hers")
    make_evaluation(earlier, {"low": {"A.1": 0.7}})
    Member.objects.filter(campaign=earlier, user=cast.olga).update(role="expert")
    assert [choice.key for choice in offered_sets(evaluation, cast.olga)] == ["all"]


def test_a_run_keeps_its_means_if_it_is_renamed(evaluation: Evaluation) -> None:
    evaluation.campaign.runs.filter(name="low").update(name="lowest")
    rows = results.results_tables(evaluation)["main"].rows
    assert next(row for row in rows if row.run.name == "lowest").entries[0].topics == 2


def test_a_table_is_ordered_by_a_column_and_runs_without_a_value_are_last(evaluation: Evaluation) -> None:
    make_run(evaluation.campaign, name="unscored")
    evaluation.campaign.runs.update(created=evaluation.created)
    add_values(evaluation, {"base": {"A.1": 0.3}, "low": {"A.1": 0.2}}, definitions.MAP)
    table = results.results_tables(evaluation, order=("all", definitions.MAP))["main"]
    assert names(table)[:2] == ["base", "low"]
    assert names(table)[-1] == "unscored"
    unknown = results.results_tables(evaluation, order=("all", "nothing"))["main"]
    assert unknown.order is None


def test_means_by_category_of_all_runs(evaluation: Evaluation) -> None:
    campaign = evaluation.campaign
    campaign.topics.filter(topic_id="A.1").update(difficulty="High", sheet={"Assessor": "2"})
    sheet = categories.sheet_of(campaign)
    assert sheet == {"difficulty": {"A.1": "High", "A.2": ""}, "Assessor": {"A.1": "2"}}
    shown = categories.by_category(evaluation, definitions.NDCG, sheet)
    assert (shown.columns[0].categories, shown.topics) == ({"High": 1, "": 1}, 2)
    low = next(row for row in shown.rows if row.run.name == "low")
    assert low.whole.value == pytest.approx(0.15)
    assert low.whole.topics == 2
    assert [mean and (mean.value, mean.topics) for mean in low.columns[0]] == [(0.1, 1), (0.2, 1)]
    late = next(row for row in shown.rows if row.run.name == "late")
    assert [mean and (mean.value, mean.topics) for mean in late.columns[0]] == [(0.9, 1), None]


def test_runs_are_tested_against_the_best_baseline_or_the_chosen_run(evaluation: Evaluation) -> None:
    shown = significance.compare_with_reference(evaluation, definitions.NDCG)
    assert shown.reference
    assert shown.reference.name == "base"
    assert [row.run.name for row in shown.rows] == ["late", "high", "middle", "base", "low"]
    high = shown.rows[1]
    assert high.comparison
    assert high.comparison.difference.mean == pytest.approx(0.65)
    assert [row.run.name for row in shown.rows if row.comparison is None] == ["base"]
    chosen = evaluation.campaign.runs.get(name="middle")
    assert significance.compare_with_reference(evaluation, definitions.NDCG, chosen.pk).reference == chosen
    assert significance.compare_with_reference(evaluation, definitions.BPREF).rows == []


def test_two_runs_are_compared_over_their_common_topics_the_largest_gain_first(evaluation: Evaluation) -> None:
    runs = {run.name: run for run in evaluation.campaign.runs.all()}
    shown = significance.compare_two(evaluation, definitions.NDCG, runs["base"], runs["low"])
    assert shown.topics == [("A.2", 0.4, 0.2), ("A.1", 0.0, 0.1)]
    assert shown.wins == (1, 1, 0)
    assert [
        topic
        for topic, _, _ in significance.compare_two(evaluation, definitions.NDCG, runs["base"], runs["late"]).topics
    ] == ["A.1"]


def test_runs_of_generated_answers_are_flagged(campaign: Campaign, cast: Cast) -> None:
    about = {"team": "T", "format": "task3", "answers": "generated", "kind": "baseline"}
    made = make_evaluation(campaign, {"GPT-3": {"A.1": 1.0}}, definitions.AR, runs={"GPT-3": about})
    [row] = results.results_tables(made)["written"].rows
    assert results.flags(row.run) == "bPMG"
