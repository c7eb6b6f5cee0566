"""The history of a campaign, and of the judgments of a document."""

import re

import pytest

from assess.models import Action, Campaign, Instance, Job
from assess.services.jobs import job_queue
from assess.services.judging import outcomes
from assess.web.judging import history
from tests.cast import Cast, make_assignment, make_pool
from tests.lab import client_as, client_of, judge, queries
from tests.web.organizer import outsiders, text_of, url_of

pytestmark = pytest.mark.django_db


def entries(cast: Cast, campaign: Campaign) -> list[tuple[str, str]]:
    page = client_of(cast.olga).get(url_of("history", campaign)).context["page"]
    return [(entry.by.username, entry.text) for entry in page]


def test_what_organizers_and_workers_did_is_listed_the_latest_first(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    job_queue.submit(campaign, Job.Kind.AGREEMENT, cast.olga)
    sent = {"topics": [topic.pk for topic in campaign.topics.all()], "assessor": cast.ada.pk, "round": "main"}
    client_of(cast.olga).post(url_of("assign", campaign), sent)
    assert [name for name, _ in entries(cast, campaign)] == ["olga", "olga"]
    assert "2 topics to ada" in entries(cast, campaign)[0][1]
    assert entries(cast, campaign)[1][1] == Job.Kind.AGREEMENT.label
    assert pool.rounds.exists()


def test_a_job_that_is_done_leads_to_what_it_made_while_it_is_there(campaign: Campaign, cast: Cast) -> None:
    run = campaign.runs.create(name="alpha", team="a", kind="primary", lines=1, topics=1)
    values = {"campaign": campaign, "created_by": cast.olga, "state": Job.State.DONE}
    Job.objects.create(kind=Job.Kind.FUSION, result={"run": run.pk}, **values)
    Job.objects.create(kind=Job.Kind.RELEASE, result={"release": 3}, **values)
    Job.objects.create(kind=Job.Kind.POOL, **values | {"state": Job.State.FAILED})
    client, address = client_of(cast.olga), url_of("history", campaign)
    page = client.get(address).content.decode()
    release = url_of("release", campaign, version=3)
    assert re.findall(r'<a href="([^"]+)">See ([^<]+)<', page) == [
        (release, "release 3"), (run.get_absolute_url(), "the run"),
    ]  # fmt: skip
    few = queries(client, address)
    Job.objects.create(kind=Job.Kind.FUSION, result={"run": run.pk}, **values)
    assert queries(client, address) == few
    run.delete()
    assert f'<a href="{url_of("fuse", campaign)}">See runs to fuse' in client.get(address).content.decode()


def test_a_refusal_is_no_history(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    judge(assignment, {"11": "1"})
    client_of(cast.olga).post(url_of("take_back", campaign, pk=assignment.pk))
    assert entries(cast, campaign) == []


def test_a_long_history_has_pages_and_few_queries(
    campaign: Campaign, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    Action.objects.create(campaign=campaign, by=cast.olga, text="One")
    client = client_of(cast.olga)
    few = queries(client, url_of("history", campaign))
    Action.objects.create(campaign=campaign, by=cast.olga, text="Two")
    assert queries(client, url_of("history", campaign)) == few
    monkeypatch.setattr(history, "PER_PAGE", 1)
    assert entries(cast, campaign) == [("olga", "Two")]


def test_a_document_shows_every_change_of_its_judgments(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    judge(assignment, {"11": "1"})
    judge(assignment, {"11": "system_failure"})
    kept = assignment.judgments.get()
    outcomes.send_back(assignment.round.pool, {kept.pk: kept.key}, cast.olga, "Picture added")
    address = url_of("document_history", campaign, topic_id="A.1", pk=kept.instance_id)
    assert address in text_of(client_of(cast.olga), "topic_judgments", campaign, topic_id="A.1")
    page = client_of(cast.olga).get(address)
    rows = [(event.by.username, old, new) for event, old, new, _ in page.context["changes"]]
    assert rows == [("ada", "", "Low"), ("ada", "Low", "System failure"), ("olga", "System failure", "")]
    assert len(re.findall("Picture added", page.content.decode())) == 1


def test_a_document_of_another_campaign_or_topic_is_not_found(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)
    instance = Instance.objects.filter(entry__topic__topic_id="A.1")[0]
    address = url_of("document_history", campaign, topic_id="A.2", pk=instance.pk)
    assert client_of(cast.olga).get(address).status_code == 404


@outsiders
def test_histories_are_for_organizers(person: str | None, status: int, campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)
    client = client_as(cast, person)
    pk = Instance.objects.filter(entry__topic__topic_id="A.1")[0].pk
    for url in (url_of("history", campaign), url_of("document_history", campaign, topic_id="A.1", pk=pk)):
        assert client.get(url).status_code == status
