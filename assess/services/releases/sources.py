"""Hashes of what a release is made from beside its judgments: the pool, the threads of its posts, the runs. None of it
changes later: what an extension adds has a higher version, and what can be renamed is left out."""

import json
import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import QuerySet
from polars.exceptions import PolarsError

from assess.ir.formats.run_columns import write_run
from assess.models import Comment, Instance, Pool, Post, Run, Topic
from assess.services.pool import content
from assess.services.runs import runs

CHUNK = 1_000
ENTRY = (
    *("entry__topic__topic_id", "entry__unit_id", "entry__version", "doc_id", "kind", "post_id", "votes", "runs"),
    *("content_hash", "version"),
)
TOPIC = ("topic_id", "title", "body", "tags", "formula_id", "latex")
POST = ("post_id", "kind", "thread_id", "title", "body", "tags", "accepted_id")
COMMENT = ("post__post_id", "comment_id", "text")


def hash_of(texts: Iterable[str]) -> str:
    """The SHA-256 of texts one after the other."""
    whole = sha256()
    for text in texts:
        whole.update(text.encode())
    return whole.hexdigest()


def as_line(row: Any) -> str:
    """A row as JSON, which no value can be mistaken for a separator of."""
    return json.dumps(row, ensure_ascii=False, sort_keys=True, default=str) + "\n"


def instances_of(pool: Pool, version: int) -> QuerySet[Instance]:
    return Instance.objects.filter(entry__pool=pool, version__lte=version)


def hash_sources(pool: Pool, version: int, records: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The hashes of a version of the pool, of the threads that its assessors could open, and of the ranking of each of
    its runs by the SHA-256 of the run's file. ``records``: the runs as the pool records them."""
    return {
        "pool": hash_of(pool_lines(pool, version)),
        "threads": hash_of(thread_lines(pool, version)),
        "runs": dict(hash_rankings(pool, [record["sha256"] for record in records])),
    }


def pool_lines(pool: Pool, version: int) -> Iterator[str]:
    instances = instances_of(pool, version)
    topics = Topic.objects.filter(pk__in=instances.order_by().values("entry__topic")).order_by("pk")
    for rows in (topics.values_list(*TOPIC), instances.order_by("pk").values_list(*ENTRY)):
        yield from map(as_line, rows.iterator(CHUNK))


def thread_lines(pool: Pool, version: int) -> Iterator[str]:
    posts = Post.objects.filter(collection=pool.campaign.collection_id)
    pooled = instances_of(pool, version).exclude(post_id="").order_by().values("post_id")
    threads = posts.filter(post_id__in=pooled).values("thread_id")
    shown = posts.filter(thread_id__in=threads)
    comments = Comment.objects.filter(post__in=shown.values("pk"))
    yield from map(as_line, shown.order_by("post_id").values_list(*POST).iterator(CHUNK))
    yield from map(as_line, comments.order_by("pk").values_list(*COMMENT).iterator(CHUNK))


def hash_rankings(pool: Pool, files: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The SHA-256 of each run's file, and of its ranking with the role in the pool; empty if it can't be read. Of a run
    that was made here also its file has to be the same: there is no other copy. Units can change. One ranking at a time
    is in memory."""
    keys = dict(pool.campaign.runs.values_list("sha256", "pk"))
    for file in files:
        try:
            run = Run.objects.select_related("ranking").get(pk=keys.get(file, 0))
            made = runs.text_of_made_run(run)
            ranking = write_run(runs.load_ranking(run), "trec", run.sha256)
            yield file, hash_of([as_line([run.format, run.order, run.pool_role]), ranking, made or ""])
        except (ObjectDoesNotExist, OSError, zlib.error, PolarsError):
            yield file, ""


def changed_texts(pool: Pool, version: int) -> Iterator[str]:
    """The documents whose text is not the one that was sealed when the pool was frozen, in words. A topic's own text is
    sealed with each of its documents."""
    instances = instances_of(pool, version).select_related("entry__topic").order_by("entry__topic", "pk")
    for topic, group in groupby(instances.iterator(CHUNK), attrgetter("entry.topic")):
        cards = list(content.cards_of(pool.campaign, topic, list(group)))
        changed = [card.instance for card in cards if card.content_hash != card.instance.content_hash]
        if 1 < len(cards) == len(changed):
            yield f"topic {topic} itself, or all of its {len(cards)} documents"
        else:
            yield from (f"{topic} {instance}" for instance in changed)
