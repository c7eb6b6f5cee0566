"""The page of a topic's judgments: access, content."""

import pytest
from django.urls import reverse

from assess.models import Campaign
from tests.cast import Cast, make_assignment, make_pool
from tests.lab import client_of, judge
from tests.web.organizer import text_of, url_of

pytestmark = pytest.mark.django_db


def test_a_topic_on_progress_leads_to_its_judgments(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    first = make_assignment(pool, cast.ada)
    second = make_assignment(pool, cast.emmy, kind="dual")
    judge(first, {"11": "3", "12": "do_not_know"})
    judge(second, {"11": "0"})
    olga = client_of(cast.olga)
    address = url_of("topic_judgments", campaign, topic_id="A.1")
    assert address in olga.get(url_of("progress", campaign)).content.decode()
    rows = olga.get(address).context["rows"]
    shown = [(row.document, [each and (each.decision, each.comment) for each in row.judgments]) for row in rows]
    assert shown == [
        ("11", [("3", "why"), ("0", "why")]),
        ("12", [("do_not_know", "why"), None]),
        ("21", [None, None]),
        ("99", [None, None]),
    ]
    place = first.order.index(rows[0].row.entry.pk) + 1
    assert rows[0].address == reverse("preview", args=[campaign.slug, first.pk, place])
    assert "(dual)" in text_of(olga, "topic_judgments", campaign, topic_id="A.1")


def test_a_cell_of_the_board_leads_to_the_judgments_of_its_assessor(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"11": "3"})
    second = make_assignment(pool, cast.emmy, kind="dual")
    judge(second, {"11": "0", "12": "2"}, 7000)
    address = f"{url_of('topic_judgments', campaign, topic_id='A.1')}?assignment={second.pk}"
    olga = client_of(cast.olga)
    assert address in text_of(olga, "progress", campaign)
    page = olga.get(address)
    shown = {row.document: row.judgments for row in page.context["rows"]}
    assert [each.decision for (each,) in (shown["11"], shown["12"])] == ["0", "2"]
    html = page.content.decode().partition("<main")[2]
    assert html.count('<td class="num quiet">7.0</td>') == 2
    assert '<span class="badge grade-2">Medium</span>' in html
    assert "ada" not in html
    assert olga.get(f"{address}0").status_code == 404


def test_without_assessors_the_page_leads_on(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)
    page = text_of(client_of(cast.olga), "topic_judgments", campaign, topic_id="A.2")
    assert "Nobody judges this topic yet." in page
