"""Training and qualification rounds, in which everybody judges the same documents, whose grades are mostly known; and
dual rounds, in which somebody else judges some topics a second time, to measure agreement."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format

from assess import models
from assess.ir.common.problems import refuse
from assess.ir.common.rows import PoolLine, Qrel, TopicRow
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.topics import read_topics
from assess.ir.rounds.allocation import JudgedTopic, Template, choose_gold, dual_topics
from assess.models import Action, Assignment, Campaign, GoldGrade, Instance, Member, Pool, Post, Round
from assess.models.run import LOW_COVERAGE
from assess.services.campaign import campaigns
from assess.services.collection import collections
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.pool import judgment_sources, pools
from assess.services.rounds import assignments


class StoredFile(NamedTuple):
    path: Path
    name: str

    def open(self) -> BytesIO:
        return BytesIO(self.path.read_bytes())


class Coverage(NamedTuple):
    """How many of the judged topics the file of topics has, and how many of the documents judged for these the
    collection has. Few are known if ids are the same only by chance, as those of another collection can be."""

    topics: int
    known_topics: int
    documents: int
    known: int

    @property
    def is_low(self) -> bool:
        return self.known_topics < LOW_COVERAGE * self.topics or self.known < LOW_COVERAGE * self.documents


class RoundPlan(NamedTuple):
    """A round to prepare: for these users, from topics of an earlier edition and its judgments, a file of qrels or a
    source of the campaign. ``chosen``: the topics to take, by default a random choice. ``without_gold``: the
    judgments only say which documents to judge, not what is right."""

    kind: str
    name: str
    topics: StoredFile
    qrels: StoredFile | models.JudgmentSource
    template: Template
    chosen: Sequence[str]
    members: Sequence[int]
    without_gold: bool = False


def prepare_round(
    campaign: Campaign, plan: RoundPlan, by: User, on_progress: models.OnProgress, job: models.Job | None = None
) -> Round:
    """Choose documents, load their threads, and assign them to everybody in the round, with their known grades as gold
    grades. Raises BadInput for files that cannot be read or do not belong together, Refused without a collection."""
    if campaign.collection is None:
        raise Refused("Import the collection first: the documents of the round are shown from it.")
    on_progress(0, 3, "reading the files")
    topics = {row.topic_id: row for row in read_topics(plan.topics.open(), plan.topics.name)}
    judged = gold_of(plan.qrels, campaign.rules.values)
    places = posts_of_gold(campaign, judged)
    seed = campaign.seed + Round.objects.filter(pool__campaign=campaign).count()  # each round has other documents
    showable = showable_gold(judged, topics, places, plan)
    names, shown = {qrel.topic_id for qrel in judged}, {qrel.unit_id for qrel in showable}
    documents = {qrel.unit_id for qrel in judged if qrel.topic_id in topics}
    coverage = Coverage(len(names), len(names & topics.keys()), len(documents), len(shown))
    judged = choose_gold(showable, plan.template, seed, plan.chosen)
    on_progress(1, 3, f"loading the texts of {len(judged)} documents")
    collections.load_threads(campaign.collection, {places[qrel.unit_id] for qrel in judged}, on_progress)
    on_progress(2, 3, "assigning them")
    rows = [topics[topic] for topic in dict.fromkeys(qrel.topic_id for qrel in judged)]
    return store_round(campaign, plan, rows, judged, by, job=job, coverage=coverage._asdict())


def gold_of(source: StoredFile | models.JudgmentSource, scale: Collection[int]) -> list[Qrel]:
    if isinstance(source, StoredFile):
        return read_qrels(source.open(), source.name, scale=scale).qrels
    if source.items == models.JudgmentSource.Items.UNIT:
        raise Refused(f"{source} has grades of visual ids. Choose a source with grades of formula instances.")
    rows = judgment_sources.combined_rows(source)
    return [Qrel(row.topic_id, row.item_id, row.grade) for row in rows if row.grade is not None]


def posts_of_gold(campaign: Campaign, judged: Iterable[Qrel]) -> dict[str, str]:
    """The post of each judged document that the collection can show. In a campaign of answers, a question is none:
    its id is another's by chance."""
    assert campaign.collection is not None
    ids = {qrel.unit_id for qrel in judged}
    if campaign.is_formulas:
        rows = collections.index_rows(campaign.collection, ids)
        places = {doc_id: row.post_id for doc_id, row in rows.items() if not row.spurious}
    else:
        places = {doc_id: doc_id for doc_id in ids}
    kinds = collections.kinds_of_posts(campaign.collection, places.values())
    allowed = Post.Kind.values if campaign.is_formulas else [Post.Kind.ANSWER, Post.Kind.DOCUMENT]
    return {doc_id: post for doc_id, post in places.items() if kinds.get(post) in allowed}


