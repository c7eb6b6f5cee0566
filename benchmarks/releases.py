"""How long a release takes, beside the plain way: ``python -m benchmarks.releases``.

A campaign of formulas with 35,000 judgments by five assessors, two instances of each formula, some judgments changed
or taken back, in SQLite. A release reads the whole history, checks it against the judgments, hashes it, and stores
52,500 lines; the plain way is a loop over the current judgments that writes the same two files and stores nothing.
``--quick`` takes a fifth. The exit code is 0 only if releasing and verifying stay within their limits, memory does not
grow beyond what its rows need, and the files are those of the plain way.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measuring import Figures, measured, prepare_django, silent

if TYPE_CHECKING:
    from assess.models import Assignment, Pool

TOPICS, UNITS, INSTANCES, ASSESSORS = 70, 250, 2, 5
LIMITS = {"release": 2.0, "verify": 4.0}
"""Seconds of processor time for 35,000 judgments."""
MOST_MB = 120
"""How much the process may grow by a release."""
QUICK = 5
SHARE_CHANGED, SHARE_TAKEN_BACK = 0.1, 0.02


def make(work: Path, topics: int) -> Figures:
    """The campaign, with its judgments and their history."""
    prepare_django(work)
    from django.contrib.auth.models import User
    from django.utils import timezone

    from assess.ir.common.rows import PoolLine
    from assess.models import Instance, Judgment, Member, Pool, Topic
    from assess.services.campaign import campaigns
    from assess.services.judging import assignments
    from assess.services.pool import pools

    olga = User.objects.create_user("olga")
    campaign = campaigns.create(name="Releases", preset="arqmath3-task2", by=olga, seed=7)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, topic_id=f"B.{number}", number=number) for number in range(1, topics + 1)
    )
    lines = [
        PoolLine(f"B.{topic}", f"v{unit}", f"{topic:03}{unit:03}{instance}", 1.0, 1)
        for topic in range(1, topics + 1)
        for unit in range(UNITS)
        for instance in range(INSTANCES)
    ]
    pool = pools.store(campaign, lines, source="made")
    Pool.objects.update(frozen=timezone.now())
    Instance.objects.update(content_hash="0" * 64)
    pool.refresh_from_db()
    people = [User.objects.create_user(f"assessor{number}") for number in range(ASSESSORS)]
    Member.objects.bulk_create(Member(campaign=campaign, user=user, role="assessor") for user in people)
    draw = random.Random(7)
    for at, topic in enumerate(campaign.topics.all()):
        judge(assignments.assign(pool, topic, people[at % ASSESSORS], "main"), draw)
    return {"judgments": Judgment.objects.count()}


def judge(assignment: "Assignment", draw: random.Random) -> None:
    """Judgments at random, with their history."""
    from django.utils import timezone

    from assess.models import Judgment, JudgmentEvent
    from assess.services.common import bulk

    now = timezone.now()
    events, judgments = [], []
    for instance in assignment.instance_order:
        words = draw.choices(["0", "1", "2", "3", "do_not_know"], [60, 15, 12, 12, 1], k=2)
        decided = words[: 1 + (draw.random() < SHARE_CHANGED)] + [""] * (draw.random() < SHARE_TAKEN_BACK)
        for number, (before, word) in enumerate(zip(["", *decided], decided, strict=False)):
            events.append((instance, before, word, f"{instance}-{number}"))
        if word := decided[-1]:
            grade, outcome = (int(word), "") if word.isdigit() else (None, word)
            judgments.append((assignment.pk, instance, grade, outcome, "why", 1000, "key", now, now))
    fields = ("assignment", "instance", "grade", "outcome", "comment", "active_ms", "key", "created", "changed")
    bulk.insert(Judgment, fields, judgments)
    common = {"assignment": assignment.pk, "by": assignment.assessor_id, "at": now, "old_comment": "", "comment": ""}
    common |= {"active_ms": 1000, "wall_ms": 2000, "content_hash": "0" * 64, "guide": "", "late": False}
    rows = ((*event, *common.values()) for event in events)
    bulk.insert(JudgmentEvent, ("instance", "old_decision", "decision", "key", *common), rows)


def the_pool() -> "Pool":
    from assess.models import Pool

    return Pool.objects.select_related("campaign__collection").get()


def release(work: Path, topics: int) -> Figures:
    prepare_django(work)
    from django.contrib.auth.models import User

    from assess.models import Judgment
    from assess.services.results import manifest, qrels

    pool, olga = the_pool(), User.objects.get(username="olga")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    made, seconds = clocked(lambda: qrels.release(pool, olga, silent))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000
    hashes = [made.manifest["files"][f"{unit}.graded"]["sha256"] for unit in ("visual", "instance")]
    expected, plain_seconds = clocked(lambda: plain(pool))
    is_same = [manifest.hash_of([text]) for text in expected] == hashes
    figures = {"seconds": seconds, "plain": plain_seconds, "grown_mb": grown, "is_same": is_same}
    return figures | {"judgments": Judgment.objects.count()}


def verify(work: Path, topics: int) -> Figures:
    prepare_django(work)
    from assess.models import Qrels
    from assess.services.results import verification

    made = Qrels.objects.select_related("pool__campaign").get()
    done, seconds = clocked(lambda: verification.verify(made))
    return {"seconds": seconds, "is_same": done.is_intact}


def plain(pool: "Pool") -> tuple[str, str]:
    """The files by visual id and by instance, from the current judgments."""
    from assess.models import Judgment

    visual: dict[tuple[str, str], int] = {}
    instances: dict[tuple[str, str], int] = {}
    graded = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True, grade__isnull=False)
    for judgment in graded.select_related("instance__entry__topic").iterator():
        entry = judgment.instance.entry
        topic, grade = entry.topic.topic_id, judgment.grade or 0
        instances[topic, judgment.instance.doc_id] = grade
        visual[topic, entry.unit_id] = max(grade, visual.get((topic, entry.unit_id), 0))
    return as_text(visual), as_text(instances)


def as_text(grades: dict[tuple[str, str], int]) -> str:
    return "".join(f"{topic}\t0\t{unit}\t{grade}\n" for (topic, unit), grade in sorted(grades.items()))


def clocked(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


STEPS = {"make": make, "release": release, "verify": verify}


def report(work: Path, share: int) -> bool:
    """Do all steps, print a line for each; whether all limits are kept."""
    topics = TOPICS // share
    measured("benchmarks.releases", "make", work, "--topics", topics)
    made = measured("benchmarks.releases", "release", work, "--topics", topics)
    checked = measured("benchmarks.releases", "verify", work, "--topics", topics)
    limits = {name: limit / share for name, limit in LIMITS.items()}
    is_made = made["seconds"] <= limits["release"] and made["grown_mb"] <= MOST_MB and made["is_same"]
    is_verified = checked["seconds"] <= limits["verify"] and checked["is_same"]
    print(
        f"release: {made['judgments']:,} judgments: {made['seconds']:.2f} s (limit {limits['release']:g} s), plain "
        f"{made['plain']:.2f} s; grown by {made['grown_mb']:.0f} MB (limit {MOST_MB} MB); same files: {made['is_same']}"
        f"{'' if is_made else '  MISSED'}"
    )
    print(
        f"verify: {checked['seconds']:.2f} s (limit {limits['verify']:g} s); intact: {checked['is_same']}"
        f"{'' if is_verified else '  MISSED'}"
    )
    return bool(is_made and is_verified)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.releases", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the topics")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--topics", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.step:
        print(json.dumps(STEPS[options.step](options.work, options.topics)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return 0 if report(Path(folder), QUICK if options.quick else 1) else 1


if __name__ == "__main__":
    sys.exit(main())
