"""The demo campaigns, loaded from files through the same steps that an organizer takes."""

import csv
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from assess.ir.campaign.protocol import Protocol
from assess.models import Assignment, Campaign, Collection, Instance, Judgment, JudgmentEvent, Member, Pool
from assess.services.agreement import agreement
from assess.services.campaign import campaigns
from assess.services.collection import collections
from assess.services.collection.preparing import CollectionFile
from assess.services.common import history
from assess.services.common.wording import listed, number
from assess.services.desk import decisions
from assess.services.pool import freezing, pools
from assess.services.releases import qrels
from assess.services.rounds import assignments
from assess.services.runs import runs, updates
from assess.services.runs.metadata import read_metadata
from assess.services.scores import evaluation, influence, reliability

PASSWORD = "assess-demo"
ORGANIZER = "olga"
MEMBERS = {"ada": "assessor", "emmy": "assessor", "sofia": "assessor", "kurt": "expert"}
About = tuple[str, str | Protocol, str, dict[str, int]]
"""A campaign's name, preset, file of topics and depths."""
ABOUT: tuple[About, ...] = (
    ("Demo: answers", "arqmath3-task1", "task1.xml", {"primary_depth": 10, "alternate_depth": 5}),
    ("Demo: formulas", "arqmath3-task2", "task2.xml", {"primary_depth": 5, "alternate_depth": 3}),
)
KITCHEN = campaigns.DEMO[-1]
CAMPAIGNS = dict(zip(campaigns.DEMO[:-1], ABOUT, strict=True))
"""Those of mathematics."""
COLLECTION_FILES = collections.KINDS | {"formulas": "formulas.v3.tsv"}
SEED = 2022


def silent(done: int, total: int = 0, message: str = "") -> None:
    """Reports no progress."""


@transaction.atomic
def load_demo(folder: Path, seed: int = SEED) -> list[Campaign]:
    """Load the demo campaigns of mathematics; the database must not contain campaigns of these names."""
    organizer = make_demo_account(ORGANIZER, is_staff=True)
    collection = Collection.objects.create(name="Demo collection")
    uploads = [CollectionFile(kind, name, folder / "collection" / name) for kind, name in COLLECTION_FILES.items()]
    updates.import_collection(collection, uploads, organizer, silent)
    made = [load_pool(folder, slug, about, organizer, collection, seed) for slug, about in CAMPAIGNS.items()]
    return [judge_pool(folder, pool, organizer) for pool in made]


@transaction.atomic
def load_kitchen(folder: Path) -> Campaign:
    """Load the lab of household tips, with the people of the other campaigns."""
    organizer = User.objects.get(username=ORGANIZER)
    rules, _ = campaigns.read_lab_file((folder / "lab.toml").read_text(encoding="utf-8"), "lab.toml")
    collection = Collection.objects.create(name="Household tips")
    tips = CollectionFile("documents", "documents.jsonl", folder / "documents.jsonl")
    updates.import_collection(collection, [tips], organizer, silent)
    about = ("Demo: kitchen", rules, "topics.jsonl", dict[str, int]())
    return judge_pool(folder, load_pool(folder, KITCHEN, about, organizer, collection, SEED), organizer)


def judge_pool(folder: Path, pool: Pool, organizer: User) -> Campaign:
    """Judge, release and score what is judged; the history begins with one line, not with one for each step."""
    load_judgments(folder, pool)
    campaign = pool.campaign
    made = [number(campaign.topics.count(), "topic"), number(campaign.runs.count(), "run"), "a frozen pool"]
    if judged := Judgment.objects.filter(assignment__topic__campaign=campaign).count():
        released = qrels.release(pool, organizer, silent, note="First look, before all topics are judged")
        scored = evaluation.evaluate(released, pool.rules.kind.average, silent)
        agreement.report(pool, silent, influence=influence.influence_of_disagreements(pool))
        reliability.report_reliability(scored, silent)
        made += [number(judged, "judgment"), "a first release with its scores"]
    campaign.actions.all().delete()
    history.note(organizer, "Loaded from the demo’s files", campaign, [listed(made)], page="campaign")
    return campaign


@cache
def password_hash() -> str:
    """The same for all accounts: hashing is slow on purpose, and the password is public."""
    return make_password(PASSWORD)


def open_accounts() -> list[User]:
    """The demo's accounts that still have the public password."""
    users = User.objects.filter(username__in=[ORGANIZER, *MEMBERS], is_active=True).order_by("username")
    return [user for user in users if check_password(PASSWORD, user.password)]


def make_demo_account(name: str, *, is_staff: bool = False) -> User:
    return User.objects.create(username=name, password=password_hash(), is_staff=is_staff)


def load_pool(folder: Path, slug: str, about: About, organizer: User, collection: Collection, seed: int) -> Pool:
    name, preset, topics, depths = about
    campaign = campaigns.create_campaign(name=name, preset=preset, by=organizer, collection=collection, seed=seed)
    campaigns.change_settings(campaign, organizer, rules=depths, edition="Demo lab")
    Campaign.objects.filter(pk=campaign.pk).update(slug=slug)
    campaign.refresh_from_db()
    for username, role in MEMBERS.items():
        user = User.objects.filter(username=username).first() or make_demo_account(username)
        Member.objects.create(campaign=campaign, user=user, role=role)
    with (folder / "topics" / topics).open("rb") as source:
        campaigns.import_topics(campaign, source, topics, organizer)
    with (folder / "runs.tsv").open("rb") as source:
        described = read_metadata(source, "runs.tsv").values()
    own = [meta for meta in described if meta.file.startswith("task2/") == campaign.is_formulas]
    runs.import_runs(campaign, [runs.RunUpload(folder / "runs" / meta.file, meta) for meta in own], silent)
    return freezing.freeze(pools.build(campaign, silent), silent, organizer)


def read_rows(path: Path, campaign: Campaign) -> Iterator[dict[str, str]]:
    """The campaign's rows of a tab-separated file with a header."""
    with path.open(newline="") as source:
        yield from (row for row in csv.DictReader(source, delimiter="\t") if row["campaign"] == campaign.slug)


def load_judgments(folder: Path, pool: Pool) -> None:
    """Assign and judge as the assessors would, but yesterday: no demo user seems to have worked today."""
    campaign = pool.campaign
    assigned: dict[tuple[str, str], Assignment] = {}
    for row in read_rows(folder / "assignments.tsv", campaign):
        user, topic = User.objects.get(username=row["assessor"]), campaign.topics.get(topic_id=row["topic"])
        assigned[row["assessor"], row["topic"]] = assignments.assign_topic(pool, topic, user, row["round"])
    instances = {
        (instance.entry.topic.topic_id, instance.doc_id): instance
        for instance in Instance.objects.filter(entry__pool=pool).select_related("entry__topic")
    }
    chosen: dict[Assignment, list[decisions.Decision]] = {}
    for row in read_rows(folder / "judgments.tsv", campaign):
        instance, milliseconds = instances[row["topic"], row["doc"]], round(1000 * float(row["seconds"]))
        decision = decisions.Decision(instance.pk, instance.content_hash, row["grade"], row["comment"], milliseconds)
        chosen.setdefault(assigned[row["assessor"], row["topic"]], []).append(decision)
    for assignment, decided in chosen.items():
        decisions.save_decisions(assignment.pk, assignment.assessor, decided)
    day = timedelta(days=1)
    JudgmentEvent.objects.filter(instance__entry__pool=pool).update(at=F("at") - day)
    Judgment.objects.filter(instance__entry__pool=pool).update(created=F("created") - day, changed=F("changed") - day)
