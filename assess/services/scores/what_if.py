"""What the leaderboard would be with the grades of a source: alone, and where the release has none. Not official."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from assess.ir.common.places import places
from assess.ir.common.rows import MeanScore, Qrel
from assess.ir.runs.judged import JudgedUnits
from assess.ir.scores import measures
from assess.ir.scores.correlation import correlations
from assess.models import Campaign, Evaluation, Job, JudgmentSource, Qrels, QrelsLine, Run, WhatIf, WrittenAnswer
from assess.services.common.errors import Refused
from assess.services.common.wording import unit_word
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.pool import judgment_sources
from assess.services.runs import runs
from assess.services.scores import evaluation

Unit = QrelsLine.Unit
Lines = dict[str, list[Qrel]]
OFFICIAL, ALONE, COMPLETED, COMMON = "official", "alone", "completed", "common"
WAYS = {OFFICIAL: "Release", ALONE: "Source alone", COMPLETED: "Release, completed"}


class Added(NamedTuple):
    """How many grades a source has of topics of the release, and how many of them where the release has none."""

    grades: int
    added: int


def compute(source: JudgmentSource, release: Qrels, on_progress: OnProgress, job: Job | None = None) -> WhatIf:
    """Score all runs by each way. Raises Refused without runs, and if the source judges no topic of the release."""
    campaign = source.campaign
    entered = list(campaign.runs.select_related("ranking"))
    if not entered:
        raise Refused("There are no runs to score.")
    official = {unit: release.lines_of(unit) for unit in release.counts}
    alone = lines_of(source, release)
    if not any(alone.values()):
        raise Refused(f"{source} has no grade for a topic of {release}.")
    full = completed(official, alone)
    ways = {OFFICIAL: official, ALONE: alone, COMPLETED: full, COMMON: common(official, alone)}
    means = score_all(entered, release, ways, on_progress)
    brought = {unit: Added(len(alone.get(unit, [])), len(full[unit]) - len(official[unit])) for unit in official}
    tables = tables_of(entered, means, brought)
    return WhatIf.objects.create(source=source, release=release, job=job, tables=tables)


def lines_of(source: JudgmentSource, release: Qrels) -> Lines:
    """The graded items of a source as files of a release, of the topics of the release; a visual id has the highest
    grade of its instances."""
    campaign, topics = source.campaign, set(release.lines.values_list("topic_id", flat=True))
    rows = [row for row in judgment_sources.combined_rows(source) if row.topic_id in topics]
    if campaign.is_formulas:
        units = units_of(source, release, {row.item_id for row in rows})
        grades: dict[tuple[str, str], int] = {}
        for row in rows:
            if row.grade is not None and row.item_id in units:
                key = row.topic_id, units[row.item_id]
                grades[key] = max(row.grade, grades.get(key, 0))
        return {Unit.VISUAL: [Qrel(*key, grade) for key, grade in grades.items()]}
    written = set(WrittenAnswer.objects.filter(topic__campaign=campaign).values_list("doc_id", flat=True))
    files: Lines = {Unit.POST: [], Unit.WRITTEN: []}
    for row in rows:
        unit = Unit.WRITTEN if row.item_id in written else Unit.POST
        grade = 0 if row.grade is None and unit == Unit.WRITTEN else row.grade
        if grade is not None:
            files[unit].append(Qrel(row.topic_id, row.item_id, grade))
    return files


def units_of(source: JudgmentSource, release: Qrels, items: set[str]) -> Mapping[str, str]:
    """The unit of each item, under the visual ids of the release."""
    campaign = source.campaign
    if source.items == JudgmentSource.Items.UNIT or not campaign.has_visual_ids or campaign.collection is None:
        return {item: item for item in items}
    return visual_ids.unit_ids(campaign.collection, items, release.visual_map)


def common(official: Lines, alone: Lines) -> Lines:
    """The release on the topics that the source judged: with it, the order by the source alone is compared."""
    topics = {line.topic_id for lines in alone.values() for line in lines}
    return {unit: [line for line in lines if line.topic_id in topics] for unit, lines in official.items()}


def completed(official: Lines, alone: Lines) -> Lines:
    """The grades of the release, and those of the source for other units of its topics."""
    files: Lines = {}
    for unit in official.keys() | alone.keys():
        lines = {(line.topic_id, line.unit_id): line for line in alone.get(unit, [])}
        lines |= {(line.topic_id, line.unit_id): line for line in official.get(unit, [])}
        topics = {line.topic_id for line in official.get(unit, [])}
        files[unit] = [line for line in lines.values() if line.topic_id in topics]
    return files


def score_all(
    entered: list[Run], release: Qrels, ways: Mapping[str, Lines], on_progress: OnProgress
) -> dict[str, dict[str, list[MeanScore]]]:
    """The means of each run by each way of grading, as an evaluation computes them."""
    options = Evaluation(qrels=release, average=evaluation.default_average(release), level=release.protocol["level"])
    judged = {way: {unit: JudgedUnits(lines) for unit, lines in files.items()} for way, files in ways.items()}
    rankings = evaluation.resolved(release, entered)
    means: dict[str, dict[str, list[MeanScore]]] = {way: {} for way in ways}
    for number, run in enumerate(entered):
        on_progress(number, len(entered), f"scoring {run.name}")
        ranking = rankings.get(run.pk)
        ranking = runs.load(run) if ranking is None else ranking
        for way, files in judged.items():
            units = files.get(evaluation.unit_of(run), JudgedUnits([]))
            scores = evaluation.averaged(options, run, evaluation.score_one(options, run, ranking, units), units)
            means[way][run.name] = measures.means(scores, options.measures_of(run))
    return means


def tables_of(
    entered: Iterable[Run], means: Mapping[str, Mapping[str, list[MeanScore]]], brought: Mapping[str, Added]
) -> list[dict[str, Any]]:
    """A table for each measure: ``rows`` has each run with its mean (None if nothing of it is judged), place and topics
    by each way, in the order of the release; ``tau``: Kendall's tau-b of the orders by the other ways with that of the
    release, on common topics; ``grades`` and ``added``: what the source has for the runs of the table."""
    groups: defaultdict[tuple[str, ...], list[Run]] = defaultdict(list)
    for run in entered:
        groups[measures.WRITTEN_MEASURES if run.is_written else measures.MEASURES].append(run)
    return [
        table_of(measure, runs, means) | brought.get(evaluation.unit_of(runs[0]), Added(0, 0))._asdict()
        for names, runs in groups.items()
        for measure in names
    ]


def table_of(measure: str, runs: Iterable[Run], means: Mapping[str, Mapping[str, list[MeanScore]]]) -> dict[str, Any]:
    of_ways = {
        way: {run.name: mean for run in runs for mean in of_run[run.name] if mean.measure == measure}
        for way, of_run in means.items()
    }
    values = {way: {name: mean.value for name, mean in of_way.items()} for way, of_way in of_ways.items()}
    ranks = {way: places(of_way) for way, of_way in values.items()}

    def cell(way: str, run: str) -> dict[str, Any]:
        mean = of_ways[way].get(run)
        return {"value": mean and mean.value, "rank": ranks[way].get(run), "topics": mean.topics if mean else 0}

    rows: list[dict[str, Any]] = [
        {"run": run.name, "team": run.team} | {way: cell(way, run.name) for way in WAYS} for run in runs
    ]
    rows.sort(key=lambda row: (row[OFFICIAL]["rank"] or len(ranks[OFFICIAL]) + 1, row["run"]))
    tau = {
        way: correlations(OFFICIAL, way, values[beside], values[way]).kendall._asdict()
        for way, beside in ((ALONE, COMMON), (COMPLETED, OFFICIAL))
    }
    return {"measure": measure, "rows": rows, "tau": tau}


def lacking(made: WhatIf, table: Mapping[str, Any]) -> str:
    """Why a table has nothing to compare; empty if it has: both the release and the source need grades for its runs."""
    is_written = table["measure"] in measures.WRITTEN_MEASURES
    word = "written answer" if is_written else unit_word(made.source.campaign.rules)
    if not any(row[OFFICIAL]["topics"] for row in table["rows"]):
        return f"{made.release} has no grades for {word}s"
    return "" if table["grades"] else f"{made.source} has no grades for {word}s of the topics of {made.release}"


def latest_release(campaign: Campaign) -> Qrels | None:
    return Qrels.objects.of(campaign).select_related("pool__campaign", "visual_map").first()
