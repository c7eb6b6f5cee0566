"""A generated collection of the size of a lab's, in the labs' formats: the same seed gives the same files.

At scale 1 it has 2.5 million posts (44 % questions), as many comments and 28 million formulas: 18 % of them in
comments, 0.1 % in no text at all. Bodies are as long as the site's, answers follow their question after some hundred
other posts, and ids have gaps.
"""

from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

POSTS, FORMULAS = 2_500_000, 28_000_000
QUESTIONS, IN_TITLES, IN_COMMENTS, SPURIOUS = 0.44, 0.04, 0.18, 0.001
VISUAL_IDS = 9_000_000
CHUNK = 50_000
YEARS = range(2010, 2019)

FORMS = [
    ("x_{", "}"),
    (r"\frac{a_{", "}}{b+1}"),
    (r"\sum_{n=1}^{\infty}\frac{1}{n^{", "}}"),
    (r"\int_0^1 f(x)^{", r"}\,dx"),
    (r"\mathbb{Z}/", r"\mathbb{Z}"),
    (r"\lim_{x\to ", r"}\sqrt{x^2+1}"),
    ("n < ", r"\cdot m"),
    (r'\text{"', '" is } y'),
]
"""What stands before and after the number of a formula. The last, with quotes, is rare, as in the real index."""

SENTENCES = [
    "let us suppose that every such map is continuous and note that",
    "the series converges when its terms fall to zero, but here",
    "by the theorem above we know there is &lt;em&gt;exactly one&lt;/em&gt; solution of",
    "this follows from the lemma in &lt;a href=&quot;https://example.org/notes&quot;&gt;these notes&lt;/a&gt; for",
    "I tried to prove it by induction and got stuck at the step from",
    "which gives us&lt;/p&gt;&#xA;&#xA;&lt;p&gt;",
]
TAGS = ["calculus", "real-analysis", "linear-algebra", "number-theory", "probability", "group-theory", "topology"]

Generator = np.random.Generator
Numbers = npt.NDArray[np.int64]


class Size(NamedTuple):
    """How many posts and formulas there are."""

    posts: int
    formulas: int


