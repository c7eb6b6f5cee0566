"""A lab from its files to its pools, at full size: ``python -m benchmarks.pools`` (20 GB of disk, half an hour).

``--quick`` takes 1/40 of the collection and 1/10 of the rest. The exit code is 0 only if every step stays within its
limit, or its share of the limit if only a share of the work was done.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import collection_files, run_files
from benchmarks.measuring import (
    Figure,
    Figures,
    clocked,
    environment_of,
    options_of,
    prepare_django,
    report_figures,
    run_step,
    silent,
)

if TYPE_CHECKING:
    import polars as pl

    from assess.models import Campaign, Collection


class Limit(NamedTuple):
    """What a step may take at full size. The memory of a share is not smaller: much of it is the program's own."""

    work: str
    seconds: float | None = None
    megabytes: float | None = None


LIMITS = {
    "prepare": Limit("prepare a collection of 2.5 million posts and 28 million formulas", 480, 2500),
    "runs": Limit("import and check 53 runs (5.3 million rows), all stored", 15, 1500),
    "pool": Limit("pool of 100 topics from them, Task 1 depth 45/20", 2),
    "formulas": Limit("the same for formulas with votes and instances", 6),
    "plan": Limit("the plan of that pool at other depths, with its page", 6),
    "threads": Limit("threads of a 45,000-entry pool", 60),
}


FILES = {
    "posts": "Posts.xml",
    "comments": "Comments.xml",
    "links": "PostLinks.xml",
    "users": "Users.xml",
    "formulas": "formulas.v3.tsv",
}


class Shares(NamedTuple):
    """Which part of the work is done."""

    collection: float = 1.0
    rest: float = 1.0

    def of(self, step: str) -> float:
        """Its share of the time."""
        return self.collection if step == "prepare" else self.rest


QUICK = Shares(1 / 40, 1 / 10)
POOL = 45_000
REPEATS = 3


def run(shares: Shares, limits: Mapping[str, Limit], work: Path) -> bool:
    """Do everything, print a line for each step; whether all stayed within their limits."""
    runs = max(1, round(run_files.RUNS * shares.rest))
    entries = round(POOL * shares.rest)
    steps: list[tuple[str, Callable[[], Figures]]] = [
        ("prepare", lambda: prepare(shares.collection, work)),
        ("runs", lambda: step("answers", work, runs)),
        ("pool", lambda: step("pool_answers", work)),
        ("plan", lambda: step("plan", work)),
        ("runs of formulas", lambda: step("formulas", work, runs)),
        ("formulas", lambda: step("pool_formulas", work)),
        ("threads", lambda: step("threads", work, entries)),
    ]
    kept = [report(name, do(), shares, limits) for name, do in steps]
    return all(kept)


def step(name: str, work: Path, number: int = 0) -> Figures:
    return run_step("pools", environment_of(work), "--step", name, "--work", work, "--number", number)


def prepare(share: float, work: Path) -> Figures:
    """Generate a collection (not counted), and prepare it."""
    with ThreadPoolExecutor(1) as beside:
        database = beside.submit(step, "database", work)
        collection_files.write(work / "files", share)
        database.result()
    return step("prepare", work)


def report(name: str, figures: Figures, shares: Shares, limits: Mapping[str, Limit]) -> bool:
    limit = limits.get(name, Limit(name))
    share = shares.of(name)
    work = limit.work if share == 1 else f"{limit.work}, 1/{1 / share:.0f}"
    most = limit.seconds and limit.seconds * share
    seconds = Figure(f"{work}: seconds", figures["seconds"], most)
    return report_figures([seconds, Figure(f"{work}: MB", figures["peak_mb"], limit.megabytes)])


def prepare_collection(work: Path, number: int) -> Figures:
    from django.contrib.auth.models import User

    from assess.models import Collection
    from assess.services.collection.preparing import CollectionFile
    from assess.services.runs import updates

    uploads = [CollectionFile(kind, name, work / "files" / name) for kind, name in FILES.items()]
    collection, _ = Collection.objects.get_or_create(name="Generated")
    organizer, _ = User.objects.get_or_create(username="olga")
    with clocked() as figures:
        counts = updates.import_collection(collection, uploads, organizer, silent)
    return {**figures, "gb": sum(upload.path.stat().st_size for upload in uploads) / 1e9, **counts}


def load_threads(work: Path, number: int) -> Figures:
    from assess.models import Collection, Comment, Post
    from assess.services.collection import collections
    from assess.services.common import parquet

    collection = Collection.objects.get()
    Post.objects.all().delete()
    ids = [
        post_id
        for part in parquet.parts(collections.columns_folder(collection, "posts"), ["post_id", "kind"])
        for post_id, kind in part.iter_rows()
        if kind == "answer"
    ]
    pool = random.Random(1).sample(ids, min(number, len(ids)))
    with clocked() as figures:
        collections.load_threads(collection, pool, silent)
    return {**figures, "entries": number, "posts": Post.objects.count(), "comments": Comment.objects.count()}


