"""Visual ids of a collection, version by version: taken from its index, computed or repaired.

A version is stored as its differences from the index: formula_id and visual_id of every formula that has another id,
or none, in the index. Runs, pools and releases resolve formulas with the current version.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from assess.ir.common.rows import FormulaRow
from assess.ir.formulas.repair import assign
from assess.ir.formulas.slt import key
from assess.ir.runs.ranking import RANKING
from assess.models import Campaign, Collection, OnProgress, VisualMap
from assess.services.collection import collections
from assess.services.common import parquet, workspace
from assess.services.common.errors import Refused

Kind, Scope = VisualMap.Kind, VisualMap.Scope
READING = "reading the formula index"
BATCH = 2_000
BUILDING = "building layout trees"
RULES = 1
"""Increment this when `ir.formulas.slt.key` changes, so that keys are recomputed."""
SCHEMA = {"latex": pl.String, "key": pl.String}
PAIRS = {"formula_id": pl.String, "visual_id": pl.String}
AS_INDEXED = pl.DataFrame(schema=PAIRS)
"""The differences of a version that equals the index."""


def version_folder(version: VisualMap, part: str) -> Path:
    """The folder of a part of a version: ``map`` (formula_id, visual_id if not that of the index) and, for a repair,
    ``partitions`` and ``moved`` (formula_id, old, new, reason)."""
    return collections.collection_home(version.collection) / "visual_ids" / str(version.number) / part


def indexed_collection(campaign: Campaign) -> Collection | None:
    """The collection of a campaign that judges formulas, if it has their index."""
    collection = campaign.collection if campaign.is_formulas else None
    return collection if collection and collection.has_formulas else None


def posts_of_formulas(campaign: Campaign, formula_ids: Iterable[str]) -> dict[str, str]:
    if not (collection := indexed_collection(campaign)):
        return {}
    return parquet.pairs(collections.columns_folder(collection, "formulas"), "formula_id", "post_id", formula_ids)


def versions(collection: Collection) -> QuerySet[VisualMap]:
    """The versions for the collection's current index, latest first, including one not yet in force."""
    return collection.visual_maps.filter(index_sha256=index_of(collection))


def index_of(collection: Collection) -> str:
    """The SHA-256 of the collection's index file; empty if it has none."""
    return str(collection.sources.get("formulas", {}).get("sha256", ""))


def applied_versions(collection: Collection) -> QuerySet[VisualMap]:
    return versions(collection).filter(applied__isnull=False)


def current_version(collection: Collection | None) -> VisualMap | None:
    """The version in force; None if the index is used as it is."""
    return applied_versions(collection).first() if collection else None


def is_current(collection: Collection | None, version: VisualMap | None) -> bool:
    """Whether formulas have the visual ids of this version now; None, as a version of that kind, means the index."""
    if version and collection and version.index_sha256 != index_of(collection):
        return False
    in_force = current_version(collection)
    return len({row.pk if row and row.kind != Kind.INDEX else None for row in (version, in_force)}) == 1


def formula_units(collection: Collection, formula_ids: Iterable[str], version: VisualMap | None = None) -> pl.DataFrame:
    """The rows of ``collections.formula_frame``, with the visual ids of a version (the current one by default)."""
    ids = pl.Series("formula_id", list(formula_ids), dtype=pl.String)
    rows = collections.formula_frame(collection, ids)
    chosen = version or current_version(collection)
    mapped = parquet.frame(version_folder(chosen, "map"), "formula_id", ids, PAIRS) if chosen else AS_INDEXED
    return overlay_ids(rows.lazy(), mapped).collect()


