"""A campaign of the labs' real posts for the benchmarks of the judging desk."""

import itertools
import random
from collections import defaultdict
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.collection.html import canonical, canonical_inline
from assess.ir.common.rows import PoolLine, PostRow
from assess.ir.formats.formula_index import IN_COMMENT, formula_frames
from assess.ir.formats.posts import iter_posts
from assess.ir.formats.topics import read_topics
from assess.models import Assignment, Campaign, Collection, Instance, Member, Pool, Post, Topic
from assess.services.campaign import campaigns
from assess.services.pool import freezing, pools
from assess.services.rounds import assignments
from benchmarks.measuring import silent

MOST_INSTANCES = 5
"""Of a formula, as in the labs."""


def data_file(name: str) -> Path:
    file = Path(settings.DATA_DIR, name)
    if not file.exists():
        raise SystemExit(f"No {name} in {settings.DATA_DIR}: set ASSESS_DATA to the folder of the labs' files")
    return file


@transaction.atomic
def make(topics: int, entries: int, assessors: int, *, are_formulas: bool = False) -> list[Assignment]:
    """A frozen pool of real answers, or of real formulas: as many topics with as many entries each, spread over the
    assessors."""
    olga = User.objects.create_user("olga", is_staff=True)
    collection = Collection.objects.create(name="Real posts")
    task = 2 if are_formulas else 1
    campaign = campaigns.create_campaign(
        name="Load", preset=f"arqmath3-task{task}", by=olga, collection=collection, seed=7
    )
    with data_file("posts/Posts.xml").open("rb") as source:
        rows = {row.post_id: row for row in iter_posts(source, "Posts.xml")}
    load_topics(campaign, topics, task)
    draw = random.Random(7)
    if are_formulas:
        lines, posts = formula_lines(campaign, entries, rows, draw)
    else:
        lines, posts = answer_lines(campaign, entries, rows, draw)
    store(collection, [rows[post_id] for post_id in sorted(set(posts.values()))])
    pool = pools.store_pool(campaign, lines, source="drawn at random")
    name_posts(pool, posts)
    pool = freezing.freeze(pool, silent)
    people = [User.objects.create_user(f"assessor{n}") for n in range(1, assessors + 1)]
    Member.objects.bulk_create([Member(campaign=campaign, user=user, role=Member.Role.ASSESSOR) for user in people])
    given = zip(campaign.topics.all(), itertools.cycle(people), strict=False)
    return [assignments.assign_topic(pool, topic, user, "main") for topic, user in given]


Lines = tuple[list[PoolLine], dict[str, str]]
"""What is pooled, and the post of each document."""


def answer_lines(campaign: Campaign, entries: int, rows: dict[str, PostRow], draw: random.Random) -> Lines:
    answers = [row.post_id for row in rows.values() if row.kind == "answer"]
    lines = [
        PoolLine(topic.topic_id, answer, answer, 1.0, 1)
        for topic in campaign.topics.all()
        for answer in draw.sample(answers, entries)
    ]
    return lines, {line.doc_id: line.doc_id for line in lines}


def formula_lines(campaign: Campaign, entries: int, rows: dict[str, PostRow], draw: random.Random) -> Lines:
    """Visually distinct formulas that occur in two posts or more, with up to five instances each."""
    instances: defaultdict[str, dict[str, str]] = defaultdict(dict)
    with data_file("formula-index/formulas.v3.tsv").open("rb") as source:
        for frame in formula_frames(source, "formulas.v3.tsv"):
            columns = frame.filter(~IN_COMMENT).select("visual_id", "formula_id", "post_id")
            for visual_id, formula_id, post_id in columns.iter_rows():
                if visual_id and post_id in rows:
                    instances[visual_id][formula_id] = post_id
    units = [unit for unit, posts in instances.items() if len(set(posts.values())) > 1]
    lines: list[PoolLine] = []
    posts: dict[str, str] = {}
    for topic in campaign.topics.all():
        for unit in draw.sample(units, entries):
            drawn = draw.sample(sorted(instances[unit]), min(MOST_INSTANCES, len(instances[unit])))
            lines += [PoolLine(topic.topic_id, unit, formula, 1.0, 1) for formula in drawn]
            posts |= {formula: instances[unit][formula] for formula in drawn}
    return lines, posts


def name_posts(pool: Pool, posts: dict[str, str]) -> None:
    """The collection has no index that says in which posts the formulas are."""
    instances = list(Instance.objects.filter(entry__pool=pool))
    for instance in instances:
        instance.post_id = posts[instance.doc_id]
    Instance.objects.bulk_update(instances, ["post_id"], batch_size=500)


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


def load_topics(campaign: Campaign, count: int, task: int) -> None:
    """The lab's topics, again from the first if more are wanted than there are."""
    files = sorted(data_file("topics").glob(f"topics.*-task{task}-origin.xml"))
    topics = [topic for file in files for topic in read_topics(file.open("rb"), file.name)]
    Topic.objects.bulk_create(
        Topic(
            campaign=campaign,
            topic_id=f"{'AB'[task - 1]}.{number}",
            number=number,
            title=canonical_inline(topic.title),
            body=canonical(topic.body),
            tags=list(topic.tags),
            formula_id=topic.formula_id,
            latex=topic.latex,
        )
        for number, topic in zip(range(1, count + 1), itertools.cycle(topics), strict=False)
    )
