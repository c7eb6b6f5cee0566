"""Whole campaigns through pages, the API and a worker in another process."""

import re
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assess.ir.common.rows import Qrel
from assess.ir.formats.qrels import read_qrels
from assess.models import AgreementReport, Assignment, Campaign, Instance, Job, Judgment, Pool
from assess.services.jobs.job_queue import this_worker
from tests.cast import make_cast
from tests.real import data_file

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker, pytest.mark.engines]

DEMO = settings.BASE_DIR / "fixtures" / "demo"
PATIENCE = 120
PAGES = 3
"""The number of topics judged page by page; the others are judged through the API, which is faster."""

GRADES: dict[str, Callable[[str], str]] = {"main": lambda doc: str(len(doc) % 4), "dual": lambda doc: "2"}


class Organizer:
    """Sends forms as olga and waits for jobs."""

    def __init__(self, campaign: Campaign | None = None) -> None:
        self.client = Client()
        self.client.force_login(User.objects.get(username="olga"))
        self.campaign = campaign

    def url(self, name: str, *args: object) -> str:
        return reverse(name, args=[*([self.campaign.slug] if self.campaign else []), *args])

    def send(self, page: str, /, *args: object, **fields: object) -> Any:
        response = self.client.post(self.url(page, *args), fields)
        assert response.status_code == 302, response.content.decode()
        return response

    def create(self, name: str, preset: str, **fields: object) -> Campaign:
        self.campaign = None
        self.send("campaign_new", name=name, edition="Lab 1", preset=preset, **fields)
        self.campaign = Campaign.objects.get(name=name)
        return self.campaign

    def job(self, page: str, /, *args: object, **fields: object) -> Job:
        """Send the form and wait until the job that it starts has ended."""
        address = self.send(page, *args, **fields).url
        deadline = time.monotonic() + PATIENCE
        pk = int(re.search(r"\d+", address).group())
        while not (job := Job.objects.get(pk=pk)).is_finished:
            assert time.monotonic() < deadline, f"{job} after {PATIENCE} s: {job.message}"
            time.sleep(0.05)
        assert self.client.get(address, follow=True).status_code == 200
        return job

    def done(self, page: str, /, *args: object, **fields: object) -> Job:
        job = self.job(page, *args, **fields)
        assert job.state == "done", job.error
        return job

    def invite(self, user: User) -> None:
        """Invite an assessor, who accepts."""
        self.send("members", people=user.username, role="assessor")
        client = Client()
        client.force_login(user)
        client.post(reverse("invitation_answer", args=[user.invitations.get().pk]), {"answer": "accept"})


def upload(path: Path, name: str = "") -> SimpleUploadedFile:
    return SimpleUploadedFile(name or path.name, path.read_bytes())


class Assessor:
    """Judges the documents of assignments."""

    def __init__(self, user: User) -> None:
        self.client = Client()
        self.client.force_login(user)

    def judge_all(self, assignment: Assignment, decide: Callable[[str], str]) -> None:
        """Page by page."""
        for place in range(1, len(assignment.order) + 1):
            address = reverse("judge", args=[assignment.pk, place])
            page = self.client.get(address)
            for shown in (each for post in page.context["posts"] for each in post.documents):
                word = decide(Instance.objects.get(pk=shown.card.instance.pk).doc_id)
                data = {
                    "instance": shown.card.instance.pk,
                    "content_hash": shown.card.content_hash,
                    "key": shown.key,
                    "word": word,
                }
                response = self.client.post(address, data)
                assert response.status_code == 303, response.content.decode()

    def send_all(self, assignment: Assignment, decide: Callable[[str], str]) -> None:
        """Through the API, in one request."""
        instances = Instance.objects.filter(entry__in=assignment.order)
        decisions = [
            {"instance": instance.pk, "content_hash": instance.content_hash, "word": decide(instance.doc_id)}
            for instance in instances
        ]
        address = reverse("api-judgments", args=[assignment.pk])
        response = self.client.post(address, decisions, content_type="application/json")
        assert response.status_code == 200, response.content.decode()


