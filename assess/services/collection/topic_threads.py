"""The threads in which a campaign's topics were asked, with the answers of their year: from a second Posts.xml and
its companions, or from web pages. They are background for assessors; no judgment and no number depends on them."""

import hashlib
import re
import shutil
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path, PurePath
from typing import Any, BinaryIO, NamedTuple

import polars as pl
from django.db import transaction

from assess.ir.collection.html import canonical
from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import CommentRow, PostRow
from assess.ir.formats.archive import is_archive, iter_files
from assess.ir.formats.posts import LinkRow
from assess.ir.formats.table import read_table, wrong_count
from assess.ir.formats.thread_pages import ThreadPage, read_thread_page
from assess.models import Campaign, Collection, Topic
from assess.services.collection import loading, preparing
from assess.services.collection.loading import Threads
from assess.services.collection.preparing import SourceFile, Years
from assess.services.common import parquet, workspace
from assess.services.common.errors import Refused
from assess.services.jobs.job_queue import Tell

KINDS = {
    "posts": "Posts.xml of the topics' year",
    "comments": "Comments.xml",
    "links": "PostLinks.xml",
    "users": "Users.xml",
    "votes": "Votes.xml",
}
COLUMNS = ("topic_id", "post_id")
MAX_PAGE_BYTES = 10_000_000

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_SIGNS = re.compile(r"[\W_]+")


class Match(NamedTuple):
    """For each topic that was found the post in which it was asked; for those that only nearly were, a hint."""

    places: dict[str, str]
    hints: dict[str, str]


class Found(NamedTuple):
    """What came of an import: threads, the topics they belong to, and where they are from."""

    threads: Threads
    match: Match
    sources: dict[str, dict[str, str]]


def import_files(campaign: Campaign, uploads: list[SourceFile], years: Years, tell: Tell) -> Match:
    """Read the threads of the topics and put them in the place of those that were there; all or nothing.

    ``uploads`` are files of a site (``KINDS``) or ``pages``, and perhaps a ``table`` that names a topic and its post
    in each line. Without one, a page belongs to the topic that its file is named after, any other question to the
    topic of the same title and text. Answers of a site written outside ``years`` are left out.

    Raises BadInput for a file that cannot be read, Refused where no topic is found.
    """
    topics = list(campaign.topics.all())
    table = named_in([one for one in uploads if one.kind == "table"], topics)
    pages = [one for one in uploads if one.kind == "pages"]
    site = [one for one in uploads if one.kind in KINDS]
    found = from_pages(pages, topics, table, tell) if pages else from_site(site, topics, table, years, tell)
    if not found.match.places:
        raise Refused(
            "No question of these files is one of the topics. Check the files; where titles or texts differ, add a "
            "table of topics and posts."
        )
    replace(campaign, found, loading.cleaned(found.threads))
    return found.match


def named_in(uploads: list[SourceFile], topics: list[Topic]) -> dict[str, str]:
    """The post of each topic that a table names. Raises BadInput for other topics and for a topic that comes twice."""
    known, found = {topic.topic_id for topic in topics}, dict[str, str]()
    for upload in uploads:
        problems = Problems(upload.name)
        with upload.path.open("rb") as source:
            rows = list(read_table(source, upload.name).rows())
        for line, row in rows[1:] if tuple(rows[0][1]) == COLUMNS else rows:
            if reason := wrong_count(row, COLUMNS) or unusable(row[0], known, found):
                problems.add(line, reason)
            else:
                found[row[0]] = row[1]
        problems.check()
    return found


def unusable(topic_id: str, known: set[str], found: dict[str, str]) -> str:
    if topic_id not in known:
        return f"unknown topic {topic_id}; leave the line out, or import the topic first"
    return f"topic {topic_id} comes twice; keep one of the lines" if topic_id in found else ""


def from_site(uploads: list[SourceFile], topics: list[Topic], table: dict[str, str], years: Years, tell: Tell) -> Found:
    """Of a site's files the threads of the topics; the rest, which may be gigabytes, is read and let go."""
    place = workspace.new_path()
    folders = {kind: place / kind for kind in ("posts", "comments", "links", "formulas")}
    try:
        made = preparing.prepare(uploads, folders, folders, years, tell)
        match = matched(topics, questions_in(folders["posts"]), table)
        posts = parquet.frame(folders["posts"], "thread_id", match.places.values(), parquet.schema(PostRow))
        comments = parquet.frame(folders["comments"], "post_id", posts["post_id"], parquet.schema(CommentRow))
        links = parquet.frame(folders["links"], "post_id", posts["post_id"], parquet.schema(LinkRow))
    finally:
        shutil.rmtree(place, ignore_errors=True)
    sources = {one.kind: {"name": one.name, "sha256": made.digests[one.kind]} for one in uploads}
    return Found(Threads(posts, comments, links), match, sources)


class Question(NamedTuple):
    """A question as a file has it. ``topic_id`` is what a page's name says."""

    post_id: str
    title: str
    body: str
    topic_id: str = ""


