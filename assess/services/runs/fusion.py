"""Fused runs: one run made of several of a campaign. They are scored like others and not pooled."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from django.db.models import QuerySet

from assess.ir.formats.qrels import write_qrels
from assess.ir.formats.run_columns import write_run
from assess.ir.runs.fusion.lists import Lists, RankedList, stack
from assess.ir.runs.fusion.methods import METHODS, method, options_used
from assess.ir.runs.fusion.regression import TRAINED
from assess.ir.runs.ranking import resolve
from assess.models import Campaign, Job, OnProgress, Qrels, Run
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.runs import runs


class Fusion(NamedTuple):
    """What to fuse and how: keys of ``runs`` in order, ``options``, and for regression the number of a ``release``."""

    name: str
    method: str
    runs: Sequence[int]
    options: Mapping[str, Any]
    release: int | None = None


def fusible(campaign: Campaign) -> QuerySet[Run]:
    """The runs that can be fused: no two runs share a written answer, so those have nothing to fuse."""
    return campaign.runs.exclude(format=Run.Format.TASK3)


def make_fused_run(job: Job, on_progress: OnProgress) -> Run:
    """Fuse, write the run file, import it. Raises Refused and BadInput."""
    campaign, wanted = job.campaign, Fusion(**job.params)
    entered = chosen_runs(campaign, wanted.runs)
    release = release_of(campaign, wanted)
    released = release.lines_of(campaign.rules.kind.unit) if release else []
    qrels = sorted(released)  # a database may sort texts in another way
    on_progress(0, 0, f"fusing {len(entered)} runs")
    made = method(wanted.method, wanted.options, qrels)
    fused = made.fuse(ranked_lists(campaign, entered))
    posts = visual_ids.posts_of_formulas(campaign, fused.lines["doc_id"].unique())
    lines = fused.lines.with_columns(post_id=fused.lines["doc_id"].replace_strict(posts, default=""))
    text = write_run(lines, campaign.rules.kind.made_format, " ".join(wanted.name.split()))  # type: ignore[arg-type]
    record = fused.facts | {
        "method": METHODS[wanted.method].label,
        "options": options_used(made),
        "unit": "visual id" if campaign.has_visual_ids else "document",
        "runs": [{"name": run.name, "sha256": run.sha256, "order": run.order} for run in entered],
    }
    if release:
        record["qrels"] = {"release": release.version, "sha256": sha256(write_qrels(qrels).encode()).hexdigest()}
    # Not pooled, and no baseline, or runs would be compared with it.
    kind, pool_role = Run.Kind.ALTERNATE, Run.PoolRole.NONE
    is_manual = any(run.method == Run.Method.MANUAL for run in entered)
    how = Run.Method.MANUAL if is_manual else Run.Method.AUTOMATIC
    data = {run.data for run in entered}
    used = data.pop() if len(data) == 1 else Run.Data.BOTH
    return runs.import_made(job, text, record, on_progress, kind=kind, method=how, data=used, pool_role=pool_role)


def check_fusion(campaign: Campaign, wanted: Fusion) -> None:
    """Whether a job would make this run, as far as that shows at once. Raises Refused and BadInput."""
    runs.refuse_taken_name(campaign, wanted.name)
    if len(chosen_runs(campaign, wanted.runs)) < 2:
        raise Refused("Choose at least two runs.")
    release_of(campaign, wanted)
    method(wanted.method, wanted.options).check(len(wanted.runs))


def chosen_runs(campaign: Campaign, keys: Sequence[int]) -> list[Run]:
    """The runs in this order. Raises Refused if one is missing, cannot be fused or is there twice."""
    runs = fusible(campaign).select_related("ranking").in_bulk(list(keys))
    if missing := [key for key in keys if key not in runs]:
        raise Refused(f"{len(missing)} of the runs cannot be fused or no longer exist. Choose the runs again.")
    if len(runs) != len(keys):
        raise Refused("A run is chosen twice. Choose each run once.")
    return [runs[key] for key in keys]


def ranked_lists(campaign: Campaign, entered: Sequence[Run]) -> Lists:
    """By visual id if the campaign judges these, otherwise by document. Raises BadInput for fewer than two."""
    rankings = [runs.load_ranking(run) for run in entered]
    if not campaign.has_visual_ids:
        rankings = [resolve(ranking, None) for ranking in rankings]
    items = zip(entered, rankings, strict=True)
    return stack([RankedList(run.name, ranking, run.order) for run, ranking in items])  # type: ignore[arg-type]


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
