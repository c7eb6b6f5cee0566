"""The desk of a lab that judges documents: title, address, direction and language, and no word of mathematics."""

import re

import pytest
from django.test import Client

from assess.ir.common.rows import PoolLine
from assess.models import Assignment, Campaign, Collection, Post, Topic
from assess.services.campaign import campaigns
from assess.services.pool import freezing, pools
from tests.cast import Cast, make_assignment, make_cast, make_user, on_progress
from tests.desk import card_of, texts_of, url
from tests.lab import client_of

pytestmark = pytest.mark.django_db

WRONG = re.compile(r"\b(posts?|threads?|formulas?|answers judged|LaTeX|ARQMath|H\+M)\b", re.IGNORECASE)
DOCUMENTS = {
    "d1": {"title": "Fish", "body": "<p>Fish swim.</p>", "url": "https://sea.example/fish?a=1&b=2"},
    "d2": {"body": "<p>\u0627\u0644\u0633\u0645\u0643.</p>", "language": "ar", "url": "javascript:alert(1)"},
    "d3": {"body": ""},
}


def lab_of_documents() -> Campaign:
    collection = Collection.objects.create(name="pages")
    campaign = campaigns.create_campaign(
        name="Web", preset="documents", by=make_user("olga", is_staff=True), collection=collection
    )
    fields = {"narrative": "<p>Pages that sell nothing.</p>", "description": "<p>What is a fish?</p>", "source": "log"}
    Topic.objects.create(campaign=campaign, topic_id="7", number=7, title="fish", fields=fields)
    for name, values in DOCUMENTS.items():
        Post.objects.create(collection=collection, post_id=name, thread_id=name, kind="document", **values)
    return campaign


@pytest.fixture
def people() -> Cast:
    return make_cast(lab_of_documents())


@pytest.fixture
def pages(people: Cast) -> Assignment:
    campaign = Campaign.objects.get()
    lines = [PoolLine("7", name, name, 1.0, 1) for name in DOCUMENTS]
    pool = freezing.freeze(pools.store_pool(campaign, lines, source="by hand"), on_progress)
    return make_assignment(pool, people.ada)


@pytest.fixture
def ada(people: Cast) -> Client:
    return client_of(people.ada)


def page_of(ada: Client, pages: Assignment, document: str) -> str:
    return ada.get(url(pages, document)).content.decode()


def test_a_document_has_title_address_direction_and_language_or_lacks_its_text(ada: Client, pages: Assignment) -> None:
    page = page_of(ada, pages, "d1")
    assert '<p class="post post-title" dir="auto">Fish</p>' in page
    link = '<a href="https://sea.example/fish?a=1&amp;b=2" target="_blank" rel="nofollow noopener noreferrer">'
    assert link + "https://sea.example/fish?a=1&amp;b=2</a>" in page
    assert texts_of(page, "//article//h2") == ["Document"]
    arabic = page_of(ada, pages, "d2")
    assert '<div class="post" dir="rtl" lang="ar">' in arabic
    assert ">javascript:alert(1)</p>" in arabic
    empty = page_of(ada, pages, "d3")
    assert "The collection holds no text for this document. There is nothing to read." in empty
    assert "Choose <em>System failure</em>." in empty


def test_lists_of_a_document_in_an_unknown_language_begin_at_the_side_of_their_letters(
    ada: Client, pages: Assignment
) -> None:
    Post.objects.update(body='<ul><li>Fish</li></ul><ol start="2"><li>\u0633\u0645\u0643</li></ol>')
    assert '<ul dir="auto"><li>Fish</li></ul><ol dir="auto" start="2">' in page_of(ada, pages, "d1")
    assert "<ul><li>Fish</li></ul>" in page_of(ada, pages, "d2")  # as its language, which is known
    Post.objects.filter(post_id="d1").update(body="<h1>Fish</h1><p>Fish swim.</p>")
    assert texts_of(page_of(ada, pages, "d1"), "//article//*[text()='Fish']") == ["Fish"]  # not its title, too


def test_nothing_on_the_pages_of_an_assessor_speaks_of_mathematics(ada: Client, pages: Assignment) -> None:
    addresses = [
        "/",
        f"/judge/{pages.pk}/",
        f"/c/{pages.campaign.slug}/guidelines/",
        *(url(pages, d) for d in DOCUMENTS),
    ]
    for address in addresses:
        page = ada.get(address).content.decode()
        shown = texts_of(page, "//*[text()]")
        told = re.findall(r'(?:title|placeholder|data-[a-z_]+)="([^"]* [^"]*)"', page)
        found = [text for text in [*shown, *told] if WRONG.search(text)]
        assert found == [], address


def test_its_address_and_the_fields_of_its_topic_are_part_of_what_is_sealed(pages: Assignment) -> None:
    before = card_of(pages, "d1").content_hash
    Post.objects.filter(post_id="d1").update(url="https://sea.example/other")
    second = card_of(pages, "d1").content_hash
    topic = Topic.objects.get()
    topic.fields["narrative"] = "<p>Shops, too.</p>"
    topic.save()
    pages.refresh_from_db()
    assert len({before, second, card_of(pages, "d1").content_hash}) == 3


def test_the_fields_of_a_topic_stand_below_its_title_as_the_lab_chose(
    ada: Client, pages: Assignment, people: Cast
) -> None:
    page = page_of(ada, pages, "d1")
    assert texts_of(page, "//div[@class='topic-field']/h2") == ["Description", "Source"]
    assert texts_of(page, "//details[@class='topic-field']/summary") == ["Narrative"]
    assert '<div class="post" dir="auto"><p>Pages that sell nothing.</p></div>' in page
    campaign, address = pages.campaign, pages.topic.get_absolute_url()
    campaign.protocol |= {"topic_fields": ["narrative", "description", "absent"], "folded_fields": []}
    campaign.save()
    for shown in (page_of(ada, pages, "d1"), page := ada.get(address).content.decode()):
        assert texts_of(shown, "//div[@class='topic-field']/h2") == ["Narrative", "Description"]
    assert "Not shown to assessors" not in page
    assert "<dt>Not shown to assessors</dt><dd>source</dd>" in client_of(people.olga).get(address).content.decode()
