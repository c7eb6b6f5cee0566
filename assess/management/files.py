"""Files named on the command line."""

import io
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import polars as pl

from assess.ir.common.problems import refuse
from assess.ir.formats.run_columns import RunFormat
from assess.ir.formats.runs import RunFile, read_run, run_names

Row = TypeVar("Row")


class NamedRun(NamedTuple):
    """A run file, its path as given, and the name under which its results are printed."""

    name: str
    path: str
    file: RunFile


def read_file(path: str, reader: Callable[[BinaryIO, str], Row]) -> Row:
    """What ``reader`` reads from the file; problems name the file without its folder."""
    with Path(path).open("rb") as file:
        source = file if file.seekable() else io.BytesIO(file.read())  # a pipe
        return reader(source, Path(path).name)


def read_runs(paths: Iterable[str], run_format: RunFormat | None) -> list[NamedRun]:
    """The run files with their names: the tag, or the file's stem if tags collide."""
    files = [(path, read_file(path, lambda source, name: read_run(source, name, run_format))) for path in paths]
    names = run_names([(file.tag, Path(path).stem) for path, file in files])
    return [NamedRun(name, path, file) for name, (path, file) in zip(names, files, strict=True)]


def retrieved(runs: Sequence[NamedRun]) -> set[str]:
    return {doc_id for run in runs for doc_id in run.file.lines["doc_id"].unique()}


def visual_ids(path: str, wanted: Set[str], *, comments: bool = True) -> dict[str, str]:
    """The visual ids of these formulas, as far as the index has them; with or without those in comments."""
    from assess.ir.formats.formula_index import IN_COMMENT, formula_frames  # take memory; most commands don't need them

    is_wanted = pl.col("formula_id").is_in(pl.Series(list(wanted), dtype=pl.String).implode())

    def read_index(source: BinaryIO, name: str) -> dict[str, str]:
        formulas: dict[str, str] = {}
        has_visual_ids = False
        for frame in formula_frames(source, name):
            has_visual_ids = has_visual_ids or bool((frame["visual_id"] != "").any())
            rows = frame.filter(is_wanted, ~IN_COMMENT | comments).select("formula_id", "visual_id")
            for formula_id, visual_id in rows.iter_rows():
                if (first := formulas.setdefault(formula_id, visual_id)) != visual_id:
                    raise refuse(name, f"formula {formula_id} has two visual ids, {first} and {visual_id}: keep one")
        if not has_visual_ids:
            raise refuse(name, "the index has no visual ids; take its version 2 or 3")
        return formulas

    return read_file(path, read_index)


def occurring(posts: str, comments: str | None, runs: Sequence[NamedRun]) -> set[str]:
    """The formulas of the runs that occur in the text of a post or, if comments are given, of a comment."""
    from assess.ir.formats import formula_index  # takes memory, as lxml does
    from assess.ir.formats.posts import iter_comments, iter_posts

    wanted = retrieved(runs)

    def in_posts(source: BinaryIO, name: str) -> set[str]:
        return formula_index.occurring((post.title + post.body for post in iter_posts(source, name)), wanted)

    def in_comments(source: BinaryIO, name: str) -> set[str]:
        return formula_index.occurring((comment.text for comment in iter_comments(source, name)), wanted)

    return read_file(posts, in_posts) | (read_file(comments, in_comments) if comments else set())
