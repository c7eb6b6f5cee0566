"""The pool of a topic, and its documents without a text, for organizers."""

from pathlib import Path

import pytest
from django.urls import reverse
from pytest_django import Settings

from assess.models import Campaign, Post
from tests.cast import Cast, make_campaign, make_cast, make_pool
from tests.formulas import import_index
from tests.lab import client_of
from tests.web.organizer import text_of, url_of

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


def test_documents_without_a_text_are_listed_by_topic_with_runs_and_votes(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)  # 99 has no text
    assert client_of(cast.olga).get(url_of("pool_missing_file", campaign, version=1)).content.decode() == (
        "topic\tdocument\tpost\truns\tvotes\nA.1\t99\t99\t1\t0.2500\nA.2\t99\t99\t1\t0.2500\n"
    )
