"""Columns that an earlier version prepared, brought up to date from what is stored: the labs' files are not needed."""

import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from assess.services.collection import preparing
from assess.services.common import parquet

Sources = dict[str, dict[str, Any]]


def upgrade(home: Path, sources: Mapping[str, Mapping[str, Any]]) -> Sources:
    """The sources of a collection whose columns are up to date; ``home`` is its folder. Earlier columns stay until the
    next import, so that nothing is lost if the caller fails to save. Texts do not change, so a frozen pool may depend
    on them."""
    upgraded = {kind: dict(source) for kind, source in sources.items()}
    for kind in preparing.TEXT_KINDS:
        rewrite(home, upgraded, kind, "formulas", lambda: preparing.with_formulas)
    rewrite(home, upgraded, "formulas", "spurious", lambda: preparing.spurious_marker(folders(home, upgraded)))
    for kind, source in upgraded.items():
        if parquet.files(home / source.get("folder", kind)):
            source["layout"] = preparing.LAYOUT
    return upgraded


def folders(home: Path, sources: Sources) -> dict[str, Path]:
    return {kind: home / sources.get(kind, {}).get("folder", kind) for kind in preparing.TEXT_KINDS}


def rewrite(home: Path, sources: Sources, kind: str, column: str, change: Callable[[], parquet.Change]) -> None:
    """Write the columns of a kind again, each part after a change, if they lack a column."""
    old = home / sources.get(kind, {}).get("folder", kind)
    files = parquet.files(old)
    if not files or column in pl.read_parquet_schema(files[0]):
        return
    new = home / f"{kind}-{uuid.uuid4().hex[:12]}"
    parquet.write(new, map(pl.read_parquet, files), change(), lambda _: None)
    sources.setdefault(kind, {})["folder"] = new.name
