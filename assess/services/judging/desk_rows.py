"""The rows behind one judgment, in SQL of our own.

Every judgment of a campaign passes here, with the next item on its way back. Put together by the ORM, two questions and
the insertions took most of a save's time (``python -m benchmarks.load``); written out, they take a tenth of it. What
they give are the same objects, with the columns that the desk needs.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS as ALIAS
from django.db import connection, transaction
from django.db.models import DateTimeField, Field, Model

from assess.models import Assignment, Campaign, Collection, Instance, Judgment, Pool, PoolEntry, Post, Round, Topic
from assess.services.common import statements
from assess.services.common.statements import Part, Rows, Statement

ASSIGNMENT = Statement(
    "desk_assignment",
    """
SELECT a."order", a.official, a.closed, a.round_id, p.id, p.seed, c.id, c.slug, c.protocol, c.collection_id,
       t.id, t.topic_id, t.title, t.body, t.formula_id, t.ruling_version,
       e.id, i.content_hash, j.id, j.grade, j.outcome, j.comment, j.active_ms, j.key
FROM assess_assignment a
JOIN assess_round r ON r.id = a.round_id
JOIN assess_pool p ON p.id = r.pool_id
JOIN assess_campaign c ON c.id = p.campaign_id
JOIN assess_topic t ON t.id = a.topic_id
LEFT JOIN assess_instance i ON i.id = %s
LEFT JOIN assess_poolentry e ON e.id = i.entry_id AND e.pool_id = p.id AND e.topic_id = t.id
LEFT JOIN assess_judgment j ON j.instance_id = i.id AND j.assignment_id = a.id
WHERE a.id = %s AND a.assessor_id = %s
  AND EXISTS (SELECT 1 FROM assess_member m WHERE m.campaign_id = c.id AND m.user_id = a.assessor_id)
""",
)
ITEM = Statement(
    "desk_item",
    """
SELECT i.id, i.doc_id, i.kind, i.content_hash, e.unit_id, j.id, j.grade, j.outcome, j.comment, j.active_ms, j.key,
       p.id, p.post_id, p.kind, p.thread_id, p.title, p.body, p.tags
