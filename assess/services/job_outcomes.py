"""What jobs came to, in words: one line for each thing. Nothing for what has been deleted since."""

from assess.models import AgreementReport, Job, Round, Run
from assess.services.agreement.agreement import NOTHING_COMMON
from assess.services.common.wording import counts_of, number
from assess.services.pool.pool_summary import pool_summary
from assess.services.rounds.rounds import Coverage
from assess.services.runs.runs import FOREIGN


def counts(job: Job) -> list[str]:
    return [f"{kind}: {count:,}" for kind, count in counts_of(job.result.get("counts", {}))]


def threads(job: Job) -> list[str]:
    return [f"threads found for {job.result['found']} of {number(job.result['topics'], 'topic')}"]


def computed(job: Job) -> list[str]:
    counts = job.result["counts"]
    without = f"; {number(counts['without'], 'formula')} without" if counts.get("without") else ""
    return [f"{number(counts['formulas'], 'formula')} with {number(counts['units'], 'different visual id')}{without}"]


def mixed(job: Job) -> list[str]:
    counts = job.result["counts"]
    if not counts["clusters"]:
        return ["all formulas with the same visual id look alike"]
    found, moved = number(counts["clusters"], "mixed visual id"), number(counts["moved"], "formula")
    return [f"{found} found; {moved} would move. Nothing changes until you apply the repair"]


def repaired(job: Job) -> list[str]:
    counts = job.result["counts"]
    found, moved = number(counts["clusters"], "mixed visual id"), number(counts["moved"], "formula")
    return [f"{found} repaired; {moved} moved, {number(counts['new'], 'visual id')} added"]


def runs(job: Job) -> list[str]:
    return [run_line(run) for run in job.campaign.runs.filter(name__in=job.result.get("runs", []))]


def run(job: Job) -> list[str]:
    return [run_line(run) for run in job.campaign.runs.filter(pk=job.result.get("run"))]


def run_line(run: Run) -> str:
    text = f"{run.name} ({run.team}): {number(run.lines, 'line')} for {number(run.topics, 'topic')}"
    if run.known_share is not None:
        low = ", which is low" if run.has_low_coverage else ""
        text += f"; the collection holds {run.coverage['known']:,} of {run.coverage['documents']:,} documents{low}"
    text += "".join(f"; {note}" for note in run.notes if note.startswith(FOREIGN))
    return text + (f"; {number(len(run.notes), 'note')} on the file" if run.notes else "")


def pool(job: Job) -> list[str]:
    pool = job.campaign.pools.filter(version=job.result.get("pool", 0)).first()
    return pool_summary(pool) if pool else []


def source(job: Job) -> list[str]:
    sources = job.campaign.judgment_sources.filter(pk=job.result.get("source"))
    return [
        f"{number(each.counts['lines'], 'judgment')} of {number(each.counts['topics'], 'topic')}" for each in sources
    ]


def prepared_round(job: Job) -> list[str]:
    return [coverage_line(Coverage(**each.coverage)) for each in Round.objects.filter(pk=job.result.get("round"))]


def coverage_line(found: Coverage) -> str:
    text = f"{found.known:,} of {number(found.documents, 'different judged document')} in the collection"
    return f"{text}, {found.known_topics} of {number(found.topics, 'judged topic')} in the file of topics"


def agreement_report(job: Job) -> list[str]:
    return [report_line(report) for report in AgreementReport.objects.filter(pk=job.result.get("report"))]


def report_line(report: AgreementReport) -> str:
    if not report.topics:
        return f"{NOTHING_COMMON}: assign topics to a second assessor in the dual round, then compute it again"
    compared = sum(bool(pair["n"]) for pair in report.pairs)
    return f"{number(compared, 'pair')} of assessors compared"