def questions_in(folder: Path) -> Iterator[Question]:
    for part in parquet.parts(folder, ["kind", "post_id", "title", "body"]):
        rows = part.filter(pl.col("kind") == "question").select("post_id", "title", "body")
        yield from map(Question._make, ((*row, "") for row in rows.iter_rows()))


def matched(topics: list[Topic], questions: Iterable[Question], table: dict[str, str]) -> Match:
    """The first question that is the topic: named by the table, by the page's name, or with the same title and text.
    Raises BadInput where the table names a post that is no question here."""
    by_title = defaultdict[str, list[Topic]](list)
    for topic in topics:
        by_title[letters(topic.title)].append(topic)
    ids, bodies = {topic.topic_id for topic in topics}, {topic.topic_id: letters(topic.body) for topic in topics}
    wanted, asked, places = set(table.values()), set[str](), dict[str, str]()
    alike = list[tuple[str, str]]()
    for question in questions:
        asked |= {question.post_id} & wanted
        if question.topic_id in ids:
            places[question.topic_id] = question.post_id
        for topic in by_title.get(letters(question.title), ()):
            if letters(canonical(question.body)) == bodies[topic.topic_id]:
                places.setdefault(topic.topic_id, question.post_id)
            else:
                alike.append((topic.topic_id, question.post_id))
    problems = Problems("table")
    for topic_id, post_id in table.items():
        if post_id not in asked:
            problems.add(0, f"topic {topic_id}: there is no question {post_id} in the files; correct its post_id")
    problems.check()
    places |= table
    taken = set(places.values())
    return Match(places, {topic: post for topic, post in alike if topic not in places and post not in taken})


def letters(html: str) -> str:
    """What makes two texts the same: letters and figures, in lower case. Editions differ in how they delimit and space
    formulas, and in marks around them."""
    return _SIGNS.sub("", unescape(_TAG.sub("", html))).casefold()


def from_pages(uploads: list[SourceFile], topics: list[Topic], table: dict[str, str], tell: Tell) -> Found:
    """The threads of those pages that belong to a topic. Raises BadInput for a page without a thread, and where two
    pages hold the same post."""
    pages: list[tuple[str, ThreadPage]] = []
    sources = {}
    for number, upload in enumerate(uploads):
        tell(number, len(uploads), f"reading {upload.name}")
        with upload.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            pages += pages_of(file, upload.name)
        sources[upload.name] = {"name": upload.name, "sha256": digest}
    match = matched(topics, (as_question(*page) for page in pages), table)
    asked = set(match.places.values())
    taken = [page for _, page in pages if page.question.post_id in asked]
    check_once(post.post_id for page in taken for post in page.posts)
    threads = Threads(
        in_columns([row for page in taken for row in page.posts], PostRow),
        in_columns([row for page in taken for row in page.comments], CommentRow),
        in_columns([row for page in taken for row in page.links], LinkRow),
    )
    return Found(threads, match, sources)


def pages_of(file: BinaryIO, name: str) -> Iterator[tuple[str, ThreadPage]]:
    """Each page with its file's name; of an archive what ends in .html or .htm, for the labs put pictures beside."""
    if not is_archive(name):
        yield name, read_thread_page(file.read(), name)
        return
    for path, data in iter_files(file, name, MAX_PAGE_BYTES):
        if path.lower().endswith((".html", ".htm")):
            if len(data) > MAX_PAGE_BYTES:
                raise refuse(path, f"larger than {MAX_PAGE_BYTES // 1_000_000} MB; is this a thread?")
            yield path, read_thread_page(data, path)


def as_question(path: str, page: ThreadPage) -> Question:
    question = page.question
    return Question(question.post_id, question.title, question.body, PurePath(path).stem)


def check_once(post_ids: Iterable[str]) -> None:
    problems = Problems("pages")
    for post_id, count in Counter(post_ids).items():
        if count > 1:
            problems.add(0, f"post {post_id} is there {count} times; leave out the pages that repeat it")
    problems.check()


def in_columns(rows: list[Any], row_type: type[Any]) -> pl.DataFrame:
    empty = pl.DataFrame(schema=parquet.schema(row_type))
    return pl.concat([empty, *parquet.frames(rows, row_type)])


@transaction.atomic
def replace(campaign: Campaign, found: Found, threads: Threads) -> None:
    """Store the threads; those that were there before give way to them."""
    held = Campaign.objects.select_for_update(of=("self",)).select_related("topic_threads").get(pk=campaign.pk)
    old, places = held.topic_threads, found.match.places
    held.topic_threads = Collection.objects.create(
        name=f"Topic threads of {campaign.slug}, {uuid.uuid4().hex[:8]}",
        sources=found.sources,
        counts={"topics": len(places), "posts": len(threads.posts), "comments": len(threads.comments)},
        notes=[
            f"{topic_id}: question {post_id} has the same title but another text; name it in a table if it is the one"
            for topic_id, post_id in sorted(found.match.hints.items())
        ],
    )
    loading.store(held.topic_threads, threads)
    held.save(update_fields=["topic_threads"])
    topics = list(held.topics.all())
    for topic in topics:
        topic.thread_id = places.get(topic.topic_id, "")
    Topic.objects.bulk_update(topics, ["thread_id"])
    if old:
        old.delete()
