"""How far the results of an evaluation can be relied on, under other assessors and without a team: a frozen report."""

from collections import Counter
from collections.abc import Iterable, Set
from statistics import fmean
from typing import Any, NamedTuple

from assess.ir.common.rows import JudgmentRow, Qrel
from assess.ir.pool.pooling import prefixes
from assess.ir.releases.aggregation import SUM, counted_rows
from assess.ir.runs.ranking import JudgedUnits, prime
from assess.ir.scores import definitions, leaderboard, measures, reusability
from assess.ir.scores.leaderboard import Compared, Entered, Scoring
from assess.models import Evaluation, Job, OnProgress, ReliabilityReport, Run
from assess.services.agreement.agreement import judgment_rows
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.pool import pools
from assess.services.releases.qrels import written_answers
from assess.services.rounds import adjudication
from assess.services.scores.evaluation import load_rankings, score_run
from assess.services.scores.results import means_by_run

Twice = list[tuple[Compared, bool]]
"""The comparisons of two assessors, under the visual ids of the release, and whether each is of written answers."""


class Ready(NamedTuple):
    """The runs, ready to be scored with the release, and with the judgments of each assessor: those of the campaign's
    task, and those of written answers; and how much of the top of each run is unjudged."""

    for_release: list[Entered]
    units: list[Entered]
    answers: list[Entered]
    unjudged: dict[str, dict[str, Any]]


def report_reliability(evaluation: Evaluation, on_progress: OnProgress, job: Job | None = None) -> ReliabilityReport:
    """Raises Refused if the evaluation has scored no runs."""
    release = evaluation.qrels
    means = means_by_run(evaluation.means)
    scored = [run for run in release.pool.campaign.entered_runs().select_related("ranking") if run.pk in means]
    if not scored:
        raise Refused("These scores have no runs.")
    judged, written = JudgedUnits(release.lines_of(release.pool.rules.kind.unit)), written_answers(release.pool)
    twice = judged_twice(evaluation, written)
    ready = enter_runs(evaluation, scored, judged, twice, on_progress)
    by_pair = under_assessors(evaluation, twice, written, ready, judged.by_topic.keys(), on_progress)
    reused = without_teams(evaluation, scored, judged, ready, on_progress)
    return ReliabilityReport.objects.create(evaluation=evaluation, assessors=by_pair, reusability=reused, job=job)


def judged_twice(evaluation: Evaluation, written: Set[str]) -> Twice:
    pool, version = evaluation.qrels.pool, evaluation.qrels.visual_map
    official = judgment_rows(pool, official=True)
    of_release = set(official)
    others = [row for row in judgment_rows(pool) if row not in of_release]
    judged = Counter((row.topic_id, row.doc_id) for row in official)
    documents = {(row.topic_id, row.doc_id) for row in others} | {place for place, n in judged.items() if n > 1}
    doc_ids = {doc_id for _, doc_id in documents}
    units = visual_ids.unit_ids(version.collection, doc_ids, version) if version and documents else {}

    def of_two(rows: Iterable[JudgmentRow], *, is_written: bool) -> list[JudgmentRow]:
        chosen = [row for row in rows if (row.topic_id, row.doc_id) in documents]
        chosen = [row for row in chosen if (row.doc_id in written) == is_written]
        return [row._replace(unit_id=units.get(row.doc_id, row.unit_id)) for row in chosen]

    settled, rule = adjudication.settled_grades(pool), pool.rules.rule_of_grades
    twice: Twice = []
    for is_written in (False, True):
        first, second = of_two(official, is_written=is_written), of_two(others, is_written=is_written)
        decided = ([] if rule == SUM else counted_rows(first, rule, pool.rules.level)) if rule else None
        compared = leaderboard.comparisons(first, second, settled, written, decided)
        twice += [(each, is_written) for each in compared]
    return twice


