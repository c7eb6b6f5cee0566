"""Columns of posts and comments with their HTML in canonical form.

As a program, ``python -m assess.ir.cleaning``, it takes a frame from its input and gives it back on its output
(Arrow IPC): cleaning is slow and keeps one processor busy, so many posts are shared out to several processes.
"""

import sys

import polars as pl

from assess.ir.html import canonical, canonical_inline

FORMS = {"title": canonical_inline, "body": canonical, "text": canonical_inline}
"""How the HTML in each column is cleaned."""


def cleaned(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with its HTML in canonical form."""
    forms = [name for name in frame.columns if name in FORMS]
    return frame.with_columns(pl.Series(name, list(map(FORMS[name], frame[name])), pl.String) for name in forms)


if __name__ == "__main__":
    cleaned(pl.read_ipc(sys.stdin.buffer.read())).write_ipc(sys.stdout.buffer)
