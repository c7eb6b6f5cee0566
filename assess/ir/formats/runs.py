"""Run files."""

import io
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import BinaryIO, NamedTuple

import polars as pl

from assess.ir.common.problems import BadInput, Problem, Problems, refuse
from assess.ir.common.rows import CONTROL, LONGEST_ID, LONGEST_NAME, Order, RunLine, wrong_id
from assess.ir.formats import run_columns
from assess.ir.formats.columns import is_header
from assess.ir.formats.packed import unpacked
from assess.ir.formats.run_columns import COLUMNS, HEADER_WORDS, PLACES, RunFormat
from assess.ir.formats.table import (
    INSPECTED,
    INVISIBLE,
    SPACED,
    parse_float,
    parse_int,
    parse_whole,
    read_table,
    wrong_count,
)
from assess.ir.formats.text import MAX_LINE_BYTES
from assess.ir.runs.ranking import LIMIT, LINES, as_lines, order

LONGEST_ANSWER = 1200
"""Unicode characters in a written answer (ARQMath-3)."""
CLEAN = bytes({*b"\n\r", *range(0x21, 0x7F)} - {*b'"'})
"""What is in a file that is read by columns, besides its separator and between tabs bytes beyond ASCII."""
MARKS = tuple(mark.encode() for mark in INVISIBLE)


class RunFile(NamedTuple):
    """A run as read. ``lines`` has the columns `ranking.LINES`; ``notes``: what was repaired or will not count."""

    format: RunFormat
    tag: str
    lines: pl.DataFrame
    notes: list[Problem]

    def ranking(self, by: Order, name: str) -> pl.DataFrame:
        """`ranking.order`. Raises BadInput for ranks that are the same in all lines of a topic: they set no order."""
        if by == "rank":
            is_same = (pl.len() > 1) & (pl.col("rank").n_unique() == 1)
            same = (
                self.lines.group_by("topic_id", maintain_order=True).agg(is_same=is_same).filter("is_same")["topic_id"]
            )
            if len(same):
                raise refuse(name, f"all ranks of {same[0]} are the same, so they set no order: order by score")
        return order(self.lines, by)


def read_run(
    source: BinaryIO, name: str, run_format: RunFormat | None = None, taken: Container[str] = COLUMNS
) -> RunFile:
    """Read a run file. Without ``run_format`` the format is detected; problems name those ``taken`` (``detect``). Ranks
    may have gaps, scores may be constant or negative, topics may come in any order. Raises ``BadInput`` for a wrong
    number of fields, a wrong id, a rank or score that is no finite number, and in Task 3 for a second answer to a topic
    or one that is too long. A clean file is read by columns, which is faster, any other by lines, with the same result.
    """
    data = unpacked(source, name).read()
    return read_columns(data, name, run_format, taken) or read_lines(io.BytesIO(data), name, run_format, taken)


def read_lines(source: BinaryIO, name: str, run_format: RunFormat | None, taken: Container[str] = COLUMNS) -> RunFile:
    """Read any run file, reporting every defect with its line."""
    table = read_table(source, name, HEADER_WORDS)
    sample, at = table.sample(), table.lines[0][0]
    run_columns.refuse_others(sample, table.header, name, table.header_line if table.header else at)
    if table.header is None:
        is_detected, run_format = run_format is None, run_format or run_columns.detect(sample, name, at, taken)
        places, columns = PLACES[run_format], list(COLUMNS[run_format])
        if is_detected and run_format == "task1":
            run_columns.refuse_without_tag([row for _, row in table.rows()], name, at)
        elif is_detected and run_format == "trec":
            run_columns.refuse_varied_constant(((at, row) for at, row in table.rows() if len(row) > 1), name)
    else:
        run_format = run_format or run_columns.named_format(table.header)
        places, columns = run_columns.places_in(table.header, run_format, name, table.header_line), table.header
    problems, numbers, lines = Problems(name), list[int](), list[RunLine]()
    for number, row in table.rows():
        if wrong := wrong_count(row, columns):
            problems.add(number, wrong)
        elif line := parse_line(number, {column: row[at] for column, at in places.items()}, run_format, problems):
            numbers.append(number)
            lines.append(line)
    problems.check()
    if run_format == "task3":
        refuse_second_answers(lines, numbers, problems)
    frame = as_lines(lines)
    found = (*table.notes, *readings(sample, places, name, at))
    notes = [note for note in found if run_format != "trec" or note.reason != SPACED]  # TREC's format has spaces
    return RunFile(run_format, lines[0].tag, frame, [*notes, *remarks(frame, numbers, name)])


