"""Qrels files: topic, an unused column, unit, grade."""

import re
from collections.abc import Collection, Iterable, Sequence
from sys import intern
from typing import BinaryIO, NamedTuple

from assess.ir.common.problems import Problem, Problems, refuse
from assess.ir.common.rows import DO_NOT_KNOW, GRADES, SYSTEM_FAILURE, Qrel
from assess.ir.formats.columns import names_of, places_of
from assess.ir.formats.run_columns import HEADER_WORDS, RunFormat, fitting
from assess.ir.formats.table import INSPECTED, Row, TableFile, noted, parse_float, parse_whole, read_table, wrong_count

COLUMNS = ("topic", "0", "unit", "grade")
UNJUDGED = -1
"""In TREC's qrels: in the pool, but not judged."""
JUDGMENTS = "judgments made elsewhere, a table with a header, with tabs or commas between its columns"
WRITTEN_OUTCOMES = {5: SYSTEM_FAILURE, 6: DO_NOT_KNOW}
"""Outcomes in the file of Task 3 (ARQMath-3)."""
REPEATED = "repeated lines with the same grade"
TOPIC = re.compile(r"[A-Z]\.\d+")


class QrelsFile(NamedTuple):
    """The judged units in file order. In Task 3, one with an outcome has grade 0; ``outcomes`` are by (topic, unit)."""

    qrels: list[Qrel]
    outcomes: dict[tuple[str, str], str]
    notes: list[Problem]


def read_qrels(
    source: BinaryIO, name: str, run_format: RunFormat | None = None, scale: Collection[int] = GRADES
) -> QrelsFile:
    """A whole qrels file. Grades are those of the ``scale``, also written 2.0; Task 3 also has outcomes; TREC has any
    whole number, and -1 means unjudged and is left out, unless the scale has negative ones or a lower one (such as -2
    for spam) shows that it does. Repeated lines are noted. Raises ``BadInput`` for other columns and grades, and for a
    unit with two grades."""
    table = read_table(source, name, (*HEADER_WORDS, *names_of("labeller")))
    rows = list(table.rows())
    places = places_below(table, rows, name)
    columns = table.header or COLUMNS
    problems = Problems(name)
    grades: dict[tuple[str, str], tuple[int, int]] = {}
    repeated = []
    for at, row in rows:
        if reason := wrong_count(row, columns):
            problems.add(at, reason)
            continue
        topic, unit, text = (row[place] for place in places)
        if reason := wrong_row(topic, unit, text, run_format, scale):
            problems.add(at, reason)
            continue
        key, grade = (intern(topic), unit), int(float(text))
        first, known = grades.setdefault(key, (at, grade))
        if known != grade:
            problems.add(at, f"{unit} has grade {grade} in {topic}, but {known} in line {first}: keep one")
        elif first != at:
            repeated.append(at)
    problems.check()
    notes = [*table.notes, *noted(name, repeated, REPEATED)]
    lowest = min(grade for _, grade in grades.values())
    least = lowest if lowest < UNJUDGED else min(0, *scale)
    written = WRITTEN_OUTCOMES if run_format == "task3" else {}
    outcomes = {key: written[grade] for key, (_, grade) in grades.items() if grade in written}
    qrels = [Qrel(*key, 0 if key in outcomes else grade) for key, (_, grade) in grades.items() if grade >= least]
    if unjudged := len(grades) - len(qrels):
        notes.append(Problem(name, 0, f"{unjudged:,} units with a negative grade are unjudged"))
    return QrelsFile(qrels, outcomes, notes)


def places_below(table: TableFile, rows: Sequence[Row], name: str) -> tuple[int, int, int]:
    """The places of topic, unit and grade: as the header names them, or as in TREC's four columns. Raises ``BadInput``
    for a run, for the labs' map, and for columns that are or may be others."""
    if table.header is None:
        refuse_run(rows, name)
        four = [(at, row) for at, row in rows if len(row) == len(COLUMNS)]
        refuse_map([row for _, row in four], name)
        refuse_other_columns(four, name)
        return 0, 2, 3
    columns = f"(columns {', '.join(table.header)})"
    if set(table.header) & set(names_of("rank")):
        raise refuse(name, f"this looks like a run {columns}; choose qrels", table.header_line)
    if set(table.header) & set(names_of("labeller")):
        reason = f"has a column of judges {columns}, but qrels have one grade for a document"
        raise refuse(name, f"{reason}: choose qrels, or import it as {JUDGMENTS}", table.header_line)
    found = places_of(("topic", "document", "grade"), (), table.header, name, table.header_line)
    return found["topic"], found["document"], found["grade"]


