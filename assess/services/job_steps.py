"""The step of each kind of job. A job whose worker was killed is done again, unless its result was stored: it
carries the job."""

from pathlib import Path
from typing import Any

from assess.ir.judging.training import Template
from assess.ir.results.release_options import ReleaseOptions
from assess.models import (
    AgreementReport,
    Collection,
    Evaluation,
    Job,
    JudgmentSource,
    Pool,
    Qrels,
    ReliabilityReport,
    Round,
    VisualMap,
    WhatIf,
)
from assess.services.collection import topic_threads
from assess.services.collection.preparing import CollectionFile, Years
from assess.services.formulas import repairs, visual_ids
from assess.services.jobs.job_queue import OnProgress, Step
from assess.services.judging import rounds
from assess.services.pool import (
    extension,
    freezing,
    judgment_sources,
    pool_import,
    pools,
    reports,
)
from assess.services.results import (
    agreement,
    evaluation,
    influence,
    qrels,
    reliability,
    second_opinions,
    verification,
    what_if,
    written,
)
from assess.services.runs import baselines, collection_import, fusion, runs, updates
from assess.services.runs.metadata import alike


def source_files(job: Job) -> list[CollectionFile]:
    return [CollectionFile(file["kind"], file["name"], Path(file["path"])) for file in job.params["files"]]


def pool_of(job: Job) -> Pool:
    return Pool.objects.get(pk=job.params["pool"], campaign=job.campaign)


def source_of(job: Job) -> JudgmentSource:
    return JudgmentSource.objects.get(pk=job.params["source"], campaign=job.campaign)


def import_collection(job: Job, progress: OnProgress) -> dict[str, Any]:
    """Files into columns, and with them visual ids and the units of the runs that were there before. Without files
    only the runs, for a campaign that has just taken this collection."""
    collection = Collection.objects.get(pk=job.params["collection"])
    uploads = source_files(job)
    if uploads:
        years = Years(*job.params.get("years", ()))
        collection_import.import_collection(collection, uploads, job.created_by, progress, years)
    else:  # Not to be cancelled: runs must not keep the units of the collection before.
        updates.store(updates.prepare(job.campaign, lambda *_: None))
    return {"counts": collection.counts, "notes": collection.notes}


def compute_visual_ids(job: Job, progress: OnProgress) -> dict[str, Any]:
    collection = Collection.objects.get(pk=job.params["collection"])
    version = VisualMap.objects.filter(job=job).first()
    if version is None:
        submitted = runs.retrieved_formulas(collection) if job.params["scope"] == VisualMap.Scope.SUBMITTED else None
        version = visual_ids.compute(collection, job.created_by, progress, submitted=submitted, job=job)
    if not version.applied:
        updates.apply_visual_ids(version, progress)
    return {"version": version.number, "counts": version.counts}


def look_for_mixed(job: Job, progress: OnProgress) -> dict[str, Any]:
    collection = Collection.objects.get(pk=job.params["collection"])
    draft = repairs.propose(collection, job.created_by, progress)
    return {"version": draft and draft.number, "counts": draft.counts if draft else {"clusters": 0}}


def repair_visual_ids(job: Job, progress: OnProgress) -> dict[str, Any]:
    version = VisualMap.objects.get(pk=job.params["version"], collection=job.campaign.collection)
    if not version.applied:
        updates.apply_visual_ids(version, progress)
    return {"version": version.number, "counts": version.counts}


def import_topic_threads(job: Job, progress: OnProgress) -> dict[str, Any]:
    uploads = source_files(job)
    years = Years(last=job.params["year"])
    match = topic_threads.import_files(job.campaign, uploads, years, progress)
    return {"found": len(match.posts), "topics": job.campaign.topics.count()}


def import_runs(job: Job, progress: OnProgress) -> dict[str, Any]:
    uploads = [runs.RunUpload(Path(file["path"]), runs.RunMeta(**file["meta"])) for file in job.params["files"]]
    imported = list(job.runs.order_by("pk")) or runs.import_runs(job.campaign, uploads, progress, job)
    hints = alike(job.campaign.runs.values_list("team", flat=True))
    return {"runs": [run.name for run in imported]} | ({"notes": hints} if hints else {})


def make_baseline(job: Job, progress: OnProgress) -> dict[str, Any]:
    return {"run": (job.runs.first() or baselines.make(job, progress)).pk}


def fuse_runs(job: Job, progress: OnProgress) -> dict[str, Any]:
    return {"run": (job.runs.first() or fusion.make(job, progress)).pk}


def build_pool(job: Job, progress: OnProgress) -> dict[str, Any]:
    return {"pool": pools.build(job.campaign, progress).version}


def import_pool(job: Job, progress: OnProgress) -> dict[str, Any]:
    with Path(job.params["path"]).open("rb") as source:
        return {"pool": pool_import.import_pool(job.campaign, source, job.params["name"]).version}


def import_source(job: Job, progress: OnProgress) -> dict[str, Any]:
    meta = judgment_sources.SourceMeta(**job.params["meta"])
    source = JudgmentSource.objects.filter(job=job).first()
    if source is None:
        path = Path(job.params["path"])
        source = judgment_sources.import_source(job.campaign, path, meta, job.created_by, progress, job)
    return {"source": source.pk} | ({"notes": source.notes} if source.notes else {})