def readings(rows: Sequence[Sequence[str]], places: dict[str, int], name: str, at: int) -> Iterator[Problem]:
    """What was read otherwise than the format has it."""
    if "rank" not in places:
        yield Problem(name, at, "there are no ranks: the scores set the order")
    elif any(parse_int(row[places["rank"]]) is None for row in rows):
        yield Problem(name, at, "ranks such as 1.0 were read as whole numbers")


def read_columns(
    data: bytes, name: str, run_format: RunFormat | None, taken: Container[str] = COLUMNS
) -> RunFile | None:
    """Read a clean run file; None if there is anything to repair or report, and for Task 3."""
    raw = columns_of(data)
    if raw is None:
        return None
    sample = raw.head(INSPECTED).rows()
    if is_header(sample[0], HEADER_WORDS):
        return None
    run_columns.refuse_others(sample, None, name, 1)
    is_detected, run_format = run_format is None, run_format or run_columns.detect(sample, name, 1, taken)
    if run_format == "task3" or raw.width != len(COLUMNS[run_format]):
        return None
    is_constant = raw.select(pl.nth(1).n_unique() == 1).item()
    if is_detected and (run_format, is_constant) in (("task1", True), ("trec", False)):
        return None  # which reading by lines refuses, or tells
    frame = as_columns(raw, PLACES[run_format])
    del raw
    if frame is None:
        return None
    spaced = [] if b"\t" in data or run_format == "trec" else [Problem(name, 1, SPACED)]
    return RunFile(run_format, frame["tag"][0], frame, [*spaced, *remarks(frame, range(1, len(frame) + 1), name)])


def columns_of(data: bytes) -> pl.DataFrame | None:
    """The fields of a file as columns of text, if all lines have the same number and none is empty."""
    separator = "\t" if b"\t" in data else " "
    clean = CLEAN + separator.encode() + (bytes(range(0x80, 0x100)) if separator == "\t" else b"")
    is_endless = len(data) > MAX_LINE_BYTES and data.find(b"\n", 0, MAX_LINE_BYTES) < 0  # which ``read_lines`` refuses
    if is_endless or data[:1] in (b"", b"#", b"<") or b"\n#" in data or data.translate(None, clean):
        return None
    if data.count(b"\r") != data.count(b"\r\n") or (not data.isascii() and any(mark in data for mark in MARKS)):
        return None
    widths = {line.count(separator.encode()) + 1 for line in islice(io.BytesIO(data), INSPECTED)}
    if not widths <= set(map(len, COLUMNS.values())):  # polars takes a minute for a million columns
        return None
    try:
        raw = pl.read_csv(data, has_header=False, separator=separator, quote_char=None, infer_schema=False)
    except pl.exceptions.PolarsError:
        return None
    raw = raw.with_columns(pl.col(raw.columns[-1]).str.strip_chars_end("\r"))
    is_whole = data.count(b"\n") + (not data.endswith(b"\n")) == len(raw)
    has_gaps = raw.select(pl.any_horizontal(pl.all().is_null().any() | (pl.all() == "").any())).item()
    return raw if is_whole and not has_gaps else None


def as_columns(raw: pl.DataFrame, places: dict[str, int]) -> pl.DataFrame | None:
    """The columns of a run, if every rank, score and id is valid."""
    fields = {name: pl.col(raw.columns[place]) for name, place in places.items()}
    document = fields["document" if "document" in places else "formula"]
    ids = [fields["topic"], document, *([fields["post"]] if "post" in places else [])]
    frame = raw.select(
        topic_id=fields["topic"],
        doc_id=document,
        rank=pl.when(fields["rank"].str.contains("^-?[0-9]+$")).then(fields["rank"].cast(pl.Int64, strict=False)),
        score=fields["score"].cast(pl.Float64, strict=False),
        tag=fields["run"],
        post_id=fields.get("post", pl.lit("")),
        text=pl.lit(""),
    )
    fits = [pl.col("rank").is_not_null().all(), pl.col("score").is_finite().fill_null(False).all()]
    lengths = [*[(column, LONGEST_ID) for column in ids], (fields["run"], LONGEST_NAME)]
    is_short = raw.select(pl.all_horizontal(column.str.len_chars().max() <= most for column, most in lengths)).item()
    return frame.cast(LINES) if is_short and frame.select(pl.all_horizontal(fits)).item() else None


