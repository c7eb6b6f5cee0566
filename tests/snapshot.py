"""Everything that the jobs of a campaign have made, without keys and times, to compare two campaigns."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
from django.conf import settings
from django.db.models import Model, QuerySet

from assess import models
from assess.services.collection import collections
from assess.services.common import parquet
from assess.services.formulas import visual_ids
from assess.services.pool import pools
from assess.services.releases import qrels
from assess.services.runs import runs

TOKEN = re.compile(r"[0-9a-f]{20,}|(?<=-)[0-9a-f]{12}")
OWN = {"created", "applied", "frozen", "extended", "run_id", "verified", "made_by", "made", "job", "index_sha256"}
"""Fields with times, workers and keys, which differ between campaigns."""


def snapshot(campaign: models.Campaign) -> dict[str, Any]:
    campaign = models.Campaign.objects.get(pk=campaign.pk)
    return {
        "rules": campaign.protocol,
        "topics": rows(campaign.topics.all(), "topic_id", "thread_id"),
        "collection": of_collection(campaign.collection),
        "topic threads": of_collection(campaign.topic_threads) if campaign.topic_threads else None,
        "runs": [of_run(run) for run in campaign.runs.all()],
        "written answers": rows(
            models.WrittenAnswer.objects.filter(topic__campaign=campaign), "topic__topic_id", "doc_id", "body"
        ),
        "pools": [of_pool(pool) for pool in campaign.pools.all()],
        "training": [
            of_round(round) for round in models.Round.objects.filter(pool__campaign=campaign, pool__is_training=True)
        ],
        "sources": [of_source(source) for source in campaign.judgment_sources.all()],
        "jobs": [(job.kind, job.state, job.error, of_result(job)) for job in campaign.jobs.all()],
    }


def of_result(job: models.Job) -> dict[str, Any]:
    """The result of a job, with True instead of keys."""
    keys = ("run", "report", "evaluation", "round", "source", "what_if", "reliability")
    return {name: bool(value) if name in keys else value for name, value in job.result.items()}


def rows(queryset: QuerySet[Any], *fields: str) -> list[tuple[Any, ...]]:
    """The rows, sorted by their values."""
    return sorted(queryset.order_by().values_list(*fields), key=repr)


def fields(row: Model) -> dict[str, Any]:
    """The values of a row without keys; for times only whether they are set."""
    values = {field.name: getattr(row, field.name) for field in row._meta.concrete_fields if not field.is_relation}
    times = {f"is {name}": values[name] is not None for name in ("applied", "frozen", "extended") if name in values}
    return without_own({name: value for name, value in values.items() if name != "id"}) | times


def without_own(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_own(item) for name, item in value.items() if name not in OWN}
    return [without_own(item) for item in value] if isinstance(value, list) else value


def names(folder: Path) -> list[str]:
    """The files below a folder, with * for random names."""
    return sorted(TOKEN.sub("*", str(path.relative_to(folder))) for path in folder.rglob("*") if path.is_file())


def table(folder: Path) -> list[tuple[Any, ...]]:
    parts = parquet.files(folder)
    return sorted(pl.read_parquet(parts).rows(), key=repr) if parts else []


def of_collection(collection: models.Collection) -> dict[str, Any]:
    home = collections.collection_home(collection)
    sources = {kind: (source["name"], source["sha256"]) for kind, source in collection.sources.items()}
    return {
        "counts": collection.counts,
        "sources": sources,
        "notes": collection.notes,
        "columns": {kind: table(collections.columns_folder(collection, kind)) for kind in collections.STORED},
        "keys": table(home / f"keys-{visual_ids.RULES}"),
        "files": names(home),
        "visual ids": [of_version(version) for version in collection.visual_maps.all()],
        **of_threads(collection),
    }


def of_threads(collection: models.Collection) -> dict[str, Any]:
    post = ("kind", "thread_id", "title", "body", "tags", "score", "written", "owner", "accepted_id")
    posts = collection.posts.all()
    return {
        "posts": rows(posts, "post_id", *post),
        "comments": rows(
            posts.filter(comments__isnull=False), "post_id", "comments__comment_id", "comments__text", "comments__owner"
        ),
        "links": rows(posts.filter(links__isnull=False), "post_id", "links__related_id", "links__kind"),
    }


def of_version(version: models.VisualMap) -> dict[str, Any]:
    parts = {part: table(visual_ids.version_folder(version, part)) for part in ("map", "partitions", "moved")}
    return fields(version) | {"base": version.base and version.base.number} | parts


def of_run(run: models.Run) -> dict[str, Any]:
    return fields(run) | {"ranking": runs.load_ranking(run).rows(), "file": runs.text_of_made_run(run)}


def of_source(source: models.JudgmentSource) -> dict[str, Any]:
    lines = rows(source.lines.all(), "topic_id", "item_id", "labeller", "grade", "outcome", "comment")
    what_ifs = rows(source.what_ifs.all(), "release__version", "tables")
    opinions = rows(source.second_opinions.all(), "report__judgments", "rows")
    return fields(source) | {"lines": lines, "what ifs": what_ifs, "opinions": opinions}


def of_round(round: models.Round) -> dict[str, Any]:
    orders = round.assignments.order_by("pk").values_list("assessor__username", "topic__topic_id", "instance_order")
    documents = dict(models.Instance.objects.filter(entry__pool=round.pool).values_list("pk", "doc_id"))
    return {
        "name": str(round),
        "pool": pools.pool_as_file(round.pool),
        "gold": rows(models.GoldGrade.objects.filter(instance__entry__pool=round.pool), "instance__doc_id", "grade"),
        "orders": [(*key, [documents[pk] for pk in order]) for *key, order in orders],
    }


def of_pool(pool: models.Pool) -> dict[str, Any]:
    instances = models.Instance.objects.filter(entry__pool=pool)
    instance = ("doc_id", "kind", "post_id", "votes", "runs", "content_hash", "version")
    judgment = ("assignment__assessor__username", "instance__doc_id", "grade", "outcome")
    return fields(pool) | {
        "visual map": pool.visual_map and pool.visual_map.number,
        "file": pools.pool_as_file(pool),
        "entries": rows(pool.entries.all(), "topic__topic_id", "unit_id", "version"),
        "instances": rows(instances, "entry__topic__topic_id", "entry__unit_id", *instance),
        "orders": orders(pool),
        "gold": rows(models.GoldGrade.objects.filter(instance__in=instances), "instance__doc_id", "grade"),
        "judgments": rows(models.Judgment.objects.filter(instance__in=instances), *judgment),
        "agreement": [fields(report) for report in pool.agreement_reports.all()],
        "releases": [of_release(release) for release in pool.qrels.all()],
    }


def orders(pool: models.Pool) -> list[tuple[str, str, list[str]]]:
    """The units of each topic in the order of judging, by round and assessor."""
    units = dict(pool.entries.values_list("pk", "unit_id"))
    assignments = pool.rounds.values_list("kind", "assignments__assessor__username", "assignments__order")
    return sorted((kind, assessor, [units[key] for key in order]) for kind, assessor, order in assignments)


def of_release(release: models.Qrels) -> dict[str, Any]:
    files = {unit: sorted(qrels.as_file(release, unit).splitlines()) for unit in release.counts}
    made_with = {"made_with": without_own(release.made_with["pool"])}
    evaluations = [of_evaluation(evaluation) for evaluation in release.evaluations.all()]
    checked_by = {
        "manifest": {name: release.manifest[name] for name in ("items", "files")},
        "sha256": bool(release.sha256),
    }  # keys of events are random
    return fields(release) | made_with | checked_by | {"files": files, "evaluations": evaluations}


def of_evaluation(evaluation: models.Evaluation) -> dict[str, Any]:
    return fields(evaluation) | {
        "not_pooled": rows(models.Run.objects.filter(pk__in=evaluation.not_pooled), "name"),
        "scores": rows(evaluation.scores.all(), "run__name", "topic_id", "measure", "value"),
        "profiles": rows(evaluation.profiles.all(), "run__name", "bands"),
        "reliability": [fields(report) for report in evaluation.reliability_reports.all()],
    }


def leftovers(folders: Iterable[Path] = ()) -> list[str]:
    """Files that should have been removed: unfinished files and uploads."""
    media = [Path(settings.MEDIA_ROOT, name) for name in ("work", "uploads")]
    return [str(path) for folder in (*media, *folders) if folder.exists() for path in folder.iterdir()]
