"""Topics on the pages: importing, listing, showing and deleting them, and their sheet."""

import pytest
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, Topic
from assess.services.pool import freezing
from tests.cast import Cast, make_campaign, make_cast, make_pool, math, on_progress
from tests.lab import client_of
from tests.real import data_file
from tests.web.organizer import bare_campaign, file, messages_of, text_of, url_of

pytestmark = pytest.mark.django_db

TOPICS = """<Topics>
<Topic number="A.5"><Title>First</Title><Question>&lt;p&gt;Q&lt;/p&gt;</Question><Tags>limits,series</Tags></Topic>
</Topics>"""


def test_every_problem_of_a_topics_file_is_reported_with_its_line(campaign: Campaign, olga: Client) -> None:
    bad = TOPICS.replace("<Title>First</Title>", "").replace('number="A.5"', "")
    response = olga.post(reverse("topics", args=[campaign.slug]), {"file": file("bad.xml", bad)})
    assert response.context["form"].errors["file"] == [
        'bad.xml:2: topic ? has no number="…"; add it',
        "bad.xml:2: topic ? has no <Title>; add it",
    ]


def test_topics_of_another_year_are_imported_after_a_warning(campaign: Campaign, olga: Client) -> None:
    url, late = reverse("topics", args=[campaign.slug]), TOPICS.replace("A.5", "A.301")
    warned = olga.post(url, {"file": file("topics.xml", late)})
    assert "look like those of another year: A.301" in warned.content.decode()
    olga.post(url, {"file": file("topics.xml", late), "anyway": "on"})
    assert campaign.topics.filter(topic_id="A.301").exists()
    make_pool(campaign)
    response = olga.post(url, {"file": file("topics.xml", TOPICS)}, follow=True)
    assert "extend the pool" in response.content.decode()


@pytest.mark.parametrize(
    ("preset", "path", "count"),
    [
        ("arqmath1-task1", "topics/topics.arqmath-2020-task1-origin.xml", 98),
        ("arqmath2-task2", "topics/topics.arqmath-2021-task2-origin.xml", 100),
    ],
)
def test_the_labs_topics_are_listed_and_shown(
    preset: str, path: str, count: int, campaign: Campaign, olga: Client
) -> None:
    real = bare_campaign(preset)
    with data_file(path).open("rb") as source:
        page = olga.post(reverse("topics", args=[real.slug]), {"file": source}, follow=True).content.decode()
    assert f"{count} topics imported" in page
    assert page.count('class="post-title"') == count
    for topic in real.topics.all()[:5]:
        assert olga.get(topic.get_absolute_url()).status_code == 200


def test_topics_of_both_tasks_of_an_edition_link_to_each_other(campaign: Campaign, olga: Client, cast: Cast) -> None:
    twin = make_campaign("arqmath3-task2", name="Formulas")
    topic = twin.topics.first()
    topic.body = f"<script>alert(1)</script><p>Is {math('q_2', 'x+1')} even?</p>"
    topic.save()
    page = olga.get(reverse("topics", args=[campaign.slug])).content.decode()
    assert f'href="{twin.topics.first().get_absolute_url()}">B.1<' in page
    page = olga.get(topic.get_absolute_url()).content.decode()
    assert f'href="{campaign.topics.first().get_absolute_url()}">A.1<' in page
    assert page.count('class="math-container highlight"') == 1
    assert "alert(1)" not in page
    assert "B.1" not in client_of(cast.ada).get(campaign.topics.first().get_absolute_url()).content.decode()


def test_only_organizers_see_the_size_of_the_pool_of_a_topic(campaign: Campaign, cast: Cast, olga: Client) -> None:
    make_pool(campaign)
    url = campaign.topics.first().get_absolute_url()
    assert ">4 answers</a>" in olga.get(url).content.decode()
    assert "4 answers" not in client_of(cast.ada).get(url).content.decode()
    topics = client_of(make_cast(campaign).kurt).get(reverse("topics", args=[campaign.slug]))
    assert b'<form method="post" enctype' not in topics.content


def test_a_topic_is_deleted_unless_a_pool_has_it(campaign: Campaign, olga: Client) -> None:
    def delete(name: str) -> list[str]:
        address = reverse("topic_delete", args=[campaign.slug, name])
        return messages_of(olga.post(address, {"sure": "yes"}, follow=True))

    assert "Delete topic A.2?" in olga.post(reverse("topic_delete", args=[campaign.slug, "A.2"])).content.decode()
    assert delete("A.2") == ["Deleted 1 topic: A.2."]
    pool = make_pool(campaign, frozen=False)
    assert "The pool was built for topic A.1" in delete("A.1")[0]
    olga.post(reverse("topics_delete", args=[campaign.slug]), {"sure": "yes"})
    assert campaign.topics.count() == 1
    freezing.freeze(pool, on_progress)
    Topic.objects.create(campaign=campaign, topic_id="A.9", number=9, title="Late", body="?")
    assert "Delete the topic" in olga.get(reverse("topic", args=[campaign.slug, "A.9"])).content.decode()
    assert delete("A.9") == ["Deleted 1 topic: A.9."]
    assert list(campaign.topics.values_list("topic_id", flat=True)) == ["A.1"]


SHEET = "Topic,Category,Difficulty\nA.1,Proof,Low\nA.2,Concept,Low\n"


def test_a_sheet_is_noted_with_its_topics_unless_one_is_unknown(campaign: Campaign, cast: Cast) -> None:
    client, address = client_of(cast.olga), url_of("topic_sheet", campaign)
    response = client.post(address, {"file": file("sheet.csv", f"{SHEET}A.9,Proof,High\n")})
    assert (response.status_code, "A.9" in response.context["sheet"].errors.as_text()) == (422, True)
    assert "<th>Category</th>" not in text_of(client, "topics", campaign)
    client.post(address, {"file": file("sheet.csv", SHEET)})
    page = text_of(client, "topics", campaign)
    assert ("<th>Category</th>" in page, page.count("<td>Proof</td>")) == (True, 1)
    topic = campaign.topics.get(topic_id="A.1")
    assert (topic.category, topic.difficulty, topic.dependency) == ("Proof", "Low", "")