def refuse_other_columns(rows: Sequence[Row], name: str) -> None:
    """Raise ``BadInput`` if the second of four columns varies: it is that of a subtopic, or of the documents; and if it
    is no usual constant, and the third and fourth can be grade and iteration."""
    varied = next((at for at, row in rows if row[1] != rows[0][1][1]), 0)
    are_swapped = bool(rows) and all(row[3] == rows[0][1][3] and parse_whole(row[2]) is not None for _, row in rows)
    is_usual = not rows or rows[0][1][1] in ("0", "Q0", "q0")
    if not varied and (is_usual or not are_swapped or parse_whole(rows[0][1][3]) != 0):
        return
    readings = "it can be a subtopic, which is not read here, or who judged (topic assessor document grade)"
    if are_swapped:
        readings = "these can be the columns of ir_datasets (topic document grade iteration), or subtopics"
    what = "is not the same in all lines" if varied else f"is {rows[0][1][1]}, which is no usual constant"
    remedy = "put a line above that names the columns, such as topic document grade iteration"
    raise refuse(name, f"the second column {what}: {readings}; {remedy}", varied or rows[0][0])


def refuse_run(rows: Sequence[Row], name: str) -> None:
    """Raise ``BadInput`` if all of the first rows are lines of a run."""
    at, first = rows[0]
    if all(len(row) == 5 and row[1] in ("0", "Q0", "q0") for _, row in rows[:INSPECTED]):
        readings = f"can be qrels with a fifth column ({first[4][:40]}), or a run without its name"
        remedy = f"leave out the fifth column; if it says who judged, import the file as {JUDGMENTS}"
        raise refuse(name, f"{readings}; qrels have four columns ({', '.join(COLUMNS)}): {remedy}", at)
    if all(is_run(row) for _, row in rows[:INSPECTED]):
        columns = f"{len(first)} columns, with rank and score"
        raise refuse(name, f"this looks like a run ({columns}); choose qrels: {', '.join(COLUMNS)}", at)


def is_run(row: Sequence[str]) -> bool:
    return bool(fitting(row)) and (len(row) != 5 or None not in (parse_float(row[2]), parse_float(row[3])))


def refuse_map(rows: Sequence[Sequence[str]], name: str) -> None:
    """The lab's map of topics and formulas looks like qrels, but its topics are in the third column."""
    if rows and all(TOPIC.fullmatch(row[2]) and not TOPIC.fullmatch(row[0]) for row in rows):
        readings = f"column 1 holds formula ids ({rows[0][0]}) and column 3 topic ids ({rows[0][2]})"
        raise refuse(name, f"{readings}: this maps topics to formulas; qrels have {', '.join(COLUMNS)}")


def wrong_row(topic: str, unit: str, text: str, run_format: RunFormat | None, scale: Collection[int]) -> str:
    if not topic or not unit:
        return f"the {'unit' if topic else 'topic'} is empty"
    grade = parse_float(text)
    if grade is None or grade != int(grade):
        return f"the grade must be a whole number, found {text!r}"
    if run_format == "trec" or int(grade) in scale:
        return ""
    if run_format == "task3":
        return "" if int(grade) in WRITTEN_OUTCOMES else f"the grade must be {in_words(scale)}, 5 or 6, found {text}"
    return f"the grade must be {in_words(scale)}, found {text}; leave unjudged units out"


def in_words(scale: Collection[int]) -> str:
    """The grades of a scale: 0 to 3."""
    least, most = min(scale), max(scale)
    return f"{least} to {most}" if len(scale) == most - least + 1 else ", ".join(map(str, sorted(scale)))


def write_qrels(qrels: Iterable[Qrel]) -> str:
    return "".join(f"{topic_id}\t0\t{unit_id}\t{grade}\n" for topic_id, unit_id, grade in sorted(qrels))
