"""The kinds of jobs, each with its step, and what they came to, in words: one line for each thing, nothing for what has
been deleted since. A job whose worker was killed, or that is started again, is done again unless its result was stored:
it carries the job."""

from typing import Any

from django.db.models import Q

from assess import models
from assess.ir.releases.release_options import ReleaseOptions
from assess.ir.rounds.allocation import Template
from assess.models import Campaign, Collection, Job, JobKind, Made, OnProgress, Pool, Qrels, Resource, Run, VisualMap
from assess.services.agreement import agreement
from assess.services.collection import topic_threads
from assess.services.collection.preparing import CollectionFile, Years
from assess.services.common.errors import Refused
from assess.services.common.wording import counts_of, number
from assess.services.common.workspace import path_of
from assess.services.formulas import repairs, visual_ids
from assess.services.pool import extension, freezing, judgment_sources, pools
from assess.services.releases import qrels, verification
from assess.services.rounds import rounds
from assess.services.runs import baselines, fusion, runs, updates
from assess.services.scores import evaluation, influence, reliability, what_if


def collection_counts(job: Job) -> list[str]:
    return [f"{kind}: {count:,}" for kind, count in counts_of(job.result.get("counts", {}))]


def mixed_visual_ids(job: Job) -> list[str]:
    counts = job.result["counts"]
    if not counts["clusters"]:
        return ["all formulas with the same visual id look alike"]
    found, moved = number(counts["clusters"], "mixed visual id"), number(counts["moved"], "formula")
    return [f"{found} found; {moved} would move. Nothing changes until you apply the repair"]


def run_lines(job: Job) -> list[str]:
    wanted = Q(name__in=job.result.get("runs", [])) | Q(pk=job.result.get("run"))
    return [run_line(run) for run in job.campaign.runs.filter(wanted)]


def run_line(run: Run) -> str:
    text = f"{run.name} ({run.team}): {number(run.lines, 'line')} for {number(run.topics, 'topic')}"
    if run.known_share is not None:
        low = ", which is low" if run.has_low_coverage else ""
        text += f"; the collection holds {run.coverage['known']:,} of {run.coverage['documents']:,} documents{low}"
    text += "".join(f"; {note}" for note in runs.notes_on_topics(run))
    return text + (f"; {number(len(run.notes), 'note')} on the file" if run.notes else "")


def pool_lines(job: Job) -> list[str]:
    pool = job.campaign.pools.filter(version=job.result.get("pool", 0)).first()
    return freezing.pool_summary(pool) if pool else []


def verified_release(job: Job) -> list[str]:
    problems = job.result.get("problems")  # jobs of earlier versions do not say
    return [] if problems is None else [f"{number(problems, 'problem') if problems else 'no problems'} found"]


INDEX: set[Resource] = {"collection", "runs", "pooling"}
"""What a new collection or other visual ids change: the units of runs, too."""

UNITS: set[Resource] = {"collection", "runs", "pool"}
MAKING_A_RUN: dict[str, Any] = {
    "reads": {"collection", "pooling", "runs"},
    "is_repeatable": True,
    "made": Made("run", "runs", "the run", models.Run),
    "outcome": run_lines,
}
THE_RELEASE = Made("release", "releases", "release {}")


def source_files(job: Job) -> list[CollectionFile]:
    return [
        CollectionFile(file["kind"], file["name"], path_of(file["path"]), file.get("key", ""))
        for file in job.params["files"]
    ]


def collection_of(job: Job) -> Collection:
    """The collection, if it is still that of the campaign."""
    return Collection.objects.get(pk=job.params["collection"], campaigns=job.campaign)


def pool_of(job: Job, **conditions: Any) -> Pool:
    return Pool.objects.get(pk=job.params["pool"], campaign=job.campaign, **conditions)


def source_of(job: Job) -> models.JudgmentSource:
    return models.JudgmentSource.objects.get(pk=job.params["source"], campaign=job.campaign)


def index_of(campaign: Campaign) -> dict[str, Any]:
    if not (collection := visual_ids.indexed_collection(campaign)):
        raise Refused("Import a formula index first.")
    return {"collection": collection.pk}


def latest_scores(campaign: Campaign) -> dict[str, Any]:
    scored = models.Evaluation.objects.of(campaign).first()
    if scored is None:
        raise Refused("Nothing has been scored: score the runs with a release first.")
    return {"evaluation": scored.pk}


@JobKind("collection", "Import collection", "collection", reads={"pool"}, changes=INDEX, outcome=collection_counts)
def import_collection(job: Job, progress: OnProgress) -> dict[str, Any]:
    """Files into columns, and with them visual ids and the units of the runs that were there before. Without files
    only the runs, for a campaign that has just taken this collection."""
    collection = collection_of(job)
    uploads = source_files(job)
    if uploads:
        years = Years(*job.params.get("years", ()))
        updates.import_collection(collection, uploads, job.created_by, progress, years)
    else:  # Not to be cancelled: runs must not keep the units of the collection before.
        updates.store_updates(updates.prepare_updates(job.campaign, lambda *_: None))
    return {"counts": collection.counts, "notes": collection.notes}


