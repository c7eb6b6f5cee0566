"""What jobs came to, in words: one line for each thing. Nothing for what has been deleted since."""

from assess.models import Job, Run
from assess.services.common.wording import counts_of, number
from assess.services.pool.freezing import pool_summary
from assess.services.runs.runs import notes_on_topics


def collection_counts(job: Job) -> list[str]:
    return [f"{kind}: {count:,}" for kind, count in counts_of(job.result.get("counts", {}))]


def mixed_visual_ids(job: Job) -> list[str]:
    counts = job.result["counts"]
    if not counts["clusters"]:
        return ["all formulas with the same visual id look alike"]
    found, moved = number(counts["clusters"], "mixed visual id"), number(counts["moved"], "formula")
    return [f"{found} found; {moved} would move. Nothing changes until you apply the repair"]


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


def verified_release(job: Job) -> list[str]:
    problems = job.result.get("problems")  # jobs of earlier versions do not say
    return [] if problems is None else [f"{number(problems, 'problem') if problems else 'no problems'} found"]
