"""From judgments to the qrels of a release."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from statistics import median_low
from typing import NamedTuple

from assess.ir.campaign.kinds import DocumentKind
from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import RELEVANT, JudgmentRow, Qrel, SourceRow, grouped
from assess.ir.releases.release_options import ReleaseOptions, kinds_of_judged


def qrels_by_document(judgments: Iterable[JudgmentRow], written: Collection[str] = ()) -> list[Qrel]:
    """One line for each graded document (post or formula instance). With an outcome (system failure, do not know, not
    matching) the document stays unjudged (ARQMath-2), but a written answer gets 0, as there is only one (ARQMath-3);
    ``written``: the ids of these. Raises ``ValueError`` for two judgments of one document: decide first which assessor
    counts."""
    grades: dict[tuple[str, str], int] = {}
    for row in judgments:
        grade = 0 if row.grade is None and row.doc_id in written else row.grade
        if grade is not None:
            if (row.topic_id, row.doc_id) in grades:
                raise ValueError(f"two judgments of document {row.doc_id} in topic {row.topic_id}: choose one of them")
            grades[row.topic_id, row.doc_id] = grade
    return [Qrel(*document, grade) for document, grade in sorted(grades.items())]


SUM, SUM_LEVEL = "sum", 3
"""The rule of NTCIR, and its lowest relevant grade."""


def counted_rows(judgments: Iterable[JudgmentRow], rule: str, level: int) -> list[JudgmentRow]:
    """The judgments that count, by the protocol's rule for documents with several: their `SUM`, or one of them
    (`official_rows`); as they are without a rule. ``level``: the lowest relevant grade of the scale."""
    if rule == SUM:
        return sum_grades(judgments, level)
    return official_rows(judgments, rule) if rule else list(judgments)


def counted_level(rule: str, level: int) -> int:
    """The lowest relevant grade of what counts."""
    return SUM_LEVEL if rule == SUM else level


def official_rows(judgments: Iterable[JudgmentRow], rule: str) -> list[JudgmentRow]:
    """One judgment for each document: what more than half of its assessors decided; else, by the rule, the ``highest``
    of their grades or the ``first`` one in the order given. An outcome if none has a grade."""
    documents = grouped(((row.topic_id, row.doc_id), row) for row in judgments)
    official = []
    for rows in documents.values():
        if len(rows) == 1:  # nearly all: counting takes most of the time
            official += rows
            continue
        decision, count = Counter(row.decision for row in rows).most_common(1)[0]
        deciding = [row for row in rows if row.decision == decision] if 2 * count > len(rows) else []
        graded = deciding or [row for row in rows if row.grade is not None] or rows
        official.append(max(graded, key=lambda row: row.grade or 0) if rule == "highest" else graded[0])
    return official


def sum_grades(rows: Iterable[JudgmentRow], level: int) -> list[JudgmentRow]:
    """One row for each document that two assessors graded, with the sum of their points, 0 to 4: 2 for relevant (from
    the level up), 1 for partially relevant (a lower grade above 0), as in NTCIR-10 to 12 (Mansouri's dissertation,
    3.1.2). Documents with one grade stay unjudged. Raises ``ValueError`` for a document with more than two."""
    graded = grouped(((row.topic_id, row.doc_id), row) for row in rows if row.grade is not None)
    for (topic, document), judgments in graded.items():
        if len(judgments) > 2:
            names = ", ".join(row.assessor for row in judgments)
            raise ValueError(f"document {document} of topic {topic} has grades of {names}: leave out all but two")
    pairs = [judgments for judgments in graded.values() if len(judgments) == 2]
    return [first._replace(grade=points(first.grade, level) + points(second.grade, level)) for first, second in pairs]


def points(grade: int | None, level: int) -> int:
    return 2 if (grade or 0) >= level else int((grade or 0) > 0)


def qrels_by_unit(judgments: Iterable[JudgmentRow], written: Collection[str] = ()) -> list[Qrel]:
    """One line for each unit with a graded document: the maximum over its instances, because one useful instance makes
    the formula worth returning (ARQMath-2)."""
    rows = list(judgments)
    return combine_instances(rows, qrels_by_document(rows, written), "max")


def combine_instances(judgments: Iterable[JudgmentRow], by_document: Iterable[Qrel], aggregation: str) -> list[Qrel]:
    """The lines of units from those of `qrels_by_document`."""
    units = {(row.topic_id, row.doc_id): row.unit_id for row in judgments}
    grades = grouped(((topic, units[topic, document]), grade) for topic, document, grade in by_document)
    return [Qrel(*unit, COMBINE[aggregation](of_instances)) for unit, of_instances in sorted(grades.items())]


COMBINE: dict[str, Callable[[Sequence[int]], int]] = {
    "max": max,
    "mean": lambda grades: (2 * sum(grades) + len(grades)) // (2 * len(grades)),
    "min": min,
}
"""One grade of a unit from those of its instances; a mean is rounded half up."""


def binarise(qrels: Iterable[Qrel], level: int = RELEVANT) -> list[Qrel]:
    """Relevant 1, not relevant 0. In ARQMath level 2 is H+M: high and medium are relevant."""
    return [Qrel(topic_id, unit_id, int(grade >= level)) for topic_id, unit_id, grade in qrels]


def judgments_of_units(judgments: Iterable[JudgmentRow]) -> list[JudgmentRow]:
    """Each assessor's decision on each unit: the highest grade of its instances, with the week of the last one; an
    outcome if none has a grade."""
    units = grouped(((row.assessor, row.round, row.topic_id, row.unit_id), row) for row in judgments)
    merged = []
    for rows in units.values():
        grades = [row.grade for row in rows if row.grade is not None]
        first = rows[0]._replace(doc_id=rows[0].unit_id, week=max(row.week for row in rows))
        merged.append(first._replace(grade=max(grades), outcome="") if grades else first)
    return merged


def combine_labellers(rows: Iterable[SourceRow]) -> list[SourceRow]:
    """One row for each item of a source: the median of its labellers' grades (of two in the middle the lower one), or,
    if none has a grade, the first outcome. In the order of topic and item, without labeller and comment."""
    items = grouped(((row.topic_id, row.item_id), row) for row in rows)
    combined = []
    for item, of_item in sorted(items.items()):
        grades = [row.grade for row in of_item if row.grade is not None]
        outcome = "" if grades else of_item[0].outcome
        combined.append(SourceRow(*item, median_low(grades) if grades else None, outcome))
    return combined


INSTANCE, WRITTEN = "instance", "written"
"""The files of a release beside that of the units (`DocumentKind`)."""
Files = dict[str, list[Qrel]]
"""The lines of a release by what they are about."""


class Derived(NamedTuple):
    """The lines of a release by file, and the kind of each judged topic, released or not."""

    files: Files
    kinds: dict[str, str]

    def left_out(self, options: ReleaseOptions) -> list[str]:
        return [topic for topic, kind in self.kinds.items() if kind not in options.topics]


def derive_lines(
    judgments: Iterable[JudgmentRow],
    options: ReleaseOptions,
    rules: Protocol,
    settled: Mapping[tuple[str, str], int],
    written: Collection[str],
    chosen: Mapping[str, str],
) -> Derived:
    """The release that these judgments give. ``settled``: the grade of each topic and document that an expert settled;
    ``written``: the ids of the written answers; ``chosen``: the kinds of topics that do not follow the rule. Raises
    ``ValueError`` if more judgments of a document count than the options allow for."""
    rule, kind = options.rule_of_grades(rules.rule_of_grades), rules.kind
    rows = []
    for row in (settle(row, settled) for row in judgments):
        zeros = options.written_outcomes_as_zero if row.doc_id in written else options.outcomes_as_zero
        rows.append(row._replace(grade=0) if row.grade is None and row.outcome in zeros else row)
    files = lines_by_file(counted_rows(rows, rule, rules.level), options, kind, written)
    kinds = kinds_of_topics(files, options, kind, counted_level(rule, rules.level), chosen)
    kept = {topic for topic, kind in kinds.items() if kind in options.topics}
    return Derived({unit: [line for line in lines if line.topic_id in kept] for unit, lines in files.items()}, kinds)


def settle(row: JudgmentRow, settled: Mapping[tuple[str, str], int]) -> JudgmentRow:
    grade = settled.get((row.topic_id, row.doc_id))
    return row if grade is None else row._replace(grade=grade, outcome="")


def lines_by_file(
    rows: Sequence[JudgmentRow], options: ReleaseOptions, kind: DocumentKind, written: Collection[str]
) -> Files:
    """The lines of each file: formulas by visual id and by instance; answers by post, and in a separate file written
    answers; other documents by themselves."""
    lines, unit = qrels_by_document(rows), kind.unit
    if kind.has_formulas:
        return {unit: combine_instances(rows, lines, options.aggregation), INSTANCE: lines}
    answers = [line for line in lines if line.unit_id in written]
    return {unit: [line for line in lines if line.unit_id not in written]} | ({WRITTEN: answers} if answers else {})


def kinds_of_topics(
    files: Files, options: ReleaseOptions, kind: DocumentKind, level: int, chosen: Mapping[str, str]
) -> dict[str, str]:
    """The kind of each judged topic, by its units from the level up: it is in all files of a release or in none. A
    topic of which only written answers are judged has the kind that was chosen for it, or is a test topic."""
    units = files.get(kind.unit, [])
    relevant = Counter(line.topic_id for line in units if line.grade >= level)
    counted = kinds_of_judged({line.topic_id for line in units}, relevant, options.min_relevant, chosen)
    others = {line.topic_id for lines in files.values() for line in lines} - counted.keys()
    return counted | kinds_of_judged(others, {}, 0, chosen)
