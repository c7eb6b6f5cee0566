"""Prepare a generated collection and load the threads of a pool from it, whole and at 1/10 and 1/100:
``python -m benchmarks.collections`` (20 GB of disk for the whole; ``--scales 0.01 0.1`` for less).

Each step runs in a process of its own, whose memory is taken with that of its children. Beside it stands the plain
alternative that a lab would write: XML and TSV read row by row into dictionaries.
"""

import argparse
import csv
import json
import random
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import collection_files
from benchmarks.measuring import Figures, measured, prepare_django, silent

POOL = 45_000
PLAIN = 0.1
"""The largest scale at which the dictionaries of the plain alternative fit into memory."""

FILES = {
    "posts": "Posts.xml",
    "comments": "Comments.xml",
    "links": "PostLinks.xml",
    "users": "Users.xml",
    "formulas": "formulas.v3.tsv",
}

STEP = "benchmarks.collections"


def measure_prepare(scale: float, work: Path) -> Figures:
    """Generate a collection below ``work`` and prepare it; seconds, MB at the peak, and what was counted."""
    with ThreadPoolExecutor(1) as beside:
        database = beside.submit(measured, STEP, "database", work)
        collection_files.write(work / "files", scale)
        database.result()
    return measured(STEP, "prepare", work) | {"scale": scale}


def measure_threads(scale: float, work: Path, entries: int = POOL) -> Figures:
    """Load the threads of a pool of ``entries`` answers from what ``measure_prepare`` left below ``work``."""
    return measured(STEP, "threads", work, "--entries", round(entries * scale)) | {"scale": scale}


def measure_plain(scale: float, work: Path, entries: int = POOL) -> Figures:
    """The same with dictionaries, without database: what is there at the end is what the pages need."""
    return measured(STEP, "plain", work, "--entries", round(entries * scale)) | {"scale": scale}


def database(work: Path, entries: int) -> Figures:
    """Nothing: that there is one is all."""
    return {}


def prepare(work: Path, entries: int) -> Figures:
    from django.contrib.auth.models import User

    from assess.models import Collection
    from assess.services.collection.preparing import CollectionFile
    from assess.services.runs import collection_import

    uploads = [CollectionFile(kind, name, work / "files" / name) for kind, name in FILES.items()]
    collection, _ = Collection.objects.get_or_create(name="Generated")
    organizer, _ = User.objects.get_or_create(username="olga")
    start = time.perf_counter()
    counts = collection_import.import_collection(collection, uploads, organizer, silent)
    size = sum(upload.path.stat().st_size for upload in uploads)
    return {"seconds": time.perf_counter() - start, "gb": size / 1e9, **counts}


def threads(work: Path, entries: int) -> Figures:
    from assess.models import Collection, Comment, Post
    from assess.services.collection import collections
    from assess.services.common import parquet

    collection = Collection.objects.get()
    Post.objects.all().delete()
    ids = [
        post_id
        for part in parquet.parts(collections.folder(collection, "posts"), ["post_id", "kind"])
        for post_id, kind in part.iter_rows()
        if kind == "answer"
    ]
    pool = random.Random(1).sample(ids, min(entries, len(ids)))
    start = time.perf_counter()
    collections.load_threads(collection, pool, silent)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "entries": entries, "posts": Post.objects.count(), "comments": Comment.objects.count()}


def plain(work: Path, entries: int) -> Figures:
    """Dictionaries of all posts, comments by post, and formulas; then the threads of a pool, cleaned. All on one core,
    whose time counts."""
    from lxml import etree

    from assess.ir.collection.html import canonical, canonical_inline

    start = time.process_time()
    posts: dict[str, dict[str, str]] = {}
    comments: dict[str, list[dict[str, str]]] = {}
    answers: dict[str, list[str]] = {}
    for _, row in etree.iterparse(str(work / "files" / "Posts.xml"), tag="row"):
        posts[row.get("Id", "")] = post = {str(key): str(value) for key, value in row.items()}
        answers.setdefault(post.get("ParentId", post["Id"]), []).append(post["Id"])
        forget(row)
    for _, row in etree.iterparse(str(work / "files" / "Comments.xml"), tag="row"):
        comments.setdefault(row.get("PostId", ""), []).append({str(key): str(value) for key, value in row.items()})
        forget(row)
    with (work / "files" / "formulas.v3.tsv").open(newline="") as file:
        formulas = {row["id"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}
    prepared = time.process_time() - start
    start = time.process_time()
    pool = random.Random(1).sample([post["Id"] for post in posts.values() if "ParentId" in post], entries)
    shown = [other for thread in {posts[post_id]["ParentId"] for post_id in pool} for other in answers[thread]]
    bodies = [canonical(posts[post_id]["Body"]) for post_id in shown]
    texts = [canonical_inline(comment["Text"]) for post_id in shown for comment in comments.get(post_id, [])]
    return {
        "seconds": prepared,
        "threads_seconds": time.process_time() - start,
        "formulas": len(formulas),
        "posts": len(bodies),
        "comments": len(texts),
    }


def forget(row: Any) -> None:
    row.clear()
    while row.getprevious() is not None:
        del row.getparent()[0]


STEPS: dict[str, Callable[[Path, int], Figures]] = {
    "database": database,
    "prepare": prepare,
    "threads": threads,
    "plain": plain,
}


def do(step: str, work: Path, entries: int) -> None:
    """A step, with a database of its own below ``work`` if it is the product's; prints its figures."""
    if step != "plain":
        prepare_django(work)
    print(json.dumps(STEPS[step](work, entries)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scales", type=float, nargs="+", default=[0.01, 0.1, 1.0])
    parser.add_argument("--work", type=Path, help="where the files go; default: a temporary folder")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--entries", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        do(given.step, given.work, given.entries)
        return
    print(f"{'':<24}{'posts':>10}{'formulas':>12}{'seconds':>9}{'MB':>7}")
    for scale in given.scales:
        with tempfile.TemporaryDirectory(prefix="assess-benchmark-", dir=given.work) as folder:
            report(scale, Path(folder))


def report(scale: float, work: Path) -> None:
    prepared = measure_prepare(scale, work)
    print_step(
        "prepare", prepared, prepared["questions"] + prepared["answers"], prepared["formulas"] + prepared["spurious"]
    )
    loaded = measure_threads(scale, work)
    print_step(f"threads of {loaded['entries']:,}", loaded, loaded["posts"])
    if scale <= PLAIN:
        other = measure_plain(scale, work)
        print_step("plain: dictionaries", other, prepared["questions"] + prepared["answers"], other["formulas"])
        print_step("plain: threads", other | {"seconds": other["threads_seconds"]}, other["posts"])
    else:
        print(f"plain: its dictionaries do not fit into memory at more than {PLAIN}")


def print_step(step: str, figures: Figures, posts: int, formulas: int = 0) -> None:
    print(f"{step:<24}{posts:>10,}{formulas:>12,}{figures['seconds']:>9.1f}{figures['peak_mb']:>7,}", flush=True)


if __name__ == "__main__":
    main()
