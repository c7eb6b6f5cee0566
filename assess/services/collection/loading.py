"""Loading threads into the database: their HTML is made canonical, then posts, comments and links are stored."""

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

from assess.ir.collection import html
from assess.ir.common.rows import CommentRow, PostRow
from assess.ir.formats.posts import LinkRow
from assess.models import Collection, Comment, OnProgress, Post, PostLink
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
        threads = Threads(
            new, *(rows.join(new, on="post_id", how="semi", maintain_order="left") for rows in threads[1:])
        )
    rows = threads.posts.select("tags", *POST.values()).iter_rows()
    bulk.insert(Post, ("collection", "tags", *POST), ((collection.pk, json.dumps(tags), *row) for tags, *row in rows))
    keys = dict(posts.exclude(thread_id__in=stored).values_list("post_id", "pk"))
    for model, frame, fields in ((Comment, threads.comments, COMMENT), (PostLink, threads.links, LINK)):
        rows = frame.select("post_id", *fields.values()).iter_rows()
        bulk.insert(model, ("post", *fields), ((keys[post_id], *row) for post_id, *row in rows))
