"""The threads in which a campaign's topics were asked, with the answers of that year, from a second Posts.xml and its
companions or from web pages. They are background for assessors; no judgment or result depends on them."""

import hashlib
import re
import shutil
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple

import polars as pl
from django.conf import settings
from django.db import transaction

from assess.ir.collection.html import canonical
from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import CommentRow, PostRow
from assess.ir.formats.packed import is_archive, iter_files
from assess.ir.formats.posts import LinkRow
from assess.ir.formats.table import rows_by_key
from assess.ir.formats.thread_pages import ThreadPage, read_thread_page
from assess.models import Campaign, Collection, Topic
from assess.services.collection import collections, loading, preparing
from assess.services.collection.loading import Threads
from assess.services.collection.preparing import CollectionFile, Years
from assess.services.common import parquet, workspace
from assess.services.common.errors import Refused
from assess.services.jobs.job_queue import OnProgress

KINDS = {kind: label for kind, label in collections.KINDS.items() if kind != "formulas"} | {
    "posts": "Posts.xml of the topics' year"
}
COLUMNS = ("topic_id", "post_id")
MAX_PAGE_BYTES = 10_000_000

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_SIGNS = re.compile(r"[\W_]+")


class Match(NamedTuple):
    """The ``posts`` in which matched topics were asked; for others as ``hints`` posts with the same title."""

    posts: dict[str, str]
    hints: dict[str, str]


class TopicThreads(NamedTuple):
    """The result of an import: threads, the topics they belong to, and their source files."""

    threads: Threads
    match: Match
    sources: dict[str, dict[str, str]]


def import_topic_threads(
    campaign: Campaign, uploads: list[CollectionFile], years: Years, on_progress: OnProgress
) -> Match:
    """Replace the threads of the topics by those in the files; all or nothing.

    ``uploads`` are files of a site (``KINDS``) or ``pages``, and optionally a ``table`` with a topic and its post in
    each line. A topic that the table omits belongs to the page named after it, or to the question with the same title
    and text. Answers from a site written outside ``years`` are left out.

    Raises BadInput for a file that cannot be read, Refused if no topic is found.
    """
    topics = list(campaign.topics.all())
    tables = [upload for upload in uploads if upload.kind == "table"]
    table = posts_in_table(tables[0], topics) if tables else {}
    pages = [upload for upload in uploads if upload.kind == "pages"]
    site = [upload for upload in uploads if upload.kind in KINDS]
    imported = (
        from_pages(pages, topics, table, on_progress) if pages else from_site(site, topics, table, years, on_progress)
    )
    if not imported.match.posts:
        raise Refused(
            "These files contain no question of a topic. Check the files; if titles or texts differ, add a table of "
            "topics and posts."
        )
    replace_threads(campaign, imported, loading.clean_threads(imported.threads))
    return imported.match


def posts_in_table(upload: CollectionFile, topics: list[Topic]) -> dict[str, str]:
    """The post of each topic in a table. Raises BadInput for unknown and for repeated topics."""
    known = {topic.topic_id for topic in topics}

    def wrong_topic(row: list[str]) -> str:
        return "" if row[0] in known else f"unknown topic {row[0]}; remove the line, or import the topic first"

    with upload.path.open("rb") as source:
        return dict(rows_by_key(source, upload.name, COLUMNS, 1, wrong_topic).values())


def from_site(
    uploads: list[CollectionFile], topics: list[Topic], table: dict[str, str], years: Years, on_progress: OnProgress
) -> TopicThreads:
    """The threads of the topics in a site's files; the rest, perhaps gigabytes, is not kept."""
    temporary = workspace.new_path()
    folders = {kind: temporary / kind for kind in ("posts", "comments", "links", "formulas")}
    try:
        prepared = preparing.write_columns(uploads, folders, folders, years, on_progress)
        parts = parquet.parts(folders["posts"], ["kind", "post_id", "title", "body"])
        questions = (part.filter(kind="question").select("post_id", "title", "body") for part in parts)
        rows = (row for part in questions for row in part.iter_rows())
        match = match_topics(topics, (SourceQuestion(*row) for row in rows), table)
        threads = loading.read_threads(folders, match.posts.values())
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    sources = {file.kind: {"name": file.name, "sha256": prepared.digests[file.kind]} for file in uploads}
    return TopicThreads(threads, match, sources)


class SourceQuestion(NamedTuple):
    """A question in a file. ``topic_id`` is the name of a page."""

    post_id: str
    title: str
    body: str
    topic_id: str = ""


