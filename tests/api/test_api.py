"""The API answers the same people as the pages, with the same numbers."""

from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from assess.models import Assignment, Evaluation, Judgment, JudgmentEvent, Run
from assess.services.desk import documents
from tests.cast import make_assignment, make_campaign
from tests.lab import Lab, client_as, client_of

pytestmark = pytest.mark.django_db


def url_of(name: str, lab: Lab) -> str:
    if name in ("api-evaluation", "api-scores"):
        return reverse(name, args=[lab.campaign.slug, lab.evaluation.pk])
    version = [1] if "release" in name else []
    return reverse(name, args=[lab.campaign.slug, *version])


def answer(lab: Lab, name: str, person: str = "olga") -> Any:
    response = client_of(getattr(lab.cast, person)).get(url_of(name, lab))
    assert response.status_code == 200
    return response.json()


def test_the_list_holds_only_ones_own_campaigns(lab: Lab) -> None:
    make_campaign(name="Other")  # olga's
    url = reverse("api-campaigns")
    listed = client_of(lab.cast.ada).get(url).json()["results"]
    assert [(campaign["slug"], campaign["role"]) for campaign in listed] == [(lab.campaign.slug, "assessor")]
    assert client_of(lab.cast.olga).get(url).json()["count"] == 2
    assert client_of(lab.cast.mallory).get(url).json()["count"] == 0
    assert client_of(None).get(url).status_code == 401


def test_reports_lines_and_results_are_those_that_are_stored(lab: Lab) -> None:
    answered = answer(lab, "api-agreement")
    assert (answered["id"], answered["pairs"]) == (lab.report.pk, lab.report.pairs)
    answered = answer(lab, "api-release-lines", "kurt")
    assert (answered["count"], answered["next"]) == (3, None)
    assert answered["results"][0] == {"unit": "post", "topic_id": "A.1", "unit_id": "11", "grade": 3}
    answered = answer(lab, "api-evaluation")
    means = [{key: value for key, value in mean.items() if key != "run_id"} for mean in lab.evaluation.means]
    assert (answered["release"], answered["average"], answered["means"]) == (1, "qrels", means)
    assert answered["measures"] == ["nDCG'", "MAP'", "P'@10", "bpref"]


def test_the_value_of_each_topic_can_be_read(lab: Lab) -> None:
    url, client = url_of("api-scores", lab), client_of(lab.cast.olga)
    assert client.get(url).json()["count"] == 3 * 4
    [score] = client.get(url, {"run": "alpha", "topic": "A.1", "measure": "MAP'"}).json()["results"]
    assert score == {"run": "alpha", "topic_id": "A.1", "measure": "MAP'", "value": pytest.approx(5 / 6)}
    assert len(client.get(url, {"page_size": "5"}).json()["results"]) == 5
    assert client.get(url, {"run": "nobody"}).json()["count"] == 0
    assert client.get(url_of("api-evaluations", lab)).json()["results"][0]["id"] == lab.evaluation.pk
    run = lab.campaign.runs.order_by("pk")[0]
    Evaluation.objects.update(not_pooled=[run.pk])
    Run.objects.filter(pk=run.pk).update(name="renamed")
    assert answer(lab, "api-evaluation")["not_pooled"] == ["renamed"]


def test_before_there_is_a_report_there_is_none() -> None:
    campaign = make_campaign()
    client = client_of(campaign.members.get().user)
    assert client.get(reverse("api-agreement", args=[campaign.slug])).status_code == 404


@pytest.fixture
def open_assignment(lab: Lab) -> Assignment:
    """ada's second topic, unjudged."""
    return make_assignment(lab.pool, lab.cast.ada, topic="A.2")


def decision(assignment: Assignment, word: str = "2", **change: Any) -> dict[str, Any]:
    card = documents.open_item(assignment, 1).cards[0]
    given = {"instance": card.instance.pk, "content_hash": card.content_hash, "word": word}
    return given | {"active_ms": 1500} | change


def send(lab: Lab, assignment: Assignment, decisions: Any, person: str | None = "ada") -> Any:
    url = reverse("api-judgments", args=[assignment.pk])
    return client_as(lab.cast, person).post(url, decisions, content_type="application/json")


@pytest.mark.engines
def test_an_assessor_sends_judgments_and_a_list_sent_twice_is_kept_once(lab: Lab, open_assignment: Assignment) -> None:
    given = decision(open_assignment, key="k1")
    response, again = (send(lab, open_assignment, [given]) for _ in range(2))
    assert response.json() == again.json()
    kept = Judgment.objects.get(assignment=open_assignment)
    event = JudgmentEvent.objects.get(assignment=open_assignment)
    assert event.guide.endswith(".0")
    answered = {"instance": given["instance"], "word": "2", "comment": "", "passage": ""}
    answered |= {"key": "k1", "guide": event.guide}
    assert response.json() == [answered]
    assert (kept.grade, kept.active_ms, event.by) == (2, 1500, lab.cast.ada)


