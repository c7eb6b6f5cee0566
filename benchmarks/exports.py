"""What leaves the product, at the size of a lab: ``python -m benchmarks.exports`` (a minute).

All judgments, their history and the training triples of 35,000 judgments are exported in every format, and so are those
of a tenth as many. Each format must take at most ``SECONDS``, and the memory may not grow with the rows: by at most
``GROWTH_MB`` from the tenth to the whole. ``--quick`` takes a tenth of both. The exit code is 0 only if all that holds.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.measuring import Figures, measured, prepare_django

if TYPE_CHECKING:
    from assess.models import Assignment, Campaign

JUDGMENTS, TOPICS, ASSESSORS = 35_000, 100, 20
SMALL = 10
"""The small campaign has so many times fewer judgments."""
EVENTS = 2
"""Decisions for each judgment: one in two is changed once."""
QUICK = 10
SECONDS, GROWTH_MB = 5.0, 30
BATCH = 2_000
KINDS = ("judgments", "history", "triples")


class Line(NamedTuple):
    """The exports of one kind: seconds by format, and megabytes for a tenth and for all of the judgments."""

    kind: str
    seconds: dict[str, float]
    small_mb: int
    large_mb: int

    @property
    def is_within(self) -> bool:
        return max(self.seconds.values()) <= SECONDS and self.large_mb - self.small_mb <= GROWTH_MB

    def __str__(self) -> str:
        times = "".join(f"{self.seconds[name]:>9.2f}" for name in self.seconds)
        mark = "" if self.is_within else "  TOO MUCH"
        return f"{self.kind:<12}{times}{self.small_mb:>10}{self.large_mb:>8}{mark}"


def make(name: str, judgments: int) -> "Campaign":
    """A campaign of answers with so many judgments, evenly over topics and assessors."""
    from django.contrib.auth.models import User

    from assess.models import Topic
    from assess.services.campaign import campaigns

    olga = User.objects.get_or_create(username="olga", is_staff=True)[0]
    campaign = campaigns.create(name=name, preset="arqmath3-task1", by=olga, seed=7)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, topic_id=f"A.{number}", number=number, title="T", body="B")
        for number in range(301, 301 + TOPICS)
    )
    judge_all(campaign, judgments // TOPICS)
    return campaign


def judge_all(campaign: "Campaign", depth: int) -> None:
    """A frozen pool of ``depth`` answers for each topic, each of them judged and judged again."""
    from django.contrib.auth.models import User
    from django.db import transaction
    from django.utils import timezone

    from assess.ir.common.rows import PoolLine
    from assess.models import Assignment, Pool, Round
    from assess.services.pool import pools

    people = [User.objects.get_or_create(username=f"assessor{n}")[0] for n in range(ASSESSORS)]
    topics = list(campaign.topics.all())
    lines = [PoolLine(topic.topic_id, str(n), str(n), 1.0, 1) for topic in topics for n in range(depth)]
    pool = pools.store(campaign, lines, {}, source="made up")
    Pool.objects.filter(pk=pool.pk).update(frozen=timezone.now())
    stage = Round.objects.create(pool=pool, kind=Round.Kind.MAIN)
    with transaction.atomic():
        for number, topic in enumerate(topics):
            given = {"round": stage, "topic": topic, "assessor": people[number % ASSESSORS], "official": True}
            judge(Assignment.objects.create(**given, order=[], instance_order=[]))


def judge(assignment: "Assignment") -> None:
    from assess.models import Instance, Judgment, JudgmentEvent

    instances = list(Instance.objects.filter(entry__topic=assignment.topic).values_list("pk", flat=True))
    common = {"assignment": assignment, "comment": "because it says so", "active_ms": 14_000}
    JudgmentEvent.objects.bulk_create(
        [
            JudgmentEvent(
                **common, instance_id=pk, by=assignment.assessor, decision="2", key=f"{n}-{pk}", content_hash="0" * 64
            )
            for pk in instances
            for n in range(EVENTS)
        ],
        batch_size=BATCH,
    )
    key = EVENTS - 1
    judgments = [Judgment(**common, instance_id=pk, grade=pk % 4, key=f"{key}-{pk}") for pk in instances]
    Judgment.objects.bulk_create(judgments, batch_size=BATCH)


def step(name: str, work: Path, size: str, judgments: int) -> Figures:
    """Make both campaigns, or export everything of a kind from one of them."""
    prepare_django(work)
    from assess.ir.formats.judgment_export import EXPORT_FORMATS
    from assess.models import Campaign
    from assess.services.results import export

    if name == "make":
        make("large", judgments)
        make("small", judgments // SMALL)
        return {}
    campaign, seconds = Campaign.objects.get(slug=size), {}
    for file_format in EXPORT_FORMATS:
        begun = time.perf_counter()
        with (work / f"export.{file_format}").open("wb") as target:
            target.writelines(export.chunks(campaign, name, file_format))
        seconds[file_format] = time.perf_counter() - begun
    return {"seconds": seconds}


def run(judgments: int, work: Path) -> bool:
    """Export everything and print a line for each kind; whether all stayed within the limits."""
    measured("benchmarks.exports", "make", work, "--judgments", judgments)
    lines = [line_of(kind, work) for kind in KINDS]
    formats = "".join(f"{name:>9}" for name in lines[0].seconds)
    print(f"{judgments:,} judgments: seconds by format, MB for 1/{SMALL} and for all")
    print(f"{'':<12}{formats}{f'1/{SMALL}':>10}{'all':>8}    limits: {SECONDS:g} s, {GROWTH_MB} MB more")
    for line in lines:
        print(line, flush=True)
    return all(line.is_within for line in lines)


def line_of(kind: str, work: Path) -> Line:
    small, large = (measured("benchmarks.exports", kind, work, "--size", size) for size in ("small", "large"))
    return Line(kind, large["seconds"], small["peak_mb"], large["peak_mb"])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exports", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the judgments, under 50 seconds")
    parser.add_argument("--judgments", type=int, default=JUDGMENTS, metavar="N")
    for name in ("--step", "--size", "--work"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.step:
        print(json.dumps(step(asked.step, Path(asked.work), asked.size, asked.judgments)))
        return 0
    with tempfile.TemporaryDirectory(prefix="assess-exports-") as folder:
        return 0 if run(asked.judgments // (QUICK if asked.quick else 1), Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