def freeze_pool(job: Job, progress: OnProgress) -> dict[str, Any]:
    pool = pool_of(job)
    if pool.job_id != job.pk:
        pool = freezing.freeze(pool, progress, job.created_by, job)
    return {"pool": pool.version, "missing": len(pool.missing)}


def extend_pool(job: Job, progress: OnProgress) -> dict[str, Any]:
    pool = pool_of(job)
    if pool.job_id != job.pk:
        roles = {int(key): role for key, role in job.params["roles"].items()}
        change = extension.Extension(roles, job.params["depths"], job.params["reason"])
        pool = extension.extend(pool, change, job.created_by, progress, job)
    return {"pool": pool.version}


def report_on_pool(job: Job, progress: OnProgress) -> dict[str, Any]:
    pool = pool_of(job)
    reports.compute(pool, progress)
    return {"report_on": pool.version}


def prepare_round(job: Job, progress: OnProgress) -> dict[str, Any]:
    stage = Round.objects.filter(job=job).first()
    if stage is None:
        topics, *qrels = (rounds.StoredFile(Path(file["path"]), file["name"]) for file in job.params["files"])
        options = dict(job.params["plan"])
        template = Template(options.pop("topics"), options.pop("items"))
        grades = source_of(job) if "source" in job.params else qrels[0]
        plan = rounds.RoundPlan(topics=topics, qrels=grades, template=template, **options)
        stage = rounds.prepare(job.campaign, plan, job.created_by, progress, job)
    return {"round": stage.pk}


def compute_agreement(job: Job, progress: OnProgress) -> dict[str, Any]:
    pool = pool_of(job)
    report = AgreementReport.objects.filter(job=job).first()
    if report is None:
        sources = job.campaign.judgment_sources.filter(pk__in=job.params.get("sources", []))
        opinions = second_opinions.of_pool(pool, sources)
        report = agreement.report(pool, progress, job, influence.of_pool(pool), opinions)
    return {"report": report.pk}


def release_qrels(job: Job, progress: OnProgress) -> dict[str, Any]:
    pool = pool_of(job)
    options = ReleaseOptions.from_dict(job.params.get("options", {}))
    release = Qrels.objects.filter(job=job).first()
    release = release or qrels.release(
        pool, job.created_by, progress, options, note=job.params.get("note", ""), job=job
    )
    return {"release": release.version}


def verify_release(job: Job, progress: OnProgress) -> dict[str, Any]:
    release = Qrels.objects.select_related("pool__campaign", "visual_map").get(
        pk=job.params["qrels"], pool__campaign=job.campaign
    )
    progress(0, 0, "making the release again from its history")
    verification.record(release)
    return {"release": release.version}


def evaluate_runs(job: Job, progress: OnProgress) -> dict[str, Any]:
    released = Qrels.objects.of(job.campaign).get(pk=job.params["qrels"])
    scored = Evaluation.objects.filter(job=job).first()
    options = evaluation.ScoringOptions(
        **{name: job.params[name] for name in evaluation.ScoringOptions._fields if name in job.params}
    )
    if not scored and "path" in job.params:
        imported = written.read_imported(Path(job.params["path"]), job.params["name"], job.campaign)
        options = options._replace(imported=imported)
    scored = scored or evaluation.evaluate(released, job.params["average"], progress, job, options)
    return {"evaluation": scored.pk} | ({"notes": scored.notes} if scored.notes else {})


def score_what_if(job: Job, progress: OnProgress) -> dict[str, Any]:
    released = Qrels.objects.of(job.campaign).get(pk=job.params["release"])
    scored = WhatIf.objects.filter(job=job).first() or what_if.compute(source_of(job), released, progress, job)
    return {"what_if": scored.pk}


def compute_reliability(job: Job, progress: OnProgress) -> dict[str, Any]:
    scored = Evaluation.objects.of(job.campaign).get(pk=job.params["evaluation"])
    report = ReliabilityReport.objects.filter(job=job).first() or reliability.report(scored, progress, job)
    return {"reliability": report.pk}


STEPS: dict[str, Step] = {
    Job.Kind.COLLECTION: import_collection,
    Job.Kind.TOPIC_THREADS: import_topic_threads,
    Job.Kind.VISUAL_IDS: compute_visual_ids,
    Job.Kind.MIXED: look_for_mixed,
    Job.Kind.REPAIR: repair_visual_ids,
    Job.Kind.RUNS: import_runs,
    Job.Kind.BASELINE: make_baseline,
    Job.Kind.FUSION: fuse_runs,
    Job.Kind.POOL: build_pool,
    Job.Kind.POOL_FILE: import_pool,
    Job.Kind.SOURCE: import_source,
    Job.Kind.FREEZE: freeze_pool,
    Job.Kind.EXTEND: extend_pool,
    Job.Kind.POOL_REPORT: report_on_pool,
    Job.Kind.TRAINING: prepare_round,
    Job.Kind.AGREEMENT: compute_agreement,
    Job.Kind.RELEASE: release_qrels,
    Job.Kind.VERIFY: verify_release,
    Job.Kind.EVALUATE: evaluate_runs,
    Job.Kind.WHAT_IF: score_what_if,
    Job.Kind.RELIABILITY: compute_reliability,
}
