"""Files with judgments made elsewhere, by people or by programs: qrels, tables with a header, JSON lines."""

import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import BinaryIO, Literal, NamedTuple

from assess.ir.common.problems import BadInput, Problem, Problems, refuse
from assess.ir.common.rows import CONTROL, DO_NOT_KNOW, LONGEST_NAME, LONGEST_TEXT, NEVER, OUTCOMES, SourceRow, wrong_id
from assess.ir.formats.columns import is_header, is_number, names_of
from assess.ir.formats.qrels import REPEATED, in_words, read_qrels
from assess.ir.formats.run_columns import RunFormat
from assess.ir.formats.source_records import MEANINGS, Columns, SourceRecord, of_json_lines, of_table
from assess.ir.formats.table import SKIPPED, first_line, noted, parse_whole, read_table, rows_in, separator_in
from assess.ir.formats.text import decoded_text, json_objects

KNOWN = names_of(*MEANINGS, "outcome")
Decision = tuple[int | None, str]
"""A grade, or the word of an outcome; neither if a judgment is left out."""
LEFT_OUT: Decision = (None, "")
LEAVE_OUT = "-"
"""Stands for it where a label is given a meaning."""
MOST_LABELS = 50
"""A column with more of them holds no grades."""
BETWEEN = re.compile(r"[\s_-]+")
NUMBERED = re.compile(r"([^()]*)\((-?\d+)\)")


