"""The page of the documents without a text. Who may open it: test_pools."""

import pytest
from django.urls import reverse

from assess.models import Campaign, Instance
from assess.web.pool import pools
from tests.cast import Cast, make_campaign, make_cast, make_pool
from tests.lab import client_of

pytestmark = pytest.mark.django_db


def page(cast: Cast, campaign: Campaign, name: str = "pool_missing") -> str:
    response = client_of(cast.olga).get(reverse(name, args=[campaign.slug, 1]))
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


def test_the_page_says_if_every_document_has_a_text(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    pool.missing = []
    pool.save()
    assert "Every document of pool 1 has a text" in page(cast, campaign)


def test_a_long_list_is_complete_in_the_file(campaign: Campaign, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    make_pool(campaign)
    monkeypatch.setattr(pools, "SHOWN", 1)
    html = page(cast, campaign)
    assert html.count("<td>99</td>") == 1
    assert "The first 1 of 2" in html
    assert page(cast, campaign, "pool_missing_file").count("\t99\t99\t") == 2