FROM assess_instance i
JOIN assess_poolentry e ON e.id = i.entry_id
LEFT JOIN assess_judgment j ON j.instance_id = i.id AND j.assignment_id = %s
LEFT JOIN assess_post p ON p.collection_id = %s AND p.post_id = i.post_id AND i.post_id <> ''
WHERE i.entry_id = %s
""",
)
FIXED = 16
"""So many columns of an assignment say the same for each of its documents."""
OF_JUDGMENT = ("id", "assignment_id", "instance_id", "grade", "outcome", "comment", "active_ms", "key")
OF_INSTANCE = ("id", "entry_id", "doc_id", "kind", "content_hash")
OF_POST = ("id", "post_id", "kind", "thread_id", "title", "body", "tags")
"""The columns that these objects come with, in the order of their models; others are asked for when they are needed."""


class ItemRow(NamedTuple):
    """A document of an item, what its assessor has said of it, and the post in which it stands."""

    instance: Instance
    judgment: Judgment | None
    post: Post | None


class Document(NamedTuple):
    """The content hash of a document of an assignment, and what has been said of it."""

    content_hash: str
    judgment: Judgment | None


def assignment(user: User, pk: int, instance_id: int = 0) -> tuple[Assignment, Document | None] | None:
    """A person's own assignment, as `access.assignment_for` finds it, with what its items are made of; and one of its
    documents."""
    found = statements.rows(ASSIGNMENT, instance_id, pk, user.pk)
    if not found:
        return None
    row = found[0]
    entry_id, content_hash, *of_judgment = row[FIXED:]
    standing = judgment(pk, instance_id, of_judgment)
    mine = assembled(pk, user.pk, user.username, row[:FIXED])
    return mine, None if entry_id is None else Document(content_hash, standing)


@lru_cache(maxsize=100)
def assembled(pk: int, user_pk: int, username: str, row: tuple[Any, ...]) -> Assignment:
    """The objects of a row. From one save to the next they are the same; nobody changes them. They hold nothing of the
    request in which they were made."""
    order, official, closed, round_id, pool_id, seed, campaign_id, slug, protocol, collection_id, *of_topic = row
    names = ("pk", "topic_id", "title", "body", "formula_id", "ruling_version")
    collection = Collection(pk=collection_id) if collection_id else None
    campaign = Campaign(pk=campaign_id, slug=slug, protocol=json.loads(protocol), collection=collection)
    pool = Pool(pk=pool_id, campaign=campaign, seed=seed)
    topic = Topic(campaign=campaign, **dict(zip(names, of_topic, strict=True)))
    stage = Round(pk=round_id, pool=pool)
    assessor = User(pk=user_pk, username=username)
    mine = Assignment(pk=pk, round=stage, topic=topic, assessor=assessor, official=official, order=json.loads(order))
    mine.closed = moment(closed)
    return mine


def moment(value: Any) -> datetime | None:
    """SQLite gives times as text."""
    return datetime.fromisoformat(value).replace(tzinfo=UTC) if isinstance(value, str) else value


def of_item(mine: Assignment, entry_id: int) -> Part:
    """What finds the rows of an entry."""
    return ITEM, (mine.pk, mine.round.pool.campaign.collection_id or 0, entry_id)


def item(mine: Assignment, entry_id: int, found: Rows | None = None) -> Iterator[ItemRow]:
    """The documents of an entry, from its rows where they were found with a save."""
    for row in statements.run(of_item(mine, entry_id)) if found is None else found:
        pk, doc_id, kind, content_hash, unit_id = row[:5]
        instance = Instance.from_db(ALIAS, OF_INSTANCE, (pk, entry_id, doc_id, kind, content_hash))
        instance.entry = PoolEntry.from_db(ALIAS, ("id", "unit_id"), (entry_id, unit_id))
        yield ItemRow(instance, judgment(mine.pk, pk, row[5:11]), post(row[11:]))


@cache
def insertion(kind: type[Model]) -> tuple[Statement, list["Field[Any, Any]"]]:
    """The statement that adds a row of a table, and the fields whose values it takes."""
    fields = [field for field in kind._meta.concrete_fields if not field.primary_key]
    table, names = kind._meta.db_table, ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    values = ", ".join(["%s"] * len(fields))
    return Statement(f"add_{table}", f"INSERT INTO {table} ({names}) VALUES ({values})"), fields


def insert(*new: Model, then: Part | None = None) -> Rows | None:
    """Adds rows; their keys are not asked for. What PostgreSQL shall find afterwards costs no way of its own: the rows
    found by ``then``, None where it was not asked."""
    added = [(insertion(type(row))[0], values_of(row)) for row in new]
    if then is None or connection.vendor != "postgresql":
        statements.run(*added)
        return None
    return statements.run(*added, then)


def values_of(row: Model) -> list[Any]:
    """What the fields hold: numbers and texts as they are, for the ORM's way through each takes longer than to write
    the row; times come from the field, and SQLite takes them as text."""
    adapt = connection.ops.adapt_datetimefield_value
    return [
        adapt(field.pre_save(row, add=True)) if isinstance(field, DateTimeField) else getattr(row, field.attname)
        for field in insertion(type(row))[1]
    ]


@contextmanager
def whole(is_one_insert: bool) -> Iterator[None]:
    """A transaction. What PostgreSQL is told at once is one by itself, so it need not hear where one begins and ends,
    which would cost as much as the statements."""
    if is_one_insert and connection.vendor == "postgresql" and not connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        yield


@contextmanager
def turn() -> Iterator[None]:
    """SQLite has one writer at a time, and who finds it busy sleeps for a while, longer each time. A lock of the
    operating system wakes the next one at once. Other databases need none."""
    if connection.vendor != "sqlite":
        yield
        return
    lock = os.open(settings.VAR_DIR / "writing.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def judgment(assignment_id: int, instance_id: int, columns: Sequence[Any]) -> Judgment | None:
    pk, *others = columns
    return None if pk is None else Judgment.from_db(ALIAS, OF_JUDGMENT, (pk, assignment_id, instance_id, *others))


def post(columns: Sequence[Any]) -> Post | None:
    *others, tags = columns
    return None if others[0] is None else Post.from_db(ALIAS, OF_POST, (*others, json.loads(tags)))
