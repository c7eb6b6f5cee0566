"""The pool of a topic, and its documents without a text, for organizers."""

from pathlib import Path

import pytest
from django.urls import reverse
from pytest_django import Settings

from assess.models import Campaign, Post
from tests.cast import Cast, import_index, make_assignment, make_campaign, make_cast, make_pool
from tests.lab import client_of, judge
from tests.web.organizer import text_of, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def formulas() -> Campaign:
    campaign = make_campaign("arqmath3-task2", "Formulas")
    make_cast(campaign)
    return campaign


def page_of(campaign: Campaign, topic: str) -> str:
    return text_of(client_of(make_cast().olga), "pool_topic", campaign, topic_id=topic)


def test_a_formula_is_shown_with_a_link_to_the_thread_of_each_instance(formulas: Campaign) -> None:
    make_pool(formulas)
    page = page_of(formulas, "B.1")
    assert page.count('data-tex="x+1"') == 5  # the query, v1 for each of its instances, v2
    thread = reverse("thread", args=[formulas.slug, "10"])
    assert f'<a href="{thread}?formula=110#post-11">11</a>' in page


def test_before_the_freeze_formulas_come_from_the_index(formulas: Campaign, settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    Post.objects.all().delete()
    import_index(formulas, tmp_path, ("110", "v1", "x^3"))
    make_pool(formulas, frozen=False)
    page = page_of(formulas, "B.1")
    assert 'data-tex="x^3"' in page
    assert "<div>—</div></th> <td>v2</td>" in page  # not in the index


def test_documents_stand_by_votes_with_the_judgments_of_each_assignment(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    first, second = make_assignment(pool, cast.ada), make_assignment(pool, cast.emmy, kind="dual")
    judge(first, {"11": "3", "12": "do_not_know"})
    judge(second, {"11": "0"})
    olga, address = client_of(cast.olga), url_of("pool_topic", campaign, topic_id="A.1")
    assert address in olga.get(url_of("progress", campaign)).content.decode()
    rows = olga.get(address).context["rows"]
    shown = [
        (row.card.instance.doc_id, [each and (each.decision, each.comment) for each in row.judgments]) for row in rows
    ]
    assert shown == [
        ("11", [("3", "why"), ("0", "why")]),
        ("12", [("do_not_know", "why"), None]),
        ("21", [None, None]),
        ("99", [None, None]),
    ]
    place = first.order.index(rows[0].card.instance.entry_id) + 1
    assert rows[0].preview == reverse("preview", args=[campaign.slug, first.pk, place])
    page = page_of(campaign, "A.1")
    for said in ("(dual)", '<td class="num">1.5000</td> <td class="num">2</td>', '#post-11" aria-label="Thread of 11"'):
        assert said in page
    assert '<span class="excerpt">Answer 11 says <span class="closed"><span' in page
    assert (page.count(">missing<"), page.count('<span class="excerpt">')) == (1, 3)  # 99 has no text
    assert olga.get(url_of("pool_topic", campaign, topic_id="A.9")).status_code == 404


def test_documents_without_a_text_are_listed_by_topic_with_runs_and_votes(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)  # 99 has no text
    assert client_of(cast.olga).get(url_of("pool_missing_file", campaign, version=1)).content.decode() == (
        "topic\tdocument\tpost\truns\tvotes\nA.1\t99\t99\t1\t0.2500\nA.2\t99\t99\t1\t0.2500\n"
    )
