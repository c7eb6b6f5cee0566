"""What jobs came to, in words: one line for each thing. Nothing for what has been deleted since."""

from assess.models import AgreementReport, Evaluation, Job, Round, Run
from assess.services.agreement.agreement import NOTHING_COMMON
from assess.services.common.wording import counts_of, number
from assess.services.pool.freezing import pool_summary
from assess.services.rounds.rounds import Coverage
from assess.services.runs.runs import notes_on_topics


def collection_counts(job: Job) -> list[str]:
    return [f"{kind}: {count:,}" for kind, count in counts_of(job.result.get("counts", {}))]


def found_threads(job: Job) -> list[str]:
    return [f"threads found for {job.result['found']} of {number(job.result['topics'], 'topic')}"]


def computed_visual_ids(job: Job) -> list[str]:
    counts = job.result["counts"]
    without = f"; {number(counts['without'], 'formula')} without" if counts.get("without") else ""
    return [f"{number(counts['formulas'], 'formula')} with {number(counts['units'], 'different visual id')}{without}"]


def mixed_visual_ids(job: Job) -> list[str]:
    counts = job.result["counts"]
    if not counts["clusters"]:
        return ["all formulas with the same visual id look alike"]
    found, moved = number(counts["clusters"], "mixed visual id"), number(counts["moved"], "formula")
    return [f"{found} found; {moved} would move. Nothing changes until you apply the repair"]


def repaired_visual_ids(job: Job) -> list[str]:
    counts = job.result["counts"]
    found, moved = number(counts["clusters"], "mixed visual id"), number(counts["moved"], "formula")
    return [f"{found} repaired; {moved} moved, {number(counts['new'], 'visual id')} added"]


def imported_runs(job: Job) -> list[str]:
    return [run_line(run) for run in job.campaign.runs.filter(name__in=job.result.get("runs", []))]


def made_run(job: Job) -> list[str]:
    return [run_line(run) for run in job.campaign.runs.filter(pk=job.result.get("run"))]


def run_line(run: Run) -> str:
    text = f"{run.name} ({run.team}): {number(run.lines, 'line')} for {number(run.topics, 'topic')}"
    if run.known_share is not None:
        low = ", which is low" if run.has_low_coverage else ""
        text += f"; the collection holds {run.coverage['known']:,} of {run.coverage['documents']:,} documents{low}"
    text += "".join(f"; {note}" for note in notes_on_topics(run))
    return text + (f"; {number(len(run.notes), 'note')} on the file" if run.notes else "")


def pool_lines(job: Job) -> list[str]:
    pool = job.campaign.pools.filter(version=job.result.get("pool", 0)).first()
    return pool_summary(pool) if pool else []


def imported_judgments(job: Job) -> list[str]:
    sources = job.campaign.judgment_sources.filter(pk=job.result.get("source"))
    return [
        f"{number(each.counts['lines'], 'judgment')} of {number(each.counts['topics'], 'topic')}" for each in sources
    ]


def prepared_round(job: Job) -> list[str]:
    found = [Coverage(**each.coverage) for each in Round.objects.filter(pk=job.result.get("round"))]
    return [
        f"{each.known:,} of {number(each.documents, 'different judged document')} in the collection, "
        f"{each.known_topics} of {number(each.topics, 'judged topic')} in the file of topics"
        for each in found
    ]


def verified_release(job: Job) -> list[str]:
    problems = job.result.get("problems")  # jobs of earlier versions do not say
    return [] if problems is None else [f"{number(problems, 'problem') if problems else 'no problems'} found"]


def scored_runs(job: Job) -> list[str]:
    made = Evaluation.objects.filter(pk=job.result.get("evaluation")).select_related("qrels")
    runs = [(number(len({row["run_id"] for row in each.means}), "run"), each.qrels.version) for each in made]
    return [f"{text} scored with release {version}" for text, version in runs]


def compared_pairs(job: Job) -> list[str]:
    report = AgreementReport.objects.filter(pk=job.result.get("report")).first()
    if report is None:
        return []
    if not report.topics:
        return [f"{NOTHING_COMMON}: assign topics to a second assessor in the dual round, then compute it again"]
    return [f"{number(sum(bool(pair['n']) for pair in report.pairs), 'pair')} of assessors compared"]
