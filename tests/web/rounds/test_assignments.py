"""The page of assignments: access, content, refusals."""

import pytest
from django.contrib.auth.models import User

from assess.models import Assignment, Campaign, Member
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool
from tests.lab import client_of, judge
from tests.web.organizer import messages_of, text_of, url_of

pytestmark = pytest.mark.django_db

STOPPED = "This topic is paused or no longer yours. Your judgments are kept."


def test_topics_are_assigned_all_or_none(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    first, second = campaign.topics.all()
    client = client_of(cast.olga)
    chosen = {"topics": [first.pk, second.pk], "assessor": cast.ada.pk, "round": "main"}
    said = messages_of(client.post(url_of("assign", campaign), chosen, follow=True))
    assert said == ["Assigned 2 topics (Main): A.1 and A.2 to ada."]
    taken = {"topics": [first.pk], "assessor": cast.emmy.pk, "round": "main"}
    assert "ada's already" in messages_of(client.post(url_of("assign", campaign), taken, follow=True))[0]
    client.post(url_of("assign", campaign), taken | {"round": "dual"}, follow=True)
    both = {"topics": [first.pk, second.pk], "assessor": cast.emmy.pk, "round": "dual"}  # emmy has the first already
    assert "emmy has topic A.1 already" in messages_of(client.post(url_of("assign", campaign), both, follow=True))[0]
    assert Assignment.objects.filter(round__pool=pool, assessor=cast.emmy).count() == 1


def test_all_open_topics_are_assigned_with_one_tick(cast: Cast) -> None:
    campaign = make_campaign(name="Large", topics=4)
    make_cast(campaign)
    make_assignment(make_pool(campaign), cast.ada, topic="A.1")
    client = client_of(cast.olga)

    def assign(person: User, kind: str) -> list[str]:
        client.post(url_of("assign", campaign), {"all_open": "on", "assessor": person.pk, "round": kind})
        topics = Assignment.objects.filter(assessor=person, round__kind=kind).values_list("topic__topic_id", flat=True)
        return sorted(topics)

    assert assign(cast.emmy, "main") == ["A.2", "A.3", "A.4"]
    assert assign(cast.ada, "dual") == ["A.2", "A.3", "A.4"]  # A.1 is ada's in the main round
    assert assign(cast.emmy, "dual") == ["A.1"]
    response = client.post(url_of("assign", campaign), {"all_open": "on", "assessor": cast.kurt.pk, "round": "dual"})
    assert list(response.context["form"].errors) == ["all_open"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"topics": []}, "topics"),
        ({"all_open": "on", "assessor": ""}, "assessor"),
        ({"assessor": ""}, "assessor"),
        ({"assessor": "olga"}, "assessor"),
        ({"round": "x"}, "round"),
    ],
)
def test_wrong_fields_are_refused(change: dict[str, object], field: str, campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)
    topic = campaign.topics.first()
    if change.get("assessor") == "olga":  # an organizer does not judge
        change = {"assessor": cast.olga.pk}
    sent = {"topics": [topic.pk], "assessor": cast.ada.pk, "round": "main"} | change
    response = client_of(cast.olga).post(url_of("assign", campaign), sent)
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    ticked = f'id="t{topic.pk}" checked' in response.content.decode()
    assert ticked == (field != "topics")
    assert not Assignment.objects.exists()


def test_open_topics_are_shared_evenly_among_the_ticked_people(cast: Cast) -> None:
    campaign = make_campaign(name="Large", topics=5)
    make_cast(campaign)
    make_assignment(make_pool(campaign), cast.ada, topic="A.3")
    client, address = client_of(cast.olga), url_of("spread", campaign)
    nobody = client.post(address)
    assert (nobody.status_code, list(nobody.context["spread"].errors)) == (422, ["assessors"])
    client.post(address, {"assessors": [cast.ada.pk, cast.emmy.pk]})
    topics = Assignment.objects.values_list("topic__topic_id", "assessor__username")
    # ada had one, so emmy begins
    assert sorted(topics) == [("A.1", "emmy"), ("A.2", "ada"), ("A.3", "ada"), ("A.4", "emmy"), ("A.5", "ada")]


