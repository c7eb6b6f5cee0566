"""Campaigns, their members and their topics."""

import re
import secrets
from typing import Any, BinaryIO

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.text import slugify

from assess.ir.campaign.presets import PRESETS, Protocol
from assess.ir.collection.html import canonical, canonical_inline
from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import TopicRow
from assess.ir.formats.topics import read_topics
from assess.models import Assignment, Campaign, Collection, Job, Member, Run, Topic
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue

SEED_RANGE = 2**31
DEMO = ("demo-task1", "demo-task2")
"""The campaigns of the demo, by slug."""


@transaction.atomic
def create(
    *, name: str, preset: str, by: User, collection: Collection | None = None, seed: int | None = None
) -> Campaign:
    """A new campaign with the rules of a preset; its maker becomes its organizer."""
    rules = PRESETS[preset]
    campaign = Campaign.objects.create(
        slug=free_slug(name),
        name=name,
        edition=rules.edition,
        protocol=rules.to_dict(),
        seed=secrets.randbelow(SEED_RANGE) if seed is None else seed,
        collection=collection,
    )
    Member.objects.create(campaign=campaign, user=by, role=Member.Role.ORGANIZER)
    return campaign


def free_slug(name: str) -> str:
    base = slugify(name)[:50] or "campaign"
    taken = set(Campaign.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(slug for n in range(1, len(taken) + 2) if (slug := base if n == 1 else f"{base}-{n}") not in taken)


def require_open(campaign: Campaign, what: str) -> None:
    """What a frozen pool was made from stays as it was."""
    if campaign.frozen_pool():
        raise Refused(
            f"The pool is frozen, so {what} cannot change. Unfreeze it first; after the first judgment "
            "that is no longer possible."
        )


def hold(campaign: Campaign, what: str) -> None:
    """Before a change of what a pool is made from, in its transaction: nobody else changes the campaign until it
    ends. Raises Refused where the pool is frozen or a job is at work on all this."""
    job_queue.require_free(campaign, Job.Kind.POOL)
    require_open(campaign, what)


@transaction.atomic
def update(campaign: Campaign, *, name: str, edition: str, seed: int, rules: dict[str, Any]) -> None:
    """Change name, edition, seed and protocol; all but name and edition only while no pool is frozen."""
    protocol = Protocol.from_dict({**campaign.protocol, **rules})
    if (protocol, seed) != (campaign.rules, campaign.seed):
        hold(campaign, "protocol and seed")
    Campaign.objects.filter(pk=campaign.pk).update(name=name, edition=edition, seed=seed, protocol=protocol.to_dict())
    campaign.refresh_from_db()


@transaction.atomic
def use_collection(campaign: Campaign, collection: Collection) -> None:
    """Search another collection from now on. Runs that are there have to be looked up anew."""
    hold(campaign, "the collection")
    campaign.collection = collection
    campaign.save(update_fields=["collection"])


@transaction.atomic
def add_member(campaign: Campaign, username: str, role: str) -> tuple[Member, bool]:
    """Give a person a role; a person unknown here gets an account without a password. The second value says
    whether the account is new (then the organizer passes on a link to choose a password)."""
    user, is_new = User.objects.get_or_create(username=username)
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    member, added = Member.objects.get_or_create(campaign=campaign, user=user, defaults={"role": role})
    if not added:
        raise Refused(f"{username} is already a member ({member.get_role_display().lower()}).")
    return member, is_new


@transaction.atomic
def change_role(member: Member, role: str) -> None:
    if role != Member.Role.ORGANIZER:
        require_other_organizer(member)
    Member.objects.filter(pk=member.pk).update(role=role)


@transaction.atomic
def remove_member(member: Member) -> None:
    """Take a person's role away. What they judged stays."""
    require_other_organizer(member)
    if Assignment.objects.filter(topic__campaign=member.campaign, assessor=member.user).exists():
        raise Refused(f"{member.user} has topics assigned. Take those back first; judged ones keep their assessor.")
    member.delete()


def require_other_organizer(member: Member) -> None:
    others = Member.objects.filter(campaign=member.campaign, role=Member.Role.ORGANIZER).exclude(pk=member.pk)
    if not others.exists():
        raise Refused("A campaign needs an organizer. Make somebody else organizer first.")


def import_topics(campaign: Campaign, source: BinaryIO, name: str) -> tuple[int, int]:
    """Add the topics of a file; returns how many are new and how many were there already, unchanged. A topic that
    is there with another text is refused. Where a pool is frozen they wait until it is extended."""
    fresh = [as_topic(campaign, row) for row in read_topics(source, name)]
    check_kind(campaign, fresh, name)
    return add_topics(campaign, fresh, name)


@transaction.atomic
def add_topics(campaign: Campaign, fresh: list[Topic], name: str) -> tuple[int, int]:
    job_queue.require_free(campaign, Job.Kind.POOL)
    known = {topic.topic_id: topic for topic in campaign.topics.all()}
    problems = Problems(name)
    for topic in fresh:
        if topic.topic_id in known and not same_topic(topic, known[topic.topic_id]):
            problems.add(0, f"topic {topic.topic_id} is already here with another text. Delete it first.")
    problems.check()
    new = [topic for topic in fresh if topic.topic_id not in known]
    Topic.objects.bulk_create(new, batch_size=500)
    return len(new), len(fresh) - len(new)


def check_kind(campaign: Campaign, topics: list[Topic], name: str) -> None:
    formulas = sum(bool(topic.formula_id) for topic in topics)
    if campaign.is_formulas and formulas < len(topics):
        raise refuse(
            name,
            f"{len(topics) - formulas} topics have no Formula_Id: a formula campaign needs Task 2 topics",
        )
    if not campaign.is_formulas and formulas:
        raise refuse(name, f"{formulas} topics have a Formula_Id: these are Task 2 topics, for a formula campaign")


def as_topic(campaign: Campaign, row: TopicRow) -> Topic:
    return Topic(
        campaign=campaign,
        topic_id=row.topic_id,
        number=topic_number(row.topic_id),
        title=canonical_inline(row.title),
        body=canonical(row.body),
        tags=list(row.tags),
        formula_id=row.formula_id,
        latex=row.latex,
    )


def topic_number(topic_id: str) -> int:
    """The last number in a topic id, for sorting: 301 for A.301, 0 where there is none."""
    numbers = re.findall(r"\d{1,9}", topic_id)
    return int(numbers[-1]) if numbers else 0


def same_topic(one: Topic, other: Topic) -> bool:
    return all(getattr(one, field) == getattr(other, field) for field in ("title", "body", "formula_id", "latex"))


@transaction.atomic
def delete_topics(campaign: Campaign) -> int:
    """Remove all topics while nothing hangs on them."""
    hold(campaign, "topics")
    if campaign.current_pool():
        raise Refused("The pool was built for these topics. Discard the pool first.")
    if campaign.runs.filter(format=Run.Format.TASK3).exists():
        raise Refused("The written answers of runs belong to these topics. Delete the runs of Task 3 first.")
    return campaign.topics.all().delete()[0]


def sibling(topic: Topic, campaigns: QuerySet[Campaign]) -> Topic | None:
    """The topic of the other task of the same edition that comes from the same question: A.9 for B.9."""
    kind, _, number = topic.topic_id.partition(".")
    other = {"A": "B", "B": "A"}.get(kind)
    if not other:
        return None
    return (
        Topic.objects.filter(
            campaign__in=campaigns.filter(edition=topic.campaign.edition), topic_id=f"{other}.{number}"
        )
        .select_related("campaign")
        .first()
    )
