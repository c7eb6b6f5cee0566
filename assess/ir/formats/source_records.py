"""The records of files with judgments made elsewhere: tables with a header and JSON lines."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assess.ir.common.problems import Problems, refuse
from assess.ir.formats.columns import groups_of, names_of, no_column, normal, place_of
from assess.ir.formats.table import TableFile, as_meant, wrong_count
from assess.ir.formats.text import json_objects

MEANINGS = ("topic", "document", "grade", "labeller", "comment")
"""What the fields of `Columns` hold, by the words of `formats.columns`."""
NAME_IT = "name the right one"
SEVERAL = "; if several columns are judges, write a row for each judgment, with a column that says who judged"
STATUS = ("assignmentstatus", "status", "state", "answer")
REJECTED = ("rejected", "reject", "ignore", "ignored", "discarded", "cancelled", "canceled")
"""Where Mechanical Turk, Prodigy, Argilla and others say that a judgment does not count, and in which words."""
PRODIGY = ("accept", "reject", "ignore")
FLAGS = ("rejected", "is_rejected", "reject", "was_cancelled", "cancelled", "discarded", "_tainted")
"""Columns that say so by any text, such as a reason, that is none of `NO`."""
NO = ("", "0", "0.0", "false", "no", "n", "none", "null", "nan")


class Columns(NamedTuple):
    """The names of columns, where an organizer gives them; empty ones are recognized by the usual names."""

    topic: str = ""
    item: str = ""
    grade: str = ""
    labeller: str = ""
    comment: str = ""


class SourceRecord(NamedTuple):
    """A judgment as the file has it, and the line on which it begins. ``label``: the text of its grade or outcome;
    ``is_rejected``: it does not count; ``unread``: columns that say nothing here."""

    line: int
    topic: str
    item: str
    label: str
    labeller: str
    comment: str
    is_rejected: bool = False
    unread: Sequence[str] = ()


def of_table(table: TableFile, name: str, columns: Columns, problems: Problems) -> Iterator[SourceRecord]:
    names, at, absent = table.header or [], table.header_line, []
    for meaning, given in zip(MEANINGS, columns, strict=True):
        if given and normal(given) not in names:
            raise refuse(name, f"has no column {given}; its columns are {', '.join(names)[:300]}: {NAME_IT}", at)
        if not given and place_of(meaning, names, name, at) is None:
            absent.append(meaning)
    needed = ["topic", "document", *([] if "outcome" in names else ["grade"])]
    if missing := [meaning for meaning in needed if meaning in absent]:
        raise no_column(missing, table.heads, name, at, f"{NAME_IT}{SEVERAL * ('grade' in missing)}")
    for line, row in table.rows():
        if len(row) == len(names):
            yield record_of(line, dict(zip(names, map(as_meant, row), strict=True)), columns)
        elif any(row):
            problems.add(line, wrong_count(row, table.heads))


def record_of(line: int, fields: Mapping[str, Any], columns: Columns) -> SourceRecord:
    found = [found_value(fields, *column) for column in (*zip(columns, MEANINGS, strict=True), ("", "outcome"))]
    keys = [key for key, _ in found]
    topic, item, grade, labeller, comment, outcome = (
        value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for _, value in found
    )
    if keys[1] == STATUS[-1] and item.lower() in PRODIGY:
        item = ""
    there = (key for key, value in fields.items() if value is not None)
    unread = [key for key in there if key not in (*keys, *STATUS, *FLAGS, "")]
    label = single(grade) or outcome
    return SourceRecord(line, topic, item, label, labeller, comment, is_rejected(fields), unread)


def is_rejected(fields: Mapping[str, Any]) -> bool:
    is_flagged = any(str(fields.get(key, "")).strip().lower() not in NO for key in FLAGS)
    return is_flagged or any(str(fields.get(key)).strip().lower() in REJECTED for key in STATUS)


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


def of_json_lines(lines: Iterable[tuple[int, str]], columns: Columns, problems: Problems) -> Iterator[SourceRecord]:
    for number, given in json_objects(lines, problems):
        fields = {normal(key): value for key, value in given.items()}
        if reason := wrong_keys(fields, columns):
            remedy = SEVERAL if reason.startswith("has no") else ""
            problems.add(number, f"{reason}; its keys are {', '.join(given)[:200]}{remedy}")
            continue
        yield record_of(number, fields, columns)


def wrong_keys(fields: Mapping[str, Any], columns: Columns) -> str:
    """Why a line cannot be read: it has no grade, which is not the same as an empty one, or an id is an object."""
    if columns.grade and normal(columns.grade) not in fields:
        return f"has no {columns.grade}"
    groups = groups_of("grade") + groups_of("outcome")
    if not columns.grade and not any({*group} & fields.keys() for group in groups):
        return "has no grade under a usual name"
    for given, meaning in ((columns.topic, "topic"), (columns.item, "document")):
        _, value = found_value(fields, given, meaning)
        if isinstance(value, dict | list):
            return f"the {meaning} is an object without an id"
        if isinstance(value, bool | float):
            return f"the {meaning} {json.dumps(value)} is no whole number: write ids in quotes"
    return ""


def found_value(fields: Mapping[str, Any], given: str, meaning: str) -> tuple[str, Any]:
    """Key and value of the first of these fields that is there, both empty if none is; of an object its id, if any."""
    groups = [[normal(given)]] if given else groups_of(meaning)
    key = next((key for group in groups for key in group if fields.get(key) is not None), "")
    value = fields[key] if key else ""
    if not isinstance(value, dict) or meaning not in ("topic", "document"):
        return key, value
    inner = {normal(key): part for key, part in value.items()}
    names = [name for name in names_of(meaning) if name.endswith(("id", "no"))]
    return key, next((inner[name] for name in (*names, "id") if isinstance(inner.get(name), str | int)), value)
