"""Threads become rows: their HTML is brought into canonical form, then posts, comments and links are stored."""

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import polars as pl
from django.conf import settings
from django.db import transaction

from assess.ir import cleaning
from assess.ir.formats.posts import PostLink as LinkRow
from assess.ir.rows import CommentRow, PostRow
from assess.models import Collection, Comment, Post, PostLink
from assess.services.jobs import Tell

FEW = 1_000
"""So many rows are cleaned here; more are worth processes of their own."""

PART = 5_000
BATCH = 5_000


def cleaned(frames: list[pl.DataFrame], tell: Tell) -> list[pl.DataFrame]:
    """The frames with their HTML in canonical form."""
    total = sum(map(len, frames))
    if total <= FEW:
        return [cleaning.cleaned(frame) for frame in frames]
    parts = [(number, part) for number, frame in enumerate(frames) for part in frame.iter_slices(PART)]
    found: list[list[pl.DataFrame]] = [[frame.clear()] for frame in frames]
    done = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            for number, part in pool.map(cleaned_elsewhere, parts):
                found[number].append(part)
                done += len(part)
                tell(done, total, "cleaning the HTML of posts and comments")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [pl.concat(one) for one in found]


def cleaned_elsewhere(part: tuple[int, pl.DataFrame]) -> tuple[int, pl.DataFrame]:
    """A part of a frame, cleaned by a process of its own: a worker of Celery may not fork."""
    number, frame = part
    given = io.BytesIO()
    frame.write_ipc(given)
    command = [sys.executable, "-m", cleaning.__name__]
    done = subprocess.run(command, input=given.getbuffer(), stdout=subprocess.PIPE, cwd=settings.BASE_DIR, check=True)
    return number, pl.read_ipc(done.stdout)


@transaction.atomic
def store(collection: Collection, posts: pl.DataFrame, comments: pl.DataFrame, links: pl.DataFrame) -> None:
    """Write the rows; those of ``comments`` and ``links`` belong to ``posts``."""
    for part in posts.iter_slices(BATCH):
        Post.objects.bulk_create([as_post(collection, PostRow._make(row)) for row in part.iter_rows()])
    keys = dict(Post.objects.filter(collection=collection).values_list("post_id", "pk"))
    for part in comments.iter_slices(BATCH):
        Comment.objects.bulk_create([as_comment(keys, CommentRow._make(row)) for row in part.iter_rows()])
    rows = map(LinkRow._make, links.iter_rows())
    made = [PostLink(post_id=keys[row.post_id], related_id=row.related_id, kind=row.kind) for row in rows]
    PostLink.objects.bulk_create(made, batch_size=BATCH)


def as_post(collection: Collection, row: PostRow) -> Post:
    return Post(
        collection=collection,
        post_id=row.post_id,
        kind=row.kind,
        thread_id=row.thread_id,
        title=row.title,
        body=row.body,
        tags=list(row.tags),
        score=row.score,
        written=row.created,
        owner=row.owner,
        accepted_id=row.accepted_id,
    )


def as_comment(posts: Mapping[str, int], row: CommentRow) -> Comment:
    return Comment(
        post_id=posts[row.post_id],
        comment_id=row.comment_id,
        text=row.text,
        score=row.score,
        written=row.created,
        owner=row.owner,
    )