def units_of_rankings(version: VisualMap, rankings: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The visual ids of a version for all documents in these rankings, as ``ranking.with_units`` expects them."""
    retrieved = pl.concat([RANKING.to_frame(), *rankings])["doc_id"].unique()
    return formula_units(version.collection, retrieved, version).select(doc_id="formula_id", unit_id="visual_id")


def find_writings(collection: Collection, visual_id: str, shown: int) -> list[dict[str, Any]]:
    """The ways in which the formulas of a visual id in the current version are written (``latex``), the most common
    first, how many are (``size``), and the ``shown`` ``formulas`` with the lowest ids (`FormulaRow`)."""
    rows = formulas_with_id(collection, visual_id)
    in_order = rows.sort(pl.col("formula_id").cast(pl.Int64, strict=False), "formula_id", nulls_last=True)
    first = pl.struct(rows.columns).head(shown)
    writings = in_order.group_by("latex", maintain_order=True).agg(size=pl.len(), formulas=first)
    return writings.sort("size", descending=True, maintain_order=True).to_dicts()


def formulas_with_id(collection: Collection, visual_id: str) -> pl.DataFrame:
    """The index rows with a visual id in the current version: from the index unless changed, or from the version."""
    types = parquet.schema(FormulaRow)
    index = collections.columns_folder(collection, "formulas")
    indexed = parquet.frame(index, "visual_id", [visual_id], types)
    version = current_version(collection)
    if version is None:
        return indexed
    changes = version_folder(version, "map")
    moved = parquet.frame(changes, "formula_id", indexed["formula_id"], PAIRS)
    added = parquet.frame(changes, "visual_id", [visual_id], PAIRS)
    kept = indexed.join(moved, on="formula_id", how="anti")
    return pl.concat([kept, parquet.frame(index, "formula_id", added["formula_id"], types)])


def unit_ids(
    collection: Collection | None, formula_ids: Iterable[str], version: VisualMap | None = None
) -> dict[str, str]:
    """The visual id of each of these formulas that has one."""
    if collection is None:
        return {}
    rows = formula_units(collection, formula_ids, version).filter(pl.col("visual_id") != "")
    return dict(rows.select(*PAIRS).iter_rows())


def overlay_ids(rows: pl.LazyFrame, mapped: pl.DataFrame) -> pl.LazyFrame:
    """The rows with the ids of a version in place of those of the index."""
    if mapped.is_empty():
        return rows
    new = mapped.lazy().rename({"visual_id": "mapped"})
    joined = rows.join(new, on="formula_id", how="left", maintain_order="left")
    return joined.with_columns(visual_id=pl.coalesce("mapped", "visual_id")).drop("mapped")


def read_map(version: VisualMap | None) -> pl.DataFrame:
    """All differences of a version from the index."""
    return parquet.scan(version_folder(version, "map"), PAIRS).select(*PAIRS).collect() if version else AS_INDEXED


def scan_index(collection: Collection) -> pl.LazyFrame:
    """The formula index in columns: formula_id, visual_id, latex, spurious. Raises Refused without one."""
    if not collection.has_formulas:
        raise Refused("The collection has no formula index. Import one first.")
    rows = parquet.scan(collections.columns_folder(collection, "formulas"), parquet.schema(FormulaRow))
    return rows.select("formula_id", "visual_id", "latex", "spurious")


def record_index(collection: Collection, by: User, counts: dict[str, int] | None = None) -> VisualMap | None:
    """Create the version that equals the index; None if the index has no visual ids. In a transaction, pass the
    result of ``count_formulas``, which reads the whole index."""
    if version := current_version(collection):
        return version
    counts = counts or count_formulas(collection)
    return create_version(collection, Kind.INDEX, {}, counts=counts, created_by=by) if counts["formulas"] else None


def create_version(collection: Collection, kind: str, parts: dict[str, pl.DataFrame], **fields: Any) -> VisualMap:
    """Store a version: its columns, then its row, with more ``fields``. Only that of the index is in force at once."""
    temporary = workspace.new_path()
    for name, rows in parts.items():
        (temporary / name).mkdir(parents=True)
        rows.write_parquet(temporary / name / "0.parquet")
    base = current_version(collection)
    with transaction.atomic():
        Collection.objects.select_for_update().get(pk=collection.pk)
        last = collection.visual_maps.aggregate(last=Max("number"))["last"] or 0
        version = VisualMap(
            collection=collection,
            number=last + 1,
            kind=kind,
            base=base,
            index_sha256=index_of(collection),
            applied=timezone.now() if kind == Kind.INDEX else None,
            **fields,
        )
        if parts:
            target = version_folder(version, "map").parent
            shutil.rmtree(target, ignore_errors=True)  # perhaps left there by an interrupted job
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary.rename(target)
        version.save()
    return version


def count_formulas(collection: Collection, mapped: pl.DataFrame = AS_INDEXED) -> dict[str, int]:
    """Formulas with and without a visual id, and distinct ids, after applying ``mapped``; without spurious ones."""
    rows = overlay_ids(scan_index(collection).filter(~pl.col("spurious")), mapped)
    has_id = pl.col("visual_id") != ""
    counts = rows.select(
        formulas=has_id.sum(), without=(~has_id).sum(), units=pl.col("visual_id").filter(has_id).n_unique()
    )
    return counts.collect(engine="streaming").row(0, named=True)


def compute_version(
    collection: Collection, by: User, on_progress: OnProgress, submitted: pl.Series | None = None, **fields: Any
) -> VisualMap:
    """Create a version, not yet in force, in which every formula without a visual id, or every submitted one, joins the
    formulas that look like it or gets a new id. Existing ids stay. ``fields``: more of the row. Raises Refused if no
    formula lacks an id."""
    on_progress(0, 0, READING)
    old = read_map(record_index(collection, by))
    rows = overlay_ids(scan_index(collection), old)
    lacking = rows.filter(pl.col("visual_id") == "")
    if submitted is not None:
        lacking = lacking.filter(pl.col("formula_id").is_in(submitted.implode()))
    wanted = lacking.select("formula_id", "latex").collect(engine="streaming")
    if wanted.is_empty():
        raise Refused("Every formula in this scope already has a visual id. To correct ids, use the repair.")
    identified = rows.filter(pl.col("visual_id") != "")
    latex = pl.concat([wanted.lazy().select("latex"), identified.select("latex")])
    keys = keys_of(collection, latex, on_progress)
    on_progress(0, 0, "assigning visual ids")
    known = identified.join(keys.lazy(), on="latex").select("key", "visual_id").unique().collect(engine="streaming")
    assigned = assign(wanted.join(keys, on="latex"), known.sort("key", "visual_id"))
    scope = Scope.ALL if submitted is None else Scope.SUBMITTED
    drop_pending(collection)
    mapped = pl.concat([old, assigned])
    counts = count_formulas(collection, mapped)
    about = {"counts": counts, "created_by": by, "scope": scope}
    return create_version(collection, Kind.COMPUTED, {"map": mapped}, **about, **fields)


def keys_of(collection: Collection, formulas: pl.LazyFrame, on_progress: OnProgress) -> pl.DataFrame:
    """The keys of formulas (column latex) in columns latex and key, a number for each distinct key. Keys computed by
    earlier jobs, even interrupted ones, are reused."""
    wanted = formulas.select("latex").unique().collect(engine="streaming")
    folder = collections.collection_home(collection) / f"keys-{RULES}"
    folder.mkdir(parents=True, exist_ok=True)
    todo = wanted.join(parquet.scan(folder, SCHEMA).collect(), on="latex", how="anti")["latex"].sort()
    on_progress(0, len(todo), BUILDING)
    for start in range(0, len(todo), BATCH):
        batch = []
        for done, tex in enumerate(todo[start : start + BATCH], start + 1):
            batch.append((tex, key(tex)))
            on_progress(done, len(todo), BUILDING)
        path = workspace.new_path()  # so that a batch is stored completely or not at all
        pl.DataFrame(batch, SCHEMA, orient="row").write_parquet(path)
        path.rename(folder / f"{path.name}.parquet")
    keys = wanted.join(parquet.scan(folder, SCHEMA).collect().unique("latex"), on="latex")
    return keys.select("latex", key=pl.col("key").rank("dense").cast(pl.UInt32))


def apply_version(version: VisualMap) -> None:
    """Make a version the current one, for ``updates.apply_visual_ids``, which updates the runs too; frozen pools keep
    their entries. Raises Refused if the version it was made from is no longer the current one."""
    if is_outdated(version):
        raise Refused("The visual ids have changed since then. Look for mixed ones again.")
    VisualMap.objects.filter(pk=version.pk).update(applied=timezone.now())


def is_outdated(version: VisualMap) -> bool:
    """Whether the index, or the version that this one was made from, is no longer the current one."""
    in_force = current_version(version.collection)
    return version.index_sha256 != index_of(version.collection) or (in_force and in_force.pk) != version.base_id


def drop_pending(collection: Collection) -> None:
    """Remove versions that were never in force."""
    for version in versions(collection).filter(applied__isnull=True):
        drop_version(version)


def drop_version(version: VisualMap) -> None:
    if VisualMap.objects.filter(pk=version.pk, applied__isnull=True).delete()[0]:
        workspace.remove_after_commit(version_folder(version, "map").parent)
