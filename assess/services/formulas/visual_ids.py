"""Visual ids of a collection, version by version: taken from its index, computed, repaired.

A version is stored as what differs from the index: formula_id and visual_id of every formula that the index gives
another id, or none. The current version is what runs, pools and releases resolve formulas with.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

import polars as pl
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, QuerySet, Sum
from django.utils import timezone

from assess.ir.formulas import repair as repairs
from assess.ir.runs.ranking import RANKING
from assess.models import Campaign, Collection, Instance, Job, Judgment, VisualMap
from assess.services.collection import collections
from assess.services.common import parquet, workspace
from assess.services.common.errors import Refused
from assess.services.formulas.keys import keyed
from assess.services.jobs import job_queue
from assess.services.jobs.job_queue import OnProgress

Kind, Scope = VisualMap.Kind, VisualMap.Scope
READING = "reading the formula index"
PAIR = ("formula_id", "visual_id")
PAIRS = dict.fromkeys(PAIR, pl.String)
AS_INDEXED = pl.DataFrame(schema=PAIRS)
"""What a version changes that changes nothing."""


def folder(version: VisualMap, part: str) -> Path:
    """Where a version lies: ``map`` (formula_id, visual_id where they differ from the index) and of a repair
    ``partitions`` and ``moved`` (formula_id, old, new, reason)."""
    return collections.home(version.collection) / "visual_ids" / str(version.number) / part


def versions(collection: Collection) -> QuerySet[VisualMap]:
    """The versions for the index that the collection has now, the latest first, with one that is not in force yet."""
    return collection.visual_maps.filter(index_sha256=index_of(collection))


def index_of(collection: Collection) -> str:
    """Which index the collection has now, by the SHA-256 of its file; empty for none."""
    found: str = collection.sources.get("formulas", {}).get("sha256", "")
    return found


def applied(collection: Collection) -> QuerySet[VisualMap]:
    """Those that are or were in force."""
    return versions(collection).filter(applied__isnull=False)


def current(collection: Collection | None) -> VisualMap | None:
    """The version in force; None where the index is taken as it is."""
    return applied(collection).first() if collection else None


def is_current(collection: Collection | None, version: VisualMap | None) -> bool:
    """Whether formulas have the visual ids of this version now. None stands for those of the index, as a version of
    that kind does for the index that it is of."""
    if version and collection and version.index_sha256 != index_of(collection):
        return False
    now = current(collection)
    return len({None if one is None or one.kind == Kind.INDEX else one.pk for one in (version, now)}) == 1


def draft(collection: Collection) -> VisualMap | None:
    """The repair that somebody looks at before it is applied."""
    return versions(collection).filter(applied__isnull=True, kind=Kind.REPAIR).first()


def units(collection: Collection, formula_ids: Iterable[str], version: VisualMap | None = None) -> pl.DataFrame:
    """The rows of ``collections.formula_frame``, with the visual ids of a version (the current one unless told)."""
    ids = pl.Series("formula_id", list(formula_ids), dtype=pl.String)
    rows = collections.formula_frame(collection, ids)
    chosen = version or current(collection)
    if chosen is None:
        return rows
    mapped = parquet.frame(folder(chosen, "map"), "formula_id", ids, PAIRS)
    return overlaid(rows.lazy(), mapped).collect()


def units_of(version: VisualMap, rankings: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The visual ids of a version for all that these rankings hold, as ``ranking.with_units`` takes them."""
    retrieved = pl.concat([RANKING.to_frame(), *rankings])["doc_id"].unique()
    return units(version.collection, retrieved, version).select(doc_id="formula_id", unit_id="visual_id")


def unit_ids(
    collection: Collection | None, formula_ids: Iterable[str], version: VisualMap | None = None
) -> dict[str, str]:
    """The visual id of each of these formulas that has one."""
    if collection is None:
        return {}
    found = units(collection, formula_ids, version).filter(pl.col("visual_id") != "")
    return dict(found.select(PAIR).iter_rows())


def overlaid(rows: pl.LazyFrame, mapped: pl.DataFrame) -> pl.LazyFrame:
    """The rows with the ids that a version gives instead of those of the index."""
    if mapped.is_empty():
        return rows
    new = mapped.lazy().rename({"visual_id": "mapped"})
    joined = rows.join(new, on="formula_id", how="left", maintain_order="left")
    return joined.with_columns(visual_id=pl.coalesce("mapped", "visual_id")).drop("mapped")