@JobKind("visual_ids", "Compute visual ids", "formulas", reads={"pool"}, changes=INDEX)
def compute_visual_ids(job: Job, progress: OnProgress) -> dict[str, Any]:
    collection = collection_of(job)
    version = VisualMap.objects.filter(job=job).first()
    if version and not version.applied and visual_ids.is_outdated(version):
        visual_ids.drop_version(version)
        version = None
    if version is None:
        submitted = runs.retrieved_formulas(collection) if job.params["scope"] == VisualMap.Scope.SUBMITTED else None
        version = visual_ids.compute_version(collection, job.created_by, progress, submitted=submitted, job=job)
    return applied(version, progress)


@JobKind(
    "mixed",
    "Look for mixed visual ids",
    "formulas",
    reads={"collection"},
    changes={"repair"},
    asks=index_of,
    outcome=mixed_visual_ids,
)
def look_for_mixed(job: Job, progress: OnProgress) -> dict[str, Any]:
    collection = collection_of(job)
    draft = repairs.propose_repair(collection, job.created_by, progress)
    return {"version": draft and draft.number, "counts": draft.counts if draft else {"clusters": 0}}


@JobKind("repair", "Repair visual ids", "formulas", reads={"pool"}, changes=INDEX)
def repair_visual_ids(job: Job, progress: OnProgress) -> dict[str, Any]:
    return applied(VisualMap.objects.get(pk=job.params["version"], collection=job.campaign.collection), progress)


def applied(version: VisualMap, progress: OnProgress) -> dict[str, Any]:
    if not version.applied:
        updates.apply_visual_ids(version, progress)
    return {"version": version.number, "counts": version.counts}


@JobKind(
    "topic_threads",
    "Import topic threads",
    "topic_threads",
    "threads of the topics",
    reads={"topics"},
    changes={"threads"},
)
def import_topic_threads(job: Job, progress: OnProgress) -> dict[str, Any]:
    years = Years(last=job.params["year"])
    found = topic_threads.import_topic_threads(job.campaign, source_files(job), years, progress)
    return {"found": found, "topics": job.campaign.topics.count()}


@JobKind("runs", "Import runs", "runs", reads={"collection", "pooling"}, is_repeatable=True, outcome=run_lines)
def import_runs(job: Job, progress: OnProgress) -> dict[str, Any]:
    uploads = [runs.RunUpload(path_of(file["path"]), runs.RunMeta(**file["meta"])) for file in job.params["files"]]
    imported = list(job.runs.order_by("pk")) or runs.import_runs(job.campaign, uploads, progress, job)
    problems = sum(bool(runs.notes_on_topics(run)) for run in imported)
    return {"runs": [run.name for run in imported], "problems": problems}


@JobKind("baseline", "Make baseline run", "baselines", **MAKING_A_RUN)
def make_baseline(job: Job, progress: OnProgress) -> dict[str, Any]:
    return {"run": (job.runs.first() or baselines.make_baseline_run(job, progress)).pk}


@JobKind("fusion", "Fuse runs", "fuse", "runs to fuse", **MAKING_A_RUN)
def fuse_runs(job: Job, progress: OnProgress) -> dict[str, Any]:
    return {"run": (job.runs.first() or fusion.make_fused_run(job, progress)).pk}


@JobKind(
    "pool",
    "Build pool",
    "pool",
    reads={"collection", "runs"},
    changes={"pooling"},
    asks=lambda _: {},
    outcome=pool_lines,
)
def build_pool(job: Job, progress: OnProgress) -> dict[str, Any]:
    return {"pool": pools.build(job.campaign, progress).version}


@JobKind("pool_file", "Import pool", "pool", reads={"collection", "runs"}, changes={"pooling"}, outcome=pool_lines)
def import_pool(job: Job, progress: OnProgress) -> dict[str, Any]:
    with path_of(job.params["path"]).open("rb") as source:
        return {"pool": pools.import_pool(job.campaign, source, job.params["name"]).version}


@JobKind(
    "source",
    "Import judgments",
    "judgment_sources",
    "imported judgments",
    reads={"topics"},
    made=Made("source", "judgment_sources", "the judgments", models.JudgmentSource),
)
def import_source(job: Job, progress: OnProgress) -> dict[str, Any]:
    about = {name: value for name, value in job.params["meta"].items() if name != "format"}  # which 0.1.0 asked for
    meta = judgment_sources.SourceMeta(**about)
    source = models.JudgmentSource.objects.filter(job=job).first()
    if source is None:
        path = path_of(job.params["path"])
        source = judgment_sources.import_source(job.campaign, path, meta, job.created_by, progress, job)
    return {"source": source.pk} | ({"notes": source.notes} if source.notes else {})


@JobKind("freeze", "Freeze pool", "pool", reads=UNITS, changes={"pooling"}, outcome=pool_lines)
def freeze_pool(job: Job, progress: OnProgress) -> dict[str, Any]:
    pool = pool_of(job)
    if pool.job_id != job.pk:
        pool = freezing.freeze(pool, progress, job.created_by, job)
    return {"pool": pool.version, "missing": len(pool.missing)}


