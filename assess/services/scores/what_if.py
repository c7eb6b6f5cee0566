"""What the leaderboard would be with the grades of a source: alone, and where the release has none. Not official."""

from collections.abc import Iterable, Mapping
from typing import Any

from assess.ir.common.figures import places
from assess.ir.common.rows import MeanScore, Qrel
from assess.ir.runs.ranking import JudgedUnits
from assess.ir.scores import measures
from assess.ir.scores.correlation import correlations
from assess.models import Evaluation, Job, JudgmentSource, OnProgress, Qrels, QrelsLine, Run, WhatIf, WrittenAnswer
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.pool import judgment_sources
from assess.services.scores import evaluation

Unit = QrelsLine.Unit
Lines = dict[str, list[Qrel]]
OFFICIAL, ALONE, COMPLETED, COMMON = "official", "alone", "completed", "common"
GRADINGS = {OFFICIAL: "Release", ALONE: "Source alone", COMPLETED: "Release, completed"}


def score_what_if(source: JudgmentSource, release: Qrels, on_progress: OnProgress, job: Job | None = None) -> WhatIf:
    """Score all runs by each grading: a table for each measure as `table_of` makes it, with the number of ``grades``
    that the source has for its runs, and of those ``added`` where the release has none. Raises Refused
    without runs, and if the source judges no topic of the release."""
    entered = evaluation.entered_runs(source.campaign)
    official = {unit: release.lines_of(unit) for unit in release.counts}
    alone = lines_of(source, release)
    if not any(alone.values()):
        raise Refused(f"{source} has no grade for a topic of {release}.")
    full = completed_lines(official, alone)
    gradings = {OFFICIAL: official, ALONE: alone, COMPLETED: full, COMMON: common_lines(official, alone)}
    means = score_all(entered, release, gradings, on_progress)
    official_measures = measures.official_measures(release.pool.rules)
    tables = []
    for is_written, names in ((False, official_measures), (True, measures.WRITTEN_MEASURES)):
        if of_kind := [run for run in entered if run.is_written == is_written]:
            unit = evaluation.unit_of(of_kind[0])
            added = len(full.get(unit, [])) - len(official.get(unit, []))
            counts = {"grades": len(alone.get(unit, [])), "added": added}
            tables += [table_of(measure, of_kind, means) | counts for measure in names]
    return WhatIf.objects.create(source=source, release=release, job=job, tables=tables)


def lines_of(source: JudgmentSource, release: Qrels) -> Lines:
    """The graded items of a source as files of a release, of its topics and visual ids, by the highest grade."""
    campaign, topics = source.campaign, set(release.lines.values_list("topic_id", flat=True))
    rows = [row for row in judgment_sources.combined_rows(source) if row.topic_id in topics]
    written = set(WrittenAnswer.objects.filter(topic__campaign=campaign).values_list("doc_id", flat=True))
    units: Mapping[str, str] = {row.item_id: row.item_id for row in rows}
    is_by_instance = campaign.has_visual_ids and source.items != JudgmentSource.Items.UNIT
    if is_by_instance and campaign.collection:
        units = visual_ids.unit_ids(campaign.collection, set(units), release.visual_map)
    usual = campaign.rules.kind.unit
    files: dict[str, dict[tuple[str, str], int]] = {usual: {}, Unit.WRITTEN: {}}
    for row in rows:
        is_written = row.item_id in written
        grade = 0 if row.grade is None and is_written else row.grade
        if grade is not None and row.item_id in units:
            grades, key = files[Unit.WRITTEN if is_written else usual], (row.topic_id, units[row.item_id])
            grades[key] = max(grade, grades.get(key, grade))
    return {unit: [Qrel(*key, grade) for key, grade in grades.items()] for unit, grades in files.items()}


def common_lines(official: Lines, alone: Lines) -> Lines:
    """The release on the topics that the source judged: with it, the order by the source alone is compared."""
    topics = {line.topic_id for lines in alone.values() for line in lines}
    return {unit: [line for line in lines if line.topic_id in topics] for unit, lines in official.items()}


def completed_lines(official: Lines, alone: Lines) -> Lines:
    """The grades of the release, and those of the source for other units of its topics."""
    files: Lines = {}
    for unit in official.keys() | alone.keys():
        of_release = official.get(unit, [])
        lines = {line[:2]: line for line in (*alone.get(unit, []), *of_release)}
        topics = {line.topic_id for line in of_release}
        files[unit] = [line for line in lines.values() if line.topic_id in topics]
    return files


def score_all(
    entered: list[Run], release: Qrels, gradings: Mapping[str, Lines], on_progress: OnProgress
) -> dict[str, dict[tuple[str, str], MeanScore]]:
    """The means by run and measure with each grading, as an evaluation computes them."""
    options = Evaluation(qrels=release, average=release.pool.rules.kind.average, level=release.protocol["level"])
    options.measures = list(measures.official_measures(release.pool.rules))
    judged = {way: {unit: JudgedUnits(lines) for unit, lines in files.items()} for way, files in gradings.items()}
    means: dict[str, dict[tuple[str, str], MeanScore]] = {grading: {} for grading in gradings}
    for run, ranking in evaluation.load_rankings(release, entered, on_progress, "scoring"):
        for grading, files in judged.items():
            units = files.get(evaluation.unit_of(run), JudgedUnits([]))
            values = evaluation.score_run(options, run, ranking, units)
            scores = evaluation.complete_run(options, run, values, units)
            means[grading] |= {mean[:2]: mean for mean in measures.means(scores, options.measures_of(run))}
    return means


def table_of(
    measure: str, runs: Iterable[Run], means: Mapping[str, Mapping[tuple[str, str], MeanScore]]
) -> dict[str, Any]:
    """The runs by one measure: ``rows`` has each run with its mean (None if nothing of it is judged), place and topics
    by each grading, in the order of the release; ``tau``: Kendall's tau-b of the orders by the others with that of the
    release, on common topics."""
    values = {
        grading: {run.name: of[run.name, measure].value for run in runs if (run.name, measure) in of}
        for grading, of in means.items()
    }
    ranks = {grading: places(of) for grading, of in values.items()}
    rows: list[dict[str, Any]] = []
    for run in runs:
        row: dict[str, Any] = {"run": run.name, "team": run.team}
        for grading in GRADINGS:
            mean = means[grading].get((run.name, measure))
            rank = ranks[grading].get(run.name)
            row[grading] = {"value": mean and mean.value, "rank": rank, "topics": mean.topics if mean else 0}
        rows.append(row)
    rows.sort(key=lambda row: (row[OFFICIAL]["rank"] or len(ranks[OFFICIAL]) + 1, row["run"]))
    pairs = ((ALONE, COMMON), (COMPLETED, OFFICIAL))
    tau = {one: correlations(other, one, values[other], values[one]).kendall._asdict() for one, other in pairs}
    return {"measure": measure, "rows": rows, "tau": tau}