def test_if_one_judgment_is_refused_none_is_kept(lab: Lab, open_assignment: Assignment) -> None:
    good = decision(open_assignment)
    response = send(lab, open_assignment, [good, good | {"instance": 0}])
    assert (response.status_code, "not in this assignment" in response.json()["detail"]) == (422, True)
    assert not open_assignment.judgments.exists()


def test_what_the_program_did_not_know_of_is_not_overwritten(lab: Lab, open_assignment: Assignment) -> None:
    def sent(word: str, **change: Any) -> Any:
        return send(lab, open_assignment, [decision(open_assignment, word, **change)])

    sent("2", key="desk")
    refused = sent("0", key="k1", after="")
    assert (refused.status_code, "judged in another window" in refused.json()["detail"]) == (409, True)
    assert (refused.json()["standing"]["word"], refused.json()["standing"]["key"]) == ("2", "desk")
    assert sent("0", key="k2", after="desk").json()[0]["word"] == "0"
    assert sent("1").json()[0]["word"] == "1"  # without "after"
    instance = decision(open_assignment)["instance"]
    nothing = {"instance": instance, "word": "", "comment": "", "passage": "", "key": "", "guide": ""}
    assert sent("", key="gone").json() == [nothing]
    assert not open_assignment.judgments.exists()
    refused = sent("0", key="k3", after="k2")
    assert (refused.status_code, "taken back" in refused.json()["detail"]) == (409, True)
    assert refused.json()["standing"] == nothing
    assert not open_assignment.judgments.exists()
    assert sent("0", key="k3", after="gone").json()[0]["word"] == "0"


TOO_LONG = [{"comment": "x" * 5001}, {"key": "k" * 37}, {"after": "k" * 37}, {"instance": 2**63}]
NO_TEXT = [{name: "a\0b"} for name in ("comment", "key", "after", "word", "content_hash")]


@pytest.mark.engines
@pytest.mark.parametrize("change", [*TOO_LONG, *NO_TEXT, {"instance": -(10**30)}])
def test_what_does_not_fit_is_refused(change: dict[str, Any], lab: Lab, open_assignment: Assignment) -> None:
    response = send(lab, open_assignment, [decision(open_assignment, **change)])
    assert response.status_code == 422
    assert response.json()["detail"].startswith(f"0.{next(iter(change))}: ")
    assert list(response.json()["errors"]) == [f"0.{next(iter(change))}"]


@pytest.mark.engines
def test_a_list_that_cannot_be_kept_or_read_is_refused(lab: Lab, open_assignment: Assignment) -> None:
    response = send(lab, open_assignment, [decision(open_assignment, word, key="k1") for word in "12"])
    assert (response.status_code, "a key of its own" in response.json()["detail"]) == (422, True)
    assert send(lab, open_assignment, [decision(open_assignment, word) for word in "12"]).status_code == 200  # no keys
    for body, status in (({}, 422), ([{}], 422), ("text", 400)):
        response = send(lab, open_assignment, body)
        assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")


@pytest.mark.parametrize(
    ("change", "status"),
    [({"content_hash": "0" * 64}, 422), ({"word": "do_not_know"}, 422), ({"instance": "x"}, 422), ({"after": ""}, 409)],
)
def test_the_page_refuses_with_the_same_status_and_fields(
    change: dict[str, Any], status: int, lab: Lab, open_assignment: Assignment
) -> None:
    send(lab, open_assignment, [decision(open_assignment, key="first")])
    given = decision(open_assignment, "0", key="second", after="first") | change
    by_list = send(lab, open_assignment, [given])
    address = reverse("judge", args=[open_assignment.pk, 1])
    by_page = client_of(lab.cast.ada).post(address, given, headers={"accept": "application/json"})
    assert by_list.status_code == by_page.status_code == status
    answers = [response.json() for response in (by_list, by_page)]
    assert answers[0].keys() >= answers[1].keys()
    if status == 409:
        assert answers[0]["standing"].items() >= answers[1]["standing"].items()


def test_the_schema_is_valid_and_judging_needs_the_token_against_forgery(lab: Lab, open_assignment: Assignment) -> None:
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=StringIO())
    client = Client(enforce_csrf_checks=True)
    client.force_login(lab.cast.ada)
    assert "/api/assignments/{id}/judgments/" in client.get(reverse("api-schema")).content.decode()
    url = reverse("api-judgments", args=[open_assignment.pk])
    assert client.post(url, [decision(open_assignment)], content_type="application/json").status_code == 403


def test_administrators_look_and_do_not_touch(lab: Lab) -> None:
    client = client_of(User.objects.create_superuser("root"))
    for model in ("judgment", "judgmentevent", "campaign", "run", "job", "member"):
        assert client.get(reverse(f"admin:assess_{model}_changelist")).status_code == 200
        assert client.get(reverse(f"admin:assess_{model}_add")).status_code == 403
    judgment = Judgment.objects.first()
    assert client.post(reverse("admin:assess_judgment_change", args=[judgment.pk]), {"grade": 0}).status_code == 403
    assert client.post(reverse("admin:assess_judgment_delete", args=[judgment.pk])).status_code == 403