def match_topics(topics: list[Topic], questions: Iterable[SourceQuestion], table: dict[str, str]) -> Match:
    """The question of each topic: the one that the table names, a page named after the topic, or the first question
    with the same title and text. Raises BadInput if the table names a post that is not a question here."""
    by_title = defaultdict[str, list[Topic]](list)
    for topic in topics:
        by_title[comparable(topic.title)].append(topic)
    bodies = {topic.topic_id: comparable(topic.body) for topic in topics}
    named, present, posts = set(table.values()), set[str](), dict[str, str]()
    similar = list[tuple[str, str]]()
    for question in questions:
        present |= {question.post_id} & named
        if question.topic_id in bodies:
            posts[question.topic_id] = question.post_id
        for topic in by_title.get(comparable(question.title), ()):
            if comparable(canonical(question.body)) == bodies[topic.topic_id]:
                posts.setdefault(topic.topic_id, question.post_id)
            else:
                similar.append((topic.topic_id, question.post_id))
    problems = Problems("table")
    for topic_id, post_id in table.items():
        if post_id not in present:
            problems.add(0, f"topic {topic_id}: there is no question {post_id} in the files; correct its post_id")
    problems.check()
    posts |= table
    taken = set(posts.values())
    return Match(posts, {topic: post for topic, post in similar if topic not in posts and post not in taken})


def comparable(html: str) -> str:
    """The letters and digits of a text, in lower case. Editions delimit, space and mark up formulas differently."""
    return _SIGNS.sub("", unescape(_TAG.sub("", html))).casefold()


def from_pages(
    uploads: list[CollectionFile], topics: list[Topic], table: dict[str, str], on_progress: OnProgress
) -> TopicThreads:
    """The threads of the pages of topics. Raises BadInput for a page without a thread, and for repeated posts."""
    pages: list[tuple[str, ThreadPage]] = []
    sources = {}
    for done, upload in enumerate(uploads):
        on_progress(done, len(uploads), f"reading {upload.name}")
        with upload.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            pages += pages_of(file, upload.name)
        sources[upload.name] = {"name": upload.name, "sha256": digest}
    questions = ((path, page.question) for path, page in pages)
    named = (SourceQuestion(post.post_id, post.title, post.body, PurePath(path).stem) for path, post in questions)
    match = match_topics(topics, named, table)
    post_ids = set(match.posts.values())
    matching = [page for _, page in pages if page.question.post_id in post_ids]
    problems = Problems("pages")
    for post_id, count in Counter(post.post_id for page in matching for post in page.posts).items():
        if count > 1:
            problems.add(0, f"post {post_id} is on {count} pages; remove all but one of them")
    problems.check()
    threads = Threads(
        to_frame([row for page in matching for row in page.posts], PostRow),
        to_frame([row for page in matching for row in page.comments], CommentRow),
        to_frame([row for page in matching for row in page.links], LinkRow),
    )
    return TopicThreads(threads, match, sources)


def pages_of(file: BinaryIO, name: str) -> Iterator[tuple[str, ThreadPage]]:
    """Each page with its file name; from an archive only .html and .htm files, as the labs add pictures."""
    if not is_archive(name):
        yield name, read_thread_page(file.read(), name)
        return
    for path, data in iter_files(file, name, MAX_PAGE_BYTES, settings.UNPACK_LIMIT):
        if path.lower().endswith((".html", ".htm")):
            if len(data) > MAX_PAGE_BYTES:
                raise refuse(path, f"larger than {MAX_PAGE_BYTES // 1_000_000} MB; is this a thread?")
            yield path, read_thread_page(data, path)


def to_frame(rows: list[Any], row_type: type[Any]) -> pl.DataFrame:
    empty = pl.DataFrame(schema=parquet.schema(row_type))
    return pl.concat([empty, *parquet.frames(rows, row_type)])


@transaction.atomic
def replace_threads(campaign: Campaign, imported: TopicThreads, threads: Threads) -> None:
    """Store the threads in place of the previous ones, which are deleted."""
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    posts = imported.match.posts
    collection = Collection.objects.create(
        name=f"Topic threads of {campaign.slug}, {uuid.uuid4().hex[:8]}",
        sources=imported.sources,
        counts={"topics": len(posts), "posts": len(threads.posts), "comments": len(threads.comments)},
        notes=[
            f"{topic_id}: question {post_id} has the same title but a different text; to use it, add it to a table"
            for topic_id, post_id in sorted(imported.match.hints.items())
        ],
    )
    loading.store_threads(collection, threads)
    old, campaign.topic_threads = campaign.topic_threads, collection
    campaign.save(update_fields=["topic_threads"])
    topics = list(campaign.topics.all())
    for topic in topics:
        topic.thread_id = posts.get(topic.topic_id, "")
    Topic.objects.bulk_update(topics, ["thread_id"])
    if old:
        delete_unused(old)


def delete_unused(threads: Collection) -> bool:
    """Delete threads of topics unless a campaign uses them, as in 0.1.0 several could; whether they were deleted."""
    if threads.campaigns_of_threads.exists():
        return False
    threads.delete()
    return True
