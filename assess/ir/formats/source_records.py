"""The records of files with judgments made elsewhere: tables with a header, results of a Turkle batch, JSON lines.

Turkle (https://github.com/hltcoe/turkle) prints a row for each task that a worker has done: what the task showed in
columns ``Input.…``, what the worker said in ``Answer.…``, and the worker in ``WorkerId`` and ``Turkle.Username``.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from assess.ir.common.problems import Problems, refuse
from assess.ir.formats.columns import groups_of, is_header, is_number, names_of, no_column, normal, place_of
from assess.ir.formats.table import Row, as_meant, separator_in, text_rows
from assess.ir.formats.text import json_object, json_objects

SourceFormat = Literal["qrels", "table", "turkle", "jsonl"]

MEANINGS = ("topic", "document", "grade", "labeller", "comment")
"""What the fields of `Columns` hold, by the words of `formats.columns`."""
KNOWN = names_of(*MEANINGS, "outcome")
TURKLE = ("input_", "answer_")
NAME_IT = "name the right one"
SEVERAL = "; if several columns are judges, name them all as the grade, with commas between them"
STATUS = ("assignmentstatus", "status", "state", "answer")
REJECTED = ("rejected", "reject", "ignore", "ignored", "discarded", "cancelled", "canceled")
"""Where Mechanical Turk, Prodigy, Argilla and others say that a judgment does not count, and in which words."""
PRODIGY = ("accept", "reject", "ignore")
FLAGS = ("rejected", "is_rejected", "reject", "was_cancelled", "cancelled", "discarded", "_tainted")
"""Columns that say so by any text, such as a reason, that is none of `NO`."""
NO = ("", "0", "0.0", "false", "no", "n", "none", "null", "nan")


class Columns(NamedTuple):
    """The names of columns, where an organizer gives them; empty ones are recognized by the usual names. ``grade``:
    also several, with commas between them, each named after a judge."""

    topic: str = ""
    item: str = ""
    grade: str = ""
    labeller: str = ""
    comment: str = ""


class SourceRecord(NamedTuple):
    """A judgment as the file has it, and the line on which it begins. ``is_rejected``: it does not count; ``unread``:
    columns that say nothing here."""

    line: int
    topic: str
    item: str
    grade: str
    outcome: str
    labeller: str
    comment: str
    is_rejected: bool = False
    unread: Sequence[str] = ()


def format_of(text: str, name: str) -> SourceFormat:
    """The format that the first line shows. A line of fields, none of which is a number, is a header; anything without
    one is read as qrels."""
    first = text.lstrip()[:1]
    if first == "[":
        raise refuse(name, "is a JSON array; write one object a line (JSON lines)", 1)
    if first == "{":
        return "jsonl"
    header = first_fields(text)
    if any(normal(cell).startswith(TURKLE) for cell in header):
        return "turkle"
    is_named = len(header) > 1 and not any(map(is_number, header))
    return "table" if is_named or is_header(header, KNOWN) else "qrels"


def first_fields(text: str) -> list[str]:
    """The names of columns, or of the fields of the first object, if the first line has them."""
    line = text.lstrip("\r\n").partition("\n")[0]
    return list(json_object(line) or line.split(separator_in(line)))


def numbered_rows(text: str, name: str, problems: Problems) -> Iterator[Row]:
    """The rows of a table, the header first, each with the number of its first line; fields in quotes may hold line
    breaks. A row with another number of fields than the header is a problem."""
    width = 0
    for number, row in text_rows(text, name):
        width = width or len(row)
        if len(row) == width:
            yield number, [as_meant(cell.strip()).strip() for cell in row]
        elif any(cell.strip() for cell in row):
            problems.add(number, f"expected {width} fields as in the header, found {len(row)}")


def of_table(text: str, name: str, columns: Columns, problems: Problems) -> Iterator[SourceRecord]:
    """Of a table with a header."""
    rows = numbered_rows(text, name, problems)
    _, header = next(rows)
    names = list(map(normal, header))
    judges = judges_in(columns, names).values() or [columns.grade]
    given = [pair for pair in zip(MEANINGS, columns, strict=True) if pair[0] != "grade"]
    given += [("grade", judge) for judge in judges]
    places = {meaning: found_column(names, column, meaning, name) for meaning, column in given}
    needed = ["topic", "document", *([] if "outcome" in names else ["grade"])]
    if missing := [meaning for meaning in needed if places[meaning] is None]:
        raise no_column(missing, header, name, remedy=f"{NAME_IT}{SEVERAL * ('grade' in missing)}")
    for line, row in rows:
        yield from records_of(line, dict(zip(names, row, strict=True)), columns)


def judges_in(columns: Columns, names: Collection[str]) -> dict[str, str]:
    """By column the judge after whom it is named, if the organizer names several columns of grades."""
    if "," not in columns.grade or normal(columns.grade) in names:
        return {}
    return {normal(judge): judge.strip() for judge in columns.grade.split(",")}


def records_of(line: int, fields: Mapping[str, Any], columns: Columns) -> Iterator[SourceRecord]:
    """The judgment in fields with normal names; those of each judge, if there are several."""
    judges = judges_in(columns, fields)
    for column in judges or [columns.grade]:
        record = record_of(line, fields, columns._replace(grade=column))
        who = f"{record.labeller} {judges.get(column, '')}".strip()
        yield record._replace(labeller=who, unread=[key for key in record.unread if key not in judges])


def record_of(line: int, fields: Mapping[str, Any], columns: Columns) -> SourceRecord:
    given = [*zip(columns, MEANINGS, strict=True), ("", "outcome")]
    values = (found_value(fields, *column) for column in given)
    topic, item, grade, labeller, comment, outcome = (
        value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values
    )
    keys = [key_of(fields, *column) for column in given]
    if keys[1] == STATUS[-1] and item.lower() in PRODIGY:
        item = ""
    there = (key for key, value in fields.items() if value is not None)
    unread = [key for key in there if key not in (*keys, *STATUS, *FLAGS, "", "meta", "accept")]
    return SourceRecord(line, topic, item, single(grade), outcome, labeller, comment, is_rejected(fields), unread)


def is_rejected(fields: Mapping[str, Any]) -> bool:
    is_flagged = any(str(fields.get(key, "")).strip().lower() not in NO for key in FLAGS)
    return is_flagged or any(str(fields.get(key)).strip().lower() in REJECTED for key in STATUS)


def found_column(names: Sequence[str], given: str, meaning: str, name: str) -> int | None:
    """The column that the organizer names, else one with a usual name; None if there is none. Raises BadInput if the
    one that was named is not there."""
    if not given:
        return place_of(meaning, names, name)
    if normal(given) not in names:
        raise refuse(name, f"has no column {given}; its columns are {', '.join(names)[:300]}: {NAME_IT}", 1)
    return names.index(normal(given))


def single(text: str) -> str:
    """The value itself of a list of one, also as Label Studio writes its choices: ``{"choices": ["High"]}``; an empty
    list has none."""
    if text[:1] not in ("[", "{"):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, dict) and len(value) == 1:
        [value] = value.values()
    if isinstance(value, list) and len(value) <= 1:
        [value] = value or [""]
    return str(value) if isinstance(value, str | int | float) else text


def of_turkle(text: str, name: str, columns: Columns, problems: Problems) -> Iterator[SourceRecord]:
    """Of the results of a Turkle batch. A task may show several documents, in columns numbered alike:
    ``Input.doc1 … Answer.relevance1``."""
    rows = numbered_rows(text, name, problems)
    _, header = next(rows)
    names = list(map(normal, header))
    topics = needed_columns(header, columns.topic, "input_", "topic", name)
    if len(topics) > 1:
        raise refuse(name, f"has {len(topics)} columns for the topic: name one of them", 1)
    [topic] = topics.values()
    items = needed_columns(header, columns.item, "input_", "document", name)
    grades = needed_columns(header, columns.grade, "answer_", "grade", name)
    if len(items) == len(grades) == 1:
        grades = dict.fromkeys(items, *grades.values())
    if items.keys() != grades.keys():
        of_items, of_grades = (", ".join(header[at] for at in places.values()) for places in (items, grades))
        raise refuse(name, f"{of_items} and {of_grades} do not match: name two columns", 1)
    comments = numbered_columns(names, columns.comment, "answer_", "comment")
    usual = next((column for column in ("turkle_username", "workerid") if column in names), "")
    labeller = found_column(names, columns.labeller or usual, "labeller", name)
    used = {*grades.values(), *comments.values()}
    unread = [head for at, head in enumerate(header) if names[at].startswith(TURKLE[1]) and at not in used]
    for line, row in rows:
        rejected = is_rejected(dict(zip(names, row, strict=True)))
        for number, at in items.items():
            comment = comments.get(number, comments.get(""))
            who, why = (row[place] if place is not None else "" for place in (labeller, comment))
            yield SourceRecord(line, row[topic], row[at], single(row[grades[number]]), "", who, why, rejected, unread)


def needed_columns(header: Sequence[str], given: str, prefix: str, meaning: str, name: str) -> dict[str, int]:
    places = numbered_columns(list(map(normal, header)), given, prefix, meaning)
    if not places:
        raise no_column([meaning], header, name, remedy=NAME_IT)
    return places


def numbered_columns(names: Sequence[str], given: str, prefix: str, meaning: str) -> dict[str, int]:
    """The columns of the first name that the header has, by the number at their end, empty without one."""
    for wanted in [normal(given)] if given else [prefix + usual for usual in names_of(meaning)]:
        if wanted in names:
            return {"": names.index(wanted)}
        stems = [column.rstrip("0123456789") for column in names]
        places = {
            column.removeprefix(stem): at
            for at, (column, stem) in enumerate(zip(names, stems, strict=True))
            if stem.removesuffix("_") == wanted
        }
        if places:
            return places
    return {}


def of_json_lines(text: str, name: str, columns: Columns, problems: Problems) -> Iterator[SourceRecord]:
    for number, given in json_objects(enumerate(text.split("\n"), start=1), problems):
        fields = flattened(given)
        if reason := wrong_keys(fields, columns):
            remedy = SEVERAL if reason.startswith("has no") else ""
            problems.add(number, f"{reason}; its keys are {', '.join(given)[:200]}{remedy}")
            continue
        yield from records_of(number, fields, columns)


def flattened(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an object with normal names; Prodigy has ids in ``meta``, too, and choices in ``accept``."""
    fields = {normal(key): value for key, value in given.items()}
    meta = fields.get("meta")
    inner = {normal(key): value for key, value in meta.items()} if isinstance(meta, dict) else {}
    for meaning in ("topic", "document"):
        if key_of(fields, "", meaning) in ("", STATUS[-1]) and (key := key_of(inner, "", meaning)):
            fields[key] = inner[key]
    if "accept" in fields and not key_of(fields, "", "grade"):
        fields["grade"] = fields["accept"]
    return fields


