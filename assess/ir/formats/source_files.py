"""Files with judgments made elsewhere, by people or by programs: qrels, tables with a header, results of a Turkle
batch, JSON lines."""

import io
import re
from collections.abc import Iterable, Mapping
from typing import BinaryIO, NamedTuple

from assess.ir.common.ids import CONTROL, NEVER, wrong_id
from assess.ir.common.problems import Problem, Problems, refuse
from assess.ir.common.rows import (
    DO_NOT_KNOW,
    LONGEST_NAME,
    LONGEST_TEXT,
    NOT_MATCHING,
    OUTCOMES,
    SYSTEM_FAILURE,
    SourceRow,
)
from assess.ir.formats.packed import decoded_text
from assess.ir.formats.qrels import in_words, read_qrels, repeat_notes
from assess.ir.formats.run_columns import RunFormat
from assess.ir.formats.source_records import READERS, Columns, SourceFormat, SourceRecord, format_of
from assess.ir.formats.table import parse_whole

Decision = tuple[int | None, str]
"""A grade, or the word of an outcome."""
NOT_RELEVANT = ("not relevant", "non relevant", "nonrelevant", "irrelevant")
BETWEEN = re.compile(r"[\s_-]+")
NUMBERED = re.compile(r"(.*)\((-?\d+)\)")


