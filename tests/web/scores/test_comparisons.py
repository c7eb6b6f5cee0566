"""The pages of an evaluation beside its table: by category, significance, two runs, measures."""

import csv

import pytest
from django.urls import reverse

from assess.ir.scores import definitions
from assess.models import Campaign, Evaluation
from tests.cast import Cast
from tests.evaluations import add_values, make_evaluation
from tests.lab import client_of, queries
from tests.web.organizer import text_of, url_of
from tests.web.reports import json_in

pytestmark = pytest.mark.django_db

PAGES = ("evaluation_categories", "evaluation_significance", "evaluation_pair", "evaluation_correlations")
FILES = {
    "evaluation_categories_file": "run,team,measure,column,category,topics,value",
    "evaluation_significance_file": "run,team,topics,nDCG',low,high,difference,difference low,difference high,t,p,"
    "Bonferroni,Holm",
    "evaluation_pair_file": "topic,good,base,difference",
    "evaluation_correlations_file": "first,second,runs,Kendall tau-b,Pearson r,Spearman rho",
}
TOPICS = [f"A.{number}" for number in range(1, 6)]
VALUES = {
    "good": dict(zip(TOPICS, (0.9, 0.8, 0.85, 0.7, 0.95), strict=True)),
    "base": dict(zip(TOPICS, (0.2, 0.3, 0.1, 0.2, 0.2), strict=True)),
    "poor": dict(zip(TOPICS, (0.1, 0.3, 0.2, 0.2, 0.1), strict=True)),
}


@pytest.fixture
def evaluation(campaign: Campaign, cast: Cast) -> Evaluation:
    evaluation = make_evaluation(campaign, VALUES, runs={"base": {"kind": "baseline", "team": "Lab"}})
    return add_values(evaluation, {"good": {"A.1": 0.5}, "base": {"A.1": 0.2}, "poor": {"A.1": 0.3}}, definitions.MAP)


@pytest.mark.parametrize(("name", "header"), FILES.items())
def test_files_are_tables_for_spreadsheets_and_papers(
    name: str, header: str, evaluation: Evaluation, cast: Cast
) -> None:
    campaign = evaluation.campaign
    campaign.topics.update(difficulty="Low")
    text = client_of(cast.olga).get(url_of(name, campaign, pk=evaluation.pk, file_format="csv")).content.decode()
    assert text.splitlines()[0] == header
    paper = client_of(cast.olga).get(url_of(name, campaign, pk=evaluation.pk, file_format="tex")).content.decode()
    assert paper.count(r"\toprule") == 1


@pytest.mark.parametrize("name", PAGES)
def test_without_values_they_say_so(name: str, campaign: Campaign, cast: Cast) -> None:
    empty = make_evaluation(campaign, {})
    page = text_of(client_of(cast.olga), name, campaign, pk=empty.pk)
    assert 'class="empty"' in page
    assert "<table" not in page


@pytest.mark.parametrize("name", PAGES)
def test_they_take_the_same_few_queries_whatever_the_number_of_runs(
    name: str, evaluation: Evaluation, cast: Cast
) -> None:
    campaign = evaluation.campaign
    before = queries(client_of(cast.olga), url_of(name, campaign, pk=evaluation.pk))
    more = make_evaluation(campaign, VALUES | {f"more {number}": VALUES["good"] for number in range(5)})
    assert queries(client_of(cast.olga), url_of(name, campaign, pk=more.pk)) == before < 15


def test_values_by_category_lead_to_their_topics(evaluation: Evaluation, cast: Cast) -> None:
    campaign = evaluation.campaign
    client = client_of(cast.olga)
    assert "topic sheet" in text_of(client, "evaluation_categories", campaign, pk=evaluation.pk)
    campaign.topics.filter(topic_id="A.1").update(difficulty="High", sheet={"Assessor": "7"})
    page = text_of(client, "evaluation_categories", campaign, pk=evaluation.pk)
    address = reverse("evaluation_run", args=[campaign.slug, evaluation.pk, campaign.runs.get(name="good").pk])
    assert f'<a href="{address}?measure=ndcg&amp;column=difficulty&amp;category=High">0.9000</a>' in page
    assert "Assessor</th>" not in page
    other = client.get(
        url_of("evaluation_categories", campaign, pk=evaluation.pk), {"by": "Assessor", "measure": "map"}
    )
    assert [group.column for group in other.context["groups"]] == ["Assessor"]
    assert other.context["measure"] == "MAP′"


def test_runs_are_tested_against_a_chosen_run(evaluation: Evaluation, cast: Cast) -> None:
    campaign = evaluation.campaign
    page = text_of(client_of(cast.olga), "evaluation_significance", campaign, pk=evaluation.pk)
    assert "better than base by more than chance" in page
    assert "+0.6400</a>" in page  # of good
    assert page.count("<strong>") == 1  # only good differs
    chart = {row["run"]: row["kind"] for row in json_in(page, "significance-data")}
    assert chart == {"good": "apart", "base": "reference", "poor": "other"}
    poor = campaign.runs.get(name="poor")
    answer = client_of(cast.olga).get(
        url_of("evaluation_significance", campaign, pk=evaluation.pk), {"against": poor.pk}
    )
    assert answer.context["shown"].reference == poor


def test_two_runs_are_shown_by_topic_with_the_test_of_their_difference(evaluation: Evaluation, cast: Cast) -> None:
    campaign = evaluation.campaign
    page = text_of(client_of(cast.olga), "evaluation_pair", campaign, pk=evaluation.pk)
    assert "On 5 topics, good is better in 5, worse in 0, equal in 0." in page
    assert "a significant difference" in page
    assert [row["topic"] for row in json_in(page, "pair-data")] == ["A.3", "A.5", "A.1", "A.2", "A.4"]
    chosen = {name: campaign.runs.get(name=name).pk for name in ("base", "poor")}
    sent = {"first": chosen["poor"], "second": chosen["base"]}
    response = client_of(cast.olga).get(url_of("evaluation_pair", campaign, pk=evaluation.pk), sent)
    assert (response.context["first"].name, response.context["second"].name) == ("poor", "base")
    assert "no significant difference" in response.content.decode()
    equal = client_of(cast.olga).get(url_of("evaluation_pair", campaign, pk=evaluation.pk), {"measure": "map"})
    assert "fewer than two topics" in equal.content.decode()


def test_measures_are_compared_over_the_runs(evaluation: Evaluation, cast: Cast) -> None:
    campaign = evaluation.campaign
    # nDCG' ranks good, base, poor; MAP' good, poor, base: two of three pairs alike, one not
    page = text_of(client_of(cast.olga), "evaluation_correlations", campaign, pk=evaluation.pk)
    assert '<td class="num">0.333</td>' in page
    file = url_of("evaluation_correlations_file", campaign, pk=evaluation.pk, file_format="csv")
    _, row = csv.reader(client_of(cast.olga).get(file).content.decode().splitlines())
    assert row[:3] == ["nDCG'", "MAP'", "3"]
    assert float(row[3]) == pytest.approx(1 / 3)
    answer = client_of(cast.olga).get(url_of("evaluation_correlations", campaign, pk=evaluation.pk), {"by": "spearman"})
    assert answer.context["by"] == "spearman"
