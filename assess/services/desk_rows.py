"""The rows behind one judgment, in SQL of our own.

Every judgment of a campaign passes here, with the next item on its way back. Put together by the ORM, these three
statements took most of a save's time (``python -m benchmarks.load``); written out, they take a tenth of it. What they
give are the same objects, with the columns that the desk needs.
"""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Field, Model

from assess.models import Assignment, Campaign, Collection, Instance, Judgment, Pool, PoolEntry, Post, Round, Topic

ASSIGNMENT = """
SELECT a."order", a.official, a.closed, a.round_id, p.id, p.seed, c.id, c.slug, c.protocol, c.collection_id,
       t.id, t.topic_id, t.title, t.body, t.formula_id, t.ruling_version
FROM assess_assignment a
JOIN assess_round r ON r.id = a.round_id
JOIN assess_pool p ON p.id = r.pool_id
JOIN assess_campaign c ON c.id = p.campaign_id
JOIN assess_topic t ON t.id = a.topic_id
WHERE a.id = %s AND a.assessor_id = %s
  AND EXISTS (SELECT 1 FROM assess_member m WHERE m.campaign_id = c.id AND m.user_id = a.assessor_id)
"""
DOCUMENT = """
SELECT i.content_hash, j.id, j.grade, j.outcome, j.comment, j.active_ms, j.key
FROM assess_instance i
JOIN assess_poolentry e ON e.id = i.entry_id
LEFT JOIN assess_judgment j ON j.instance_id = i.id AND j.assignment_id = %s
WHERE i.id = %s AND e.pool_id = %s AND e.topic_id = %s
"""
ITEM = """
SELECT i.id, i.doc_id, i.kind, i.content_hash, e.unit_id, j.id, j.grade, j.outcome, j.comment, j.active_ms, j.key,
       p.id, p.post_id, p.kind, p.thread_id, p.title, p.body, p.tags
FROM assess_instance i
JOIN assess_poolentry e ON e.id = i.entry_id
LEFT JOIN assess_judgment j ON j.instance_id = i.id AND j.assignment_id = %s
LEFT JOIN assess_post p ON p.collection_id = %s AND p.post_id = i.post_id AND i.post_id <> ''
WHERE i.entry_id = %s
"""


class ItemRow(NamedTuple):
    """A document of an item, what its assessor has said of it, and the post in which it stands."""

    instance: Instance
    judgment: Judgment | None
    post: Post | None


def rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def assignment(user: User, pk: int) -> Assignment | None:
    """A person's own assignment, as `access.assignment_for` finds it, with what its items are made of."""
    found = rows(ASSIGNMENT, pk, user.pk)
    return assembled(pk, user, user.username, found[0]) if found else None


@lru_cache(maxsize=100)
def assembled(pk: int, user: User, username: str, row: tuple[Any, ...]) -> Assignment:
    """The objects of a row. From one save to the next they are the same; nobody changes them."""
    order, official, closed, round_id, pool_id, seed, campaign_id, slug, protocol, collection_id, *of_topic = row
    names = ("pk", "topic_id", "title", "body", "formula_id", "ruling_version")
    collection = Collection(pk=collection_id) if collection_id else None
    campaign = Campaign(pk=campaign_id, slug=slug, protocol=json.loads(protocol), collection=collection)
    pool = Pool(pk=pool_id, campaign=campaign, seed=seed)
    topic = Topic(campaign=campaign, **dict(zip(names, of_topic, strict=True)))
    stage = Round(pk=round_id, pool=pool)
    mine = Assignment(pk=pk, round=stage, topic=topic, assessor=user, official=official, order=json.loads(order))
    mine.closed = moment(closed)
    return mine


def moment(value: Any) -> datetime | None:
    """SQLite gives times as text."""
    return datetime.fromisoformat(value).replace(tzinfo=UTC) if isinstance(value, str) else value


def document(mine: Assignment, instance_id: int) -> tuple[str, Judgment | None] | None:
    """The content hash of a document of the assignment, and what has been said of it."""
    found = rows(DOCUMENT, mine.pk, instance_id, mine.round.pool_id, mine.topic_id)
    return (found[0][0], judgment(mine, instance_id, found[0][1:])) if found else None


def item(mine: Assignment, entry_id: int) -> Iterator[ItemRow]:
    """The documents of an entry."""
    collection_id = mine.round.pool.campaign.collection_id
    for pk, doc_id, kind, content_hash, unit_id, *others in rows(ITEM, mine.pk, collection_id or 0, entry_id):
        entry = PoolEntry(pk=entry_id, unit_id=unit_id)
        instance = Instance(pk=pk, entry=entry, doc_id=doc_id, kind=kind, content_hash=content_hash)
        yield ItemRow(instance, judgment(mine, pk, others[:6]), post(others[6:]))


@cache
def insertion(kind: type[Model]) -> tuple[str, list["Field[Any, Any]"]]:
    """The statement that adds a row of a table, and the fields whose values it takes."""
    fields = [field for field in kind._meta.concrete_fields if not field.primary_key]
    names = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    values = ", ".join(["%s"] * len(fields))
    return f"INSERT INTO {kind._meta.db_table} ({names}) VALUES ({values})", fields


def insert(row: Model) -> None:
    """Adds a row; its key is not asked for."""
    statement, fields = insertion(type(row))
    with connection.cursor() as cursor:
        values = [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in fields]
        cursor.execute(statement, values)


@contextmanager
def turn() -> Iterator[None]:
    """SQLite has one writer at a time, and who finds it busy sleeps for a while, longer each time. A lock of the
    operating system wakes the next one at once. Other databases need none."""
    if connection.vendor != "sqlite":
        yield
        return
    with (settings.VAR_DIR / "writing.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def judgment(mine: Assignment, instance_id: int, columns: Any) -> Judgment | None:
    pk, grade, outcome, comment, active_ms, key = columns
    if pk is None:
        return None
    return Judgment(
        pk=pk,
        assignment_id=mine.pk,
        instance_id=instance_id,
        grade=grade,
        outcome=outcome,
        comment=comment,
        active_ms=active_ms,
        key=key,
    )


def post(columns: Any) -> Post | None:
    pk, post_id, kind, thread_id, title, body, tags = columns
    if pk is None:
        return None
    return Post(pk=pk, post_id=post_id, kind=kind, thread_id=thread_id, title=title, body=body, tags=json.loads(tags))
