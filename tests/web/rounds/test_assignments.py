"""The page and the board of assignments, an assessor who leaves, the board of progress, and timesheets."""

import csv
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from assess.models import Assignment, Campaign, Judgment, JudgmentEvent, Member, Pool
from assess.services.common.errors import Refused
from assess.services.rounds import assignments
from assess.services.rounds.replacement import plan_replacement, replace_assessor
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool
from tests.lab import client_as, client_of, judge
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


def test_wrong_fields_are_refused(campaign: Campaign, cast: Cast) -> None:
    make_assignment(make_pool(campaign), cast.ada)
    topic = campaign.topics.first()
    wrong = [
        ("topics", []),
        ("assessor", ""),
        ("assessor", cast.olga.pk),
        ("round", "x"),
    ]  # an organizer does not judge
    for field, value in wrong:
        sent = {"topics": [topic.pk], "assessor": cast.ada.pk, "round": "main"} | {field: value}
        response = client_of(cast.olga).post(url_of("assign", campaign), sent)
        assert (response.status_code, list(response.context["form"].errors)) == (422, [field])
        ticked = f'id="t{topic.pk}" checked' in response.content.decode()
        assert ticked == (field != "topics")
        assert "ada (1 topic, 4 answers)" in response.content.decode()
    assert Assignment.objects.count() == 1


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
    for text in ("handed over", "1 of 1", "0 of 3"):
        assert text in done.content.decode()
    for path in (f"/judge/{assignment.pk}/1/", f"/judge/{assignment.pk}/"):
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


@pytest.fixture
def pool(campaign: Campaign, cast: Cast) -> Pool:
    """A.1 and A.2 are ada's, who has judged one answer; emmy and kurt can take over."""
    pool = make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"11": "3"})
    make_assignment(pool, cast.ada, topic="A.2")
    return pool


def holders(pool: Pool) -> list[tuple[str, str, bool]]:
    rows = Assignment.objects.filter(round__pool=pool).order_by("topic__topic_id", "pk")
    return [(row.topic.topic_id, row.assessor.username, row.handed_over is not None) for row in rows]


def test_what_is_left_goes_to_others_after_a_preview(pool: Pool, campaign: Campaign, cast: Cast) -> None:
    client = client_of(cast.olga)
    member = campaign.members.get(user=cast.ada)
    address = url_of("replace_member", campaign, pk=member.pk)
    assert address in client.get(reverse("members", args=[campaign.slug])).content.decode()
    before = holders(pool)
    assert "Tick at least one assessor." in client.post(address, {"sent": "yes"}).content.decode()
    chosen = {"successors": [cast.emmy.pk, cast.kurt.pk]}
    plan = client.post(address, chosen).context["plan"]
    assert {(assignment.topic.topic_id, left) for assignment, left, _ in plan} == {("A.1", 3), ("A.2", 4)}
    assert {successor for *_, successor in plan} == {cast.emmy, cast.kurt}
    assert holders(pool) == before
    said = messages_of(client.post(address, chosen | {"sure": "yes"}, follow=True))
    assert said[0].startswith("Replaced ada: 2 topics handed over: ")
    new = {assignment.topic.topic_id: successor.username for assignment, _, successor in plan}
    assert sorted(holders(pool)) == sorted(
        [("A.1", "ada", True), *((topic, name, False) for topic, name in new.items())]
    )
    assert "nothing left to judge" in client.post(address, chosen).content.decode()


def test_nobody_gets_a_topic_that_they_have_or_should_not_judge(pool: Pool, campaign: Campaign, cast: Cast) -> None:
    make_assignment(pool, cast.emmy, topic="A.2", kind="dual")
    plan = plan_replacement(pool, cast.ada, [cast.kurt, cast.emmy])
    assert {successor for *_, successor in plan} == {cast.kurt}  # with A.2 as much as emmy has already
    campaign.members.filter(user=cast.kurt).update(own_topics=["A.1"])
    before = holders(pool)
    with pytest.raises(Refused, match=r"A\.2 can go to nobody of these"):
        replace_assessor(pool, cast.ada, [cast.emmy], cast.olga)
    assert holders(pool) == before
    replace_assessor(pool, cast.ada, [cast.emmy, cast.kurt], cast.olga)
    assert {("A.1", "emmy", False), ("A.2", "kurt", False)} <= set(holders(pool))


def board(cast: Cast, campaign: Campaign, person: str = "olga") -> str:
    page = text_of(client_as(cast, person), "progress", campaign)
    return page[page.index('id="board"') :].partition("</table>")[0]


