"""The pool of a topic, and its documents without a text, for organizers."""

from pathlib import Path

import pytest
from django.urls import reverse
from pytest_django import Settings

from assess.models import Campaign, Instance, Post
from assess.web.pool import pools
from benchmarks.parts import address_of
from tests.cast import Cast, make_campaign, make_cast, make_pool
from tests.formulas import import_index
from tests.lab import client_of
from tests.web.organizer import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def formulas() -> Campaign:
    campaign = make_campaign("arqmath3-task2", "Formulas")
    make_cast(campaign)
    return campaign


def page_of(campaign: Campaign, topic: str) -> str:
    return text_of(client_of(make_cast().olga), "pool_topic", campaign, topic_id=topic)


def test_a_formula_is_shown_once_with_a_link_to_the_thread_of_each_instance(formulas: Campaign) -> None:
    make_pool(formulas)
    page = page_of(formulas, "B.1")
    assert page.count('data-tex="x+1"') == 3  # the query, v1, v2
    assert '<th scope="rowgroup" rowspan="3" class="formula"><div><span class="math-container"' in page
    thread = reverse("thread", args=[formulas.slug, "10"])
    assert f'<a href="{thread}?formula=110#post-11">11</a>' in page


def test_before_the_freeze_formulas_come_from_the_index(formulas: Campaign, settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    Post.objects.all().delete()
    import_index(formulas, tmp_path, ("110", "v1", "x^3"))
    make_pool(formulas, frozen=False)
    page = page_of(formulas, "B.1")
    assert 'data-tex="x^3"' in page
    assert 'class="formula"><div>—</div></th> <td rowspan="1">v2</td>' in page  # not in the index


def test_answers_show_their_first_words(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)
    page = page_of(campaign, "A.1")
    assert '#post-11">11</a> <span class="excerpt">Answer 11 says <span class="closed"><span' in page
    assert '<th scope="row">99 <span class="excerpt">' not in page  # no text


def page(cast: Cast, campaign: Campaign, name: str = "pool_missing") -> str:
    response = client_of(cast.olga).get(address_of(name, slug=campaign.slug, version=1))
    assert response.status_code == 200
    return response.content.decode()


def test_documents_without_a_text_are_listed_by_topic_with_runs_and_votes(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)  # 99 has no text
    html = page(cast, campaign)
    assert 'Documents without a text <span class="quiet">2</span>' in html
    assert html.count("<td>99</td>") == 2  # A.1 and A.2
    assert ">11<" not in html
    assert '<td class="num">1</td> <td class="num">0.2500</td>' in " ".join(html.split())
    assert page(cast, campaign, "pool_missing_file") == (
        "topic\tdocument\tpost\truns\tvotes\nA.1\t99\t99\t1\t0.2500\nA.2\t99\t99\t1\t0.2500\n"
    )


def test_formulas_name_the_post_that_the_collection_lacks(cast: Cast) -> None:
    campaign = make_campaign("arqmath3-task2", "Formulas")
    make_cast(campaign)
    pool = make_pool(campaign)
    Instance.objects.filter(entry__pool=pool, doc_id="120").update(post_id="")
    pool.missing = ["120", "220"]
    pool.save()
    html = " ".join(page(cast, campaign).split())
    assert "<td>220</td> <td>22</td>" in html
    assert '<td>120</td> <td><span class="quiet">not in the formula index</span></td>' in html


def test_a_long_list_is_complete_in_the_file(campaign: Campaign, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    make_pool(campaign)
    monkeypatch.setattr(pools, "SHOWN", 1)
    html = page(cast, campaign)
    assert html.count("<td>99</td>") == 1
    assert "The first 1 of 2" in html
    assert page(cast, campaign, "pool_missing_file").count("\t99\t99\t") == 2
