"""Fused runs: one run made of several of a campaign. They are scored like others and not pooled."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from assess.ir.formats.qrels import write_qrels
from assess.ir.formats.run_writing import write_run
from assess.ir.runs.fusion.lists import Lists, RankedList, stack
from assess.ir.runs.fusion.methods import METHODS, method, options_used
from assess.ir.runs.fusion.overlap import Overlap, overlap
from assess.ir.runs.fusion.regression import TRAINED
from assess.ir.runs.ranking import LIMIT, resolve
from assess.models import Campaign, Job, Qrels, QrelsLine, Run
from assess.models.run import RunQuerySet
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.runs import runs
from assess.services.runs.baseline_sources import posts_of
from assess.services.runs.made import TEAM, format_of, import_text, tag_of

DEPTHS = (10, LIMIT)
"""Where the overlap of runs is measured."""


class Fusion(NamedTuple):
    """What to fuse and how: keys of ``runs`` in their order, ``options`` of the method, and for regression the number
    of a ``release``."""

    name: str
    method: str
    runs: Sequence[int]
    options: Mapping[str, Any]
    release: int | None = None


def fusible(campaign: Campaign) -> RunQuerySet:
    """The runs that can be fused: no two runs share a written answer, so those have nothing to fuse."""
    return campaign.runs.exclude(format=Run.Format.TASK3)


def make(job: Job, on_progress: OnProgress) -> Run:
    """Fuse, write the run file, import it. Raises Refused and BadInput."""
    campaign, wanted = job.campaign, Fusion(**job.params)
    entered = chosen(campaign, wanted.runs)
    release = release_of(campaign, wanted)
    unit = QrelsLine.Unit.VISUAL if campaign.is_formulas else QrelsLine.Unit.POST
    qrels = sorted(release.lines_of(unit)) if release else []  # a database may sort texts in another way
    on_progress(0, 0, f"fusing {len(entered)} runs")
    made = method(wanted.method, wanted.options, qrels)
    fused = made.fuse(lists(campaign, entered))
    posts = posts_of(campaign, fused.lines["doc_id"].unique()) if campaign.is_formulas else {}
    lines = fused.lines.with_columns(post_id=fused.lines["doc_id"].replace_strict(posts, default=""))
    text = write_run(lines, format_of(campaign).value, tag_of(wanted.name))  # type: ignore[arg-type]
    provenance = provenance_of(job, wanted, entered) | {"options": options_used(made)} | fused.facts
    if release:
        provenance["qrels"] = {"release": release.version, "sha256": sha256(write_qrels(qrels).encode()).hexdigest()}
    return import_text(campaign, text, meta_of(campaign, wanted, entered), provenance, on_progress, job)


def check(campaign: Campaign, wanted: Fusion) -> None:
    """Whether a job would make this run, as far as that shows at once. Raises Refused and BadInput."""
    if campaign.runs.filter(name=wanted.name).exists():
        raise Refused(f"Another run is named {wanted.name}. Choose another name.")
    if len(chosen(campaign, wanted.runs)) < 2:
        raise Refused("Choose at least two runs.")
    release_of(campaign, wanted)
    method(wanted.method, wanted.options).check(len(wanted.runs))


def chosen(campaign: Campaign, keys: Sequence[int]) -> list[Run]:
    """The runs in this order. Raises Refused if one is missing, cannot be fused or is there twice."""
    runs = fusible(campaign).select_related("ranking").in_bulk(list(keys))
    if missing := [key for key in keys if key not in runs]:
        raise Refused(f"{len(missing)} of the runs cannot be fused or no longer exist. Choose the runs again.")
    if len(runs) != len(keys):
        raise Refused("A run is chosen twice. Choose each run once.")
    return [runs[key] for key in keys]


def lists(campaign: Campaign, entered: Sequence[Run]) -> Lists:
    """The rankings by visual id if the campaign judges these, otherwise by document. Raises BadInput for fewer than
    two."""
    rankings = [runs.load(run) for run in entered]
    if not campaign.has_visual_ids:
        rankings = [resolve(ranking, None) for ranking in rankings]
    items = zip(entered, rankings, strict=True)
    return stack([RankedList(run.name, ranking, run.order) for run, ranking in items])  # type: ignore[arg-type]


def overlaps(campaign: Campaign, entered: Sequence[Run]) -> dict[int, Overlap]:
    """How much the runs have in common, by depth."""
    stacked = lists(campaign, entered)
    return {depth: overlap(stacked, depth) for depth in DEPTHS}


def release_of(campaign: Campaign, wanted: Fusion) -> Qrels | None:
    """The release to train on, None for methods that need none."""
    if wanted.method != TRAINED:
        return None
    release = Qrels.objects.of(campaign).filter(version=wanted.release or 0).first()
    if release is None:
        raise Refused("Choose a release of qrels: the regression is trained on it.")
    if campaign.has_visual_ids and not visual_ids.is_current(campaign.collection, release.visual_map):
        raise Refused(f"{release} has other visual ids than the runs have now. Release qrels again, then choose these.")
    return release


def meta_of(campaign: Campaign, wanted: Fusion, entered: Sequence[Run]) -> runs.RunMeta:
    """Not pooled; manual if one of the runs is. A fused run is no baseline, or runs would be compared with it."""
    data = {run.data for run in entered}
    is_manual = any(run.method == Run.Method.MANUAL for run in entered)
    return runs.RunMeta(
        file=f"{wanted.name}.tsv",
        team=TEAM,
        name=wanted.name,
        kind=Run.Kind.ALTERNATE,
        method=Run.Method.MANUAL if is_manual else Run.Method.AUTOMATIC,
        data=data.pop() if len(data) == 1 else Run.Data.BOTH,
        pool_role=Run.PoolRole.NONE,
        format=format_of(campaign),
    )


def provenance_of(job: Job, wanted: Fusion, entered: Sequence[Run]) -> dict[str, Any]:
    """How the run was made, so that it can be made again. The runs are a list, because their order counts."""
    campaign = job.campaign
    return {
        "job": job.pk,
        "method": METHODS[wanted.method].label,
        "seed": campaign.seed,
        "by": job.created_by.get_username(),
        "unit": "visual id" if campaign.has_visual_ids else "document",
        "runs": [{"name": run.name, "sha256": run.sha256, "order": run.order} for run in entered],
    }