def plain(text: str) -> str:
    """A name in lower case with one space between words."""
    return BETWEEN.sub(" ", text.strip().lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


class Meanings(NamedTuple):
    """What the texts in a file mean: ``grades`` with their names, the highest first, and ``outcomes`` with theirs.
    ``labels``: texts to which somebody gave a meaning, which comes first: a grade ("2"), an outcome or `LEAVE_OUT`."""

    grades: Mapping[int, str]
    outcomes: Mapping[str, str]
    labels: Mapping[str, str] = {}

    @property
    def words(self) -> dict[str, Decision]:
        """The decision that each name means, in lower case; the outcomes of the labs also have usual names."""
        names = {"don't know": DO_NOT_KNOW, **{plain(word): word for word in (*OUTCOMES, *self.outcomes)}}
        names |= {plain(name): word for word, name in self.outcomes.items()}
        outcomes: dict[str, Decision] = {name: (None, word) for name, word in names.items()}
        return outcomes | {plain(name): (grade, "") for grade, name in self.grades.items()}

    @property
    def expected(self) -> str:
        *first, last = [in_words(self.grades), *self.grades.values(), *self.outcomes.values()]
        return f"{', '.join(first)} or {last}"

    @property
    def meant(self) -> dict[str, Decision]:
        """The decisions of ``labels``, but of none that the scale no longer has."""
        decisions = {LEAVE_OUT: LEFT_OUT} | {str(grade): (grade, "") for grade in self.grades}
        decisions |= {word: (None, word) for word in self.outcomes}
        return {label: decisions[word] for label, word in self.labels.items() if word in decisions}

    def decision(self, text: str) -> Decision | None:
        """What somebody said that a text means, else the grade or the outcome that it names: a number, or a name in any
        case, with spaces, hyphens or underscores between words, also with the number behind it, as in Low (1); None if
        it is neither."""
        if text in self.labels and (meant := self.meant.get(text)):
            return meant
        number, words = parse_whole(text.strip()), self.words
        numbered = NUMBERED.fullmatch(text.strip())
        if numbered and words.get(plain(numbered[1]), (int(numbered[2]), "")) == (int(numbered[2]), ""):
            number = int(numbered[2])
        if number is not None:
            return (number, "") if number in self.grades else None
        return words.get(plain(text))


class SourceFile(NamedTuple):
    """The judgments in file order, at most one of each labeller on each item of a topic."""

    format: Literal["qrels", "table", "jsonl"]
    rows: list[SourceRow]
    notes: list[Problem]


def read_source(
    source: BinaryIO, name: str, columns: Columns, run_format: RunFormat | None, meanings: Meanings
) -> SourceFile:
    """A whole file; its format shows in its first line. ``run_format``: that of qrels, in which Task 3 has outcomes;
    ``meanings``: of the texts in other files, and which grades there are. A judgment without grade and outcome is
    unjudged: it is left out and counted in a note, and so are repeated ones.

    Raises ``BadInput`` for a missing column, a text that is neither grade nor outcome, an id that is none, and two
    different judgments of one item by one labeller; ``found["labels"]`` then has all texts that stand for grades and
    how often, if one of them is unknown; ``found["columns"]``: the names of the columns, unless it is qrels."""
    content, problems, changes, comments = source.read(), Problems(name), list[Problem](), list[int]()
    text = decoded_text(io.BytesIO(content), name)
    first = first_line(text)
    if first.startswith("["):
        raise refuse(name, "is a JSON array; write one object a line (JSON lines)", 1)
    if is_json := first.startswith("{"):
        heads: Iterable[str] = next((record for _, record in json_objects([(1, first)], Problems(name))), ())
        records = of_json_lines(rows_in(text, "", comments), columns, problems)
    elif is_named(first.split(separator_in(first))):
        table = read_table(io.BytesIO(content), name, headed=True)
        heads, changes, records = table.heads, table.notes, of_table(table, name, columns, problems)
    else:
        return from_qrels(content, name, run_format, meanings)
    try:
        rows, notes = kept_rows(records, name, problems, meanings)
    except BadInput as error:
        names = (head[:LONGEST_NAME].strip() for head in heads if not NEVER.search(head))
        error.found["columns"] = list(filter(None, names))[:100]
        raise
    notes = [*changes, *noted(name, comments, SKIPPED), *notes]
    return SourceFile("jsonl" if is_json else "table", rows, notes)


def is_named(row: list[str]) -> bool:
    """Whether a first row names columns: it has several fields, none of which is a number, or two known names."""
    return (len(row) > 1 and not any(map(is_number, row))) or is_header(row, KNOWN)


def from_qrels(content: bytes, name: str, run_format: RunFormat | None, meanings: Meanings) -> SourceFile:
    meant = {grade: what for text, what in meanings.meant.items() if (grade := parse_whole(text)) is not None}
    try:
        file = read_qrels(io.BytesIO(content), name, run_format, {*meanings.grades, *meant})
    except BadInput as error:
        with suppress(BadInput):
            file = read_qrels(io.BytesIO(content), name, run_format, range(-99, 1000))
            error.found = {"labels": labels_to_ask(Counter(str(qrel.grade) for qrel in file.qrels), meanings)}
        raise
    problems, rows = Problems(name), []
    for topic_id, unit_id, grade in file.qrels:
        outcome = file.outcomes.get((topic_id, unit_id), "")
        decision = (None, outcome) if outcome else meant.get(grade, (grade, ""))
        rows.append(SourceRow(topic_id, unit_id, *decision))
        if wrong := wrong_ids(topic_id, unit_id):
            problems.add(0, wrong)
    problems.check()
    notes = notes_on_labels(name, Counter(str(qrel.grade) for qrel in file.qrels), meanings)
    kept = [row for row in rows if row[2:4] != LEFT_OUT]
    return SourceFile("qrels", refuse_empty(kept, name), [*file.notes, *notes])


def labels_to_ask(texts: Mapping[str, int], meanings: Meanings) -> list[tuple[str, int]]:
    """All texts with their numbers, if one of them is unknown and all can be labels."""
    can_be = len(texts) <= MOST_LABELS and not any(len(text) > LONGEST_NAME or NEVER.search(text) for text in texts)
    return list(texts.items()) if can_be and None in map(meanings.decision, texts) else []


def notes_on_labels(name: str, texts: Mapping[str, int], meanings: Meanings) -> list[Problem]:
    """How texts were read to which somebody gave a meaning."""
    said = [(text, meanings.labels[text]) for text in meanings.meant if text in texts]
    read = {text: "left out" if word == LEAVE_OUT else f"read as {word}" for text, word in said}
    return [Problem(name, 0, f"{texts[text]:,} labelled {text!r} are {words}") for text, words in read.items()]


def kept_rows(
    records: Iterable[SourceRecord], name: str, problems: Problems, meanings: Meanings
) -> tuple[list[SourceRow], list[Problem]]:
    """The judgments of records, and notes on those that were left out."""
    firsts: dict[tuple[str, str, str], tuple[int, SourceRow]] = {}
    repeated, unjudged, rejected = [], [], []
    texts, unread = Counter[str](), dict[str, None]()
    for record in records:
        unread.update(dict.fromkeys(record.unread))
        if record.is_rejected:
            rejected.append(record.line)
            continue
        if not record.label:
            unjudged.append(record.line)
            continue
        texts[record.label] += 1
        row = source_row(record, problems, meanings)
        if row is None or row[2:4] == LEFT_OUT:
            continue
        at, first = firsts.setdefault((row.topic_id, row.item_id, row.labeller), (record.line, row))
        if (first.grade, first.outcome) != (row.grade, row.outcome):
            who = "" if row.labeller else "if two people judged it, name the column that says who; else "
            reason = f"{row.item_id} in {row.topic_id} has another grade in line {at}"
            problems.add(record.line, f"{reason}: {who}keep one")
        elif first is not row:
            repeated.append(record.line)
    problems.check(labels=labels_to_ask(texts, meanings))
    notes = noted(name, repeated, REPEATED) + notes_on_labels(name, texts, meanings)
    if unread:
        more = f" and {len(unread) - 12:,} more" if len(unread) > 12 else ""
        notes.insert(0, Problem(name, 0, f"columns that were not read: {', '.join([*unread][:12])[:300]}{more}"))
    notes += noted(name, unjudged, "without a grade are unjudged")
    notes += noted(name, rejected, "that were rejected or ignored are left out")
    return refuse_empty([row for _, row in firsts.values()], name), notes


def refuse_empty(rows: list[SourceRow], name: str) -> list[SourceRow]:
    if not rows:
        raise refuse(name, "holds no judgment; choose another file")
    return rows


def source_row(record: SourceRecord, problems: Problems, meanings: Meanings) -> SourceRow | None:
    meaning, reason = meanings.decision(record.label), wrong_ids(record.topic, record.item) or wrong_texts(record)
    if reason or meaning is None:
        problems.add(record.line, reason or f"the grade must be {meanings.expected}, found {record.label[:40]!r}")
        return None
    return SourceRow(record.topic, record.item, *meaning, record.labeller, record.comment)


def wrong_ids(topic: str, item: str) -> str:
    reasons = (("topic", wrong_id(topic)), ("document", wrong_id(item)))
    return next((f"the {column} {reason}" for column, reason in reasons if reason), "")


def wrong_texts(record: SourceRecord) -> str:
    if len(record.labeller) > LONGEST_NAME or CONTROL.search(record.labeller) or NEVER.search(record.labeller):
        return f"the labeller must be a name of at most {LONGEST_NAME} characters"
    if len(record.comment) > LONGEST_TEXT or NEVER.search(record.comment):
        return f"the comment must be a text of at most {LONGEST_TEXT:,} characters without NUL and half surrogates"
    return ""
