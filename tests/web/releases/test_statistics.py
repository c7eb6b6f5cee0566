"""The page of statistics and its files."""

import csv

import lxml.html
import pytest

from assess.models import Campaign, Judgment, Pool
from assess.services.releases import qrels
from assess.web.scores.results import EvaluateForm, grouped_choices
from tests.cast import Cast, make_assignment, make_campaign, make_pool, on_progress
from tests.lab import client_of, judge
from tests.web.organizer import text_of, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(campaign: Campaign, cast: Cast) -> Campaign:
    """Two topics of the test set, one of them noted as a proof."""
    pool = make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"11": "3", "12": "2", "21": "1", "99": "system_failure"})
    judge(make_assignment(pool, cast.ada, topic="A.2"), {"11": "2", "12": "2"})
    campaign.topics.filter(topic_id="A.1").update(category="Proof")
    return campaign


def test_the_tables_are_computed_over_the_test_set(judged: Campaign, cast: Cast) -> None:
    text = client_of(cast.olga).get(url_of("statistics_file", judged, file_format="csv")).content.decode()
    rows = list(csv.reader(text.splitlines()))
    assert ["Judged answers", "2", "2.5", "3", "A.1", "2", "A.2"] in rows
    assert ["H+M+L answers", "2", "2.5", "3", "A.1", "2", "A.2"] in rows
    assert ["H+M answers", "2", "2.0", "2", "A.1", "2", "A.1"] in rows
    assert ["Highest possible P'@10", "0.2"] in rows
    assert ["Proof", "1", "1", "1", "1", "0"] in rows  # topics, then H, M, L, N
    assert ["not noted", "1", "0", "2", "0", "0"] in rows


def test_seconds_are_those_of_official_judgments_and_removed_topics_are_named(judged: Campaign, cast: Cast) -> None:
    judge(make_assignment(judged.frozen_pool(), cast.emmy, kind="dual"), {"11": "3"})
    Judgment.objects.filter(assignment__official=True).update(active_ms=2000)
    Judgment.objects.filter(assignment__official=False).update(active_ms=90_000)
    for kind in ("additional", "removed"):
        judged.topics.filter(topic_id="A.2").update(kind=kind, kind_reason="x")
        shown = client_of(cast.olga).get(url_of("statistics", judged)).context["shown"]
        assert [row.topics for row in shown.spreads] == [1] * 4
    assert (shown.mean_seconds, shown.median_seconds) == (2.0, 2.0)
    assert shown.removed == ["A.2"]


def test_before_the_first_grade_there_are_none(campaign: Campaign, cast: Cast) -> None:
    client = client_of(cast.olga)
    assert "<table" not in text_of(client, "statistics", campaign)
    assert client.get(url_of("statistics_file", campaign, file_format="csv")).status_code == 404


def test_a_lab_has_the_words_of_its_own_scale(cast: Cast) -> None:
    """Documents from grade 1 up are relevant, so nothing is relevant in part; with level 2 there are lower grades."""
    lab = make_campaign("documents", topics=1)
    judge(make_assignment(make_pool(lab), cast.ada), {"11": "3", "12": "1", "21": "0"})
    client = client_of(cast.olga)
    page = client.get(url_of("statistics", lab))
    assert [row.name for row in page.context["shown"].spreads] == [
        *("Pooled documents", "Judged documents", "Relevant documents")
    ]
    assert page.context["by_category"][2:] == ("Perfectly relevant", "Highly relevant", "Related", "Not relevant")
    assert "topic sheet" not in page.content.decode()
    assert page.context["chart"] == [{"topic": "A.1", "kind": "relevant", "count": 2}]
    pages = [page, client.get(url_of("topic_set", lab))]
    release = qrels.release(lab.frozen_pool(), cast.olga, on_progress)
    pages += [client.get(release.get_absolute_url()), client.get(url_of("results", lab))]
    table = lxml.html.fromstring(client.get(url_of("releases", lab)).content).find(".//table")
    assert [[str(cell.xpath("string()")).strip() for cell in row][5:7] for row in table.iter("tr")] == [
        ["Topics", "Lines"],
        ["1", "3"],
    ]
    form = EvaluateForm(campaign=lab)
    assert [level for level, _ in form.fields["level"].widget.choices] == ["", 1, 2, 3]
    assert grouped_choices(lab.rules)[0][1][0][0] == lab.rules.measures[0] == "nDCG@10"
    for shown in pages:
        assert shown.status_code == 200
        assert "H+M" not in shown.content.decode()
    assert "at least 1 relevant document to" in " ".join(pages[1].content.decode().split())
    Pool.objects.update(protocol=lab.protocol | {"level": 2})
    lab.protocol |= {"level": 2}
    lab.save()
    page = client.get(url_of("statistics", lab))
    assert page.context["shown"].spreads[2].name == "Grade 1+ documents"
    assert [bar["kind"] for bar in page.context["chart"]] == ["relevant", "lower grades"]