def test_the_demo_lab_from_files_to_scores(worker: subprocess.Popen[bytes]) -> None:
    cast = make_cast()
    User.objects.filter(pk=cast.olga.pk).update(is_staff=True)
    olga = Organizer()
    campaign = olga.create("Answers", "arqmath3-task1")
    olga.send("topics", file=upload(DEMO / "topics" / "task1.xml"))
    olga.send("collection", name="Posts of the demo")
    kinds = {"posts": "Posts.xml", "comments": "Comments.xml", "users": "Users.xml", "formulas": "formulas.v3.tsv"}
    olga.done("collection", **{kind: upload(DEMO / "collection" / name) for kind, name in kinds.items()})
    files = [*sorted((DEMO / "runs" / "task1").iterdir()), *sorted((DEMO / "runs" / "task3").iterdir())]
    olga.done("runs", run_files=[upload(path) for path in files], table=upload(DEMO / "runs.tsv"))
    assert campaign.runs.count() == len(files)
    olga.done("job_start", "pool")
    olga.done("pool_freeze", anyway="on")
    for name in ("ada", "emmy"):
        olga.invite(User.objects.get(username=name))
    topic = campaign.topics.first()
    for user, kind in ((cast.ada, "main"), (cast.emmy, "dual")):
        olga.send("assign", topics=[topic.pk], assessor=user.pk, round=kind)
        assignment = Assignment.objects.get(assessor=user)
        assert olga.client.get(olga.url("preview", assignment.pk, 1)).status_code == 200
        Assessor(user).judge_all(assignment, GRADES[kind])
    olga.done("agreement_start")
    olga.done("releases", min_relevant=0, topics=["test", "additional"], note="first")
    pool = Pool.objects.get()
    olga.done("results", qrels=pool.qrels.get().pk, average="qrels")
    for name in ("campaign", "progress", "agreement", "releases", "results"):
        assert olga.client.get(olga.url(name)).status_code == 200
    report = AgreementReport.objects.get()
    assert report.job == (job := Job.objects.get(kind="agreement"))
    assert job.worker != this_worker()
    evaluation = pool.qrels.get().evaluations.get()
    assert {mean["run"] for mean in evaluation.means} == set(campaign.runs.values_list("name", flat=True))
    file = olga.client.get(olga.url("release_file", 1, "post", "graded"))
    assert file.content.decode().count("\n") == pool.qrels.get().counts["post"]["lines"]


@pytest.mark.sqlite  # many requests; the demo lab tests the other engine
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.whole_benchmark)])
def test_the_labs_judgments_are_released_unchanged(every: int, worker: subprocess.Popen[bytes]) -> None:
    """The judgments of 2020 and 2021 on posts in Posts.xml: a pool file, judged on pages and by the API, released. Of
    every fifth topic, or of all."""
    with data_file("posts/judged_answers_with_text.tsv").open("rb") as source:
        qrels = read_qrels(source, "judged", "task1").qrels
    wanted = [qrel for qrel in qrels if int(qrel.topic_id[2:]) <= 300]
    assert (len(wanted), len({qrel.topic_id for qrel in wanted}), len(qrels) - len(wanted)) == (1950, 147, 723)
    grades = {(qrel.topic_id, qrel.unit_id): qrel.grade for qrel in wanted}
    cast = make_cast()
    User.objects.filter(pk=cast.olga.pk).update(is_staff=True)
    olga = Organizer()
    campaign = olga.create("Both years", "arqmath2-task1")
    for year in ("2020", "2021"):
        olga.send("topics", file=upload(data_file(f"topics/topics.arqmath-{year}-task1-origin.xml")), anyway="on")
    olga.send("collection", name="Posts of the lab")
    olga.done("collection", posts=upload(data_file("posts/Posts.xml")))
    refused = olga.job("pool", file=SimpleUploadedFile("all.tsv", pool_file(qrels)))
    assert refused.state == "failed"
    assert "all.tsv:12: unknown topic A.378" in refused.error
    assert "(723 times: lines 12, " in refused.error
    assert not Pool.objects.exists()
    topics = sorted({qrel.topic_id for qrel in wanted})[::every]
    wanted = [qrel for qrel in wanted if qrel.topic_id in topics]
    olga.done("pool", file=SimpleUploadedFile("known.tsv", pool_file(wanted)))
    olga.done("pool_freeze", anyway="on")
    assert Pool.objects.get().missing == []
    olga.invite(cast.ada)
    keys = list(campaign.topics.filter(topic_id__in=topics).values_list("pk", flat=True))
    olga.send("assign", topics=keys, assessor=cast.ada.pk, round="main")
    ada = Assessor(cast.ada)
    for number, assignment in enumerate(Assignment.objects.select_related("topic")):
        judge = ada.judge_all if number < PAGES else ada.send_all
        topic = assignment.topic.topic_id
        judge(assignment, {doc: str(grade) for (of, doc), grade in grades.items() if of == topic}.__getitem__)
    assert Judgment.objects.count() == len(wanted) > 1500 / every
    olga.done("releases", min_relevant=0, topics=["test", "additional"])
    released = olga.client.get(olga.url("release_file", 1, "post", "graded")).content.decode()
    assert sorted(released.splitlines()) == sorted(f"{q.topic_id}\t0\t{q.unit_id}\t{q.grade}" for q in wanted)


