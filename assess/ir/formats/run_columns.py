"""The columns of run files: what a header names, which format fits columns without one, how other files look,
and how a run is written."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import Literal

import polars as pl

from assess.ir.common.problems import refuse
from assess.ir.formats.columns import names_of, normal, places_of
from assess.ir.formats.table import parse_float, parse_int, parse_whole

RunFormat = Literal["task1", "task2", "task3", "trec"]
COLUMNS: dict[RunFormat, tuple[str, ...]] = {
    "task1": ("topic", "document", "rank", "score", "run"),
    "task2": ("topic", "formula", "post", "rank", "score", "run"),
    "task3": ("topic", "rank", "score", "run", "sources", "answer"),
    "trec": ("topic", "Q0", "document", "rank", "score", "run"),
}
PLACES: dict[RunFormat, dict[str, int]] = {
    run_format: {column: place for place, column in enumerate(columns)} for run_format, columns in COLUMNS.items()
}
HEADER_WORDS = names_of("topic", "document", "iteration", "rank", "score", "run", "sources", "grade")
"""Names of columns in header lines of runs and qrels."""
UNKNOWN = "unknown"
"""Stands for the post of a formula that no source names."""
NAME_THEM = "put a line above that names the columns"
"""A remedy on every page; not all ask for the format."""
INSTEAD = "choose a run: a line for each retrieved document, with rank and score"


def named_format(header: Sequence[str]) -> RunFormat:
    """The format whose columns these names are; that of TREC if they are of none of the labs."""
    if set(header) & set(names_of("sources")):
        return "task3"
    if set(header) & set(names_of("formula")):
        return "task2"
    return "trec" if set(header) & set(names_of("iteration")) else "task1"


def places_in(header: Sequence[str], run_format: RunFormat, name: str, at: int) -> dict[str, int]:
    """The place of each column below a header. A run may do without its name and without ranks."""
    what = {"task2": ("formula", "post"), "task3": ("answer",)}.get(run_format, ("document",))
    return places_of(("topic", *what, "score"), ("rank", "run"), header, name, at)


def refuse_others(rows: Sequence[Sequence[str]], header: Sequence[str] | None, name: str, at: int) -> None:
    """Raise ``BadInput`` if the file is clearly something else: XML, a formula index, or qrels. ``rows``: its first
    rows, which begin in line ``at``, below its header if it has one."""
    columns = header or [normal(column) for column in rows[0]]
    first = " ".join(rows[0])
    if first.startswith("<"):
        raise refuse(name, f"this is XML: {first.strip()[:60]} …; {INSTEAD}", at)
    if "post_id" in columns and {"id", "formula_id"} & set(columns) and not set(columns) & set(names_of("score")):
        raise refuse(name, f"this looks like a formula index (columns {', '.join(columns)}); {INSTEAD}", at)
    if all(is_qrel(row) for row in rows) and "rank" not in columns:
        raise refuse(name, f"this looks like qrels (topic, {'0, ' * (len(rows[0]) > 3)}document, grade); {INSTEAD}", at)


def refuse_without_tag(rows: Sequence[Sequence[str]], name: str, at: int) -> None:
    """Raise ``BadInput`` if the five columns of a file can also be a TREC run whose last column, the name of the run,
    is missing, or its ranks: the second is Q0, or the same in all lines."""
    seconds = {row[1] for row in rows if len(row) == 5}
    is_usual = seconds <= {"Q0", "q0", "0"}
    is_constant = len(seconds) == 1 and (len(rows) > 1 or is_usual)
    lacks_tag = all(len(row) == 5 and None not in (parse_whole(row[3]), with_point(row[4])) for row in rows)
    lacks_ranks = is_usual and all(len(row) == 5 and with_point(row[3]) is not None for row in rows)
    if is_constant and (lacks_tag or lacks_ranks):
        second = seconds.pop()
        tag, ranks = ("the name of the run", "document rank score"), ("ranks", "document score run")
        missing, columns = tag if lacks_tag else ranks
        readings = f"a TREC run without {missing} (topic {second} {columns}), or a run of Task 1 with only one document"
        headers = f"topic Q0 {columns}, or topic document rank score run"
        raise refuse(name, f"this can be {readings}: add a column with {missing}, or {NAME_THEM}: {headers}", at)


def refuse_varied_constant(rows: Iterable[tuple[int, Sequence[str]]], name: str) -> None:
    """Raise ``BadInput`` if the second column of a file that was taken for TREC's is not the same in all lines."""
    first = None
    for at, row in rows:
        first = first if first is not None else row[1]
        if row[1] != first:
            reason = f"the second column is {first} in the first lines, but {row[1]} here"
            raise refuse(name, f"{reason}: correct it, or {NAME_THEM}", at)


