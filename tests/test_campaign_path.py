"""Whole campaigns through pages, the API and a worker in another process."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assess.models import AgreementReport, Assignment, Campaign, Job, Pool
from assess.services.jobs.job_queue import this_worker
from tests.cast import make_cast
from tests.desk import judge_all
from tests.lab import client_of
from tests.real import data_file
from tests.servers import within

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker, pytest.mark.engines]

DEMO = settings.BASE_DIR / "fixtures" / "demo"
PATIENCE = 120


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

    def done(self, page: str, /, *args: object, **fields: object) -> None:
        """Send the form and wait until the job that it starts is done."""
        address = self.send(page, *args, **fields).url
        pk = int(re.search(r"\d+", address).group())
        assert within(PATIENCE, lambda: Job.objects.get(pk=pk).is_finished), Job.objects.get(pk=pk).message
        job = Job.objects.get(pk=pk)
        assert (self.client.get(address, follow=True).status_code, job.state) == (200, "done"), job.error

    def invite(self, user: User) -> None:
        """Invite an assessor, who accepts."""
        self.send("members", people=user.username, role="assessor")
        client = Client()
        client.force_login(user)
        client.post(reverse("invitation_answer", args=[user.invitations.get().pk]), {"answer": "accept"})


def upload(path: Path) -> SimpleUploadedFile:
    return SimpleUploadedFile(path.name, path.read_bytes())


def judge_on_pages(assignment: Assignment) -> None:
    """Give grades by the length of a document's id."""
    client = client_of(assignment.assessor)
    for place in range(1, len(assignment.order) + 1):
        address = reverse("judge", args=[assignment.pk, place])
        for shown in (each for post in client.get(address).context["posts"] for each in post["documents"]):
            card = shown["card"]
            word = str(len(card.instance.doc_id) % 4)
            data = {"instance": card.instance.pk, "content_hash": card.content_hash, "key": shown["key"], "word": word}
            response = client.post(address, data)
            assert response.status_code == 303, response.content.decode()


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
        if kind == "main":
            judge_on_pages(assignment)
        else:
            judge_all(assignment, "2")
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
