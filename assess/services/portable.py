"""What of a campaign leaves in a campaign file, model by model, and what stays behind.

Rows get numbers in the order of their keys, and these numbers take the place of keys, in relations and in JSON. So a
campaign has the same file wherever it is, and a file cannot refer to anything outside itself.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from django.db.models import Model, Q, QuerySet

from assess.models import (
    Account,
    Action,
    AgreementReport,
    Assignment,
    Campaign,
    Collection,
    Comment,
    Deferral,
    Evaluation,
    GoldGrade,
    Instance,
    Invitation,
    Job,
    Judgment,
    JudgmentEvent,
    JudgmentSource,
    MadeFile,
    MathProblem,
    Member,
    Pool,
    PoolEntry,
    Post,
    PostLink,
    PostTask,
    Qrels,
    QrelsLine,
    QrelsPart,
    Question,
    Ranking,
    RankProfile,
    ReliabilityReport,
    Round,
    Ruling,
    RulingSeen,
    Run,
    Score,
    SecondOpinion,
    SourceLine,
    Topic,
    VisualMap,
    WhatIf,
    WrittenAnswer,
)

Number = Callable[[type[Model], int], int]
"""Turns the key of a row into its number, or back. Raises KeyError for a row that is not in the file."""

Change = Callable[[Any, Number], Any]


class Portable(NamedTuple):
    """A model whose rows leave. ``of``: which rows are the campaign's. ``is_large``: rows that never change once they
    are made; they are written after all others. ``changes``: JSON that holds keys, or what only counts in one
    installation, by field, with what it becomes; the same on the way out and in. ``with_names``: JSON that holds user
    names. ``html``: fields that are cleaned again on the way in, by the field of a post that is cleaned alike.
    ``without``: fields that stay behind."""

    model: type[Model]
    of: Callable[[Campaign], Q]
    is_large: bool = False
    changes: Mapping[str, Change] = {}
    with_names: tuple[str, ...] = ()
    html: Mapping[str, str] = {}
    without: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        return f"rows/{self.model.__name__}.jsonl"

    def rows(self, campaign: Campaign) -> QuerySet[Any]:
        """In the order of their keys; also those that the default manager hides."""
        return self.model._base_manager.filter(self.of(campaign)).order_by("pk")


def under(path: str) -> Callable[[Campaign], Q]:
    """The rows from which this path leads to the campaign."""
    return lambda campaign: Q(**{path: campaign})


def numbers_of(model: type[Model]) -> Change:
    return lambda keys, number: [number(model, key) for key in keys]


def still_there(model: type[Model]) -> Change:
    """Keys of rows, without those that were deleted since."""

    def change(keys: list[int], number: Number) -> list[int]:
        return [row for key in keys if (row := number_or_none(model, key, number)) is not None]

    return change


def number_or_none(model: type[Model], key: int, number: Number) -> int | None:
    try:
        return number(model, key)
    except KeyError:
        return None


def influence(value: dict[str, Any], number: Number) -> dict[str, Any]:
    """What disagreements change, by evaluation and instance; nothing if its evaluation is gone."""
    try:
        documents = {str(number(Instance, int(key))): grades for key, grades in value["documents"].items()}
        return {"evaluation": number(Evaluation, value["evaluation"]), "documents": documents}
    except KeyError:
        return {}


def of_runs(means: list[dict[str, Any]], number: Number) -> list[dict[str, Any]]:
    """The means of an evaluation, each with its run."""
    return [row | {"run_id": number(Run, row["run_id"])} if "run_id" in row else row for row in means]


KEYED: dict[str, type[Model]] = {"round": Round, "run": Run}
"""Whose key is in the address of a page."""


def place(value: dict[str, Any], number: Number) -> dict[str, Any]:
    """The page of an action; none if what it shows is gone."""
    try:
        return value | {"pk": number(KEYED[value["page"]], value["pk"])} if "pk" in value else value
    except KeyError:
        return {}


def but(*names: str) -> Change:
    """A record without some of its facts."""
    return lambda value, number: {name: fact for name, fact in value.items() if name not in names}


def sources(value: dict[str, Any], number: Number) -> dict[str, Any]:
    """The files of a collection, without the place of their columns, which are not in the file."""
    return {kind: {name: str(source[name]) for name in ("name", "sha256")} for kind, source in value.items()}


def shown_posts(campaign: Campaign) -> Q:
    """The posts of the threads in which a pool has a document, of those they link to, and of the topics' threads."""
    pooled = Instance.objects.filter(entry__pool__campaign=campaign).exclude(post_id="").values("post_id")
    in_collection = Q(collection=campaign.collection_id) if campaign.collection_id else Q(pk__in=())
    threads = Post.objects.filter(in_collection, post_id__in=pooled).values("thread_id")
    links = PostLink.objects.filter(post__collection=campaign.collection_id, post__thread_id__in=threads)
    shown = in_collection & (Q(thread_id__in=threads) | Q(thread_id__in=links.values("related_id")))
    in_topic_threads = Q(collection=campaign.topic_threads_id) if campaign.topic_threads_id else Q(pk__in=())
    return shown | in_topic_threads