@pytest.mark.parametrize(("preset", "word"), [("arqmath3-task1", "answers"), ("arqmath3-task2", "instances")])
def test_people_and_topics_are_offered_with_what_they_have_in_words_of_the_campaign(preset: str, word: str) -> None:
    campaign = make_campaign(preset)
    cast, pool = make_cast(campaign), make_pool(campaign)
    given = make_assignment(pool, cast.ada, topic=campaign.topics.all()[0].topic_id)
    page = text_of(client_of(cast.olga), "assignments", campaign)
    documents = len(given.instance_order)
    row = f'<th scope="row">ada</th> <td class="num">1</td> <td class="num">{documents}</td> <td class="num">0</td>'
    for part in (f"ada (1 topic, {documents} {word})", "emmy (nothing yet)", "How large is", "calculus", row):
        assert part in page


def test_many_topics_are_taken_back_at_once_but_judgments_stay(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    judged = make_assignment(pool, cast.ada)
    make_assignment(pool, cast.ada, topic="A.2")
    make_assignment(pool, cast.emmy, topic="A.2", kind="dual")
    judge(judged, {"11": "3"})
    topics = [topic.pk for topic in campaign.topics.all()]
    client = client_of(cast.olga)
    chosen = {"topics": topics, "round": "main", "assessor": cast.emmy.pk}
    sent = client.post(url_of("take_back_all", campaign), chosen, follow=True)
    assert messages_of(sent) == ["Nothing to take back from emmy in this round."]
    chosen["assessor"] = cast.ada.pk
    asked = client.post(url_of("take_back_all", campaign), chosen)
    assert [str(row.topic) for row in asked.context["fresh"]] == ["A.2"]
    assert [str(row.topic) for row in asked.context["begun"]] == ["A.1"]
    before = sorted(Assignment.objects.values_list())
    sent = client.post(url_of("take_back_all", campaign), chosen | {"sure": "yes"}, follow=True)
    assert messages_of(sent) == []  # the page says it once, beside the button that undoes it
    left = Assignment.objects.values_list("topic__topic_id", "assessor__username")
    assert sorted(left) == [("A.1", "ada"), ("A.2", "emmy")]  # emmy's is in the dual round
    assert "1 assignment taken back" in " ".join(sent.content.decode().split())
    undone = client.post(url_of("give_back", campaign), follow=True)
    assert messages_of(undone) == ["Gave 1 assignment back: A.2 to ada."]
    assert sorted(Assignment.objects.values_list()) == before
    assert messages_of(client.post(url_of("give_back", campaign), follow=True)) == [
        "Nothing to undo: these topics are assigned again."
    ]
    client.post(url_of("take_back_all", campaign), chosen | {"sure": "yes"})
    make_assignment(pool, cast.kurt, topic="A.2")
    assert "taken back" not in text_of(client, "assignments", campaign), "what could not be undone is not offered"
    none = client.post(url_of("take_back_all", campaign), {"round": "main"}, follow=True)
    assert messages_of(none) == ["Tick the topics to take back."]


def test_assessors_do_not_learn_which_round_they_judge(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    make_assignment(pool, cast.ada)
    dual = make_assignment(pool, cast.emmy, kind="dual")
    emmy = client_of(cast.emmy)
    for address in ("/", f"/judge/{dual.pk}/", f"/judge/{dual.pk}/1/", campaign.get_absolute_url()):
        page = emmy.get(address, follow=True).content.decode().lower()
        assert "dual" not in page
        assert "second assessor" not in page


def test_only_untouched_topics_are_taken_back(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    judged, fresh = make_assignment(pool, cast.ada), make_assignment(pool, cast.ada, topic="A.2")
    judge(judged, {"11": "3"})
    client = client_of(cast.olga)
    page = text_of(client, "assignments", campaign)
    assert "1 of 4" in page
    for assignment, is_offered, said in (
        (judged, False, ["ada has judged in topic A.1; that work stays."]),
        (fresh, True, []),
    ):
        address = url_of("take_back", campaign, pk=assignment.pk)
        assert (address in page) is is_offered
        assert messages_of(client.post(address, follow=True)) == said
    assert list(Assignment.objects.all()) == [judged]


def test_judgments_that_arrive_after_a_topic_was_taken_back_are_listed_until_it_is_assigned_again(
    campaign: Campaign, cast: Cast
) -> None:
    pool = make_pool(campaign)
    assignment = make_assignment(pool, cast.ada)
    olga = client_of(cast.olga)
    olga.post(url_of("take_back", campaign, pk=assignment.pk))
    assert "arrived after" not in text_of(olga, "assignments", campaign)
    judge(assignment, {"11": "3", "12": "0"})
    emmys = make_assignment(pool, cast.emmy)
    page = text_of(olga, "assignments", campaign)
    assert "ada: 2 judgments arrived after" in page
    assert "0 of 4" in page  # emmy's
    make_assignment(pool, cast.ada, kind="dual")
    assert "ada: 2 judgments arrived" in text_of(olga, "assignments", campaign)
    for given in (emmys, Assignment.objects.get(round__kind="dual")):
        olga.post(url_of("take_back", campaign, pk=given.pk))
    form = {"topics": [assignment.topic.pk], "assessor": cast.ada.pk, "round": "main"}
    olga.post(url_of("assign", campaign), form)
    page = text_of(olga, "assignments", campaign)
    assert ("arrived after" in page, "2 of 4" in page) == (False, True)


def test_the_rest_of_a_topic_is_handed_over_on_a_page(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    Member.objects.get_or_create(campaign=campaign, user=cast.emmy, defaults={"role": "assessor"})
    judge(assignment, {"11": "3"})
    olga, ada, emmy = client_of(cast.olga), client_of(cast.ada), client_of(cast.emmy)
    address = url_of("hand_over", campaign, pk=assignment.pk)
    assert address in olga.get(url_of("assignments", campaign)).content.decode()
    page = text_of(olga, "hand_over", campaign, pk=assignment.pk)
    assert "ada</strong> has judged 1 of 4 answers; 3 are left" in page
    nobody = olga.post(address, {"assessor": ""})
    assert nobody.status_code == 422
    refused = olga.post(address, {"assessor": cast.ada.pk})
    assert (refused.status_code, Assignment.objects.count()) == (422, 1)
    done = olga.post(address, {"assessor": cast.emmy.pk}, follow=True)
    assert messages_of(done) == ["emmy now has the rest of topic A.1 of ada: 3 answers."]
    page = done.content.decode()
    assert "handed over" in page
    assert "1 of 1" in page
    assert "0 of 3" in page
    judge_page = f"/judge/{assignment.pk}/1/"
    for path in (judge_page, f"/judge/{assignment.pk}/"):
        assert messages_of(ada.get(path, follow=True)) == [STOPPED]
    assert "A.1" not in ada.get("/").content.decode()
    assert "A.1" in emmy.get("/").content.decode()
    assert olga.get(address).status_code == 404
    judge(assignment, {"12": "1"})
    assert "ada: 1 judgment arrived after the topic was handed over" in text_of(olga, "assignments", campaign)


def test_a_paused_topic_cannot_be_opened_until_it_is_resumed(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    judge(assignment, {"11": "3"})
    olga, ada = client_of(cast.olga), client_of(cast.ada)
    olga.post(url_of("pause", campaign, pk=assignment.pk), {"pause": "yes"})
    assert "paused" in ada.get("/").content.decode()
    assert messages_of(ada.get(f"/judge/{assignment.pk}/1/", follow=True)) == [STOPPED]
    assert ada.get(f"/judge/{assignment.pk}/items/?place=1").status_code == 404
    assert "Resume" in text_of(olga, "assignments", campaign)
    olga.post(url_of("pause", campaign, pk=assignment.pk), {"pause": "no"})
    assert ada.get(f"/judge/{assignment.pk}/1/").status_code == 200
    assert "paused" not in ada.get("/").content.decode()


def test_assignments_need_a_frozen_pool(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign, frozen=False)
    client = client_of(cast.olga)
    assert url_of("pool", campaign) in text_of(client, "assignments", campaign)
    assert client.post(url_of("assign", campaign), {}).status_code == 404
