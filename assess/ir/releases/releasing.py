"""Turns the judgments that count into the lines of a release."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from assess.ir.campaign.kinds import KINDS
from assess.ir.common.rows import JudgmentRow, PoolTask, Qrel
from assess.ir.releases.aggregation import combine_instances, counted_level, counted_rows, qrels_by_document
from assess.ir.releases.release_options import ReleaseOptions, kinds_of_judged

INSTANCE, WRITTEN = "instance", "written"
"""The files of a release beside that of the units (`KINDS`)."""
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
    *,
    task: PoolTask,
    level: int,
    settled: Mapping[tuple[str, str], int],
    written: Collection[str],
    chosen: Mapping[str, str],
    rule: str = "",
) -> Derived:
    """The release that these judgments give. ``level``: the lowest relevant grade of the protocol; ``settled``: the
    grade of each topic and document that an expert settled; ``written``: the ids of the written answers; ``chosen``:
    the kinds of topics that do not follow the rule; ``rule``: that of the protocol for documents with several official
    judgments (`aggregation.counted_rows`). Raises ``ValueError`` if more judgments of a document count than the options
    allow for."""
    rule = options.rule_of_grades(rule)
    rows = [settle_outcome(settle(row, settled), options, written) for row in judgments]
    files = lines_by_file(counted_rows(rows, rule, level), options, task, written)
    kinds = kinds_of_topics(files, options, task, counted_level(rule, level), chosen)
    kept = {topic for topic, kind in kinds.items() if kind in options.topics}
    return Derived({unit: [line for line in lines if line.topic_id in kept] for unit, lines in files.items()}, kinds)


def settle(row: JudgmentRow, settled: Mapping[tuple[str, str], int]) -> JudgmentRow:
    grade = settled.get((row.topic_id, row.doc_id))
    return row if grade is None else row._replace(grade=grade, outcome="")


def settle_outcome(row: JudgmentRow, options: ReleaseOptions, written: Collection[str]) -> JudgmentRow:
    """The judgment with grade 0 if its outcome counts so."""
    zeros = options.written_outcomes_as_zero if row.doc_id in written else options.outcomes_as_zero
    return row._replace(grade=0) if row.grade is None and row.outcome in zeros else row


def lines_by_file(
    rows: Sequence[JudgmentRow], options: ReleaseOptions, task: PoolTask, written: Collection[str]
) -> Files:
    """The lines of each file: formulas by visual id and by instance; answers by post, and in a separate file written
    answers; other documents by themselves."""
    lines, unit = qrels_by_document(rows), KINDS[task].unit
    if KINDS[task].has_formulas:
        return {unit: combine_instances(rows, lines, options.aggregation), INSTANCE: lines}
    answers = [line for line in lines if line.unit_id in written]
    return {unit: [line for line in lines if line.unit_id not in written]} | ({WRITTEN: answers} if answers else {})


def kinds_of_topics(
    files: Files, options: ReleaseOptions, task: PoolTask, level: int, chosen: Mapping[str, str]
) -> dict[str, str]:
    """The kind of each judged topic, by its units from the level up: it is in all files of a release or in none. A
    topic of which only written answers are judged has the kind that was chosen for it, or is a test topic."""
    units = files.get(KINDS[task].unit, [])
    relevant = Counter(line.topic_id for line in units if line.grade >= level)
    counted = kinds_of_judged({line.topic_id for line in units}, relevant, options.min_relevant, chosen)
    others = {line.topic_id for lines in files.values() for line in lines} - counted.keys()
    return counted | kinds_of_judged(others, {}, 0, chosen)
