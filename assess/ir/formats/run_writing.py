"""Writing run files."""

import polars as pl

from assess.ir.formats.run_columns import COLUMNS, RunFormat

UNKNOWN = "unknown"
"""Stands for the post of a formula that no source names."""


def write_run(lines: pl.DataFrame, run_format: RunFormat, tag: str) -> str:
    """A run in the format of its task, tab-separated. ``lines``: ``topic_id``, ``doc_id``, ``rank``, ``score`` and, for
    formulas, ``post_id``."""
    fields = {
        "topic": pl.col("topic_id"),
        "Q0": pl.lit("Q0"),
        "document": pl.col("doc_id"),
        "formula": pl.col("doc_id"),
        "post": pl.col("post_id").fill_null(UNKNOWN).replace("", UNKNOWN)
        if "post_id" in lines.columns
        else pl.lit(UNKNOWN),
        "rank": pl.col("rank"),
        "score": pl.col("score"),
        "run": pl.lit(tag),
    }
    table = lines.select(**{column: fields[column] for column in COLUMNS[run_format]})
    return table.write_csv(include_header=False, separator="\t", quote_style="never")
