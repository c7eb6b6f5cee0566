"""A lab in which every address has something to show, and the address of each."""

import re
from typing import Any, NamedTuple

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Model
from django.urls import URLPattern, get_resolver

from assess import models
from assess.models import Campaign, Comment, Instance, Invitation, Job, Pool, Post, Topic
from assess.services import job_kinds
from assess.services.campaign import accounts
from assess.services.collection import images
from assess.services.common import history
from assess.services.desk import rulings
from assess.services.jobs import job_queue
from assess.services.pool import freezing
from benchmarks.parts import PARTS, address_of, named_in_query, page_of_part
from tests import lab_steps as steps
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_user, on_progress
from tests.desk import judge_all
from tests.evaluations import add_values
from tests.kept import kept
from tests.lab import judge

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
TEXTS = {
    "topic_id": "A.1",
    "thread_id": "10",
    "visual_id": "v1",
    "file_format": "csv",
    "kind": "lines",
    "table": "assessors",
    "unit": "post",
    "grades": "graded",
    "first": "ada",
    "second": "emmy",
    "uidb64": "none",
    "token": "none",
}
"""What stands in an address, by the name of the part; other words in ``WORDS``, numbers by ``THINGS``."""
WORDS: dict[str, dict[str, object]] = {
    "api-export": {"kind": "judgments"},
    "export_file": {"kind": "judgments"},
    "handbook": {"name": "assessors"},
    "job_start": {"kind": "pool"},
    "post_image": {"name": "a.png"},
    "written_answer": {"number": 1},
}
THINGS = {
    "assignment": "judge defer items next_open preview assignment desk_news ask ruling_seen written written_answer "
    "take_back hand_over pause api-judgments api-assignment api-own-assignment api-own-items api-ask",
    "evaluation": "evaluation evaluation_file evaluation_run evaluation_run_file evaluation_categories "
    "evaluation_categories_file evaluation_significance evaluation_significance_file evaluation_pair "
    "evaluation_pair_file evaluation_correlations evaluation_correlations_file api-evaluation api-scores",
    "document": "document_history",
    "token": "api_token_revoke",
    "invitation": "invitation_answer invitation_withdraw api-invitation api-own-invitation",
    "job": "job job_progress job_cancel job_restart job_delete api-job api-job-cancel",
    "member": "member member_interests member_remove member_admit replace_member api-member",
    "newcomer": "member_link api-member-link",
    "question": "answer api-question-answer",
    "reliability": "reliability_report reliability_file",
    "report": "agreement_report agreement_pair",
    "round": "round round_change round_discuss round_join round_delete gold note",
    "ruling": "ruling_change",
    "run": "run run_file run_delete run_withdraw api-run",
    "source": "judgment_source judgment_source_delete what_if_start api-judgment-source",
    "what_if": "what_if",
}
"""Whose number is ``pk``."""
THING_OF = {name: thing for thing, names in THINGS.items() for name in names.split()}


class Site(NamedTuple):
    """A campaign of answers, one of formulas, and one of olga's without anything; the numbers of things in them."""

    cast: Cast
    answers: Campaign
    formulas: Campaign
    other: Campaign
    numbers: dict[str, int]

    def arguments(self, name: str) -> dict[str, Any]:
        parts = ROUTES[name]
        campaign = self.formulas if name.startswith("formula") else self.answers
        found = {part: value for part, value in {**TEXTS, **self.numbers}.items() if part in parts}
        found |= {"slug": campaign.slug, "other": self.formulas.slug, "number": self.numbers["draft"]}
        found |= WORDS.get(name, {})
        if "pk" in parts:
            found["pk"] = self.numbers[THING_OF[name]]
        return {part: found[part] for part in parts}

    def url(self, name: str, /, **changes: object) -> str:
        return address_of(name, **self.arguments(name) | changes)

    def grow(self, number: int) -> None:
        """Another topic with its judgments, and one more of everything that a list of the campaign shows."""
        campaign, cast, pool = self.answers, self.cast, self.answers.frozen_pool()
        topic = add_topic(pool, f"A.{number}")
        assignment = make_assignment(pool, cast.ada, topic=topic.topic_id)
        judge(assignment, {"11": "1", "12": "do_not_know", "21": "2"})
        judge(make_assignment(pool, cast.emmy, topic=topic.topic_id, kind="dual"), {"11": "3", "12": "system_failure"})
        rulings.ask_question(assignment.pk, cast.ada, 1, "And this?")
        rulings.store_ruling(topic, cast.olga, "Yes.")
        campaign.members.create(user=make_user(f"member {number}"), role="assessor")
        campaign.invitations.create(user=make_user(f"invited {number}"), role="assessor", invited_by=cast.olga)
        history.note(cast.olga, "Changed", campaign, page="round", pk=self.numbers["round"])
        for collection, thread in ((campaign.collection, "10"), (campaign.topic_threads, "901")):
            about = {"collection": collection, "kind": "answer", "thread_id": thread}
            post = Post.objects.create(post_id=str(1000 + number), body="<p>More.</p>", **about)
            Comment.objects.create(post=post, comment_id=post.post_id, text="Why?")
            question = Post.objects.get(collection=collection, post_id=thread)
            models.PostLink.objects.create(post=question, related_id="20", kind="related")
        Pool.objects.filter(pk=pool.pk).update(missing=["11", "12", "21", "99"][:number])
        run = f"more{number}"
        labels = f"topic,document,grade\nA.1,11,2\nA.{number},12,3\n"
        for kind, params in (
            (job_kinds.import_runs, steps.run_files({run: steps.LATE.replace("late", run)}, pool_role="none")),
            (
                job_kinds.import_source,
                {"path": steps.uploaded(labels), "meta": {"file": "x.csv", "name": run, "kind": "human"}},
            ),
            (job_kinds.compute_agreement, steps.of_pool(campaign) | {"sources": [self.numbers["source"]]}),
            (job_kinds.release_qrels, steps.of_pool(campaign) | {"note": "more"}),
            (job_kinds.evaluate_runs, {"qrels": self.evaluation.qrels_id, "average": "qrels"}),
            (job_kinds.score_what_if, {"source": self.numbers["source"], "release": self.evaluation.qrels_id}),
            (job_kinds.compute_reliability, {"evaluation": self.evaluation.pk}),
            (job_kinds.prepare_round, steps.of_round(campaign)),
        ):
            steps.done(job_queue.submit(campaign, kind, cast.olga, **params))
        add_values(self.evaluation, {run: {"A.1": 0.5, "A.2": 0.1}}, "nDCG'")

    @property
    def evaluation(self) -> models.Evaluation:
        return models.Evaluation.objects.get(pk=self.numbers["evaluation"])