def plain(text: str) -> str:
    """A name in lower case with one space between words."""
    return BETWEEN.sub(" ", text.strip().lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


class Meanings(NamedTuple):
    """What the texts in a file mean: ``grades`` with their names, the highest first, and ``outcomes`` with theirs."""

    grades: Mapping[int, str]
    outcomes: Mapping[str, str]

    @property
    def words(self) -> dict[str, Decision]:
        """The decision that each name means, in lower case; 0 and the outcomes of the labs also have usual names."""
        usual: dict[str, Decision] = {word: (0, "") for word in NOT_RELEVANT if 0 in self.grades}
        names = {"don't know": DO_NOT_KNOW, **{plain(word): word for word in (*OUTCOMES, *self.outcomes)}}
        names |= {plain(name): word for word, name in self.outcomes.items()}
        outcomes: dict[str, Decision] = {name: (None, word) for name, word in names.items()}
        return usual | outcomes | {plain(name): (grade, "") for grade, name in self.grades.items()}

    @property
    def expected(self) -> str:
        *first, last = [in_words(self.grades), *self.grades.values(), *self.outcomes.values()]
        return f"{', '.join(first)} or {last}"

    def decision(self, text: str) -> Decision | None:
        """The grade or the outcome that a text means: a number, or a name in any case, with spaces, hyphens or
        underscores between words, also with the number behind it, as in Low (1); None if it is neither."""
        number, words = parse_whole(text.strip()), self.words
        numbered = NUMBERED.fullmatch(text.strip())
        if numbered and words.get(plain(numbered[1]), (int(numbered[2]), "")) == (int(numbered[2]), ""):
            number = int(numbered[2])
        if number is not None:
            return (number, "") if number in self.grades else None
        return words.get(plain(text))


LABS = Meanings(
    {3: "High", 2: "Medium", 1: "Low", 0: "Not relevant"},
    {SYSTEM_FAILURE: "System failure", DO_NOT_KNOW: "Do not know", NOT_MATCHING: "Not matching"},
)


class SourceFile(NamedTuple):
    """The judgments in file order, at most one of each labeller on each item of a topic."""

    format: SourceFormat
    rows: list[SourceRow]
    notes: list[Problem]


def read_source(
    source: BinaryIO,
    name: str,
    file_format: SourceFormat | None = None,
    columns: Columns = Columns(),  # noqa: B008  # immutable
    run_format: RunFormat | None = None,
    meanings: Meanings = LABS,
) -> SourceFile:
    """A whole file; its format shows in its first line unless it is given. ``run_format``: that of qrels, in which
    Task 3 has outcomes; ``meanings``: of the texts in other files, and which grades there are.

    A judgment without grade and outcome is unjudged: it is left out and counted in a note, and so are repeated ones.
    Raises ``BadInput`` for a missing column, a text that is neither grade nor outcome, an id that is none, and two
    different judgments of one item by one labeller.
    """
    content = source.read()
    text, changes = decoded_text(io.BytesIO(content), name)
    if not text.strip():
        raise refuse(name, "the file is empty")
    chosen = file_format or format_of(text, name)
    if chosen == "qrels":
        return from_qrels(io.BytesIO(content), name, run_format, meanings)
    problems = Problems(name)
    rows, notes = kept_rows(READERS[chosen](text, name, columns, problems), name, problems, meanings)
    return SourceFile(chosen, rows, [*(Problem(name, 1, change) for change in changes), *notes])


def from_qrels(source: BinaryIO, name: str, run_format: RunFormat | None, meanings: Meanings) -> SourceFile:
    file = read_qrels(source, name, run_format, meanings.grades)
    problems, rows = Problems(name), []
    for topic_id, unit_id, grade in file.qrels:
        outcome = file.outcomes.get((topic_id, unit_id), "")
        rows.append(SourceRow(topic_id, unit_id, None if outcome else grade, outcome))
        if wrong := wrong_ids(topic_id, unit_id):
            problems.add(0, wrong)
    problems.check()
    return SourceFile("qrels", refuse_empty(rows, name), file.notes)


def kept_rows(
    records: Iterable[SourceRecord], name: str, problems: Problems, meanings: Meanings
) -> tuple[list[SourceRow], list[Problem]]:
    """The judgments of records, and notes on those that were left out."""
    firsts: dict[tuple[str, str, str], tuple[int, SourceRow]] = {}
    repeated, unjudged, rejected = [], [], []
    for record in records:
        if record.is_rejected:
            rejected.append(record.line)
            continue
        if not record.grade and not record.outcome:
            unjudged.append(record.line)
            continue
        row = source_row(record, problems, meanings)
        if row is None:
            continue
        at, first = firsts.setdefault((row.topic_id, row.item_id, row.labeller), (record.line, row))
        if (first.grade, first.outcome) != (row.grade, row.outcome):
            who = "" if row.labeller else "if two people judged it, name the column that says who; else "
            reason = f"{row.item_id} in {row.topic_id} has another grade in line {at}"
            problems.add(record.line, f"{reason}: {who}keep one")
        elif first is not row:
            repeated.append(record.line)
    problems.check()
    notes = repeat_notes(name, repeated)
    if unjudged:
        notes.append(Problem(name, unjudged[0], f"{len(unjudged):,} without a grade are unjudged"))
    if rejected:
        notes.append(Problem(name, rejected[0], f"{len(rejected):,} that were rejected or ignored are left out"))
    return refuse_empty([row for _, row in firsts.values()], name), notes


def refuse_empty(rows: list[SourceRow], name: str) -> list[SourceRow]:
    if not rows:
        raise refuse(name, "holds no judgment; choose another file")
    return rows


def source_row(record: SourceRecord, problems: Problems, meanings: Meanings) -> SourceRow | None:
    """The judgment of a record; None, with a problem, if it is refused."""
    meaning = meanings.decision(record.grade or record.outcome)
    reason = wrong_ids(record.topic, record.item) or wrong_texts(record)
    if meaning is None and not reason:
        reason = f"the grade must be {meanings.expected}, found {(record.grade or record.outcome)[:40]!r}"
    if reason or meaning is None:
        problems.add(record.line, reason)
        return None
    return SourceRow(record.topic, record.item, *meaning, record.labeller, record.comment)


def wrong_ids(topic: str, item: str) -> str:
    if wrong := wrong_id(topic):
        return f"the topic {wrong}"
    wrong = wrong_id(item)
    return f"the document {wrong}" if wrong else ""


def wrong_texts(record: SourceRecord) -> str:
    if len(record.labeller) > LONGEST_NAME or CONTROL.search(record.labeller) or NEVER.search(record.labeller):
        return f"the labeller must be a name of at most {LONGEST_NAME} characters"
    if len(record.comment) > LONGEST_TEXT or NEVER.search(record.comment):
        return f"the comment must be a text of at most {LONGEST_TEXT:,} characters without NUL and half surrogates"
    return ""