def wrong_keys(fields: Mapping[str, Any], columns: Columns) -> str:
    """Why a line cannot be read: it has no grade, which is another thing than one that is empty, or an id is an object
    without one."""
    if absent := [key for key in judges_in(columns, fields) or [columns.grade] if key and normal(key) not in fields]:
        return f"has no {' and no '.join(absent)}"
    if not columns.grade and not set(fields) & set(names_of("grade", "outcome")):
        return "has no grade under a usual name"
    for given, meaning in ((columns.topic, "topic"), (columns.item, "document")):
        value = found_value(fields, given, meaning)
        if isinstance(value, dict | list):
            return f"the {meaning} is an object without an id"
        if isinstance(value, bool | float):
            return f"the {meaning} {json.dumps(value)} is no whole number: write ids in quotes"
    return ""


def key_of(fields: Mapping[str, Any], given: str, meaning: str) -> str:
    """The first of these fields that is there; empty if none is."""
    groups = [[normal(given)]] if given else groups_of(meaning)
    return next((key for group in groups for key in group if fields.get(key) is not None), "")


def found_value(fields: Mapping[str, Any], given: str, meaning: str) -> Any:
    """The first of these fields that is there; of an object what it has as id, if it has one."""
    key = key_of(fields, given, meaning)
    value = fields[key] if key else ""
    if not isinstance(value, dict) or meaning not in ("topic", "document"):
        return value
    inner = {normal(key): part for key, part in value.items()}
    names = [name for name in names_of(meaning) if name.endswith(("id", "no"))]
    return next((inner[key] for key in (*names, "id") if isinstance(inner.get(key), str | int)), value)


Reader = Callable[[str, str, Columns, Problems], Iterator[SourceRecord]]
READERS: dict[SourceFormat, Reader] = {"table": of_table, "turkle": of_turkle, "jsonl": of_json_lines}