def import_runs(work: Path, count: int, preset: str, letter: str) -> Figures:
    """Generate the runs (not counted), then import them through the door of the product."""
    from assess.models import Collection, Topic
    from assess.services.runs import runs

    collection = Collection.objects.get()
    campaign = new_campaign(preset, collection)
    paths = run_files.write(work / preset, documents(collection, letter), count, letter)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, topic_id=f"{letter}.{number}", number=number, title="T", body="B", formula_id="q")
        for number in range(301, 301 + run_files.TOPICS)
    )
    uploads = [
        runs.RunUpload(path, runs.RunMeta(path.name, f"team{number // 5}", pool_role=run_files.role(number)))
        for number, path in enumerate(paths)
    ]
    with clocked() as figures:
        stored = runs.import_runs(campaign, uploads, silent)
    return {**figures, "rows": sum(run.lines for run in stored), "coverage": stored[0].known_share}


def new_campaign(preset: str, collection: "Collection") -> "Campaign":
    from django.contrib.auth.models import User

    from assess.models import Campaign
    from assess.services.campaign import campaigns

    organizer, _ = User.objects.get_or_create(username="olga")
    Campaign.objects.filter(name=preset).delete()
    return campaigns.create_campaign(name=preset, preset=preset, by=organizer, collection=collection, seed=1)


def documents(collection: "Collection", letter: str) -> "pl.DataFrame":
    """The answers of the collection, or its formulas in posts with the posts."""
    import polars as pl

    from assess.services.collection import collections as services

    folder = services.columns_folder(collection, "posts" if letter == "A" else "formulas")
    columns = {"doc_id": "post_id"} if letter == "A" else {"doc_id": "formula_id", "post_id": "post_id"}
    kinds = ["answer"] if letter == "A" else ["question", "answer"]
    rows = pl.scan_parquet(folder / "*.parquet").filter(pl.col("kind").cast(pl.String).is_in(kinds))
    return rows.select(**columns).head(2_000_000).collect()


def build_pool(preset: str) -> Figures:
    """From the stored runs to the lines of the pool; the median of several times."""
    from assess.ir.pool.pooling import build_pool
    from assess.models import Campaign
    from assess.services.pool import pools

    campaign = Campaign.objects.get(name=preset)
    times = []
    for _ in range(REPEATS):
        with clocked() as figures:
            lines = build_pool(pools.pooled_runs(campaign, silent), campaign.rules, campaign.seed)
        times.append(figures["seconds"])
    return {"seconds": median(times), "lines": len(lines), "units": len({line[:2] for line in lines})}


def plan_pool(work: Path, number: int) -> Figures:
    """The page of the plan for depths that are not the protocol's: the median of several times."""
    from django.conf import settings
    from django.test import Client
    from django.urls import reverse

    from assess.models import Campaign

    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    campaign = Campaign.objects.get(name="arqmath3-task1")
    client = Client(SERVER_NAME="localhost")
    client.force_login(campaign.members.select_related("user")[0].user)
    times = []
    for _ in range(REPEATS):
        with clocked() as figures:
            response = client.get(
                reverse("pool", args=[campaign.slug]), {"plan": "", "primary_depth": "100", "alternate_depth": "50"}
            )
        times.append(figures["seconds"])
        assert response.status_code == 200
    return {"seconds": median(times)}


STEPS: dict[str, Callable[[Path, int], Figures]] = {
    "database": lambda work, number: {},  # that there is one is all
    "prepare": prepare_collection,
    "threads": load_threads,
    "answers": lambda work, number: import_runs(work, number, "arqmath3-task1", "A"),
    "formulas": lambda work, number: import_runs(work, number, "arqmath3-task2", "B"),
    "pool_answers": lambda work, number: build_pool("arqmath3-task1"),
    "pool_formulas": lambda work, number: build_pool("arqmath3-task2"),
    "plan": plan_pool,
}


def main(arguments: list[str] | None = None) -> int:
    parser = options_of("pools", __doc__, "1/40 of the collection, 1/10 of the rest")
    parser.add_argument("--work", type=Path, help="where the files go; default: a temporary folder")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.step:
        prepare_django(given.work)
        print(json.dumps(STEPS[given.step](given.work, given.number)))
        return 0
    with tempfile.TemporaryDirectory(prefix="assess-benchmark-", dir=given.work) as folder:
        is_within = run(QUICK if given.quick else Shares(), LIMITS, Path(folder))
    return 0 if is_within else 1


if __name__ == "__main__":
    sys.exit(main())