@JobKind("extend", "Extend pool", "pool", reads=UNITS, changes={"pooling"}, outcome=pool_lines)
def extend_pool(job: Job, progress: OnProgress) -> dict[str, Any]:
    pool = pool_of(job, frozen__isnull=False)
    if pool.job_id != job.pk:
        roles = {int(key): role for key, role in job.params["roles"].items()}
        change = extension.Extension(roles, job.params["depths"], job.params["reason"])
        pool = extension.extend(pool, change, job.created_by, progress, job)
    return {"pool": pool.version}


@JobKind(
    "training",
    "Prepare round",
    "rounds",
    reads={"collection", "topics", "sources"},
    made=Made("round", "round", "the round", models.Round),
)
def prepare_round(job: Job, progress: OnProgress) -> dict[str, Any]:
    round = models.Round.objects.filter(job=job).first()
    if round is None:
        topics, *qrels = (rounds.StoredFile(path_of(file["path"]), file["name"]) for file in job.params["files"])
        options = dict(job.params["plan"])
        template = Template(options.pop("topics"), options.pop("items"))
        grades = source_of(job) if "source" in job.params else qrels[0]
        plan = rounds.RoundPlan(topics=topics, qrels=grades, template=template, **options)
        round = rounds.prepare_round(job.campaign, plan, job.created_by, progress, job)
    return {"round": round.pk}


@JobKind("agreement", "Compute agreement", "agreement", reads={"pool", "sources"})
def compute_agreement(job: Job, progress: OnProgress) -> dict[str, Any]:
    pool = pool_of(job, frozen__isnull=False)
    report = models.AgreementReport.objects.filter(job=job).first()
    if report is None:
        sources = job.campaign.judgment_sources.filter(pk__in=job.params.get("sources", []))
        opinions = agreement.compare_sources(pool, sources)
        report = agreement.report(pool, progress, job, influence.influence_of_disagreements(pool), opinions)
    return {"report": report.pk}


@JobKind("release", "Release qrels", "releases", "qrels", reads={"pool"}, made=THE_RELEASE)
def release_qrels(job: Job, progress: OnProgress) -> dict[str, Any]:
    pool = pool_of(job, frozen__isnull=False)
    options = ReleaseOptions.from_dict(job.params["options"]) if "options" in job.params else None
    note = job.params.get("note", "")
    release = Qrels.objects.filter(job=job).first()
    release = release or qrels.release(pool, job.created_by, progress, options, note=note, job=job)
    return {"release": release.version}


@JobKind(
    "verify",
    "Verify release",
    "releases",
    "qrels",
    reads=UNITS,
    made=THE_RELEASE,
    when_archived=True,
    outcome=verified_release,
)
def verify_release(job: Job, progress: OnProgress) -> dict[str, Any]:
    release = Qrels.objects.select_related("pool__campaign", "visual_map").get(
        pk=job.params["qrels"], pool__campaign=job.campaign
    )
    progress(0, 0, "making the release again from its history")
    verification.record_verification(release)
    return {"release": release.version, "problems": release.verification["problems"]["count"]}


@JobKind("evaluate", "Score the runs", "results", reads=UNITS, made=Made("evaluation", "results", "results"))
def evaluate_runs(job: Job, progress: OnProgress) -> dict[str, Any]:
    scored = models.Evaluation.objects.filter(job=job).first()
    if not scored:
        options = dict(job.params)
        released = Qrels.objects.of(job.campaign).get(pk=options.pop("qrels"))
        path, name = options.pop("path", ""), options.pop("name", "")
        imported = evaluation.read_imported(path_of(path), name, job.campaign) if path else []
        scored = evaluation.evaluate(released, options.pop("average"), progress, job, imported, **options)
    return {"evaluation": scored.pk} | ({"notes": scored.notes} if scored.notes else {})


@JobKind(
    "what_if",
    "Score with other judgments",
    "judgment_sources",
    "imported judgments",
    reads={*UNITS, "sources"},
    made=Made("what_if", "results", "the scores", models.WhatIf),
)
def score_what_if(job: Job, progress: OnProgress) -> dict[str, Any]:
    released = Qrels.objects.of(job.campaign).get(pk=job.params["release"])
    scored = models.WhatIf.objects.filter(job=job).first()
    scored = scored or what_if.score_what_if(source_of(job), released, progress, job)
    return {"what_if": scored.pk}


@JobKind(
    "reliability",
    "Compute reliability",
    "reliability",
    reads=UNITS,
    made=Made("reliability", "reliability", "reliability"),
    asks=latest_scores,
)
def compute_reliability(job: Job, progress: OnProgress) -> dict[str, Any]:
    scored = models.Evaluation.objects.of(job.campaign).get(pk=job.params["evaluation"])
    report = models.ReliabilityReport.objects.filter(job=job).first()
    report = report or reliability.report_reliability(scored, progress, job)
    return {"reliability": report.pk}
