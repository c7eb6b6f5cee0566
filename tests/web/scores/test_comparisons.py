"""The pages of an evaluation beside its table: by category, significance, two runs, measures."""

import csv
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.utils import timezone
from django.utils.http import urlencode

from assess.ir.scores import definitions
from assess.models import Campaign, Evaluation, Run
from tests.cast import Cast
from tests.evaluations import add_values, make_evaluation
from tests.lab import client_of
from tests.web.organizer import text_of, url_of
from tests.web.reports import json_in, squeeze

pytestmark = pytest.mark.django_db

PAGES = {
    "evaluation_categories": "run,team,measure,column,category,topics,value",
    "evaluation_significance": "run,team,topics,nDCG',low,high,difference,difference low,difference high,t,p,"
    "Bonferroni,Holm",
    "evaluation_pair": "topic,good,base,difference",
    "evaluation_correlations": "first,second,runs,Pearson r,Kendall tau-b,Spearman rho",
}
"""With the first line of their files."""
Get = Callable[..., Any]
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


@pytest.fixture
def get(evaluation: Evaluation, cast: Cast) -> Get:
    client = client_of(cast.olga)

    def get(name: str, sent: Mapping[str, Any] | None = None, **arguments: object) -> Any:
        address = url_of(name, evaluation.campaign, pk=evaluation.pk, **arguments)
        return client.get(f"{address}&{urlencode(sent or {})}")

    return get


def content(response: Any) -> str:
    return str(response.content.decode())


def text(response: Any) -> str:
    return squeeze(content(response))


def test_files_are_tables_for_spreadsheets_and_papers(get: Get, evaluation: Evaluation) -> None:
    evaluation.campaign.topics.update(difficulty="Low")
    for name, header in PAGES.items():
        assert content(get(f"{name}_file", file_format="csv")).splitlines()[0] == header
        assert content(get(f"{name}_file", file_format="tex")).count(r"\toprule") == 1


def test_without_values_they_say_so(campaign: Campaign, cast: Cast) -> None:
    empty = make_evaluation(campaign, {})
    for name in PAGES:
        page = text_of(client_of(cast.olga), name, campaign, pk=empty.pk)
        assert ('class="empty"' in page, "<table" in page) == (True, False), name


def test_values_stand_by_every_column_of_the_sheet(get: Get, evaluation: Evaluation) -> None:
    campaign = evaluation.campaign
    assert "topic sheet" in text(get("evaluation_categories"))
    campaign.topics.filter(topic_id="A.1").update(difficulty="High", sheet={"Assessor": "7"})
    page = text(get("evaluation_categories"))
    assert ">0.9000</td>" in page
    assert [column for column, _ in get("evaluation_categories", {"measure": "map"}).context["groups"]] == [
        *("difficulty", "Assessor"),
    ]


def test_runs_are_tested_against_a_chosen_run(get: Get, evaluation: Evaluation) -> None:
    page = text(get("evaluation_significance"))
    assert "better than base by more than chance" in page
    assert "+0.6400</a>" in page  # of good
    assert page.count("<strong>") == 1  # only good differs
    chart = [(row["run"], row["kind"]) for row in json_in(page, "significance-data")]
    assert chart == [("good", "apart"), ("base", "reference"), ("poor", "other")]
    poor = evaluation.campaign.runs.get(name="poor")
    assert get("evaluation_significance", {"against": poor.pk}).context["reference"] == poor
    evaluation.measures.append(definitions.AR)
    for measure, is_cut in ((definitions.BPREF, True), (definitions.AR, False)):
        add_values(evaluation, {"good": {"A.1": 0.1, "A.2": 0.9}}, measure)
        [row] = get("evaluation_significance", {"measure": definitions.find_measure(measure).key}).context["chart"]
        assert ((row["low"], row["high"]) == (0, 1)) is is_cut


def test_two_runs_are_shown_by_topic_with_the_test_of_their_difference(get: Get, evaluation: Evaluation) -> None:
    page = text(get("evaluation_pair"))
    assert "On 5 topics, good is better in 5, worse in 0, equal in 0." in page
    assert "a significant difference" in page
    assert [row["topic"] for row in json_in(page, "pair-data")] == ["A.3", "A.5", "A.1", "A.2", "A.4"]
    keys = dict(evaluation.campaign.runs.values_list("name", "pk"))
    response = get("evaluation_pair", {"first": keys["poor"], "second": keys["base"]})
    assert (response.context["first"].name, response.context["second"].name) == ("poor", "base")
    assert response.context["wins"] == [1, 2, 2]
    assert "no significant difference" in text(response)
    assert "fewer than two topics" in text(get("evaluation_pair", {"measure": "map"}))


def test_measures_are_compared_over_the_runs(get: Get) -> None:
    # nDCG' ranks good, base, poor; MAP' good, poor, base: two of three pairs alike, one not
    page = text(get("evaluation_correlations"))
    assert re.search(
        r'nDCG′ and MAP′</th><td class="num">3</td><td class="num">[−0-9.]+</td><td class="num">0.333</td>', page
    )
    _, row = csv.reader(content(get("evaluation_correlations_file", file_format="csv")).splitlines())
    assert row[:3] == ["nDCG'", "MAP'", "3"]
    assert float(row[4]) == pytest.approx(1 / 3)
    Run.objects.filter(name="poor").update(withdrawn=timezone.now())
    assert 'nDCG′ and MAP′</th><td class="num">2</td>' in text(get("evaluation_correlations"))