def of_shown_posts(campaign: Campaign) -> Q:
    return Q(post__in=Post.objects.filter(shown_posts(campaign)).values("pk"))


IN_POOL = "pool__campaign"
JUDGED = "assignment__topic__campaign"
OF_RELEASE = "qrels__pool__campaign"

PORTABLE = (
    Portable(
        Collection,
        lambda campaign: Q(pk__in=[campaign.collection_id, campaign.topic_threads_id]),
        changes={"sources": sources},
    ),
    Portable(Campaign, lambda campaign: Q(pk=campaign.pk), without=("slug", "imported")),
    Portable(
        VisualMap, lambda campaign: Q(collection=campaign.collection_id or 0, applied__isnull=False), without=("base",)
    ),
    Portable(Topic, under("campaign"), html={"title": "title", "body": "body"}),
    Portable(Member, under("campaign")),
    Portable(Run, under("campaign"), changes={"provenance": but("job")}, with_names=("provenance",)),
    Portable(JudgmentSource, under("campaign")),
    Portable(Pool, under("campaign"), changes={"answer_pool": but("pool")}, with_names=("history",)),
    Portable(PoolEntry, under(IN_POOL)),
    Portable(Instance, under("entry__pool__campaign")),
    Portable(GoldGrade, under("instance__entry__pool__campaign")),
    Portable(Round, under(IN_POOL)),
    Portable(
        Assignment,
        under("topic__campaign"),
        changes={"order": numbers_of(PoolEntry), "instance_order": numbers_of(Instance)},
    ),
    Portable(Judgment, under(JUDGED)),
    Portable(JudgmentEvent, under(JUDGED)),
    Portable(Deferral, under(JUDGED)),
    Portable(PostTask, under(JUDGED)),
    Portable(Ruling, lambda campaign: Q(campaign=campaign) | Q(topic__campaign=campaign)),
    Portable(Question, under("topic__campaign")),
    Portable(RulingSeen, under(JUDGED)),
    Portable(MathProblem, under("campaign")),
    Portable(Qrels, under(IN_POOL), with_names=("options", "made_with", "verification")),
    Portable(QrelsPart, under(OF_RELEASE)),
    Portable(Evaluation, under(OF_RELEASE), changes={"means": of_runs, "not_pooled": still_there(Run)}),
    Portable(RankProfile, under("evaluation__qrels__pool__campaign")),
    Portable(ReliabilityReport, under("evaluation__qrels__pool__campaign"), with_names=("assessors",)),
    Portable(WhatIf, under("source__campaign")),
    Portable(
        AgreementReport,
        under(IN_POOL),
        changes={"influence": influence},
        with_names=("pairs", "assessors", "topics", "means", "visual"),
    ),
    Portable(SecondOpinion, under("report__pool__campaign"), with_names=("rows",)),
    Portable(Action, under("campaign"), changes={"place": place}),
    Portable(Post, shown_posts, is_large=True, html={"title": "title", "body": "body"}),
    Portable(Comment, of_shown_posts, is_large=True, html={"text": "text"}),
    Portable(PostLink, of_shown_posts, is_large=True),
    Portable(WrittenAnswer, under("topic__campaign"), is_large=True, html={"body": "body"}),
    Portable(Ranking, under("run__campaign"), is_large=True),
    Portable(MadeFile, under("run__campaign"), is_large=True),
    Portable(QrelsLine, under(OF_RELEASE), is_large=True),
    Portable(SourceLine, under("source__campaign"), is_large=True),
    Portable(Score, under("evaluation__qrels__pool__campaign"), is_large=True),
)
"""In an order in which every row comes after those that it refers to (but for rows of its own model)."""

NAMING = (Action,)
"""Rows whose texts name people: they stay behind if people have pseudonyms."""

LEFT_OUT = {
    Account: "accounts belong to an installation",
    Invitation: "people are invited again",
    Job: "the work of one installation; what it made is in the file",
}
"""The other models, and why their rows stay behind."""