def with_point(score: str) -> float | None:
    """A score that may have a decimal comma, as spreadsheets write it in some languages."""
    return parse_float(score.replace(",", "."))


def is_qrel(row: Sequence[str]) -> bool:
    """Whether a row looks like qrels: topic, 0, document, grade; or without the 0, if the grade is 0 to 3."""
    if len(row) == 3:
        return row[2] in ("0", "1", "2", "3")
    return len(row) == 4 and row[1] in ("0", "Q0") and parse_int(row[3]) is not None


def detect(rows: Sequence[Sequence[str]], name: str, at: int, taken: Container[str] = COLUMNS) -> RunFormat:
    """The format that fits most of the first rows, which start at line ``at``. Five columns: Task 1. Six: TREC if the
    second is Q0 or 0, or the same in all while the third varies; Task 3 if the second is a rank of 0 or 1, the third a
    number, and the next two are not rank and score; Task 2 if the fourth and fifth are rank and score. Raises
    ``BadInput``, which lists the formats that are ``taken``, if none fits or two fit equally well."""
    wide = [row for row in rows if len(row) == 6]
    constant = wide[0][1] if len({row[1] for row in wide}) == 1 else None
    is_varied = len({row[2] for row in wide}) > 1
    counts: Counter[RunFormat] = Counter()
    for row in rows:
        fits = fitting(row)
        if "task2" in fits and row[1] == constant and (is_varied or not any(map(str.isdigit, row[1]))):
            # A formula has its own id in each line; a constant that only fills the column is TREC's.
            fits = [each for each in fits if each != "task2"] if is_varied else fits
            fits.append("trec")
        counts.update(fits)
    best = counts.most_common(2)
    if len(best) == 1 or (len(best) == 2 and best[0][1] > best[1][1]):
        return best[0][0]
    if max(map(len, rows)) == 1:
        raise refuse(name, "has one column; separate fields by tabs, spaces, commas or semicolons", at)
    shapes = "; ".join(f"{key}: {' '.join(columns)}" for key, columns in COLUMNS.items() if key in taken)
    if len(rows[0]) not in map(len, COLUMNS.values()):
        formats = "one of these formats" if ";" in shapes else "this format"
        raise refuse(name, f"found {len(rows[0])} columns, but a run has {formats}: {shapes}", at)
    both = " or ".join(run_format for run_format, _ in best) or "none"
    raise refuse(name, f"the {len(rows[0])} columns can be read as {both}; {NAME_THEM} ({shapes})", at)


def fitting(row: Sequence[str]) -> list[RunFormat]:
    if len(row) == 5:
        return ["task1"]
    if len(row) != 6:
        return []
    fits: list[RunFormat] = []
    is_ranked = parse_whole(row[3]) is not None or (parse_float(row[3]) is not None and parse_whole(row[4]) is not None)
    if is_ranked:
        fits.append("trec" if row[1] in ("Q0", "q0", "0") else "task2")
    if row[1] in ("0", "1") and parse_float(row[2]) is not None and not (is_ranked and parse_float(row[4]) is not None):
        fits.append("task3")
    return fits


def write_run(lines: pl.DataFrame, run_format: RunFormat, tag: str) -> str:
    """A run in its task's format, tab-separated. ``lines``: topic_id, doc_id, rank, score and, of formulas, post_id."""
    posts = pl.col("post_id").fill_null(UNKNOWN).replace("", UNKNOWN)
    given = {"Q0": pl.lit("Q0"), "run": pl.lit(tag), "post": posts if "post_id" in lines.columns else pl.lit(UNKNOWN)}
    names = {"topic": "topic_id", "document": "doc_id", "formula": "doc_id"}
    fields = {column: given.get(column, pl.col(names.get(column, column))) for column in COLUMNS[run_format]}
    table = lines.select(**fields)
    return table.write_csv(include_header=False, separator="\t", quote_style="never")
