"""Threads become rows: their HTML is brought into canonical form, then posts, comments and links are stored."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import polars as pl
from django.conf import settings
from django.db import transaction

from assess.ir.collection import cleaning
from assess.models import Collection, Comment, Post, PostLink
from assess.services.common import bulk
from assess.services.jobs.job_queue import Tell

FEW = 1_000
"""So many texts are cleaned here; more are worth a process of their own."""

TOGETHER = 2_000
"""So many threads are stored in one transaction: a load that was cut short goes on after those that are there."""

LOADING = "loading threads: posts"

POST = {name: name for name in ("post_id", "kind", "thread_id", "title", "body", "score", "owner", "accepted_id")}
POST |= {"written": "created"}
COMMENT = {"comment_id": "comment_id", "text": "text", "score": "score", "owner": "owner", "written": "created"}
LINK = {"related_id": "related_id", "kind": "kind"}
"""The fields of the rows and the columns that they come from."""


class Threads(NamedTuple):
    """The rows of some threads; comments and links belong to the posts."""

    posts: pl.DataFrame
    comments: pl.DataFrame
    links: pl.DataFrame


def load(collection: Collection, threads: Threads, tell: Tell) -> None:
    """Clean and store threads, some while others are still being cleaned."""
    done, total = 0, len(threads.posts)
    tell(done, total, LOADING)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            for part in pool.map(cleaned, divided(threads)):
                store(collection, part)
                done += len(part.posts)
                tell(done, total, LOADING)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def divided(threads: Threads) -> Iterator[Threads]:
    """Parts of whole threads."""
    number = (pl.col("thread_id").rank("dense") - 1) // TOGETHER
    posts = threads.posts.with_columns(part=number.cast(pl.Int64))
    where = posts.select("post_id", "part")
    comments, links = (rows.join(where, on="post_id", maintain_order="left") for rows in threads[1:])
    for part in range(posts["part"].n_unique()):
        yield Threads(*(rows.filter(pl.col("part") == part).drop("part") for rows in (posts, comments, links)))


def cleaned(threads: Threads) -> Threads:
    """The threads with their HTML in canonical form."""
    posts, comments, links = threads
    texts = {"title": posts["title"].to_list(), "body": posts["body"].to_list(), "text": comments["text"].to_list()}
    few = len(posts) + len(comments) <= FEW
    found = cleaning.cleaned(texts) if few else cleaned_elsewhere(texts)
    shown = (pl.Series(name, found[name], pl.String) for name in ("title", "body"))
    return Threads(
        posts.with_columns(shown), comments.with_columns(text=pl.Series(found["text"], dtype=pl.String)), links
    )


def cleaned_elsewhere(texts: cleaning.Texts) -> cleaning.Texts:
    """The same by a process of its own: Python cleans on one processor, and a worker of Celery may not fork."""
    command = [sys.executable, "-m", cleaning.__name__]
    given = json.dumps(texts)
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, text=True, cwd=settings.BASE_DIR, check=True)
    found: cleaning.Texts = json.loads(done.stdout)
    return found


@transaction.atomic
def store(collection: Collection, threads: Threads) -> None:
    """Write the rows of threads, all or nothing, one job at a time: a thread that is there by now is left out."""
    Collection.objects.select_for_update().get(pk=collection.pk)
    of_these = Post.objects.filter(collection=collection, thread_id__in=threads.posts["thread_id"].unique().to_list())
    there = list(of_these.values_list("thread_id", flat=True).distinct())
    threads = without(threads, there) if there else threads
    rows = threads.posts.select("tags", *POST.values()).iter_rows()
    bulk.insert(Post, ("collection", "tags", *POST), ((collection.pk, json.dumps(tags), *row) for tags, *row in rows))
    keys = dict(of_these.exclude(thread_id__in=there).values_list("post_id", "pk"))
    for model, frame, fields in ((Comment, threads.comments, COMMENT), (PostLink, threads.links, LINK)):
        rows = frame.select("post_id", *fields.values()).iter_rows()
        bulk.insert(model, ("post", *fields), ((keys[post_id], *row) for post_id, *row in rows))


def without(threads: Threads, thread_ids: list[str]) -> Threads:
    posts = threads.posts.filter(~pl.col("thread_id").is_in(thread_ids))
    comments, links = (rows.join(posts, on="post_id", how="semi", maintain_order="left") for rows in threads[1:])
    return Threads(posts, comments, links)
