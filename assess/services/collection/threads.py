"""Threads: loaded into the database, with canonical HTML; which of them a member may open, and what they contain."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import polars as pl
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from assess.ir.collection import html
from assess.ir.common.rows import CommentRow, PostRow
from assess.ir.formats.posts import LinkRow
from assess.models import Campaign, Collection, Comment, Instance, Member, OnProgress, Post, PostLink, Topic
from assess.services.common import bulk, parquet

FEW = 1_000
"""Up to this many texts are cleaned in this process; more are worth a separate one."""

BATCH = 2_000
"""Threads stored in one transaction. An interrupted load continues after those already stored."""

SAME = "post_id", "kind", "thread_id", "title", "body", "score", "owner", "accepted_id", "url", "language"
POST = {name: name for name in SAME} | {"written": "created"}
COMMENT = {"comment_id": "comment_id", "text": "text", "score": "score", "owner": "owner", "written": "created"}
LINK = {"related_id": "related_id", "kind": "kind"}
"""Database fields and the columns they come from."""


class Threads(NamedTuple):
    """The posts of some threads with their comments and links."""

    posts: pl.DataFrame
    comments: pl.DataFrame
    links: pl.DataFrame


def read_threads(folders: Mapping[str, Path], thread_ids: Iterable[str]) -> Threads:
    posts = parquet.frame(folders["posts"], "thread_id", thread_ids, parquet.schema(PostRow))
    comments = parquet.frame(folders["comments"], "post_id", posts["post_id"], parquet.schema(CommentRow))
    links = parquet.frame(folders["links"], "post_id", posts["post_id"], parquet.schema(LinkRow))
    return Threads(posts, comments, links)


def clean_and_store(collection: Collection, threads: Threads, on_progress: OnProgress, doing: str) -> None:
    """Clean and store threads, storing one batch while others are being cleaned."""
    done, total = 0, len(threads.posts)
    on_progress(done, total, doing)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            for batch in pool.map(clean_threads, batches_of_threads(threads)):
                store_threads(collection, batch)
                done += len(batch.posts)
                on_progress(done, total, doing)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def batches_of_threads(threads: Threads) -> Iterator[Threads]:
    """Whole threads, ``BATCH`` at a time."""
    number = (pl.col("thread_id").rank("dense") - 1) // BATCH
    posts = threads.posts.with_columns(batch=number.cast(pl.Int64))
    numbers = posts.select("post_id", "batch")
    comments, links = (rows.join(numbers, on="post_id", maintain_order="left") for rows in threads[1:])
    for batch in range(posts["batch"].n_unique()):
        yield Threads(*(rows.filter(pl.col("batch") == batch).drop("batch") for rows in (posts, comments, links)))


def clean_threads(threads: Threads) -> Threads:
    posts, comments, links = threads
    texts = {"title": posts["title"].to_list(), "body": posts["body"].to_list(), "text": comments["text"].to_list()}
    is_few = len(posts) + len(comments) <= FEW
    clean = html.cleaned(texts) if is_few else clean_in_process(texts)
    columns = {name: pl.Series(name, values, pl.String) for name, values in clean.items()}
    return Threads(posts.with_columns(columns["title"], columns["body"]), comments.with_columns(columns["text"]), links)


def clean_in_process(texts: html.Texts) -> html.Texts:
    """The texts cleaned in a separate process: one Python process uses one core, and a Celery worker may not fork."""
    command, data = [sys.executable, "-m", html.__name__], json.dumps(texts)
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE, text=True, cwd=settings.BASE_DIR, check=True)
    result: html.Texts = json.loads(done.stdout)
    return result


@transaction.atomic
def store_threads(collection: Collection, threads: Threads) -> None:
    """Store threads, all or nothing, one job at a time; threads stored meanwhile are skipped."""
    Collection.objects.select_for_update().get(pk=collection.pk)
    posts = Post.objects.filter(collection=collection, thread_id__in=threads.posts["thread_id"].unique().to_list())
    stored = list(posts.values_list("thread_id", flat=True).distinct())
    if stored:
        new = threads.posts.filter(~pl.col("thread_id").is_in(stored))
        rest = (rows.join(new, on="post_id", how="semi", maintain_order="left") for rows in threads[1:])
        threads = Threads(new, *rest)
    rows = threads.posts.select("tags", *POST.values()).iter_rows()
    bulk.insert(Post, ("collection", "tags", *POST), ((collection.pk, json.dumps(tags), *row) for tags, *row in rows))
    keys = dict(posts.exclude(thread_id__in=stored).values_list("post_id", "pk"))
    for model, frame, fields in ((Comment, threads.comments, COMMENT), (PostLink, threads.links, LINK)):
        rows = frame.select("post_id", *fields.values()).iter_rows()
        bulk.insert(model, ("post", *fields), ((keys[post_id], *row) for post_id, *row in rows))


class Neighbour(NamedTuple):
    """Another question that a thread links to; ``title`` is empty if its thread is not stored."""

    link: PostLink
    title: str
    is_open: bool


class Thread(NamedTuple):
    """A question (None if the collection lacks it) with its answers by score and its links."""

    question: Post | None
    answers: list[Post]
    neighbours: list[Neighbour]


def find_thread(campaign: Campaign, role: str, thread_id: str) -> Thread | None:
    """A thread, if it is stored and a member in this role may open it. At most six queries, whatever its length."""
    return assemble_thread(campaign, role, stored_posts(campaign.collection, thread_id), thread_id)


def thread_of_topic(topic: Topic, role: str) -> Thread | None:
    """The thread in which a topic was asked, if it was imported. It may link to threads of the collection."""
    posts = stored_posts(topic.campaign.topic_threads, topic.thread_id) if topic.thread_id else []
    return assemble_thread(topic.campaign, role, posts)


def assemble_thread(campaign: Campaign, role: str, posts: list[Post], thread_id: str = "") -> Thread | None:
    """The thread of these posts; None if there are none, or if the member may not open a thread of this id."""
    if not posts:
        return None
    question = next((post for post in posts if post.kind == Post.Kind.QUESTION), None)
    links = list(question.links.all()) if question else []
    related = [link.related_id for link in links]
    open_ids = open_threads(campaign, role, {thread_id, *related})
    if thread_id and thread_id not in open_ids:
        return None
    questions = Post.objects.filter(collection=campaign.collection, kind=Post.Kind.QUESTION, post_id__in=related)
    titles = dict(questions.values_list("post_id", "title"))
    open_ids &= titles.keys()
    neighbours = [Neighbour(link, titles.get(link.related_id, ""), link.related_id in open_ids) for link in links]
    return Thread(question, [post for post in posts if post.kind == Post.Kind.ANSWER], neighbours)


def stored_posts(collection: Collection | None, thread_id: str) -> list[Post]:
    """The posts of a thread, the highest score first, then the oldest."""
    posts = Post.objects.filter(collection=collection, thread_id=thread_id).prefetch_related("comments", "links")
    return sorted(posts, key=lambda post: (-(post.score or 0), post.post_id.zfill(20)))


def open_threads(campaign: Campaign, role: str, thread_ids: set[str]) -> set[str]:
    """The threads that a member may open: organizers all of them; others those that contain a document of a frozen pool
    of the campaign, and those that such a thread links to. Two queries."""
    if role == Member.Role.ORGANIZER:
        return thread_ids
    links = PostLink.objects.filter(post__collection=campaign.collection, related_id__in=thread_ids)
    pairs = set(links.values_list("post__thread_id", "related_id"))
    pooled = threads_with_pooled(campaign, {*thread_ids, *(source for source, _ in pairs)})
    return (pooled & thread_ids) | {target for source, target in pairs if source in pooled}


def open_posts(campaign: Campaign, role: str, post_ids: set[str]) -> dict[str, str]:
    """The posts whose thread is stored and may be opened by a member, with the thread. Three queries."""
    if not post_ids:
        return {}
    posts = Post.objects.filter(collection=campaign.collection_id, post_id__in=post_ids)
    threads = dict(posts.values_list("post_id", "thread_id"))
    open_ids = open_threads(campaign, role, set(threads.values())) if threads else set()
    return {post: thread for post, thread in threads.items() if thread in open_ids}


def threads_with_pooled(campaign: Campaign, thread_ids: set[str]) -> set[str]:
    """The threads that contain a document of a frozen pool of the campaign."""
    pooled = Instance.objects.filter(
        post_id=OuterRef("post_id"), entry__pool__campaign=campaign, entry__pool__frozen__isnull=False
    )
    posts = Post.objects.filter(collection=campaign.collection, thread_id__in=thread_ids)
    return set(posts.filter(Exists(pooled)).values_list("thread_id", flat=True))
