"""A campaign of the labs' real posts for the benchmarks of the judging desk."""

import itertools
import random
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.collection.html import canonical, canonical_inline
from assess.ir.common.rows import PoolLine, PostRow
from assess.ir.formats.posts import iter_posts
from assess.ir.formats.topics import read_topics
from assess.models import Assignment, Campaign, Collection, Member, Post, Topic
from assess.services.campaign import campaigns
from assess.services.judging import assignments
from assess.services.pool import pools
from benchmarks.measuring import silent


def posts_file() -> Path:
    file = settings.DATA_DIR / "posts" / "Posts.xml"
    if not file.exists():
        raise SystemExit(f"No posts/Posts.xml in {settings.DATA_DIR}: set ASSESS_DATA to the folder of the labs' files")
    return Path(file)


@transaction.atomic
def make(topics: int, entries: int, assessors: int) -> list[Assignment]:
    """A frozen pool of real answers: as many topics with as many entries each, spread over the assessors."""
    olga = User.objects.create_user("olga", is_staff=True)
    collection = Collection.objects.create(name="Real posts")
    campaign = campaigns.create(name="Load", preset="arqmath3-task1", by=olga, collection=collection, seed=7)
    with posts_file().open("rb") as source:
        rows = [row for row in iter_posts(source, "Posts.xml") if row.kind == "answer"]
    answers = [row.post_id for row in rows]
    load_topics(campaign, topics)
    draw = random.Random(7)
    lines = [
        PoolLine(topic.topic_id, answer, answer, 1.0, 1)
        for topic in campaign.topics.all()
        for answer in draw.sample(answers, entries)
    ]
    drawn = {line.doc_id for line in lines}
    store(collection, [row for row in rows if row.post_id in drawn])
    pool = pools.freeze(pools.store(campaign, lines, {}, source="drawn at random"), silent)
    people = [User.objects.create_user(f"assessor{n}") for n in range(1, assessors + 1)]
    Member.objects.bulk_create([Member(campaign=campaign, user=user, role=Member.Role.ASSESSOR) for user in people])
    given = zip(campaign.topics.all(), itertools.cycle(people), strict=False)
    return [assignments.assign(pool, topic, user, "main") for topic, user in given]


def store(collection: Collection, rows: list[PostRow]) -> None:
    """Stores posts as threads are stored for a pool."""
    Post.objects.bulk_create(
        [
            Post(
                collection=collection,
                post_id=row.post_id,
                kind=row.kind,
                thread_id=row.thread_id,
                title=canonical_inline(row.title),
                body=canonical(row.body),
                tags=list(row.tags),
            )
            for row in rows
        ],
        batch_size=500,
    )


def load_topics(campaign: Campaign, count: int) -> None:
    """The lab's topics, again from the first where more are wanted than there are."""
    files = sorted((settings.DATA_DIR / "topics").glob("topics.*-task1-origin.xml"))
    topics = [topic for file in files for topic in read_topics(file.open("rb"), file.name)]
    Topic.objects.bulk_create(
        Topic(
            campaign=campaign,
            topic_id=f"A.{number}",
            number=number,
            title=canonical_inline(topic.title),
            body=canonical(topic.body),
            tags=list(topic.tags),
        )
        for number, topic in zip(range(1, count + 1), itertools.cycle(topics), strict=False)
    )