def parse_line(at: int, texts: dict[str, str], run_format: RunFormat, problems: Problems) -> RunLine | None:
    rank, score = parse_whole(texts.get("rank", "0")), parse_float(texts["score"])
    if rank is None:
        problems.add(at, f"the rank must be a whole number, found {texts['rank']!r}")
    if score is None:
        remedy = "" if run_columns.with_point(texts["score"]) is None else f": write {texts['score'].replace(',', '.')}"
        problems.add(at, f"the score must be a finite number, found {texts['score']!r}{remedy}")
    if reason := wrong_text(texts):
        problems.add(at, reason)
    if rank is None or score is None or reason:
        return None
    topic_id, tag, answer = texts["topic"], texts.get("run", ""), texts.get("answer", "")
    if run_format == "task3":
        return RunLine(topic_id, written_id(topic_id, answer), rank, score, tag, text=answer)
    return RunLine(topic_id, texts.get("document") or texts.get("formula", ""), rank, score, tag, texts.get("post", ""))


def written_id(topic_id: str, answer: str) -> str:
    """The id of a written answer, a hash of its text but for white space: one of two teams is one document."""
    text = f"{topic_id}\t{' '.join(answer.split())}"
    return f"d_{sha256(text.encode()).hexdigest()[:10]}"


def wrong_text(texts: dict[str, str]) -> str:
    for column in ("topic", "document", "formula", "post"):
        if column in texts and (reason := wrong_id(texts[column])):
            return f"the {column} {reason}"
    tag, answer = texts.get("run", ""), texts.get("answer")
    if answer == "":
        return "the answer is empty"
    if CONTROL.search(tag):
        return "the run name contains a control character"
    for column, text, most in (("answer", answer or "", LONGEST_ANSWER), ("run name", tag, LONGEST_NAME)):
        if len(text) > most:
            return f"the {column} has {len(text):,} characters, at most {most:,} are allowed"
    return ""


def refuse_second_answers(lines: Sequence[RunLine], numbers: Sequence[int], problems: Problems) -> None:
    firsts: dict[str, int] = {}
    for at, line in zip(numbers, lines, strict=True):
        first = firsts.setdefault(line.topic_id, at)
        if first != at:
            problems.add(at, f"a second answer to {line.topic_id} (the first is in line {first}): keep one")
    problems.check()


def remarks(lines: pl.DataFrame, numbers: Sequence[int], name: str) -> Iterator[Problem]:
    """What will not count: repeated documents, those beyond the limit, other tags; ``numbers`` are those of lines."""
    documents = lines.select("topic_id", "doc_id")
    is_first = documents.select(pl.struct(pl.all()).is_first_distinct()).to_series()
    if repeated := len(lines) - int(is_first.sum()):
        at = numbers[int((~is_first).arg_max() or 0)]
        yield Problem(name, at, f"{repeated:,} repeated documents: the first line of each in its topic counts")
    firsts = documents.filter(is_first) if repeated else documents
    counts = firsts.group_by("topic_id").len().filter(pl.col("len") > LIMIT).sort("topic_id")
    for topic_id, count in counts.iter_rows():
        yield Problem(name, 0, f"{topic_id} has {count:,} documents: the first {LIMIT:,} count")
    if runs_against(lines):
        reason = "in all topics the ranks run against the scores: the scores set the order, unless you choose the ranks"
        yield Problem(name, 0, reason)
    tags = sorted(lines["tag"].unique())
    if len(tags) > 1:
        yield Problem(name, 0, f"{len(tags)} run names ({', '.join(tags[:3])}): the one in the first line is used")


def runs_against(lines: pl.DataFrame) -> bool:
    """Whether of every two lines that follow each other in a topic the one with the better rank has the lower score."""
    is_next = pl.col("topic_id") == pl.col("topic_id").shift()
    agreement = pl.col("rank").diff().sign() * pl.col("score").diff().sign()
    signs = lines.select(agreement.filter(is_next)).to_series()
    return len(signs) > 0 and bool((signs > 0).all())


def run_names(files: Sequence[tuple[str, str]]) -> list[str]:
    """The name of each run, from (tag, file stem): the tag, or the stem if the tag is empty or not unique. Raises
    ``BadInput`` if two runs still share a name."""
    tags = Counter(tag for tag, _ in files)
    names = [tag if tag and tags[tag] == 1 else stem for tag, stem in files]
    for name, count in Counter(names).items():
        if count > 1:
            raise BadInput([Problem(name, 0, f"{count} runs have this name: rename their files or tags")])
    return names
