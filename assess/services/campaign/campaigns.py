"""Campaigns, their members and their topics."""

import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from hashlib import sha256
from typing import Any, BinaryIO

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.utils.text import slugify

from assess.ir.campaign.presets import PRESETS, read_lab
from assess.ir.campaign.protocol import Protocol
from assess.ir.collection.html import canonical, canonical_inline
from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import TopicRow
from assess.ir.formats.topic_sheet import COLUMNS, read_topic_sheet
from assess.ir.formats.topics import different_latex, read_topics
from assess.ir.scores.measures import official_measures
from assess.models import Action, Campaign, Collection, Member, Pool, Run, Topic
from assess.services.common import history
from assess.services.common.access import Person
from assess.services.common.errors import Refused
from assess.services.common.wording import listed, number
from assess.services.jobs import job_queue

MOST_NUMBER = 2**31 - 1
"""Of a seed that is drawn, and of a topic."""
LONGEST_EDITION = 60
OF_ARQMATH = re.compile(r"[AB]\.[0-9]{1,9}")
DEMO = ("demo-task1", "demo-task2", "demo-kitchen")
"""The slugs of the demo campaigns."""


@transaction.atomic
def create_campaign(
    *,
    name: str,
    preset: str | Protocol,
    by: User,
    edition: str = "",
    collection: Collection | None = None,
    seed: int | None = None,
) -> Campaign:
    """``preset``: the name of one, or the rules of a lab's file, which may bring the ``edition``."""
    rules = PRESETS[preset] if isinstance(preset, str) else preset
    rules = replace(rules, edition=edition or rules.edition)
    campaign = Campaign.objects.create(
        slug=free_slug(name),
        name=name,
        edition=rules.edition,
        protocol=rules.to_dict(),
        seed=secrets.randbelow(MOST_NUMBER + 1) if seed is None else seed,
        collection=collection,
    )
    Member.objects.create(campaign=campaign, user=by, role=Member.Role.ORGANIZER)
    return campaign


def chosen_edition(edition: str, of_file: Protocol | None) -> str:
    """The edition that was given, else that of a lab's own file. Raises Refused without one."""
    edition = edition or (of_file.edition if of_file else "")
    if not edition:
        raise Refused("Name the lab and its year.")
    if len(edition) > LONGEST_EDITION:
        raise Refused(f"That of the file has more than {LONGEST_EDITION} characters: write a shorter one.")
    return edition


def collections_of(user: Person) -> QuerySet[Collection]:
    """Those of the campaigns that a person organizes, each with these campaigns."""
    own = Campaign.objects.filter(members__user__pk=user.pk or 0, members__role=Member.Role.ORGANIZER)
    collections = Collection.objects.filter(campaigns__in=own).distinct()
    return collections.prefetch_related(Prefetch("campaigns", own.order_by("name")))


def read_lab_file(text: str, name: str) -> tuple[Protocol, dict[str, Any]]:
    """A lab's file, as `presets.read_lab` has it. Raises ``BadInput``, also for a measure that there is not."""
    rules, rest = read_lab(text, name)
    try:
        return checked_rules(rules.to_dict()), rest
    except ValueError as error:
        raise refuse(name, str(error)) from error


def checked_rules(rules: Mapping[str, Any]) -> Protocol:
    """A protocol whose measures there are. Raises ``ValueError`` with the name of the wrong field."""
    protocol = Protocol.from_dict(rules)
    official_measures(protocol)
    return protocol


