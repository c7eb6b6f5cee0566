"""From judgments to qrels."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from statistics import median_low

from assess.ir.common.rows import RELEVANT, JudgmentRow, Qrel, SourceRow


def grade_of(judgment: JudgmentRow, written: Collection[str] = ()) -> int | None:
    """The grade that counts. An outcome (system failure, do not know, not matching) gives no grade: the document stays
    unjudged (ARQMath-2). For a written answer it gives 0, as there is only one (ARQMath-3). ``written``: the ids of
    the written answers."""
    if judgment.grade is None and judgment.doc_id in written:
        return 0
    return judgment.grade


def qrels_by_document(judgments: Iterable[JudgmentRow], written: Collection[str] = ()) -> list[Qrel]:
    """One line for each graded document (post or formula instance). Raises ``ValueError`` for two judgments of one
    document: decide first which assessor counts."""
    grades: dict[tuple[str, str], int] = {}
    for judgment in judgments:
        key = judgment.topic_id, judgment.doc_id
        grade = grade_of(judgment, written)
        if grade is None:
            continue
        if key in grades:
            raise ValueError(f"two judgments of document {key[1]} in topic {key[0]}: choose one of them")
        grades[key] = grade
    return [Qrel(topic_id, doc_id, grade) for (topic_id, doc_id), grade in sorted(grades.items())]


def qrels_by_unit(judgments: Iterable[JudgmentRow], written: Collection[str] = ()) -> list[Qrel]:
    """One line for each unit with a graded document: the maximum over its instances, because one useful instance makes
    the formula worth returning (ARQMath-2)."""
    rows = list(judgments)
    return by_unit(rows, qrels_by_document(rows, written), "max")


def by_unit(judgments: Iterable[JudgmentRow], by_document: Iterable[Qrel], aggregation: str) -> list[Qrel]:
    """The lines of `qrels_by_unit` from those of `qrels_by_document`."""
    units = {(row.topic_id, row.doc_id): row.unit_id for row in judgments}
    grades: dict[tuple[str, str], list[int]] = {}
    for topic_id, doc_id, grade in by_document:
        grades.setdefault((topic_id, units[topic_id, doc_id]), []).append(grade)
    combine = COMBINE[aggregation]
    return [Qrel(*unit, combine(of_instances)) for unit, of_instances in sorted(grades.items())]


def rounded_mean(grades: Sequence[int]) -> int:
    """The mean as a grade, rounded half up."""
    return (2 * sum(grades) + len(grades)) // (2 * len(grades))


COMBINE: dict[str, Callable[[Sequence[int]], int]] = {"max": max, "mean": rounded_mean, "min": min}
"""One grade of a unit from those of its instances."""


def binarise(qrels: Iterable[Qrel], level: int = RELEVANT) -> list[Qrel]:
    """Relevant 1, not relevant 0. Level 2 is H+M: high and medium are relevant."""
    return [Qrel(topic_id, unit_id, int(grade >= level)) for topic_id, unit_id, grade in qrels]


def judgments_of_units(judgments: Iterable[JudgmentRow]) -> list[JudgmentRow]:
    """Each assessor's decision on each unit: the highest grade of its instances, with the week of the last one; an
    outcome if none has a grade."""
    units: dict[tuple[str, str, str, str], JudgmentRow] = {}
    for row in judgments:
        key = row.assessor, row.round, row.topic_id, row.unit_id
        units[key] = merged(units.get(key, row), row)
    return [row._replace(doc_id=row.unit_id) for row in units.values()]


def merged(first: JudgmentRow, second: JudgmentRow) -> JudgmentRow:
    grades = [row.grade for row in (first, second) if row.grade is not None]
    week = max(first.week, second.week)
    return first._replace(grade=max(grades), outcome="", week=week) if grades else first._replace(week=week)


def combined(rows: Iterable[SourceRow]) -> list[SourceRow]:
    """One row for each item of a source: the median of its labellers' grades (of two in the middle the lower one), or,
    if none has a grade, the first outcome. In the order of topic and item, without labeller and comment."""
    items: defaultdict[tuple[str, str], list[SourceRow]] = defaultdict(list)
    for row in rows:
        items[row.topic_id, row.item_id].append(row)
    return [SourceRow(*item, *agreed(items[item])) for item in sorted(items)]


def agreed(rows: list[SourceRow]) -> tuple[int | None, str]:
    grades = [row.grade for row in rows if row.grade is not None]
    return (median_low(grades), "") if grades else (None, rows[0].outcome)