def showable_gold(
    judged: list[Qrel], topics: dict[str, TopicRow], places: dict[str, str], plan: RoundPlan
) -> list[Qrel]:
    """The judged documents that can be shown. Raises BadInput if there are none, or if a chosen topic has none."""
    of_topics = [qrel for qrel in judged if qrel.topic_id in topics]
    if not of_topics:
        example = f"{judged[0].topic_id} …" if judged else "nothing"
        raise refuse(plan.qrels.name, f"judges no topic of {plan.topics.name}: it has {example}, not {min(topics)} …")
    showable = [qrel for qrel in of_topics if qrel.unit_id in places]
    if not showable:
        reason = (
            f"none of its {len(of_topics):,} documents is in the collection, such as {of_topics[0].unit_id}: "
            "choose qrels that name single documents, not groups of them"
        )
        raise refuse(plan.qrels.name, reason)
    if missing := sorted(set(plan.chosen).difference(qrel.topic_id for qrel in showable)):
        raise refuse(plan.qrels.name, f"no document that can be shown for {', '.join(missing)}: choose other topics")
    return showable


@transaction.atomic
def store_round(
    campaign: Campaign, plan: RoundPlan, topics: list[TopicRow], judged: list[Qrel], by: User, **fields: Any
) -> Round:
    add_training_topics(campaign, topics, plan.topics.name)
    units = {qrel.unit_id: qrel.unit_id for qrel in judged}
    if campaign.has_visual_ids:
        units |= visual_ids.unit_ids(campaign.collection, units)
    lines = [PoolLine(qrel.topic_id, units[qrel.unit_id], qrel.unit_id, 0.0, 0) for qrel in judged]
    source = plan.qrels if isinstance(plan.qrels, models.JudgmentSource) else None
    pool = pools.store_training_pool(campaign, lines, f"{plan.topics.name}, {plan.qrels.name}", by, source)
    if not plan.without_gold:
        grades = {(qrel.topic_id, qrel.unit_id): qrel.grade for qrel in judged}
        instances = Instance.objects.filter(entry__pool=pool).select_related("entry__topic")
        gold = [GoldGrade(instance=each, grade=grades[each.entry.topic.topic_id, each.doc_id]) for each in instances]
        GoldGrade.objects.bulk_create(gold)
    round = open_round(pool, plan.kind, plan.name)
    Round.objects.filter(pk=round.pk).update(**fields)
    for member in campaign.members.filter(user__in=plan.members).select_related("user"):
        join_round(round, member)
    return round


def add_training_topics(campaign: Campaign, rows: Sequence[TopicRow], name: str) -> None:
    """Store topics for training, unless an earlier round has them with the same text."""
    stored = {topic.topic_id: topic for topic in models.Topic.every.filter(campaign=campaign, is_training=True)}
    topics = [campaigns.as_topic(campaign, row) for row in rows]
    campaigns.check_kind(campaign, topics, name)
    for topic in topics:
        topic.is_training, topic.ruling_version = True, campaign.rulings.count()
        if (old := stored.get(topic.topic_id)) and not campaigns.same_topic(topic, old):
            raise refuse(name, f"topic {topic} has another text than in an earlier round: use the same file")
    models.Topic.objects.bulk_create([topic for topic in topics if topic.topic_id not in stored])


