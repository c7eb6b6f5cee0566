"""Which step a job stands for: from the row to the function that does it."""

from pathlib import Path
from typing import Any

from assess.models import Collection, Job, Pool, Qrels
from assess.services import agreement, collections, evaluation, pools, qrels, runs
from assess.services.jobs import Progress, Step, this_worker


def import_collection(job: Job, progress: Progress) -> dict[str, Any]:
    """Files into columns; then the runs that were there before are looked up anew. Without files only the latter,
    for a campaign that has just taken this collection."""
    collection = Collection.objects.get(pk=job.params["collection"])
    uploads = [collections.Upload(one["kind"], one["name"], Path(one["path"])) for one in job.params["files"]]
    if uploads:
        collections.import_files(collection, uploads, progress)
    for campaign in collection.campaigns.all() if uploads else [job.campaign]:
        # Not to be cancelled: the collection is there, and runs must not keep the units of the one before.
        runs.resolve_again(campaign, lambda *_: None)
    return {"counts": collection.counts, "notes": collection.notes}


def import_runs(job: Job, progress: Progress) -> dict[str, Any]:
    uploads = [runs.Upload(Path(one["path"]), runs.RunMeta(**one["meta"])) for one in job.params["files"]]
    return {"runs": [run.name for run in runs.import_runs(job.campaign, uploads, progress)]}


def build_pool(job: Job, progress: Progress) -> dict[str, Any]:
    return {"pool": pools.build(job.campaign, progress).version}


def import_pool(job: Job, progress: Progress) -> dict[str, Any]:
    with Path(job.params["path"]).open("rb") as source:
        return {"pool": pools.import_file(job.campaign, source, job.params["name"]).version}


def freeze_pool(job: Job, progress: Progress) -> dict[str, Any]:
    pool = pools.freeze(Pool.objects.get(pk=job.params["pool"], campaign=job.campaign), progress)
    return {"pool": pool.version, "missing": len(pool.missing)}


def compute_agreement(job: Job, progress: Progress) -> dict[str, Any]:
    pool = Pool.objects.get(pk=job.params["pool"], campaign=job.campaign)
    return {"report": agreement.report(pool, progress, this_worker()).pk}


def release_qrels(job: Job, progress: Progress) -> dict[str, Any]:
    pool = Pool.objects.get(pk=job.params["pool"], campaign=job.campaign)
    options = {name: job.params[name] for name in ("min_relevant", "note") if name in job.params}
    return {"release": qrels.release(pool, job.created_by, this_worker(), progress, **options).version}


def evaluate_runs(job: Job, progress: Progress) -> dict[str, Any]:
    released = Qrels.objects.get(pk=job.params["qrels"], pool__campaign=job.campaign)
    return {"evaluation": evaluation.evaluate(released, job.params["average"], this_worker(), progress).pk}


STEPS: dict[str, Step] = {
    Job.Kind.COLLECTION: import_collection,
    Job.Kind.RUNS: import_runs,
    Job.Kind.POOL: build_pool,
    Job.Kind.POOL_FILE: import_pool,
    Job.Kind.FREEZE: freeze_pool,
    Job.Kind.AGREEMENT: compute_agreement,
    Job.Kind.RELEASE: release_qrels,
    Job.Kind.EVALUATE: evaluate_runs,
}
