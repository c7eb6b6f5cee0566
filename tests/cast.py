"""The users of the tests (olga organizes, ada and emmy judge, kurt is the expert, mallory an outsider) and small
campaigns for them."""

from pathlib import Path
from typing import NamedTuple

from django.contrib.auth.models import User

from assess.ir.common.rows import PoolLine
from assess.models import Assignment, Campaign, Collection, Instance, Member, OnProgress, Pool, Post, Topic
from assess.services.campaign import campaigns
from assess.services.collection.preparing import EVER, CollectionFile, Years
from assess.services.pool import freezing, pools
from assess.services.rounds import assignments
from assess.services.runs import updates

PASSWORD = "correct horse battery staple"


def make_user(name: str, *, email: str = "", is_staff: bool = False) -> User:
    return User.objects.create_user(name, email, PASSWORD, is_staff=is_staff)


class Cast(NamedTuple):
    """All users, by name."""

    olga: User  # organizer
    ada: User  # assessor
    emmy: User  # assessor
    kurt: User  # expert
    mallory: User  # outsider


def make_cast(campaign: Campaign | None = None) -> Cast:
    """All users; with a campaign, all but mallory become members (olga already is, as its creator)."""
    people = [User.objects.filter(username=name).first() or make_user(name) for name in Cast._fields]
    cast = Cast(*people)
    if campaign:
        for user, role in zip(cast, ("organizer", "assessor", "assessor", "expert"), strict=False):
            Member.objects.get_or_create(campaign=campaign, user=user, defaults={"role": role})
    return cast


def on_progress(done: int, total: int = 0, message: str = "") -> None:
    """Ignores progress."""


def import_files(
    collection: Collection, uploads: list[CollectionFile], on_progress: OnProgress = on_progress, years: Years = EVER
) -> dict[str, int]:
    """Import files as olga."""
    olga = User.objects.filter(username="olga").first() or make_user("olga", is_staff=True)
    return updates.import_collection(collection, uploads, olga, on_progress, years)


def import_texts(collection: Collection, folder: Path, **texts: str) -> dict[str, int]:
    """Import these texts as files of their kinds."""
    for kind, text in texts.items():
        (folder / kind).write_text(text)
    return import_files(collection, [CollectionFile(kind, kind, folder / kind) for kind in texts])


FormulaRow = tuple[str, str, str]
"""Formula id, visual id (or empty) and LaTeX. Its post is its id without the last digit."""


def import_index(campaign: Campaign, folder: Path, *rows: FormulaRow) -> None:
    lines = ["id\tpost_id\tthread_id\ttype\tvisual_id\tformula"]
    lines += [f"{formula}\t{formula[:-1]}\t{formula[0]}0\tanswer\t{visual}\t{tex}" for formula, visual, tex in rows]
    import_texts(campaign.collection, folder, formulas="\n".join(lines) + "\n")


def make_campaign(preset: str = "arqmath3-task1", name: str = "", *, topics: int = 2, **rules: int) -> Campaign:
    """A campaign of olga with topics A.1, A.2 … (B.1, B.2 … for formulas) and a collection of three threads; ``rules``:
    other values than the preset's."""
    olga = User.objects.filter(username="olga").first() or make_user("olga", is_staff=True)
    name = name or f"Small lab {Campaign.objects.count() + 1}"
    collection = Collection.objects.create(name=f"posts of {name}")
    campaign = campaigns.create_campaign(name=name, preset=preset, by=olga, collection=collection, seed=7)
    letter = "B" if campaign.is_formulas else "A"
    for number in range(1, topics + 1):
        Topic.objects.create(
            campaign=campaign,
            topic_id=f"{letter}.{number}",
            number=number,
            title=f"How large is {math('q_1', 'n^2')}?",
            body=f"<p>Question {number} about {math('q_2', 'x+1')}.</p>",
            tags=["calculus"],
            **({"formula_id": "q_2", "latex": "x+1"} if letter == "B" else {}),
        )
    make_posts(collection)
    campaign.protocol |= rules
    campaign.save()
    return campaign


def math(formula_id: str, tex: str) -> str:
    """A formula in canonical HTML."""
    return f'<span class="math-container" data-formula-id="{formula_id}">{tex}</span>'


def make_posts(collection: Collection) -> None:
    """Threads 10, 20 and 30: a question with two answers each (11, 12, 21, …). Answer N holds formula N0."""
    for thread in ("10", "20", "30"):
        question = f"<p>Question {thread} with {math(thread + '0', 'y=2')}.</p>"
        Post.objects.create(
            collection=collection,
            post_id=thread,
            kind="question",
            thread_id=thread,
            title=f"Title {thread}",
            body=question,
            tags=["algebra"],
            score=5,
            owner="Ann",
            accepted_id=f"{thread[0]}1",
        )
        for answer in (f"{thread[0]}1", f"{thread[0]}2"):
            Post.objects.create(
                collection=collection,
                post_id=answer,
                kind="answer",
                thread_id=thread,
                body=f"<p>Answer {answer} says {math(answer + '0', 'x+1')}.</p>",
                score=3,
                owner="Bob",
            )


def make_pool(campaign: Campaign, *, frozen: bool = True) -> Pool:
    """A pool over the posts of `make_posts`: four answers for each topic; for formulas two visual ids, v1 with
    three instances and v2 with one."""
    rows = [("11", "11", 1.5, 2), ("12", "12", 1.0, 1), ("21", "21", 0.5, 1), ("99", "99", 0.25, 1)]  # 99: no text
    if campaign.is_formulas:
        rows = [("v1", "110", 1.5, 2), ("v1", "120", 0.5, 1), ("v1", "210", 0.25, 1), ("v2", "220", 1.0, 1)]
    lines = [PoolLine(topic.topic_id, *row) for topic in campaign.topics.all() for row in rows]
    pool = pools.store_pool(campaign, lines, source="by hand")
    for instance in Instance.objects.filter(entry__pool=pool):
        if instance.kind == "formula":
            instance.post_id = instance.doc_id[:2]
            instance.save(update_fields=["post_id"])
    return freezing.freeze(pool, on_progress) if frozen else pool


def make_assignment(pool: Pool, assessor: User, *, topic: str = "", kind: str = "main") -> Assignment:
    """Assign the first topic of the pool, or the named one, to an assessor (who becomes a member)."""
    Member.objects.get_or_create(campaign=pool.campaign, user=assessor, defaults={"role": "assessor"})
    topics = pool.campaign.topics
    return assignments.assign_topic(pool, topics.get(topic_id=topic) if topic else topics.all()[0], assessor, kind)