def open_round(pool: Pool, kind: str, name: str) -> Round:
    """A further round of this kind; it is given a number unless it has a name. Raises Refused if the name is taken."""
    refuse_name(pool.campaign, name)
    first = Round.objects.filter(pool__campaign=pool.campaign, kind=kind).count() + 1
    numbered = (f"{Round.Kind(kind).label} {number}" for number in count(first))
    taken = names_of_others(pool.campaign)
    return Round.objects.create(pool=pool, kind=kind, name=name or next(each for each in numbered if each not in taken))


def refuse_name(campaign: Campaign, name: str, round: Round | None = None) -> None:
    if name in names_of_others(campaign, round):
        raise Refused(f"Another round has the name {name}: choose a different one.")


def names_of_others(campaign: Campaign, round: Round | None = None) -> set[str]:
    others = Round.objects.filter(pool__campaign=campaign).exclude(pk=round.pk if round else 0)
    return set(others.exclude(name="").values_list("name", flat=True))


@transaction.atomic
def join_round(round: Round, member: Member) -> None:
    """Give a member all topics of a training or qualification round; those they have already stay as they are. Raises
    Refused unless the member can judge."""
    assignments.lock_for_assignment(round.pool, [member.user])
    own = round.assignments.filter(assessor=member.user, closed=None).values("topic")
    for topic in models.Topic.every.filter(entries__pool=round.pool).exclude(pk__in=own).distinct():
        documents = Instance.objects.filter(entry__pool=round.pool, entry__topic=topic)
        assignments.give_documents(round, topic, member.user, set(documents.values_list("pk", flat=True)))


@transaction.atomic
def add_to_round(round: Round, member: Member, by: User) -> Action:
    """Let a member take part in a round that is prepared. Raises Refused unless the member can judge."""
    join_round(round, member)
    return history.note(by, f"{member.user} takes part in {round}", round.pool.campaign, page="round", pk=round.pk)


@transaction.atomic
def change_round(round: Round, name: str, due: date | None, by: User) -> Action:
    """Change the name of a round, and the day by which it should be judged. Raises Refused if another has the name."""
    refuse_name(round.pool.campaign, name, round)
    Round.objects.filter(pk=round.pk).update(name=name, due=due)
    day = f"due on {date_format(due, 'j M Y')}" if due else "no due date"
    action = f"{round} changed: {f'name {name}' if name else 'no name'}, {day}"
    return history.note(by, action, round.pool.campaign, page="rounds")


@transaction.atomic
def open_discussion(round: Round, by: User, is_open: bool = True) -> Action:
    """Let the members of a round see each other's judgments and the gold grades, or no longer."""
    now = timezone.now()
    closed = None if is_open else round.discussion_closed or now
    first = round.discussed or (now if is_open else None)
    Round.objects.filter(pk=round.pk).update(discussed=first, discussion_closed=closed)
    seen = "now see all judgments and gold grades" if is_open else "no longer see the judgments of others"
    action = f"{'Opened' if is_open else 'Closed'} the discussion of {round}: its members {seen}"
    return history.note(by, action, round.pool.campaign, page="round", pk=round.pk)


def discussed_rounds(user: User) -> QuerySet[Round]:
    own = Assignment.objects.filter(assessor=user, topic__campaign__members__user=user, topic__campaign__archived=None)
    rounds = Round.objects.filter(discussed__isnull=False, discussion_closed=None, pk__in=own.values("round"))
    return rounds.select_related("pool__campaign").order_by("-discussed")


