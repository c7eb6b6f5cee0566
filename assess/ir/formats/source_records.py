"""The records of files with judgments made elsewhere: tables with a header, results of a Turkle batch, JSON lines.

Turkle (https://github.com/hltcoe/turkle) prints a row for each task that a worker has done: what the task showed in
columns ``Input.…``, what the worker said in ``Answer.…``, and the worker in ``WorkerId`` and ``Turkle.Username``.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from assess.ir.common.problems import Problems, refuse
from assess.ir.formats.table import RUN_BY_SPREADSHEETS
from assess.ir.formats.text import MAX_LINE_BYTES, json_object

SourceFormat = Literal["qrels", "table", "turkle", "jsonl"]

TOPIC = ("topic", "topic_id", "topicid", "query", "query_id", "queryid", "qid", "question", "question_id")
ITEM = (
    *("document", "document_id", "documentid", "doc", "doc_id", "docid", "docno", "answer_id", "answerid"),
    *("formula", "formula_id", "formulaid", "post", "post_id", "postid", "unit", "unit_id", "visual_id", "item"),
)
GRADE = ("grade", "relevance", "rel", "label", "judgment", "judgement", "rating", "relevance_grade", "relevance_score")
LABELLER = ("assessor", "labeller", "labeler", "annotator", "judge", "worker", "worker_id", "workerid", "model")
COMMENT = ("comment", "comments", "annotator_comment", "reason", "reasoning", "explanation", "rationale")
OUTCOME = ("outcome",)
TURKLE = ("input.", "answer.")
NUMBERED = re.compile(r"(.*?)[ _.-]?(\d*)")


class Columns(NamedTuple):
    """The names of columns, where an organizer gives them; empty ones are recognized by the usual names."""

    topic: str = ""
    item: str = ""
    grade: str = ""
    labeller: str = ""
    comment: str = ""


class SourceRecord(NamedTuple):
    """A judgment as the file has it, and the line on which it ends."""

    line: int
    topic: str
    item: str
    grade: str
    outcome: str
    labeller: str
    comment: str


def format_of(text: str, name: str) -> SourceFormat:
    """The format that the first line shows: anything without a header is read as qrels."""
    first = text.lstrip()[:1]
    if first == "[":
        raise refuse(name, "is a JSON array; write one object a line (JSON lines)", 1)
    if first == "{":
        return "jsonl"
    header = [normal(cell) for cell in text.partition("\n")[0].split(delimiter_of(text))]
    if any(cell.startswith(TURKLE) for cell in header):
        return "turkle"
    return "table" if set(header) & set(TOPIC) and set(header) & {*GRADE, *OUTCOME} else "qrels"


def delimiter_of(text: str) -> str:
    return "\t" if "\t" in text.partition("\n")[0] else ","


def normal(name: str) -> str:
    return name.strip().strip('"').lower().replace(" ", "_")


def numbered_rows(text: str, name: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table, the header first, each with the number of its last line; fields in quotes may hold line
    breaks. A row with another number of fields than the header is a problem."""
    csv.field_size_limit(MAX_LINE_BYTES)
    reader, width = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)), 0
    try:
        for row in reader:
            width = width or len(row)
            if len(row) == width:
                yield reader.line_num, [without_apostrophe(cell) for cell in row]
            elif any(cell.strip() for cell in row):
                problems.add(reader.line_num, f"expected {width} fields as in the header, found {len(row)}")
    except csv.Error as error:
        raise refuse(name, f"cannot be read as a table ({error}); save it again as CSV", reader.line_num) from error


def without_apostrophe(cell: str) -> str:
    return (cell[1:] if cell.startswith("'") and cell[1:].startswith(RUN_BY_SPREADSHEETS) else cell).strip()


def of_table(text: str, name: str, columns: Columns, problems: Problems) -> Iterator[SourceRecord]:
    """Of a table with a header, separated by commas or tabs."""
    rows = numbered_rows(text, name, problems)
    _, header = next(rows)
    names = list(map(normal, header))
    topic, item = needed_column(names, columns.topic, TOPIC, name), needed_column(names, columns.item, ITEM, name)
    outcome = found_column(names, "", OUTCOME)
    grade = found_column(names, columns.grade, GRADE)
    if grade is None and outcome is None:
        raise no_column(names, columns.grade, GRADE, name)
    rest = [found_column(names, columns.labeller, LABELLER), found_column(names, columns.comment, COMMENT)]
    for line, row in rows:
        others = (row[at] if at is not None else "" for at in (grade, outcome, *rest))
        yield SourceRecord(line, row[topic], row[item], *others)


