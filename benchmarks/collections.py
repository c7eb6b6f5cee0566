"""Steps of `benchmarks.pools`: prepare a generated collection and load the threads of a pool from it, and for
comparison what a lab would write: XML and TSV read row by row into dictionaries."""

import csv
import random
import time
from pathlib import Path
from typing import Any

from benchmarks.measuring import Figures, silent

FILES = {
    "posts": "Posts.xml",
    "comments": "Comments.xml",
    "links": "PostLinks.xml",
    "users": "Users.xml",
    "formulas": "formulas.v3.tsv",
}


def prepare(work: Path, number: int) -> Figures:
    from django.contrib.auth.models import User

    from assess.models import Collection
    from assess.services.collection.preparing import CollectionFile
    from assess.services.runs import updates

    uploads = [CollectionFile(kind, name, work / "files" / name) for kind, name in FILES.items()]
    collection, _ = Collection.objects.get_or_create(name="Generated")
    organizer, _ = User.objects.get_or_create(username="olga")
    start = time.perf_counter()
    counts = updates.import_collection(collection, uploads, organizer, silent)
    size = sum(upload.path.stat().st_size for upload in uploads)
    return {"seconds": time.perf_counter() - start, "gb": size / 1e9, **counts}


def threads(work: Path, number: int) -> Figures:
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
    start = time.perf_counter()
    collections.load_threads(collection, pool, silent)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "entries": number, "posts": Post.objects.count(), "comments": Comment.objects.count()}


def plain(work: Path, number: int) -> Figures:
    """Dictionaries of all posts, comments by post, and formulas, all on one core, whose time counts."""
    from lxml import etree

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
    return {"seconds": time.process_time() - start, "posts": len(posts), "formulas": len(formulas)}


def forget(row: Any) -> None:
    row.clear()
    while row.getprevious() is not None:
        del row.getparent()[0]