def add_topic(pool: Pool, topic_id: str) -> Topic:
    """A topic with the entries of A.1."""
    topic = Topic.objects.create(
        campaign=pool.campaign, topic_id=topic_id, number=int(topic_id[2:]), title="T", body="B"
    )
    for old in Instance.objects.filter(entry__pool=pool, entry__topic__topic_id="A.1"):
        entry = pool.entries.create(topic=topic, unit_id=old.doc_id)
        Instance.objects.create(entry=entry, doc_id=old.doc_id, post_id=old.post_id, kind=old.kind, votes=1, runs=1)
    freezing.seal_all(pool.campaign, Instance.objects.filter(entry__topic=topic), on_progress)
    return topic


@kept
def make_site() -> Site:
    answers = steps.new_campaign("arqmath3-task1")
    for job in steps.submitted("arqmath3-task1", answers):
        steps.done(job)
    formulas = steps.campaign_before("arqmath2-task2", job_kinds.repair_visual_ids)
    cast = make_cast(answers)
    make_cast(formulas)
    pool = answers.frozen_pool()
    assignment = pool.rounds.get(kind="main").assignments.get(assessor=cast.ada)
    judge_all(assignment, "2")
    steps.done(
        steps.submit(answers, job_kinds.release_qrels, lambda campaign: steps.of_pool(campaign) | {"note": "second"})
    )
    formulas.edition = answers.edition
    formulas.save()
    topic = answers.topics.all()[0]
    for _ in range(2):
        question = rulings.ask_question(assignment.pk, cast.ada, 1, "And this?")
    images.add_images(answers, answers.collection, [SimpleUploadedFile("a.png", PNG)], cast.olga)
    newcomer = accounts.make_account("noether", cast.olga)
    Invitation.objects.create(campaign=answers, user=newcomer, role="assessor", invited_by=cast.olga)
    things: dict[str, Model] = {
        "assignment": assignment,
        "evaluation": answers.pools.get(is_training=False).qrels.get(version=1).evaluations.get(),
        "document": Instance.objects.filter(entry__topic=topic, entry__pool=pool)[0],
        "instance": Instance.objects.filter(entry__pool__is_training=True)[0],
        "invitation": Invitation.objects.create(
            campaign=answers, user=cast.mallory, role="assessor", invited_by=cast.olga
        ),
        "job": Job.objects.create(campaign=answers, kind="pool", created_by=cast.olga, state=Job.State.FAILED),
        "member": answers.members.get(user=cast.ada),
        "newcomer": newcomer,
        "question": question,
        "reliability": models.ReliabilityReport.objects.get(),
        "report": models.AgreementReport.objects.get(),
        "round": models.Round.objects.get(pool__is_training=True),
        "ruling": rulings.store_ruling(topic, cast.olga, "Yes."),
        "run": answers.runs.get(name="base"),
        "source": answers.judgment_sources.get(),
        "token": accounts.make_api_token(cast.ada, "laptop", "judge", 30)[0],
        "what_if": models.WhatIf.objects.get(),
    }
    numbers = {name: thing.pk for name, thing in things.items()}
    sent = {"meta": {"file": "x.csv", "columns": [""] * 5, "format": ""}}
    refused = Job.objects.create(campaign=answers, kind="source", created_by=cast.olga, state="failed", params=sent)
    numbers |= {
        "refused": refused.pk,
        "version": pool.version,
        "place": 1,
        "draft": formulas.collection.visual_maps.latest("number").number,
    }
    numbers["run_pk"] = answers.runs.get(name="alpha").pk
    return Site(cast, answers, formulas, make_campaign(name="Other"), numbers)


def routes(patterns: list[Any], before: str = "") -> dict[str, list[str]]:
    """Every address that has a name, but Django's own for administrators, with the names of its variable parts."""
    found: dict[str, list[str]] = {}
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            found |= {pattern.name: re.findall(r"<(?:\w+:)?(\w+)>", route)} if pattern.name else {}
        elif route != "admin/":
            found |= routes(pattern.url_patterns, route)
    return found


ROUTES = routes(get_resolver().url_patterns)
ROUTES |= {part: [*ROUTES[page_of_part(part)], *named_in_query(part)] for part in PARTS}