def states(cast: Cast, campaign: Campaign) -> list[str]:
    """The cells of the board, row by row, without those of assessors who do not have the topic."""
    return [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", board(cast, campaign))]


def test_each_cell_says_how_far_an_assignment_is(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    first = make_assignment(pool, cast.ada)
    judge(first, dict.fromkeys(("11", "12", "21", "99"), "1"))
    second = make_assignment(pool, cast.emmy, kind="dual")
    assert states(cast, campaign) == ["4 of 4 done", "0 of 4 dual, not begun"]
    judge(second, {"11": "1"})
    assert states(cast, campaign)[1] == "1 of 4 dual, begun"
    assignments.pause_assignment(second, cast.olga)
    assert states(cast, campaign)[1] == "1 of 4 dual, paused"
    address = url_of("pool_topic", campaign, topic_id="A.1")  # for organizers only
    assert [address in board(cast, campaign, person) for person in ("olga", "kurt")] == [True, False]


@pytest.mark.parametrize(("days", "is_stale"), [(6, False), (8, True)])
def test_an_assignment_without_a_judgment_for_a_week_has_stopped(
    days: int, is_stale: bool, campaign: Campaign, cast: Cast
) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    Assignment.objects.update(created=timezone.now() - timedelta(days=days))
    assert ("stopped 8 days ago" in board(cast, campaign)) is is_stale
    judge(assignment, {"11": "1"})
    assert "stopped" not in board(cast, campaign)
    Judgment.objects.update(changed=timezone.now() - timedelta(days=days))
    assert ("stopped 8 days ago" in board(cast, campaign)) is is_stale
    assignments.pause_assignment(assignment, cast.olga)
    assert "stopped" not in board(cast, campaign)  # nobody waits for it


def test_timesheets_add_up_all_decisions_of_a_week(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    for word in ("1", "2"):  # a change takes time, too
        judge(assignment, {"11": word}, 90_000)
    JudgmentEvent.objects.update(at="2022-05-04T12:00Z")
    judge(make_assignment(campaign.frozen_pool(), cast.emmy, kind="dual"), {"11": "1"}, 60_000)
    JudgmentEvent.objects.filter(by=cast.emmy).update(at="2022-05-09T12:00Z")
    User.objects.filter(pk=cast.ada.pk).update(username="@ada")
    text = client_of(cast.olga).get(url_of("timesheet", campaign)).content.decode()
    assert list(csv.reader(text.splitlines())) == [
        ["assessor", "week", "monday", "active_minutes", "decisions"],
        ["'@ada", "2022-W18", "2022-05-02", "3.0", "2"],  # so that no spreadsheet runs it
        ["emmy", "2022-W19", "2022-05-09", "1.0", "1"],
    ]


@pytest.fixture
def large(db: None) -> Campaign:
    """A campaign of four topics in a frozen pool, with the whole cast."""
    campaign = make_campaign(topics=4)
    make_cast(campaign)
    make_pool(campaign)
    return campaign


def key(campaign: Campaign, topic: str) -> str:
    return f"topic-{campaign.topics.get(topic_id=topic).pk}"


def test_chosen_topics_are_assigned_and_the_rest_stays_open(large: Campaign) -> None:
    cast, campaign = make_cast(), large
    chosen = {key(campaign, "A.1"): cast.ada.pk, key(campaign, "A.3"): cast.emmy.pk, key(campaign, "A.2"): ""}
    client_of(cast.olga).post(url_of("board", campaign), chosen)
    make_assignment(campaign.frozen_pool(), cast.kurt, topic="A.1", kind="dual")  # which the heads do not count
    given = {str(each.topic): each.assessor.username for each in Assignment.objects.filter(official=True)}
    assert given == {"A.1": "ada", "A.3": "emmy"}
    html = text_of(client_of(cast.olga), "board", campaign)
    assert "4 topics, 2 open." in html
    assert re.findall(r"<output[^>]*>(\d+)<", html) == ["4", "4", "0"]  # documents of ada, emmy and kurt
    assert html.count('type="radio"') == 2 * 4  # nobody, ada, emmy, kurt


def test_somebody_with_a_topic_in_two_rounds_has_both_on_the_board(large: Campaign) -> None:
    cast, campaign = make_cast(), large
    pool = campaign.frozen_pool()
    main = make_assignment(pool, cast.ada, topic="A.1")
    round = assignments.latest_round(pool, "adjudication")
    assignments.give_more_documents(round, main.topic, cast.ada, set(main.instance_order))
    html = text_of(client_of(cast.olga), "board", campaign)
    assert '<span class="badge">main</span><span class="badge">adjudication</span>' in html


def test_a_conflict_of_interest_leaves_no_choice(large: Campaign) -> None:
    cast, campaign = make_cast(), large
    Member.objects.filter(campaign=campaign, user=cast.ada).update(own_topics=["A.1"])
    html = text_of(client_of(cast.olga), "board", campaign)
    assert html.count('type="radio"') == 4 * 4 - 1
    client_of(cast.olga).post(url_of("board", campaign), {key(campaign, "A.1"): cast.ada.pk})
    assert not Assignment.objects.exists()


def test_a_conflict_of_interest_that_can_protect_nobody_is_said(campaign: Campaign, cast: Cast) -> None:
    pool, member = make_pool(campaign), campaign.members.get(user=cast.ada)
    make_assignment(pool, cast.ada, topic="A.1")

    def said(**interests: str) -> list[str]:
        url = url_of("member_interests", campaign, pk=member.pk)
        return messages_of(client_of(cast.olga).post(url, interests, follow=True))[-2:]

    assert said(own_topics="A.1 X.9") == ["Not saved: the campaign has no topic X.9."]
    assert said(team="PiVott")[1:] == ["No run of PiVott is here yet."]
    assert said(own_topics="A.1 A.2")[1:] == ["ada already judges A.1; hand it over on Assignments."]
    assert len(said(own_topics="A.2")) == 1