def pool_file(qrels: Iterable[Qrel]) -> bytes:
    lines = [f"{q.topic_id}\t{q.unit_id}\t{q.unit_id}\t1.0\t1" for q in qrels]
    return "\n".join(["topic\tunit\tdoc\tvotes\truns", *lines, ""]).encode()


@pytest.mark.sqlite  # 280,000 lines take long
def test_the_labs_runs_are_pooled_and_their_coverage_is_shown(worker: subprocess.Popen[bytes]) -> None:
    """Whole runs of 2020 with the available part of the collection."""
    make_cast()
    User.objects.filter(username="olga").update(is_staff=True)
    olga = Organizer()
    answers = olga.create("Answers 2020", "arqmath1-task1")
    olga.send("topics", file=upload(data_file("topics/topics.arqmath-2020-task1-origin.xml")))
    olga.send("collection", name="Posts of the lab")
    posts, formulas = data_file("posts/Posts.xml"), data_file("formula-index/formulas.v3.tsv")
    olga.done("collection", posts=upload(posts), formulas=upload(formulas))
    meta = {"kind": "primary", "method": "automatic", "data": "both", "pool_role": "primary"}
    psu = data_file("runs/arqmath1-task1/psu-task1-auto-both-A.full.tsv")
    ensemble = data_file("runs/arqmath1-task1-ensembles/ensemble-task1.tsv")
    olga.done("runs", run_files=[upload(psu)], team="PSU", name="PSU", order="score", **meta)
    olga.done("runs", run_files=[upload(ensemble)], team="MIRMU", name="ensemble", order="rank", **meta)
    olga.done("job_start", "pool")
    pool = answers.current_pool()
    assert (pool.entries.values("topic").distinct().count(), pool.entries.count()) == (98, 8920)
    assert answers.runs.get(name="PSU").coverage == {"documents": 89482, "known": 348, "questions": 0}
    page = olga.client.get(olga.url("runs")).content.decode()
    assert "0.4 %" in page  # 348 of 89,482
    answers.refresh_from_db()
    olga.create("Formulas 2020", "arqmath1-task2", share=answers.collection_id)
    olga.send("topics", file=upload(data_file("topics/topics.arqmath-2020-task2-origin.xml")))
    ensemble = data_file("runs/arqmath1-task1-ensembles/ensemble-task2.tsv")
    olga.done("runs", run_files=[upload(ensemble)], team="MIRMU", name="ensemble", order="score", **meta)
    olga.done("job_start", "pool")
    olga.done("pool_freeze", anyway="on")
    run = olga.campaign.runs.get()
    assert run.coverage == {"documents": 74953, "known": 330, "in_comments": 2}
    assert olga.campaign.frozen_pool().entries.count() == 298
