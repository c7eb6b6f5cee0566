"""The history of a campaign and of the judgments of a document; the judgments of a topic."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from assess.models import Action, Campaign, Invitation, Job
from assess.services import job_kinds
from assess.services.desk import decisions
from assess.services.jobs import job_queue
from assess.web.desk import history
from tests.cast import Cast, make_assignment, make_campaign, make_pool
from tests.desk import texts_of
from tests.lab import client_of, judge, queries
from tests.web.organizer import text_of, url_of

pytestmark = pytest.mark.django_db


def entries(cast: Cast, campaign: Campaign) -> list[tuple[str, str]]:
    page = client_of(cast.olga).get(url_of("history", campaign)).context["page"]
    return [(entry.by, entry.text) for entry in page]


def links(cast: Cast, campaign: Campaign) -> list[tuple[str, str]]:
    """Where entries lead, and what they call it."""
    page = client_of(cast.olga).get(url_of("history", campaign)).content.decode()
    return re.findall(r'<a href="([^"]+)">See ([^<]+)<', page)


def test_what_organizers_and_workers_did_is_listed_the_latest_first(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    job_queue.submit(campaign, job_kinds.compute_agreement, cast.olga)
    sent = {"topics": [topic.pk for topic in campaign.topics.all()], "assessor": cast.ada.pk, "round": "main"}
    client_of(cast.olga).post(url_of("assign", campaign), sent)
    assert [name for name, _ in entries(cast, campaign)] == ["olga", "olga"]
    assert entries(cast, campaign)[0][1] == "Assigned 2 topics (Main): A.1 and A.2 to ada."
    assert entries(cast, campaign)[1][1] == job_kinds.compute_agreement.title
    assert pool.rounds.exists()


def test_a_job_that_is_done_leads_to_what_it_made_while_it_is_there(campaign: Campaign, cast: Cast) -> None:
    run = campaign.runs.create(name="alpha", team="a", kind="primary", lines=1, topics=1)
    values = {"campaign": campaign, "created_by": cast.olga, "state": Job.State.DONE}
    Job.objects.create(kind="fusion", result={"run": run.pk}, **values)
    Job.objects.create(kind="release", result={"release": 3}, **values)
    Job.objects.create(kind="pool", **values | {"state": Job.State.FAILED})
    client, address = client_of(cast.olga), url_of("history", campaign)
    release = url_of("release", campaign, version=3)
    assert links(cast, campaign) == [(release, "release 3"), (run.get_absolute_url(), "the run")]
    few = queries(client, address)
    Job.objects.create(kind="fusion", result={"run": run.pk}, **values)
    assert queries(client, address) == few
    run.delete()
    assert f'<a href="{url_of("fuse", campaign)}">See runs to fuse' in client.get(address).content.decode()


def test_a_refusal_is_no_history(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    judge(assignment, {"11": "1"})
    client_of(cast.olga).post(url_of("take_back", campaign, pk=assignment.pk))
    assert entries(cast, campaign) == []


def test_an_entry_says_what_was_done_to_whom_and_leads_there(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    first, second = campaign.topics.all()
    olga = client_of(cast.olga)

    def done(name: str, sent: Mapping[str, Any], **arguments: object) -> tuple[str, str]:
        olga.post(url_of(name, campaign, **arguments), sent)
        return entries(cast, campaign)[0][1], links(cast, campaign)[0][0]

    assignments = url_of("assignments", campaign)
    board = {f"topic-{first.pk}": cast.ada.pk, f"topic-{second.pk}": cast.emmy.pk}
    said = "Assigned 2 topics (Main): A.1 to ada; A.2 to emmy."
    assert done("board", board) == (said, assignments)
    back = {"topics": [first.pk, second.pk], "round": "main", "sure": "on"}
    assert done("take_back_all", back) == ("Took 2 assignments back: A.1 from ada; A.2 from emmy.", assignments)
    said = "Assigned 2 topics (Main): A.1 to ada; A.2 to emmy."
    assert done("spread", {"assessors": [cast.ada.pk, cast.emmy.pk]}) == (said, assignments)
    held = pool.rounds.get().assignments.get(assessor=cast.ada)
    judge(held, {"11": "system_failure"})
    kept = held.judgments.get()
    said = "Sent 1 judgment back to be made again: A.1 to ada. Reason: “Picture”."
    sent = {"judgments": f"{kept.pk}:{kept.key}", "reason": "Picture"}
    assert done("outcomes", sent) == (said, url_of("outcomes", campaign))
    said = "kurt now has topic A.1 of ada: 4 answers. What was judged no longer counts."
    judge(held, {"11": "2"})
    assert done("hand_over", {"assessor": cast.kurt.pk, "done": "again"}, pk=held.pk) == (said, assignments)
    kinds = {"topics": ["A.1"], "kind": "removed", "reason": "Ambiguous"}
    assert done("topic_set", kinds) == ("Treated as removed: A.1. Reason: “Ambiguous”.", url_of("topic_set", campaign))
    main = pool.rounds.get(kind="main")
    said = "Main changed: name First, due on 1 Dec 2026."
    changed = {"name": "First", "due": "2026-12-01"}
    assert done("round_change", changed, pk=main.pk) == (said, url_of("rounds", campaign))
    interests = {"team": "Alpha", "own_topics": "A.2 A.1"}
    said = "Conflicts of interest of ada: the team Alpha; topics A.1 and A.2."
    pk = campaign.members.get(user=cast.ada).pk
    assert done("member_interests", interests, pk=pk) == (said, url_of("members", campaign))
    said = "Role of ada changed from assessor to expert."
    assert done("member", {"role": "expert"}, pk=pk) == (said, url_of("members", campaign))
    said = "Invited mallory (expert)."
    assert done("members", {"people": "mallory", "role": "expert"}) == (said, url_of("members", campaign))


def test_what_is_gone_and_what_is_no_page_of_the_campaign_is_no_link(campaign: Campaign, cast: Cast) -> None:
    places: list[dict[str, object]] = [
        {"page": "run", "pk": 0}, {"page": "rounds", "slug": "other"}, {"page": "home"}, {"page": "round"}, {},
    ]  # fmt: skip
    for place in places:
        Action.objects.create(campaign=campaign, by=cast.olga, action="<b>Old</b>", place=place)
    assert links(cast, campaign) == [(url_of("rounds", campaign), "rounds")]
    assert "&lt;b&gt;Old" in client_of(cast.olga).get(url_of("history", campaign)).content.decode()


def test_a_history_begins_with_where_the_campaign_comes_from(campaign: Campaign, cast: Cast) -> None:
    User.objects.filter(pk=cast.olga.pk).update(is_staff=True)
    olga = client_of(cast.olga)
    olga.post(url_of("campaign_clone", campaign), {"name": "Next", "edition": "Lab 2"})
    text = f"Cloned from {campaign} of {campaign.edition}."
    assert entries(cast, Campaign.objects.get(name="Next")) == [("olga", text)]
    olga.post(reverse("campaign_new"), {"name": "New", "edition": "Lab 1", "preset": "arqmath2-task1"})
    begun = entries(cast, Campaign.objects.get(name="New"))
    assert begun[0][1].startswith("Created with the rules of ARQMath-2 Task 1")


def test_people_who_answer_an_invitation_are_in_the_history_which_has_pages(
    campaign: Campaign, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    Action.objects.create(campaign=campaign, by=cast.olga, action="One", place={"page": "campaign"})
    invitation = Invitation.objects.create(campaign=campaign, user=cast.mallory, role="expert", invited_by=cast.olga)
    client_of(cast.mallory).post(reverse("invitation_answer", args=[invitation.pk]), {"answer": "accept"})
    monkeypatch.setattr(history, "PER_PAGE", 1)
    assert entries(cast, campaign) == [("mallory", "Accepted the invitation as expert.")]


def test_a_document_shows_every_change_of_its_judgments(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    judge(assignment, {"11": "1"})
    judge(assignment, {"11": "system_failure"})
    kept = assignment.judgments.get()
    decisions.send_back(assignment.round.pool, {kept.pk: kept.key}, cast.olga, "Picture added")
    address = url_of("document_history", campaign, pk=kept.instance_id)
    assert address in text_of(client_of(cast.olga), "pool_topic", campaign, topic_id="A.1")
    page = client_of(cast.olga).get(address)
    rows = [(event.by.username, event.old_decision, event.decision) for event in page.context["events"]]
    assert rows == [("ada", "", "1"), ("ada", "1", "system_failure"), ("olga", "system_failure", "")]
    changes = [texts_of(page.content.decode(), f"//tbody/tr/td[{column}]") for column in (4, 5)]
    assert changes == [["—", "Low why", "System failure why"], ["Low", "System failure", "taken back"]]
    assert len(re.findall("Picture added", page.content.decode())) == 1
    other = make_pool(make_campaign("arqmath3-task2", "Other")).entries.first().instances.first()
    assert client_of(cast.olga).get(url_of("document_history", campaign, pk=other.pk)).status_code == 404