def found_column(names: Sequence[str], given: str, usual: Sequence[str]) -> int | None:
    """The column that was named, or the first with a usual name; None if there is none."""
    return next((names.index(name) for name in ([normal(given)] if given else usual) if name in names), None)


def needed_column(names: Sequence[str], given: str, usual: Sequence[str], name: str) -> int:
    at = found_column(names, given, usual)
    if at is None:
        raise no_column(names, given, usual, name)
    return at


def no_column(names: Sequence[str], given: str, usual: Sequence[str], name: str) -> Exception:
    """The refusal for a column that the header lacks."""
    kind = usual[0].rpartition(".")[2]
    looked = f"no column {given}" if given else f"no column for the {kind}, such as {usual[0]} or {usual[1]}"
    return refuse(name, f"has {looked}; its columns are {', '.join(names)[:300]}: name the right one", 1)


def of_turkle(text: str, name: str, columns: Columns, problems: Problems) -> Iterator[SourceRecord]:
    """Of the results of a Turkle batch. A task may show several documents, in columns numbered alike:
    ``Input.doc1 … Answer.relevance1``."""
    rows = numbered_rows(text, name, problems)
    _, header = next(rows)
    names = list(map(normal, header))
    topics = needed_columns(names, columns.topic, with_prefix("input.", TOPIC), name)
    if len(topics) > 1:
        raise refuse(name, f"has {len(topics)} columns for the topic: name one of them", 1)
    [topic] = topics.values()
    items = needed_columns(names, columns.item, with_prefix("input.", ITEM), name)
    grades = needed_columns(names, columns.grade, with_prefix("answer.", GRADE), name)
    if len(items) == len(grades) == 1:
        grades = dict.fromkeys(items, *grades.values())
    if items.keys() != grades.keys():
        raise refuse(name, f"{listed(header, items)} and {listed(header, grades)} do not match: name two columns", 1)
    comments = numbered_columns(names, columns.comment, with_prefix("answer.", COMMENT))
    labeller = found_column(names, columns.labeller, ("turkle.username", "workerid"))
    for line, row in rows:
        for number, at in items.items():
            comment = comments.get(number, comments.get(""))
            others = (row[at] if at is not None else "" for at in (labeller, comment))
            yield SourceRecord(line, row[topic], row[at], row[grades[number]], "", *others)


def with_prefix(prefix: str, names: Sequence[str]) -> list[str]:
    return [prefix + name for name in names]


def listed(header: Sequence[str], places: Mapping[str, int]) -> str:
    return ", ".join(header[at] for at in places.values())


def needed_columns(names: Sequence[str], given: str, usual: Sequence[str], name: str) -> dict[str, int]:
    places = numbered_columns(names, given, usual)
    if not places:
        raise no_column(names, given, usual, name)
    return places


def numbered_columns(names: Sequence[str], given: str, usual: Sequence[str]) -> dict[str, int]:
    """The columns of the first name that the header has, by the number at their end, empty without one."""
    for wanted in [normal(given)] if given else usual:
        if wanted in names:
            return {"": names.index(wanted)}
        matches = ((NUMBERED.fullmatch(column), at) for at, column in enumerate(names))
        places = {match[2]: at for match, at in matches if match and match[1] == wanted}
        if places:
            return places
    return {}


def of_json_lines(text: str, name: str, columns: Columns, problems: Problems) -> Iterator[SourceRecord]:
    """Of a file with a JSON object on each line."""
    wanted = zip(columns, (TOPIC, ITEM, GRADE, LABELLER, COMMENT), strict=True)
    keys = [[given] if given else usual for given, usual in wanted]
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        fields = json_object(line)
        if fields is None:
            problems.add(number, "is no JSON object")
            continue
        topic, item, grade, labeller, comment = (text_of_first(fields, names) for names in keys)
        yield SourceRecord(number, topic, item, grade, text_of_first(fields, OUTCOME), labeller, comment)


def text_of_first(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    """The first of these fields that is there, as text; lists and objects as JSON, which no grade or id is."""
    value = next((fields[name] for name in names if fields.get(name) is not None), "")
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


Reader = Callable[[str, str, Columns, Problems], Iterator[SourceRecord]]
READERS: dict[SourceFormat, Reader] = {"table": of_table, "turkle": of_turkle, "jsonl": of_json_lines}
