"""Run files: what a system retrieved for each topic."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from itertools import islice
from typing import BinaryIO, Literal, NamedTuple

from assess.ir.formats.table import Table, number, read_table, whole, wrong_count
from assess.ir.formats.text import fields
from assess.ir.problems import BadInput, Problem, Problems, refuse
from assess.ir.ranking import LIMIT
from assess.ir.rows import RunLine

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
LONGEST_ANSWER = 1200
"""Unicode characters of a written answer (ARQMath-3)."""
INSPECTED = 100
INSTEAD = "choose a run: a line for each document that a system retrieved, with rank and score"


class RunFile(NamedTuple):
    """A run as its file gives it. ``notes``: what was mended, and what of it will not count."""

    format: RunFormat
    tag: str
    lines: list[RunLine]
    notes: list[Problem]


def read_run(source: BinaryIO, name: str, run_format: RunFormat | None = None) -> RunFile:
    """A whole run file. Without ``run_format`` it is found from the columns (``detect``).

    Ranks need not be whole sequences, scores may be constant or negative, topics come in any order. Raises
    ``BadInput`` for a wrong number of fields, an empty id, a rank or score that is no finite number, and in
    Task 3 for a second answer to a topic or one that is too long.
    """
    table = read_table(source, name)
    refuse_others(table, name)
    run_format = run_format or detect([row for _, row in islice(table.rows(), INSPECTED)], name)
    problems = Problems(name)
    parsed = (parse(row, run_format, problems, at) for at, row in table.rows())
    lines = [line for line in parsed if line is not None]
    problems.check()
    numbers = [at for at, _ in table.lines]
    if run_format == "task3":
        refuse_second_answers(lines, numbers, problems)
    return RunFile(run_format, lines[0].tag, lines, [*table.notes, *remarks(lines, numbers, name)])


def refuse_others(table: Table, name: str) -> None:
    """Raises ``BadInput`` for a file that is plainly something else: XML, the index of formulas, or qrels."""
    at, first = table.lines[0]
    columns = [column.strip().lower() for column in fields(first)]
    rows = [row for _, row in islice(table.rows(), INSPECTED)]
    if first.lstrip().startswith("<"):
        raise refuse(name, f"this is XML: {first.strip()[:60]} …; {INSTEAD}", at)
    if "post_id" in columns and {"id", "formula_id"} & set(columns):
        raise refuse(name, f"this looks like an index of formulas (columns {', '.join(columns)}); {INSTEAD}", at)
    if all(len(row) == 4 and row[1] in ("0", "Q0") and whole(row[3]) is not None for row in rows):
        raise refuse(name, f"this looks like qrels (topic, 0, document, grade); {INSTEAD}", at)


def detect(rows: Sequence[Sequence[str]], name: str) -> RunFormat:
    """The format that fits most of the first rows. Five columns: Task 1. Six: TREC where the second is Q0 or
    0; Task 3 where the second is a rank of 0 or 1, the third a number, and the next two no rank and score; Task 2
    where the fourth is a whole number. Raises ``BadInput`` where none fits or two fit equally well."""
    found = Counter(run_format for row in rows for run_format in fitting(row))
    best = found.most_common(2)
    if len(best) == 1 or (len(best) == 2 and best[0][1] > best[1][1]):
        return best[0][0]
    shapes = "; ".join(f"{key}: {' '.join(columns)}" for key, columns in COLUMNS.items())
    reason = f"the format cannot be told from the {len(rows[0])} columns; name the format ({shapes})"
    raise refuse(name, reason)


def fitting(row: Sequence[str]) -> list[RunFormat]:
    if len(row) == 5:
        return ["task1"]
    if len(row) != 6:
        return []
    fits: list[RunFormat] = []
    ranked = whole(row[3]) is not None
    if ranked:
        fits.append("trec" if row[1] in ("Q0", "q0", "0") else "task2")
    if row[1] in ("0", "1") and number(row[2]) is not None and not (ranked and number(row[4]) is not None):
        fits.append("task3")
    return fits


def parse(row: Sequence[str], run_format: RunFormat, problems: Problems, at: int) -> RunLine | None:
    """The line of a row, or None with its problem noted."""
    wrong = wrong_count(row, COLUMNS[run_format])
    if wrong:
        problems.add(at, wrong)
        return None
    places = PLACES[run_format]
    rank, score = whole(row[places["rank"]]), number(row[places["score"]])
    if rank is None:
        problems.add(at, f"the rank must be a whole number, found {row[places['rank']]!r}")
    if score is None:
        problems.add(at, f"the score must be a finite number, found {row[places['score']]!r}")
    line = written(row, rank or 0, score or 0.0) if run_format == "task3" else None
    line = line or retrieved(row, places, rank or 0, score or 0.0)
    reason = wrong_text(line, run_format)
    if reason:
        problems.add(at, reason)
    return None if rank is None or score is None or reason else line


def retrieved(row: Sequence[str], places: dict[str, int], rank: int, score: float) -> RunLine:
    document = row[places["document" if "document" in places else "formula"]]
    post = row[places["post"]] if "post" in places else ""
    return RunLine(row[0], document, rank, score, row[places["run"]], post)


def written(row: Sequence[str], rank: int, score: float) -> RunLine:
    topic_id, _, _, tag, _, answer = row
    return RunLine(topic_id, written_id(topic_id, answer), rank, score, tag, text=answer)


def written_id(topic_id: str, answer: str) -> str:
    """The document id of a written answer: made from its text, white space apart, so that the same answer of
    two teams is one document."""
    text = f"{topic_id}\t{' '.join(answer.split())}"
    return f"d_{sha256(text.encode()).hexdigest()[:10]}"


def wrong_text(line: RunLine, run_format: RunFormat) -> str:
    """Why the ids or the answer of a line are refused; empty where they are right."""
    needed = {"topic": line.topic_id, "document": line.doc_id}
    if run_format == "task2":
        needed = {"topic": line.topic_id, "formula": line.doc_id, "post": line.post_id}
    if run_format == "task3":
        needed = {"topic": line.topic_id, "answer": line.text}
    for column, text in needed.items():
        if not text:
            return f"the {column} is empty"
        if "\0" in text:
            return f"the {column} holds a NUL character"
    if len(line.text) > LONGEST_ANSWER:
        return f"the answer has {len(line.text):,} characters, at most {LONGEST_ANSWER:,} are allowed"
    return ""


def refuse_second_answers(lines: Sequence[RunLine], numbers: Sequence[int], problems: Problems) -> None:
    firsts: dict[str, int] = {}
    for at, line in zip(numbers, lines, strict=True):
        first = firsts.setdefault(line.topic_id, at)
        if first != at:
            problems.add(at, f"a second answer to {line.topic_id} (the first is in line {first}): keep one")
    problems.check()


def remarks(lines: Sequence[RunLine], numbers: Sequence[int], name: str) -> list[Problem]:
    """What the file holds that will not count: repeated documents, documents beyond the limit, other tags."""
    seen: set[tuple[str, str]] = set()
    keys = ((line.topic_id, line.doc_id) for line in lines)
    repeated = [at for at, key in zip(numbers, keys, strict=True) if seen_before(key, seen)]
    notes = []
    if repeated:
        reason = f"{len(repeated):,} repeated documents: the first line of each in its topic counts"
        notes.append(Problem(name, repeated[0], reason))
    for topic_id, count in sorted(Counter(topic_id for topic_id, _ in seen).items()):
        if count > LIMIT:
            notes.append(Problem(name, 0, f"{topic_id} has {count:,} documents: the first {LIMIT:,} count"))
    tags = sorted({line.tag for line in lines})
    if len(tags) > 1:
        reason = f"{len(tags)} run names ({', '.join(tags[:3])}): the one of the first line is taken"
        notes.append(Problem(name, 0, reason))
    return notes


def seen_before(key: tuple[str, str], seen: set[tuple[str, str]]) -> bool:
    """Whether the key was seen; it is from now on."""
    before = len(seen)
    seen.add(key)
    return len(seen) == before


def run_names(files: Sequence[tuple[str, str]]) -> list[str]:
    """The name of each run, from (tag, file's stem): the tag, or the stem where the tag is empty or two files
    have it. Raises ``BadInput`` where two runs still have one name."""
    tags = Counter(tag for tag, _ in files)
    names = [tag if tag and tags[tag] == 1 else stem for tag, stem in files]
    for name, count in Counter(names).items():
        if count > 1:
            raise BadInput([Problem(name, 0, f"{count} runs have this name: rename their files or tags")])
    return names