def free_slug(name: str) -> str:
    base = slugify(name)[:50] or "campaign"
    taken = set(Campaign.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(slug for n in range(1, len(taken) + 2) if (slug := base if n == 1 else f"{base}-{n}") not in taken)


def require_unfrozen(campaign: Campaign, sources: str) -> None:
    """Raises Refused if the pool is frozen: what it was made from must not change."""
    if campaign.frozen_pool():
        raise Refused(
            f"The pool is frozen, so {sources} cannot change. Unfreeze it first (possible until the first judgment)."
        )


def lock_for_change(campaign: Campaign, sources: str) -> None:
    """Lock the campaign to change what a pool is made from. Raises Refused if that must not change now."""
    job_queue.require_free(campaign, {"pooling"})
    require_unfrozen(campaign, sources)


def settings_version(campaign: Campaign) -> str:
    """A hash of what `change_settings` changes, to notice that somebody else has changed it."""
    edited = [campaign.name, campaign.edition, campaign.seed, campaign.protocol]
    return sha256(json.dumps(edited, sort_keys=True).encode()).hexdigest()[:16]


@transaction.atomic
def change_settings(
    campaign: Campaign,
    by: User,
    *,
    rules: dict[str, Any],
    seen: str | None = None,
    what: str = "Settings",
    changed: Sequence[str] = (),
    **about: Any,
) -> Action | None:
    """Change rules of the protocol and, in ``about``, name, edition and seed; seed and protocol only while no pool is
    frozen. ``what`` was ``changed`` is for the history, which needs no words if nothing was. Raises Refused if the
    settings are no longer what somebody has ``seen`` (their `settings_version`), or if other documents were to be
    judged than those that were imported."""
    current = Campaign.objects.select_for_update().get(pk=campaign.pk)
    job_queue.require_active(current)
    if seen is not None and seen != settings_version(current):
        raise Refused(
            "These settings were changed in another window or by another organizer after you opened this page. Nothing "
            "was saved. What you entered is below: compare it with the overview, then save again."
        )
    if "edition" in about and not campaign.current_pool():
        rules = rules | {"edition": about["edition"]}  # so that no release names that of the preset
    protocol = Protocol.from_dict(campaign.rules.to_dict() | rules)
    has_files = campaign.collection is not None and bool(campaign.collection.sources)
    is_other = protocol.task != campaign.rules.task
    if is_other and (has_files or campaign.topics.exists() or campaign.runs.exists()):
        raise Refused(
            f"Topics, collection or runs were imported for task = {campaign.rules.task!r}, which therefore cannot "
            "change. Make a new campaign for the other task."
        )
    if (protocol, about.get("seed", campaign.seed)) != (campaign.rules, campaign.seed):
        lock_for_change(campaign, "protocol and seed")
    Campaign.objects.filter(pk=campaign.pk).update(protocol=protocol.to_dict(), **about)
    campaign.refresh_from_db()
    return history.note(by, f"{what} changed", campaign, [listed(changed)], page="campaign") if changed else None


def replace_protocol(campaign: Campaign, rules: Protocol, name: str, by: User) -> Action | None:
    """Take all rules from a lab's file; the campaign keeps its name, its edition and its seed."""
    rules = replace(rules, edition=campaign.rules.edition)
    changed = [f"taken from {name}"] if rules != campaign.rules else []
    return change_settings(campaign, by, rules=rules.to_dict(), changed=changed)


@transaction.atomic
def use_collection(campaign: Campaign, collection: Collection, by: User) -> None:
    """Use another collection. The units of existing runs must be looked up again."""
    lock_for_change(campaign, "the collection")
    if Pool.every.filter(campaign=campaign, is_training=True).exists():
        raise Refused(
            "A training or qualification round shows texts of the current collection. Delete the round first."
        )
    campaign.collection = collection
    campaign.save(update_fields=["collection"])
    history.note(by, "Collection chosen", campaign, [str(collection)], page="collection")


def other_year(campaign: Campaign, source: BinaryIO, name: str) -> str:
    """A warning if a file has the topics of another year than the campaign: ARQMath numbers those of each year in
    hundreds of their own. Empty if all is well."""
    numbered = [topic for topic in campaign.topics.all() if OF_ARQMATH.fullmatch(topic.topic_id)]
    new = [row.topic_id for row in read_topics(source, name) if OF_ARQMATH.fullmatch(row.topic_id)]
    source.seek(0)
    years = {(topic.number - 1) // 100 for topic in numbered}
    if not numbered or not new or years & {(topic_number(topic_id) - 1) // 100 for topic_id in new}:
        return ""
    return f"These topics look like those of another year: {new[0]} …, beside {numbered[0]} … of this campaign."


def import_topics(campaign: Campaign, source: BinaryIO, name: str, by: User) -> tuple[Action, list[str]]:
    """Add the topics of a file; what was done, and what the lab should look at. A file with a different text for an
    existing topic is refused. If the pool is frozen, new topics wait until it is extended."""
    rows = read_topics(source, name)
    topics = [as_topic(campaign, row) for row in rows]
    check_kind(campaign, topics, name)
    notes = [note for row in rows if (note := different_latex(row))]
    known = sorted({field for topic in topics for field in topic.fields})
    if unknown := [field for field in campaign.rules.topic_fields if field not in known]:
        notes.append(f"No topic has {listed(unknown)}, which Settings show. Fields: {listed(known) or 'none'}.")
    return store_topics(campaign, topics, name, by), notes


@transaction.atomic
def store_topics(campaign: Campaign, topics: list[Topic], name: str, by: User) -> Action:
    job_queue.require_free(campaign, {"pooling"})
    existing = {topic.topic_id: topic for topic in campaign.topics.all()}
    problems = Problems(name)
    for topic in topics:
        if not same_topic(topic, existing.get(topic.topic_id, topic)):
            problems.add(0, f"topic {topic.topic_id} already exists with a different text. Delete the topics first.")
    problems.check()
    new = [topic for topic in topics if topic.topic_id not in existing]
    rulings_for_all = campaign.rulings.count()
    for topic in new:
        topic.ruling_version = rulings_for_all
    Topic.objects.bulk_create(new, batch_size=500)
    unchanged = len(topics) - len(new)
    action = f"{number(len(new), 'topic')} imported from {name}" + f", {unchanged} already existed" * bool(unchanged)
    return history.note(by, action, campaign, page="topics")


def check_kind(campaign: Campaign, topics: list[Topic], name: str) -> None:
    formulas = sum(bool(topic.formula_id) for topic in topics)
    if campaign.is_formulas and formulas < len(topics):
        bare = len(topics) - formulas
        raise refuse(name, f"{bare} topics have no Formula_Id: a formula campaign needs Task 2 topics")
    if not campaign.is_formulas and formulas:
        raise refuse(name, f"{formulas} topics have a Formula_Id: these are for a campaign that judges formulas")
    if campaign.rules.kind.has_threads and (bare := sum(not topic.body for topic in topics)):
        raise refuse(name, f"{bare} topics have no question: choose the lab’s XML file, which starts with <Topics>")


def as_topic(campaign: Campaign, row: TopicRow) -> Topic:
    texts: dict[str, Any] = {"title": canonical_inline(row.title), "body": canonical(row.body), "tags": list(row.tags)}
    texts["fields"] = {name: canonical(text) for name, text in row.fields.items()}
    return Topic(campaign=campaign, number=topic_number(row.topic_id), **row._asdict() | texts)


def topic_number(topic_id: str) -> int:
    """A number by which topics are sorted naturally: 301 for A.301, 2019012 for 2019-12, 0 without a number."""
    numbers = [int(digits) for digits in re.findall(r"\d+", topic_id)] or [0]
    joined = reduce(lambda whole, part: 1000 * whole + part, numbers)
    is_natural = joined <= MOST_NUMBER and all(part < 1000 for part in numbers[1:])
    return joined if is_natural else min(numbers[-1], MOST_NUMBER)


def same_topic(topic: Topic, other: Topic) -> bool:
    names = ("title", "body", "formula_id", "latex", "fields")
    return all(getattr(topic, name) == getattr(other, name) for name in names)


@transaction.atomic
def import_topic_sheet(campaign: Campaign, source: BinaryIO, name: str, by: User) -> Action:
    """Store what a sheet notes of its topics, in place of what was noted. Raises BadInput for unknown topics."""
    sheet = read_topic_sheet(source, name)
    topics = {topic.topic_id: topic for topic in campaign.topics.all()}
    problems = Problems(name)
    for topic_id in sheet:
        if topic_id not in topics:
            problems.add(0, f"{topic_id} is no topic of this campaign: import its topics first, or remove the line")
    problems.check()
    for topic_id, noted in sheet.items():
        for column in COLUMNS:
            setattr(topics[topic_id], column, noted.pop(column))
        topics[topic_id].sheet = noted
    campaign.topics.bulk_update([topics[topic_id] for topic_id in sheet], [*COLUMNS, "sheet"], batch_size=100)
    return history.note(by, f"Noted the columns of {name} for {number(len(sheet), 'topic')}", campaign, page="topics")


@transaction.atomic
def delete_topics(campaign: Campaign, by: User, topic: Topic | None = None) -> Action:
    """Delete all topics, or one that was imported by mistake; also beside a frozen pool that does not have it. Raises
    Refused if a pool, a run or an unfinished job needs what is deleted."""
    job_queue.require_free(campaign, {"topics", "pooling"})
    topics = campaign.topics.filter(pk=topic.pk) if topic else campaign.topics.all()
    if pooled := topics.filter(entries__isnull=False).first():
        raise Refused(f"The pool was built for topic {pooled}. Discard the pool first; a frozen one keeps its topics.")
    if campaign.runs.filter(format=Run.Format.TASK3).exists() and topics.filter(written_answers__isnull=False).exists():
        raise Refused("Written answers belong to these topics. Delete the runs of Task 3 first.")
    ids = list(map(str, topics))
    topics.delete()
    return history.note(by, f"Deleted {number(len(ids), 'topic')}", campaign, [listed(ids)], page="topics")


def siblings_of(user: Person, campaign: Campaign, topics: Iterable[Topic]) -> dict[int, Topic]:
    """The topics for the same questions in the other task, by number, if the user may see them: A.9 for B.9."""
    letter = {"A": "B", "B": "A"}.get(campaign.rules.kind.letter)
    if letter is None:
        return {}
    others = Campaign.objects.visible_to(user).filter(edition=campaign.edition).exclude(pk=campaign.pk)
    twins = Topic.objects.filter(campaign__in=others, topic_id__in=[f"{letter}.{topic.number}" for topic in topics])
    fields = ("topic_id", "number", "campaign__slug", "campaign__name")
    return {twin.number: twin for twin in twins.select_related("campaign").only(*fields)}
