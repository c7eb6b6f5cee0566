"""The threads in which a campaign's topics were asked, with the answers of that year, from a second Posts.xml and its
companions or from web pages. They are background for assessors; no judgment or result depends on them."""

import hashlib
import re
import shutil
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import PurePath
from typing import BinaryIO, NamedTuple

import polars as pl
from django.conf import settings
from django.db import transaction

from assess.ir.collection.html import canonical
from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import CommentRow, PostRow, grouped
from assess.ir.formats.packed import is_archive, iter_files
from assess.ir.formats.posts import LinkRow
from assess.ir.formats.thread_pages import ThreadPage, read_thread_page
from assess.models import Campaign, Collection, OnProgress, Topic
from assess.services.collection import collections, preparing
from assess.services.collection.preparing import CollectionFile, Years
from assess.services.collection.threads import Threads, clean_threads, read_threads, store_threads
from assess.services.common import parquet, workspace
from assess.services.common.errors import Refused
from assess.services.common.wording import listed

KINDS = {kind: label for kind, label in collections.KINDS.items() if kind != "formulas"} | {
    "posts": "Posts.xml of the topics' year"
}
MAX_PAGE_BYTES = 10_000_000

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_SIGNS = re.compile(r"[\W_]+")


class TopicThreads(NamedTuple):
    """The result of an import: threads, the question of each topic that has one, and the source files."""

    threads: Threads
    questions: dict[str, str]
    sources: dict[str, dict[str, str]]


def import_topic_threads(
    campaign: Campaign, uploads: list[CollectionFile], years: Years, on_progress: OnProgress
) -> int:
    """Replace the threads of the topics by those in the files, all or nothing; returns how many topics have one.

    ``uploads`` are files of a site (``KINDS``) or ``pages``. A topic belongs to the page named after it, or to the
    question with the same title and text. Answers from a site written outside ``years`` are left out.

    Raises BadInput for a file that cannot be read, Refused if no topic is found, or for a file of another kind, which
    an earlier version took.
    """
    if others := [upload.name for upload in uploads if upload.kind not in (*KINDS, "pages")]:
        raise Refused(f"{listed(others)}: tables of topics are no longer read. Start a new import without them.")
    topics = list(campaign.topics.all())
    pages = [upload for upload in uploads if upload.kind == "pages"]
    site = [upload for upload in uploads if upload.kind in KINDS]
    imported = from_pages(pages, topics, on_progress) if pages else from_site(site, topics, years, on_progress)
    if not imported.questions:
        raise Refused(
            "These files contain no question of a topic. Check the files; if titles or texts differ, import pages of "
            "the threads with the topics in their names, such as A.301.html."
        )
    replace_threads(campaign, imported, clean_threads(imported.threads))
    return len(imported.questions)


def from_site(
    uploads: list[CollectionFile], topics: list[Topic], years: Years, on_progress: OnProgress
) -> TopicThreads:
    """The threads of the topics in a site's files; the rest, perhaps gigabytes, is not kept."""
    temporary = workspace.new_path()
    folders = {kind: temporary / kind for kind in ("posts", "comments", "links", "formulas")}
    try:
        prepared = preparing.write_columns(uploads, folders, folders, years, on_progress)
        parts = parquet.parts(folders["posts"], ["kind", "post_id", "title", "body"])
        questions = (part.filter(kind="question").select("post_id", "title", "body", page=pl.lit("")) for part in parts)
        matched = match_topics(topics, (row for part in questions for row in part.iter_rows()))
        threads = read_threads(folders, matched.values())
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return TopicThreads(threads, matched, prepared.sources)


def match_topics(topics: list[Topic], questions: Iterable[tuple[str, str, str, str]]) -> dict[str, str]:
    """The question of each topic, of questions with id, title, body and the name of their page: on a page named after
    the topic, or the first one with the same title and text."""
    by_title = grouped((comparable(topic.title), topic) for topic in topics)
    bodies = {topic.topic_id: comparable(topic.body) for topic in topics}
    posts: dict[str, str] = {}
    for post_id, title, body, page in questions:
        if page in bodies:
            posts[page] = post_id
        for topic in by_title.get(comparable(title), ()):
            if comparable(canonical(body)) == bodies[topic.topic_id]:
                posts.setdefault(topic.topic_id, post_id)
    return posts


def comparable(html: str) -> str:
    """The letters and digits of a text, in lower case. Editions delimit, space and mark up formulas differently."""
    return _SIGNS.sub("", unescape(_TAG.sub("", html))).casefold()


def from_pages(uploads: list[CollectionFile], topics: list[Topic], on_progress: OnProgress) -> TopicThreads:
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
    questions = ((PurePath(path).stem, page.question) for path, page in pages)
    matched = match_topics(topics, ((post.post_id, post.title, post.body, stem) for stem, post in questions))
    matching = [page for _, page in pages if page.question.post_id in matched.values()]
    problems = Problems("pages")
    for post_id, count in Counter(post.post_id for page in matching for post in page.posts).items():
        if count > 1:
            problems.add(0, f"post {post_id} is on {count} pages; remove all but one of them")
    problems.check()
    threads = Threads(
        pl.DataFrame([row for page in matching for row in page.posts], parquet.schema(PostRow), orient="row"),
        pl.DataFrame([row for page in matching for row in page.comments], parquet.schema(CommentRow), orient="row"),
        pl.DataFrame([row for page in matching for row in page.links], parquet.schema(LinkRow), orient="row"),
    )
    return TopicThreads(threads, matched, sources)


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


@transaction.atomic
def replace_threads(campaign: Campaign, imported: TopicThreads, threads: Threads) -> None:
    """Store the threads in place of the previous ones, which are deleted."""
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    collection = Collection.objects.create(
        name=f"Topic threads of {campaign.slug}, {uuid.uuid4().hex[:8]}",
        sources=imported.sources,
        counts={"topics": len(imported.questions), "posts": len(threads.posts), "comments": len(threads.comments)},
    )
    store_threads(collection, threads)
    old, campaign.topic_threads = campaign.topic_threads, collection
    campaign.save(update_fields=["topic_threads"])
    topics = list(campaign.topics.all())
    for topic in topics:
        topic.thread_id = imported.questions.get(topic.topic_id, "")
    Topic.objects.bulk_update(topics, ["thread_id"])
    if old:
        delete_unused(old)


def delete_unused(threads: Collection) -> bool:
    """Delete threads of topics unless a campaign uses them, as in 0.1.0 several could; whether they were deleted."""
    if threads.campaigns_of_threads.exists():
        return False
    threads.delete()
    return True
