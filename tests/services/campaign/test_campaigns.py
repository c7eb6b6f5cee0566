"""Campaigns: rules from a preset, members with one role each, topics of one task."""

import io
import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from assess.ir.common.problems import BadInput
from assess.models import Campaign
from assess.services.campaign import campaigns, members
from assess.services.common.errors import Refused
from assess.services.rounds import assignments
from tests.cast import make_campaign, make_cast, make_pool, make_user

pytestmark = pytest.mark.django_db

TOPICS = """<Topics><Topic number="A.5"><Title>T</Title>
<Question>&lt;p&gt;Q&lt;/p&gt;</Question><Tags>a,b</Tags></Topic>
<Topic number="A.10"><Question>Q</Question><Title>T &lt;script&gt;x&lt;/script&gt;</Title></Topic></Topics>"""


def topics(campaign: Campaign, text: str = TOPICS) -> str:
    done, _ = campaigns.import_topics(campaign, io.BytesIO(text.encode()), "topics.xml", make_cast().olga)
    return str(done)


def test_a_campaign_has_the_rules_of_its_preset_and_its_creator_as_organizer() -> None:
    olga = make_user("olga")
    campaign = campaigns.create_campaign(name="ARQMath-2 Task 1", preset="arqmath2-task1", by=olga)
    assert (campaign.slug, campaign.edition) == ("arqmath-2-task-1", "ARQMath-2")
    assert (campaign.rules.primary_depth, campaign.rules.alternate_depth) == (45, 15)
    assert campaign.members.get(user=olga).role == "organizer"
    slugs = [campaigns.create_campaign(name="Lab", preset="arqmath1-task1", by=olga).slug for _ in range(3)]
    assert slugs == ["lab", "lab-2", "lab-3"]


def test_rules_can_change_until_the_pool_is_frozen() -> None:
    campaign = make_campaign()
    olga = make_cast().olga
    campaigns.change_settings(campaign, olga, rules={"primary_depth": 10})
    assert campaign.rules.primary_depth == 10
    make_pool(campaign)
    campaigns.change_settings(campaign, olga, name="New name", rules={})  # the name is no rule
    with pytest.raises(Refused, match="frozen"):
        campaigns.change_settings(campaign, olga, rules={"primary_depth": 11})
    with pytest.raises(Refused, match="frozen"):
        campaigns.change_settings(campaign, olga, seed=8, rules={})


def test_topics_are_sorted_by_number_sanitized_and_imported_once() -> None:
    campaign = make_campaign(topics=0)
    assert topics(campaign) == "2 topics imported from topics.xml."
    first, second = campaign.topics.all()
    assert (first.topic_id, second.topic_id) == ("A.5", "A.10")
    assert (first.tags, first.body) == (["a", "b"], "<p>Q</p>")
    assert "script" not in second.title
    assert topics(campaign) == "0 topics imported from topics.xml, 2 already existed."
    changed = TOPICS.replace("A.10", "A.11").replace("&lt;p&gt;Q", "&lt;p&gt;Changed")
    with pytest.raises(BadInput, match=r"A\.5 already exists"):
        topics(campaign, changed)
    assert campaign.topics.count() == 2


def test_fields_to_show_that_no_topic_has_are_named() -> None:
    campaign = make_campaign("documents", topics=0)
    campaigns.change_settings(campaign, make_cast().olga, rules={"topic_fields": ("desc",)})
    source = io.BytesIO(b"<top><num>1<title>T<desc>D<narr>N</top>")
    _, notes = campaigns.import_topics(campaign, source, "topics", make_cast().olga)
    assert notes == ["No topic has desc, which Settings show. Fields: description and narrative."]


def test_topics_of_a_frozen_pool_cannot_be_deleted_but_added() -> None:
    campaign = make_campaign()
    make_pool(campaign)
    with pytest.raises(Refused, match="frozen"):
        campaigns.delete_topics(campaign, make_cast().olga)
    before = campaign.topics.count()
    topics(campaign)
    assert campaign.topics.count() == before + 2
    with pytest.raises(BadInput, match="Formula_Id"):
        topics(make_campaign("arqmath3-task2", topics=0))


def test_a_campaign_always_has_an_organizer() -> None:
    member = make_campaign().members.get()
    with pytest.raises(Refused, match="organizer"):
        members.remove_member(member, member.user)
    with pytest.raises(Refused, match="organizer"):
        members.change_role(member, "expert", member.user)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("first", ["removed", "assigned"])
def test_nobody_is_removed_and_given_a_topic_at_the_same_time(first: str) -> None:
    campaign = make_campaign()
    pool, ada = make_pool(campaign), make_cast(campaign).ada
    member, topic = campaign.members.get(user=ada), campaign.topics.get(topic_id="A.1")
    actions: dict[str, Callable[[], object]] = {
        "removed": lambda: members.remove_member(member, ada),
        "assigned": lambda: assignments.assign_topic(pool, topic, ada, "main"),
    }
    refusals: list[Refused] = []

    def second() -> None:
        try:
            actions[({*actions} - {first}).pop()]()
        except Refused as refusal:
            refusals.append(refusal)
        finally:
            connection.close()

    thread = threading.Thread(target=second)
    with transaction.atomic():
        actions[first]()
        thread.start()
        thread.join(0.5)
        assert thread.is_alive()  # it waits for the first
    thread.join()
    assert len(refusals) == 1
    assert campaign.members.filter(user=ada).exists() == (first == "assigned")
