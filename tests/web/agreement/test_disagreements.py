"""The page of disagreements."""

import pytest
from django.urls import reverse

from assess.models import Assignment, Instance, Judgment
from assess.services.agreement import agreement
from assess.services.rounds.adjudication import adjudicate
from assess.services.scores import influence
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import Lab, client_of, judge
from tests.web.reports import page_of, url_of

pytestmark = pytest.mark.django_db


def test_both_grades_stand_side_by_side_with_their_comments(lab: Lab) -> None:
    Judgment.objects.filter(assignment=lab.official).update(passage="so <it> follows")
    page = page_of(lab, "disagreements")
    assert page.count("<q ") == page.count("so &lt;it&gt; follows</q>") == 2
    first = page[page.index("<article") : page.index("</article>")]
    assert f'<a href="{reverse("preview", args=[lab.campaign.slug, lab.official.pk, 1])}"'.rpartition("/1/")[0] in first
    assert "2 apart" in first
    assert first.index('aria-label="ada"') < first.index("grade-2") < first.index('aria-label="emmy"')
    assert page.count("<article") == 2


def test_filters_come_with_the_address(lab: Lab) -> None:
    assert (
        page_of(lab, "disagreements", query="?first=ada&second=emmy&grade=0&other_grade=0&distance=0").count("<article")
        == 1
    )
    assert "No two assessors disagree here" in page_of(lab, "disagreements", query="?topic=A.2")
    assert client_of(lab.cast.olga).get(url_of("disagreements", lab), {"topic": "nowhere"}).status_code == 422


def test_visually_distinct_formulas_are_compared_for_two_assessors() -> None:
    campaign = make_campaign("arqmath2-task2")
    cast, pool = make_cast(campaign), make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"110": "3", "120": "1", "210": "0", "220": "1"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"110": "0", "120": "2", "210": "1", "220": "1"})
    report = agreement.report(pool, on_progress)
    olga = client_of(cast.olga)
    address = reverse("agreement_pair", args=[campaign.slug, report.pk, "ada", "emmy"])
    shown = {label: cells for label, _, _, cells in olga.get(address).context["units"]}
    cell = shown["Visually distinct formulas"][3][2]
    assert cell["count"] == 1
    assert olga.get(cell["address"]).content.decode().count("<article") == 3  # the instances of v1
    address = reverse("disagreements", args=[campaign.slug])
    page = olga.get(address, {"unit": "visual", "first": "ada"})
    assert page.status_code == 422
    assert "Choose two assessors" in page.content.decode()


def test_influence_is_shown_once_it_is_computed(lab: Lab) -> None:
    assert "To see influence, score the runs" in page_of(lab, "disagreements")
    agreement.report(lab.pool, on_progress, influence=influence.influence_of_disagreements(lab.pool))
    page = page_of(lab, "disagreements", query="?order=influence")
    assert "nDCG′ of" in page


def test_without_a_frozen_pool_the_page_says_so() -> None:
    campaign = make_campaign()
    page = client_of(make_cast(campaign).olga).get(reverse("disagreements", args=[campaign.slug]))
    assert "not frozen" in page.content.decode()


def test_a_settled_grade_is_shown_and_leaves_no_influence(lab: Lab) -> None:
    adjudicate(lab.pool, lab.cast.kurt, lab.cast.olga)
    assert page_of(lab, "disagreements").count("with kurt") == 2
    judge(Assignment.objects.get(assessor=lab.cast.kurt), {"21": "1"})
    page = page_of(lab, "disagreements")
    assert (page.count("settled:"), page.count("by kurt: why"), page.count("with kurt")) == (1, 1, 1)
    assert "of 2 answers, 1 is settled" in page_of(lab, "rounds")
    assert "To have disagreements settled" not in page
    for state, number in (("open", 0), ("expert", 1), ("settled", 1)):
        assert page_of(lab, "disagreements", query=f"?state={state}").count("<article") == number
    known = influence.influence_of_disagreements(lab.pool)["documents"]
    assert list(known) == [str(Instance.objects.get(doc_id="11", entry__topic__topic_id="A.1").pk)]