def enter_runs(
    evaluation: Evaluation, scored: list[Run], judged: JudgedUnits, twice: Twice, on_progress: OnProgress
) -> Ready:
    """Keeps of each run what is judged."""
    ready = Ready([], [], [], {})
    pairs = (pair for pair, is_written in twice if not is_written)
    rows = (row for pair in pairs for by_one in pair.judgments.values() for row in by_one)
    of_two = JudgedUnits(Qrel(*key, 0) for key in sorted({(row.topic_id, row.unit_id) for row in rows}))
    for run, ranking in load_rankings(evaluation.qrels, scored, on_progress, "reading"):
        if run.is_written:
            ready.answers.append((run.name, ranking))
            continue
        for entered, units in ((ready.for_release, judged), (ready.units, of_two)):
            entered.append((run.name, prime(ranking, units, evaluation.order_of(run))))
        shares = [row.value for row in score_run(evaluation, run, ranking, judged, [definitions.JUDGED])]
        ready.unjudged[run.name] = {"share": 1 - fmean(shares) if shares else None, "topics": len(shares)}
    return ready


def under_assessors(
    evaluation: Evaluation, twice: Twice, written: Set[str], ready: Ready, released: Set[str], on_progress: OnProgress
) -> list[dict[str, Any]]:
    """Each comparison as it is stored: who, on what, on which topics that are not released, and the leaderboards."""
    stored = []
    for number, (compared, is_written) in enumerate(twice):
        judges = list(compared.judgments)
        on_progress(number, len(twice), f"scoring under {' and '.join(judges[:2])}")
        scoring = scoring_of(evaluation, ready.answers if is_written else ready.units, is_written=is_written)
        if evaluation.qrels.is_sum:  # the level of sums is not that of one assessor
            scoring = scoring._replace(level=evaluation.qrels.pool.rules.level)
        suffix = ", written answers" if is_written else ""  # AR and P@1 are also measures of rankings
        boards = leaderboard.boards(compared, scoring, written)
        first, second = (compared.judgments[judge] for judge in judges[:2])
        stored.append(
            {
                "first": compared.first,
                "second": compared.second,
                "written": is_written,
                "judges": judges,
                "topics": sorted(topics := {row.topic_id for row in first}),
                "not_released": sorted(topics - released),
                "documents": len(first),
                "apart": sum(row.grade != other.grade for row, other in zip(first, second, strict=True)),
                "boards": [board | {"measure": f"{board['measure']}{suffix}"} for board in boards],
            }
        )
    return stored


def scoring_of(evaluation: Evaluation, entered: list[Entered], *, is_written: bool = False) -> Scoring:
    """The runs with the options of the evaluation, and those of its measures that only need what is judged."""
    names = map(definitions.find_measure, evaluation.written_measures if is_written else evaluation.measures)
    wanted = "first" if is_written else "judged"
    fitting = [measure.name for measure in names if measure.input == wanted and not measure.of_means]
    usual = measures.WRITTEN_MEASURES if is_written else measures.MEASURES
    return Scoring(entered, fitting or usual, evaluation.average, evaluation.level, evaluation.gain)  # type: ignore[arg-type]


def without_teams(
    evaluation: Evaluation, scored: list[Run], judged: JudgedUnits, ready: Ready, on_progress: OnProgress
) -> dict[str, Any]:
    """What runs brought into the pool, under the visual ids of the release, and what changes without each team.
    ``assumed``: the pool does not record its runs, so their present roles and the rules of the pool are taken to be
    those it was made with. Written answers count nothing: each of them is one run's own."""
    release, pool = evaluation.qrels, evaluation.qrels.pool
    roles = pools.runs_in_pool(pool) if pool.runs else [(run, run.pool_role) for run in pool.campaign.pooled_runs()]
    roles = [(run, role) for run, role in roles if not run.is_written]
    pooled = pools.as_pooled(pool.campaign, pool.rules, roles, on_progress, release.visual_map)
    parts = zip(pooled, prefixes(pooled, pool.rules), strict=True)
    brought = reusability.as_brought({run.name: part for run, part in parts})
    teams = {run.name: run.team for run, _ in roles}
    scoring = scoring_of(evaluation, ready.for_release)
    left_out = reusability.leave_out_each(scoring, judged, brought, teams, on_progress)
    of_runs = reusability.contributions(brought, judged, evaluation.level)
    nothing = dict.fromkeys(("units", "relevant", "unique", "unique_relevant"), 0)
    return {
        "assumed": not pool.runs,
        "runs": [
            {"run": run.name, "team": run.team, "pooled": run.name in teams}
            | ready.unjudged[run.name]
            | of_runs.get(run.name, {"name": run.name} | nothing)
            for run in scored
            if not run.is_written
        ],
        "left_out": left_out,
    }
