"""Programs do what the pages do, fusing too: the same services, with the same refusals."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from assess import tasks
from assess.models import Campaign, Job, Member, Run, Topic
from assess.services.desk import rulings
from tests.cast import make_assignment, make_campaign, make_cast, make_user
from tests.lab import RUNS, Lab, add_run, client_of, make_lab, make_shallow_campaign

pytestmark = pytest.mark.django_db

LAB = 'like = "documents"\nedition = "Own 1"\nquestion = "Is it about tea?"\n'


class Program:
    """Acts as olga; ``do`` also does the job that was started."""

    def __init__(self, client: Client, campaign: Campaign | None, capture: Callable[..., Any]) -> None:
        self.client, self.campaign, self.capture = client, campaign, capture

    def send(self, name: str, sent: Any = None, /, method: str = "post", status: int = 200, **address: Any) -> Any:
        slug = {"slug": self.campaign.slug} if self.campaign and "own" not in name and name != "api-campaigns" else {}
        has_file = isinstance(sent, dict) and any(isinstance(value, SimpleUploadedFile) for value in sent.values())
        kind: dict[str, Any] = {} if has_file or method == "get" else {"content_type": "application/json"}
        answer = getattr(self.client, method)(reverse(name, kwargs=slug | address), sent, **kind)
        assert answer.status_code == status, answer.content
        return answer.json()

    def get(self, name: str, /, asked: Any = None, **address: Any) -> Any:
        return self.send(name, asked, method="get", **address)

    def do(self, name: str, sent: Any = None, /, **address: Any) -> Job:
        with self.capture():
            started = self.send(name, sent, status=202, **address)
        tasks.run_job(started["id"])
        return Job.objects.get(pk=started["id"])


@pytest.fixture
def program(django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> Callable[..., Program]:
    def of(campaign: Campaign | None = None) -> Program:
        return Program(client_of(make_cast().olga), campaign, django_capture_on_commit_callbacks)

    return of


def file(text: str, name: str = "file.tsv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


def test_campaigns_come_from_presets_and_files(program: Callable[..., Program]) -> None:
    make_user("olga", is_staff=True)
    olga = program()
    made = olga.send("api-campaigns", {"name": "Tea", "toml": LAB}, status=201)
    assert (made["slug"], made["edition"], made["role"]) == ("tea", "Own 1", "organizer")
    assert made["protocol"]["question"] == "Is it about tea?"
    wrong = olga.send("api-campaigns", {"name": "Tea", "preset": "arqmath3-task1"}, status=422)
    assert wrong["detail"] == "Name the lab and its year."
    both = {"name": "Tea", "edition": "E", "preset": "documents", "toml": LAB}
    assert "either" in olga.send("api-campaigns", both, status=422)["detail"]
    assert "questoin" in olga.send("api-campaigns", {"name": "T", "toml": LAB + "questoin = 1\n"}, status=422)["detail"]


def test_a_campaign_changes_until_the_freeze(program: Callable[..., Program], tmp_path: Path) -> None:
    olga = program(make_campaign("documents", "Young"))
    changed = olga.send("api-campaign", {"name": "Old", "seed": 5, "toml": LAB}, method="patch")
    assert (changed["name"], changed["seed"], changed["protocol"]["question"]) == ("Old", 5, "Is it about tea?")
    text = olga.client.get(reverse("api-campaign-toml", args=[olga.campaign.slug])).content.decode()
    assert 'question = "Is it about tea?"' in text
    lab = make_lab(tmp_path)
    olga = program(lab.campaign)
    assert "frozen" in olga.send("api-campaign", {"seed": 5}, method="patch", status=422)["detail"]
    assert olga.send("api-campaign", {"edition": "Second"}, method="patch")["edition"] == "Second"


def test_topics_of_another_year_have_to_be_meant(program: Callable[..., Program]) -> None:
    olga = program(make_campaign())
    topics = '<Topics><Topic number="A.{}"><Title>T</Title><Question>Q</Question><Tags>a</Tags></Topic></Topics>'
    done = olga.send("api-topics", {"file": file(topics.format(3), "t.xml")}, status=201)
    assert done == {"done": "1 topic imported from t.xml.", "notes": []}
    late = {"file": file(topics.format(301), "t.xml")}
    assert "anyway=true" in olga.send("api-topics", late, status=422)["detail"]
    olga.send("api-topics", {"file": file(topics.format(301), "t.xml"), "anyway": "true"}, status=201)
    assert Topic.objects.count() == 4


def test_a_collection_is_imported_and_shared(program: Callable[..., Program]) -> None:
    olga = program(make_campaign("documents", "First"))
    olga.campaign.collection = None
    olga.campaign.save()
    assert "documents" in olga.send("api-collection", {"posts": file("<posts/>")}, status=422)["detail"]
    assert olga.get("api-collection", status=404)
    sent = {"documents": file('{"id": "a", "text": "Tea."}\n', "d.jsonl")}
    assert olga.do("api-collection", sent).state == "done"
    shown = olga.get("api-collection")
    assert (shown["name"], shown["counts"]) == ("First", {"documents": 1})
    User.objects.update(is_staff=True)
    other = {"name": "Second", "edition": "Own 2", "preset": "documents", "collection": shown["id"]}
    assert olga.send("api-campaigns", other, status=201)["collection"] == shown["id"]
    assert olga.send("api-campaigns", other | {"collection": 10**6}, status=404)


def test_runs_are_imported_listed_and_removed(program: Callable[..., Program]) -> None:
    olga = program(make_campaign())
    assert "team" in olga.send("api-runs", {"file": file(RUNS["alpha"][-1])}, status=422)["detail"]
    job = olga.do("api-runs", {"file": file(RUNS["alpha"][-1]), "team": "A", "kind": "alternate"})
    assert job.result["runs"] == ["alpha"], job.error
    olga.do("api-runs", {"file": file(RUNS["beta"][-1]), "team": "B", "name": "second"})
    assert [run["name"] for run in olga.get("api-runs", {"team": "B"})["results"]] == ["second"]
    [run] = olga.get("api-runs", {"name": "alpha"})["results"]
    assert (run["kind"], run["pool_role"], run["team"]) == ("alternate", "alternate", "A")
    assert olga.send("api-run", method="delete", pk=run["id"])["done"] == "Run alpha deleted."
    assert Run.objects.count() == 1


def test_a_pool_is_built_frozen_and_extended(program: Callable[..., Program], tmp_path: Path) -> None:
    olga = program(make_shallow_campaign(tmp_path))
    assert olga.get("api-pool", status=404)
    assert olga.do("api-pool-build").state == "done"
    assert olga.get("api-pool-documents")["results"][0]["content_hash"] == ""
    refused = olga.send("api-pool-freeze", {}, status=422)["detail"]
    assert "2 of 2 different documents (100.0 %) without a text" in refused
    assert olga.do("api-pool-freeze", {"anyway": True}).state == "done"
    pool = olga.get("api-pool")
    assert (pool["version"], pool["units"], pool["documents"], bool(pool["frozen"])) == (1, 2, 2, True)
    rows = olga.get("api-pool-documents", {"topic": "A.1"})["results"]
    assert [(row["unit"], len(row["content_hash"])) for row in rows] == [("11", 64), ("12", 64)]
    assert olga.get("api-pool-documents", {"topic": "A.2"})["count"] == 0
    wrong = [({"primary_depth": 1}, "only grow"), ({"width": 9}, "no width"), ({"primary_depth": 10**6}, "most")]
    for depths, reason in wrong:
        assert reason in olga.send("api-pool-extend", {"depths": depths}, status=422)["detail"]
    assert olga.do("api-pool-extend", {"depths": {"primary_depth": 3}, "reason": "more"}).state == "done"
    assert olga.get("api-pool")["version"] == 2


def test_people_are_invited_with_links_and_accept(
    program: Callable[..., Program], settings: Settings, mailoutbox: list[Any]
) -> None:
    settings.EMAIL_HOST = "mail.example"
    olga = program(make_campaign())
    people = [{"username": "ada"}, {"username": "zoe", "name": "Zoe", "email": "zoe@example.org", "role": "expert"}]
    ada, zoe = olga.send("api-invitations-open", {"people": people}, status=201)
    assert (ada["link"], zoe["role"]) == ("", "expert")
    assert "/password/" in zoe["link"]
    assert (ada["mailed"], zoe["mailed"]) == ("", "Sent an e-mail to zoe@example.org.")
    assert [(mail.to, zoe["link"] in mail.body) for mail in mailoutbox] == [(["zoe@example.org"], True)]
    assert "already invited" in olga.send("api-invitations-open", {"people": people[:1]}, status=422)["detail"]
    twice = {"people": [{"username": "bob"}, {"username": "bob"}, {"username": "a b", "email": "x"}]}
    assert "2 times" in olga.send("api-invitations-open", twice, status=422)["detail"]
    own = Program(client_of(make_cast().ada), None, olga.capture)
    [invitation] = own.get("api-own-invitations")["results"]
    own.send("api-own-invitation", {"answer": "accept"}, pk=invitation["id"])
    [member] = olga.get("api-members", {"role": "assessor"})["results"]
    new = olga.send("api-member-link", pk=zoe["user"], status=201)
    assert "/password/" in new["link"]
    assert new["link"] in mailoutbox[1].body
    assert "withdrawn" in olga.send("api-invitation", method="delete", pk=zoe["id"])["done"]
    olga.send("api-member", method="delete", pk=member["id"])
    assert Member.objects.count() == 1


def test_topics_are_assigned_and_taken_back(program: Callable[..., Program], lab: Lab) -> None:
    olga = program(lab.campaign)
    given = {"assessor": "emmy", "topics": ["A.2"]}
    assert "Assigned 1 topic" in olga.send("api-assignments", given, status=201)["done"]
    assert "no topic A.9" in olga.send("api-assignments", given | {"topics": ["A.9"]}, status=422)["detail"]
    assert "olga cannot judge" in olga.send("api-assignments", {"assessor": "olga"}, status=422)["detail"]
    [row] = olga.get("api-assignments", {"topic": "A.2", "kind": "main"})["results"]
    assert (row["assessor"], row["documents"], row["judged"], row["official"]) == ("emmy", 4, 0, True)
    assert "Took 1 assignment back" in olga.send("api-assignment", method="delete", pk=row["id"])["done"]
    assert "Assigned" in olga.send("api-spread", {"assessors": ["ada", "kurt"]}, status=201)["done"]
    [row] = olga.get("api-assignments", {"assessor": "ada", "topic": "A.1"})["results"]
    assert (row["documents"], row["judged"]) == (4, 4)
    assert [row["kind"] for row in olga.get("api-rounds", {"kind": "dual"})["results"]] == ["dual"]


def test_assessors_see_their_own_items_with_hashes(program: Callable[..., Program], lab: Lab) -> None:
    make_assignment(lab.pool, lab.cast.emmy, topic="A.2")
    ada = Program(client_of(lab.cast.ada), None, program().capture)
    [topic] = ada.get("api-own-assignments-open")["results"]
    assert (topic["topic"], topic["documents"], topic["judged"], topic["campaign"]) == ("A.1", 4, 4, lab.campaign.slug)
    assert "round" not in topic, "a second assessor must not know that they are one"
    items = ada.get("api-own-items", pk=topic["id"])["results"]
    given = {"11": "3", "12": "0", "21": "2", "99": "system_failure"}
    assert {item["document"]: item["judgment"]["word"] for item in items} == given
    by_document = {item["document"]: item for item in items}
    assert "Answer 11 says" in by_document["11"]["body"]
    assert by_document["99"]["body"] == ""
    hashes = set(lab.pool.entries.filter(topic__topic_id="A.1").values_list("instances__content_hash", flat=True))
    assert {item["content_hash"] for item in items} == hashes
    assert ada.send("api-ask", {"place": 1, "text": "Really?"}, status=201, pk=topic["id"])["done"] == "Asked."
    olga = program(lab.campaign)
    [question] = olga.get("api-questions")["results"]
    assert (question["by"], question["ruling"]) == ("ada", None)
    olga.send("api-question-answer", {"text": "Yes."}, pk=question["id"])
    assert olga.get("api-questions")["results"][0]["ruling"] == "Yes."
    assert rulings.rulings_of(lab.official.topic).count() == 1


def test_agreement_releases_and_evaluations_are_made(program: Callable[..., Program], lab: Lab) -> None:
    olga = program(lab.campaign)
    job = olga.do("api-agreement", {})
    assert olga.get("api-agreement")["id"] == job.result["report"]
    for sent, said in (("judges", "choose the assessor."), ("assessor", "choose no assessor, or release the ")):
        wrong = olga.send("api-releases", {sent: "assessor"}, status=422)
        assert wrong["detail"].startswith(f"assessor: {said}")
    options = {"judges": "assessor", "assessor": "ada", "written_outcomes_as_zero": []}
    job = olga.do("api-releases", {"note": "One", **options})
    [release, _] = olga.get("api-releases")["results"]
    assert (release["version"], release["note"], release["options"].items() >= options.items()) == (2, "One", True)
    olga.do("api-release-verify", version=2)
    assert olga.get("api-release", version=2)["verification"]["is_intact"]
    assert olga.get("api-release-lines", {"topic": "A.2"}, version=2)["count"] == 0
    assert "no measure" in olga.send("api-evaluations", {"release": 2, "measures": ["x"]}, status=422)["detail"]
    job = olga.do("api-evaluations", {"release": 2, "measures": ["nDCG@5", "map"]})
    assert olga.get("api-evaluation", pk=job.result["evaluation"])["measures"] == ["nDCG@5", "MAP"]
    kinds = olga.get("api-exports")
    text = b"".join(olga.client.get(kinds["judgments"]["csv"])).decode()
    assert len(text.splitlines()) == 9
    assert "ada" not in text
    archive = olga.client.get(reverse("api-release-folder-zip", args=[lab.campaign.slug, 2]))
    assert b"".join(archive)[:2] == b"PK"
    with olga.capture():
        started = olga.send("api-agreement", {}, status=202)
    olga.campaign = None
    assert olga.send("api-job-cancel", pk=started["id"])["state"] == "cancelled"


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    campaign = make_campaign()
    add_run(campaign, tmp_path, "A.1\t11\t1\t9\ta\nA.1\t12\t2\t5\ta\n")
    add_run(campaign, tmp_path, "A.1\t12\t1\t9\tb\nA.1\t21\t2\t5\tb\n")
    return campaign


def test_runs_are_fused(program: Callable[..., Program], campaign: Campaign) -> None:
    olga = program(campaign)
    keys = list(campaign.runs.order_by("name").values_list("pk", flat=True))
    sent = {"name": "fused", "method": "rrf", "runs": keys}
    for fields, reason in (
        ({"options": {"alpha": 1}}, "leave it out"),
        ({"options": {"k": "many"}}, "k: A valid number is required."),
        ({"method": "borda"}, "borda"),
        ({"method": "regression"}, "Choose a release"),
        ({"runs": [0]}, "1 of the runs"),
        ({"name": "a"}, "Another run is named a"),
    ):
        assert reason in olga.send("api-fuse", sent | fields, status=422)["detail"]
    assert not Job.objects.exists()
    job = olga.do("api-fuse", {**sent, "options": {"k": 10}})
    run = Run.objects.get(pk=job.result["run"])
    assert (run.provenance["options"], run.pool_role) == ({"k": 10}, "none")
    listed = olga.get("api-runs")["results"]
    assert {row["name"]: row["provenance"] for row in listed}["fused"] == run.provenance