def write(folder: Path, scale: float, seed: int = 1) -> Size:
    """Write Posts.xml, Comments.xml, PostLinks.xml, Users.xml and formulas.v3.tsv."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    size = Size(int(POSTS * scale), int(FORMULAS * scale))
    posts = make_posts(rng, size.posts)
    comments = make_comments(rng, posts)
    spurious, commented = int(size.formulas * SPURIOUS), int(size.formulas * IN_COMMENTS)
    with (folder / "formulas.v3.tsv").open("wb") as index:
        index.write(b"id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula\n")
        first = write_texts(folder / "Posts.xml", index, rng, posts, size.formulas - spurious - commented, 1)
        first = write_texts(folder / "Comments.xml", index, rng, comments, commented, first)
        write_index(index, formulas_of(rng, posts.head(spurious), np.ones(spurious, np.int64), first))
    write_small(folder / "PostLinks.xml", "postlinks", links(posts))
    write_small(folder / "Users.xml", "users", users(size.posts // 10))
    return size


def make_posts(rng: Generator, count: int) -> pl.DataFrame:
    """Ids, threads and kinds, in the order of the ids."""
    ids = np.cumsum(rng.integers(1, 3, count))
    asks = rng.random(count) < QUESTIONS
    asks[0] = True
    questions = ids[asks]
    latest = np.cumsum(asks) - 1
    before = np.maximum(latest - rng.exponential(200, count).astype(np.int64), 0)
    threads = np.where(asks, ids, questions[before])
    kinds = np.where(asks, "question", "answer")
    return pl.DataFrame({"post_id": ids, "thread_id": threads, "kind": kinds}).with_columns(
        text_id=pl.col("post_id"), comment_id=pl.lit(""), date=dates(count)
    )


def dates(count: int) -> pl.Series:
    """One date after the other through the years of the epoch."""
    years = np.linspace(YEARS.start, YEARS.stop, count, endpoint=False)
    dates = pl.DataFrame({"year": years.astype(np.int64), "month": (years % 1 * 12).astype(np.int64) + 1})
    month = pl.col("month").cast(pl.String).str.zfill(2)
    return dates.select(pl.concat_str("year", pl.lit("-"), month, pl.lit("-07T12:00:00.123"))).to_series()


def make_comments(rng: Generator, posts: pl.DataFrame) -> pl.DataFrame:
    """As many as posts, below any of them."""
    below = posts[np.sort(rng.integers(0, len(posts), len(posts)))]
    return below.with_columns(kind=pl.lit("comment"), text_id=pl.int_range(1, pl.len() + 1)).with_columns(
        comment_id=pl.col("text_id").cast(pl.String)
    )


def write_texts(path: Path, index: BinaryIO, rng: Generator, texts: pl.DataFrame, formulas: int, first: int) -> int:
    """Write posts or comments and the index rows of their formulas, whose ids begin at ``first``; gives the next."""
    counts = np.bincount(rng.integers(0, len(texts), formulas), minlength=len(texts))
    root = path.stem.lower()
    with path.open("wb") as out:
        out.write(f'<?xml version="1.0" encoding="utf-8"?>\n<{root}>\n'.encode())
        for start in range(0, len(texts), CHUNK):
            part = texts.slice(start, CHUNK)
            rows = formulas_of(rng, part, counts[start : start + CHUNK], first)
            write_index(index, rows)
            write_lines(out, rows_of(rng, part, rows))
            first += len(rows)
        out.write(f"</{root}>\n".encode())
    return first


def formulas_of(rng: Generator, texts: pl.DataFrame, counts: Numbers, first: int) -> pl.DataFrame:
    """So many formulas for each text; what looks alike has one visual id, and few of them are most of the formulas."""
    total = int(counts.sum())
    visual = (VISUAL_IDS * rng.random(total) ** 3).astype(np.int64)
    forms = np.where(visual % 5000 == 1, len(FORMS) - 1, visual % (len(FORMS) - 1))
    before, after = (pl.Series([form[side] for form in FORMS]).gather(pl.Series(forms)) for side in (0, 1))
    rows = texts[np.repeat(np.arange(len(texts)), counts)]
    in_title = (pl.col("kind") == "question") & pl.Series(rng.random(total) < IN_TITLES)
    return rows.with_columns(
        kind=pl.when(in_title).then(pl.lit("title")).otherwise("kind"),
        formula_id=pl.int_range(first, first + total),
        visual_id=pl.Series(visual),
        latex=pl.concat_str(before, pl.Series(visual).cast(pl.String), after),
    )


def write_index(index: BinaryIO, rows: pl.DataFrame) -> None:
    empty = pl.lit("")
    write_lines(
        index,
        rows.select(
            "formula_id", "post_id", "thread_id", "kind", "comment_id", empty.alias("old"), "visual_id",
            empty.alias("issue"), "latex",
        ),
    )  # fmt: skip


def write_lines(out: BinaryIO, lines: pl.DataFrame) -> None:
    lines.write_csv(out, include_header=False, separator="\t", quote_style="never")


def rows_of(rng: Generator, texts: pl.DataFrame, formulas: pl.DataFrame) -> pl.DataFrame:
    """The ``<row …/>`` of each text with its formulas between sentences."""
    spans = formulas.with_columns(piece=piece(rng, len(formulas)))
    titles = spans.filter(pl.col("kind") == "title").group_by("text_id").agg(title=pl.col("piece").str.join(" "))
    bodies = spans.filter(pl.col("kind") != "title").group_by("text_id").agg(body=pl.col("piece").str.join(" "))
    numbers = pl.Series(rng.integers(0, 50, len(texts)))
    rows = texts.join(titles, on="text_id", how="left").join(bodies, on="text_id", how="left")
    rows = rows.with_columns(pl.col("title", "body").fill_null(""), number=numbers)
    return rows.select(comment_row() if texts["kind"][0] == "comment" else post_row())


def piece(rng: Generator, count: int) -> pl.Expr:
    sentences = pl.Series(SENTENCES).gather(pl.Series(rng.integers(0, len(SENTENCES), count)))
    tex = pl.col("latex").str.replace_all("<", "&amp;lt;", literal=True).str.replace_all('"', "&quot;", literal=True)
    opening = pl.lit(" &lt;span class=&quot;math-container&quot; id=&quot;")
    return pl.concat_str(sentences, opening, "formula_id", pl.lit("&quot;&gt;$"), tex, pl.lit("$&lt;/span&gt;"))


def post_row() -> pl.Expr:
    tag = pl.lit(TAGS).explode().gather(pl.col("number") % len(TAGS))
    question = pl.format(
        '" Title="Why does this hold: {}" Tags="&lt;{}&gt;&lt;proof-verification&gt;" AnswerCount="1"', "title", tag
    )
    parent = pl.format('" ParentId="{}"', "thread_id")
    is_question = pl.col("kind") == "question"
    return pl.format(
        '  <row Id="{}" PostTypeId="{}" CreationDate="{}" Score="{}" OwnerUserId="{}" Body="&lt;p&gt;In this case, as '
        "one sees at once from the definition, {} which completes the argument.&lt;/p&gt;&#xA;{} CommentCount=\"0\" />",
        "post_id", pl.when(is_question).then(1).otherwise(2), "date", "number", "number", "body",
        pl.when(is_question).then(question).otherwise(parent),
    )  # fmt: skip


def comment_row() -> pl.Expr:
    return pl.format(
        '  <row Id="{}" PostId="{}" Score="{}" Text="I do not think so, see {} once more." CreationDate="{}" '
        'UserId="{}" />',
        "text_id", "post_id", "number", "body", "date", "number",
    )  # fmt: skip


def links(posts: pl.DataFrame) -> pl.DataFrame:
    """One question in five is linked to the question before, every third link as its duplicate."""
    asked = posts.filter(pl.col("kind") == "question").gather_every(5).with_row_index("n")
    linked = asked.with_columns(
        related=pl.col("post_id").shift(1, fill_value=1), kind=3 - 2 * (pl.col("n") % 3 > 0).cast(pl.Int8)
    )
    line = pl.format(
        '  <row Id="{}" PostId="{}" RelatedPostId="{}" LinkTypeId="{}" />', "n", "post_id", "related", "kind"
    )
    return linked.select(line)


def users(count: int) -> pl.DataFrame:
    line = pl.format('  <row Id="{}" Reputation="101" DisplayName="Reader {}" />', "id", "id")
    return pl.DataFrame({"id": np.arange(max(count, 50))}).select(line)


def write_small(path: Path, root: str, rows: pl.DataFrame) -> None:
    with path.open("wb") as out:
        out.write(f"<{root}>\n".encode())
        write_lines(out, rows)
        out.write(f"</{root}>\n".encode())