def whole_map(version: VisualMap | None) -> pl.DataFrame:
    """All that a version changes."""
    parts = parquet.files(folder(version, "map")) if version else []
    return pl.read_parquet(parts).select(PAIR) if parts else AS_INDEXED


def index(collection: Collection) -> pl.LazyFrame:
    """The formula index in columns: formula_id, visual_id, latex, spurious. Raises Refused where there is none."""
    parts = parquet.files(collections.folder(collection, "formulas"))
    if not collection.has_formulas or not parts:
        raise Refused("The collection has no formula index. Import one first.")
    return pl.scan_parquet(parts).select("formula_id", "visual_id", "latex", "spurious")


def record_index(collection: Collection, by: User, counts: dict[str, int] | None = None) -> VisualMap | None:
    """Write down as a version that the index gives visual ids; None where it gives none. Whoever holds a transaction
    has them ``count_formulas`` be called before, for that reads the whole index."""
    if found := current(collection):
        return found
    counts = counts or count_formulas(collection)
    return create(collection, by, Kind.INDEX, {}, counts) if counts["formulas"] else None


def create(
    collection: Collection,
    by: User,
    kind: str,
    parts: dict[str, pl.DataFrame],
    counts: dict[str, int],
    *,
    scope: str = Scope.ALL,
) -> VisualMap:
    """Store a version: its columns first, then its row. That of the index is in force at once, others when they are
    applied."""
    made = workspace.new_path()
    for name, rows in parts.items():
        (made / name).mkdir(parents=True)
        rows.write_parquet(made / name / "0.parquet")
    base = current(collection)
    with transaction.atomic():
        Collection.objects.select_for_update().get(pk=collection.pk)
        last = collection.visual_maps.aggregate(last=Max("number"))["last"] or 0
        version = VisualMap(
            collection=collection,
            number=last + 1,
            kind=kind,
            scope=scope,
            base=base,
            index_sha256=collection.sources["formulas"]["sha256"],
            created_by=by,
            applied=timezone.now() if kind == Kind.INDEX else None,
            counts=counts,
        )
        if parts:
            move(made, folder(version, "map").parent)
        version.save()
    return version


def move(made: Path, place: Path) -> None:
    """Put columns in their place, and those away that a job left there when it was cut short."""
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    made.rename(place)


def count_formulas(collection: Collection, mapped: pl.DataFrame = AS_INDEXED) -> dict[str, int]:
    """How many formulas have a visual id with what is mapped, how many have none, and how many different ones there
    are; spurious ones count for nothing."""
    rows = overlaid(index(collection).filter(~pl.col("spurious")), mapped)
    known = pl.col("visual_id") != ""
    found = rows.select(
        formulas=known.sum(), without=(~known).sum(), units=pl.col("visual_id").filter(known).n_unique()
    ).collect(engine="streaming")
    return {name: int(found[name].item()) for name in found.columns}


def compute(
    collection: Collection,
    by: User,
    on_progress: OnProgress,
    *,
    submitted: pl.Series | None = None,
    with_latexml: bool = False,
) -> VisualMap:
    """Give every formula that has no visual id yet, or those of them that were submitted, one of its own or that of
    its likes, as a new version, which is not in force yet. Ids that are there stay. Raises Refused where nothing lacks
    one."""
    on_progress(0, 0, READING)
    before = record_index(collection, by)
    old = whole_map(before)
    rows = overlaid(index(collection), old)
    lacking = rows.filter(pl.col("visual_id") == "")
    if submitted is not None:
        lacking = lacking.filter(pl.col("formula_id").is_in(submitted.implode()))
    wanted = lacking.select("formula_id", "latex").collect(engine="streaming")
    if wanted.is_empty():
        raise Refused("Every formula in this scope has a visual id already. To mend wrong ones, use the repair.")
    there = rows.filter(pl.col("visual_id") != "")
    both = pl.concat([wanted.lazy().select("latex"), there.select("latex")])
    keys = keyed(collection, both, on_progress, with_latexml=with_latexml)
    on_progress(0, 0, "giving visual ids")
    known = there.join(keys.lazy(), on="latex").select("key", "visual_id").unique().collect(engine="streaming")
    found = repairs.assign(wanted.join(keys, on="latex"), known.sort("key", "visual_id"))
    scope = Scope.ALL if submitted is None else Scope.SUBMITTED
    drop_pending(collection)
    mapped = pl.concat([old, found])
    return create(collection, by, Kind.COMPUTED, {"map": mapped}, count_formulas(collection, mapped), scope=scope)