@transaction.atomic
def set_gold(round: Round, instance: Instance, grade: int, reason: str, by: User) -> Action:
    """The expert's grade for a document of the round, with the reason; it replaces that of the qrels."""
    old = GoldGrade.objects.select_for_update().filter(instance=instance).values_list("grade", flat=True).first()
    values = {"grade": grade, "reason": reason, "by": by}
    GoldGrade.objects.update_or_create(instance=instance, defaults=values)
    change = f"is {grade}" if old in (None, grade) else f"changed from {old} to {grade}"
    action = f"The gold grade of {instance} for {instance.entry.topic} in {round} {change}"
    return history.note(by, action, round.pool.campaign, reason=reason, page="round", pk=round.pk)


@transaction.atomic
def admit_candidate(member: Member, by: User) -> Action:
    """Make a candidate an assessor. Raises Refused for others."""
    current = Member.objects.select_for_update().get(pk=member.pk)
    if current.role != Member.Role.CANDIDATE:
        raise Refused(f"{member.user} is not a candidate.")
    Member.objects.filter(pk=member.pk).update(role=Member.Role.ASSESSOR)
    return history.note(by, f"{member.user} is now an assessor", member.campaign, page="members")


@transaction.atomic
def delete_round(round: Round, by: User) -> Action:
    """Delete a training or qualification round that nobody has begun to judge. Raises Refused otherwise."""
    if round.assignments.filter(events__isnull=False).exists():
        raise Refused("The round has judgments, so it can't be deleted.")
    campaign, action = round.pool.campaign, f"{round} is deleted"
    round.assignments.all().delete()
    round.delete()
    round.pool.delete()
    return history.note(by, action, campaign, page="rounds")


def possible_members(campaign: Campaign) -> QuerySet[Member]:
    return campaign.members.exclude(role=Member.Role.ORGANIZER).select_related("user").order_by("user__username")


@transaction.atomic
def assign_dual(
    pool: Pool, people: Iterable[User], others: int, by: User, *, fewest_relevant: bool = False, name: str = ""
) -> Action | None:
    """Open a dual round in which each of these people judges one topic from each of ``others`` other assessors, by the
    rule of `ir.rounds.allocation.dual_topics`. Only topics that are judged completely, and by nobody a second time,
    are given. Raises Refused if there are none."""
    assessors, judged = {user.username: user for user in people}, judged_topics(pool)
    barred = assignments.conflicts_of_interest(pool, judged)
    pairs = dual_topics(judged.values(), assessors, others, pool.seed, fewest_relevant=fewest_relevant, barred=barred)
    if not pairs:
        reason = "topics must be fully judged by someone else, and not yet judged twice"
        raise Refused(f"No topic can be assigned: {reason}.")
    round = open_round(pool, Round.Kind.DUAL, name)
    topics = {topic.topic_id: topic for topic in pool.campaign.topics.filter(topic_id__in=judged)}
    return assignments.assign_topics(
        pool, ((topics[topic], assessors[person]) for topic, person in pairs), by, round.kind
    )


def judged_topics(pool: Pool) -> dict[str, JudgedTopic]:
    """Those that their official assessor has judged completely, and nobody else."""
    whole = assignments.documents_by_topic(pool)
    twice = Assignment.objects.filter(round__pool=pool, official=False).values("topic")
    judged = Assignment.objects.filter(round__pool=pool, official=True).exclude(topic__in=twice)
    judgments = models.Judgment.objects.filter(assignment__in=judged.order_by().values("pk"))
    counts = judgments.order_by("assignment__topic__number", "assignment").values_list(
        "assignment__topic", "assignment__topic__topic_id", "assignment__assessor__username"
    )
    relevant = Count("instance__entry", filter=Q(grade__gte=pool.rules.level), distinct=True)
    rows: Iterable[Any] = counts.annotate(done=Count("pk"), relevant=relevant)
    return {name: JudgedTopic(name, who, units) for topic, name, who, done, units in rows if done == whole[topic]}