def look_for_mixed(
    collection: Collection, by: User, on_progress: OnProgress, *, with_latexml: bool = False
) -> VisualMap | None:
    """Prepare a repair of the current version, to be looked at; it takes the place of one that was not applied. None
    where every visual id stands for formulas that look alike."""
    on_progress(0, 0, READING)
    before = record_index(collection, by)
    if before is None:
        raise Refused("No formula of the index has a visual id. Compute them first.")
    drop_pending(collection)
    old = whole_map(before)
    rows = overlaid(index(collection), old).filter(pl.col("visual_id") != "")
    keys = keyed(collection, rows, on_progress, with_latexml=with_latexml)
    on_progress(0, 0, "comparing the formulas of each visual id")
    found = repairs.repair(members(rows, keys, collection))
    if found.partitions.is_empty():
        return None
    mapped = pl.concat([old.join(found.moved, on="formula_id", how="anti"), found.moved])
    parts = {"map": mapped, "partitions": with_example(found.partitions, rows), "moved": with_reason(found, rows, keys)}
    return create(collection, by, Kind.REPAIR, parts, count_formulas(collection, mapped) | changes(found))


def members(rows: pl.LazyFrame, keys: pl.DataFrame, collection: Collection) -> pl.DataFrame:
    """What the repair needs of every formula."""
    graded = (
        Judgment.objects.filter(
            assignment__official=True,
            grade__isnull=False,
            instance__kind=Instance.Kind.FORMULA,
            instance__entry__pool__campaign__collection=collection,
        )
        .values_list("instance__doc_id")
        .annotate(Sum("grade"))
    )
    grades = pl.DataFrame(list(graded), {"formula_id": pl.String, "relevance": pl.Int64}, orient="row")
    joined = rows.join(keys.lazy(), on="latex").join(grades.lazy(), on="formula_id", how="left")
    return joined.select("formula_id", "visual_id", "key", pl.col("relevance").fill_null(0)).collect(engine="streaming")


def with_example(partitions: pl.DataFrame, rows: pl.LazyFrame) -> pl.DataFrame:
    """The parts with the LaTeX of their lowest formula."""
    lowest = partitions.lazy().select("lowest")
    latex = rows.select("latex", lowest="formula_id").join(lowest, on="lowest", how="semi")
    return partitions.join(latex.collect(engine="streaming"), on="lowest", how="left", maintain_order="left")


def with_reason(found: repairs.Repair, rows: pl.LazyFrame, keys: pl.DataFrame) -> pl.DataFrame:
    """Every formula that moves: formula_id, old and new visual id, reason."""
    moved = rows.join(found.moved.lazy(), on="formula_id", how="semi").join(keys.lazy(), on="latex")
    reasons = found.partitions.select("visual_id", "key", "new_id", "reason")
    joined = moved.collect(engine="streaming").join(reasons, on=("visual_id", "key"))
    return joined.select("formula_id", "reason", old="visual_id", new="new_id").sort("old", "new", "formula_id")


def changes(found: repairs.Repair) -> dict[str, int]:
    reasons = found.partitions["reason"]
    new = found.partitions.filter(reasons == repairs.NEW)["new_id"].n_unique()
    joined = int((reasons == repairs.JOINED).sum())
    return {"clusters": found.clusters, "moved": len(found.moved), "joined": joined, "new": new}


def apply(version: VisualMap) -> None:
    """Put a version in force (``runs.apply_visual_ids`` does, with the runs); frozen pools keep their entries. Raises
    Refused where the version it was made from is no longer the current one."""
    now = current(version.collection)
    if (now and now.pk) != version.base_id:
        raise Refused("The visual ids have changed since. Look for mixed ones again.")
    VisualMap.objects.filter(pk=version.pk).update(applied=timezone.now())


def drop_pending(collection: Collection) -> None:
    """Remove versions that were never in force: another one takes their place."""
    for version in versions(collection).filter(applied__isnull=True):
        drop(version)


def drop(version: VisualMap) -> None:
    if VisualMap.objects.filter(pk=version.pk, applied__isnull=True).delete()[0]:
        workspace.discard(folder(version, "map").parent)


@transaction.atomic
def discard(campaign: Campaign, version: VisualMap) -> None:
    """Throw away a repair that was not applied. Raises Refused while a job changes visual ids or looks for mixed ones,
    in whichever campaign on the collection."""
    job_queue.require_free(campaign, Job.Kind.MIXED)
    drop(version)
