"""The steps of a campaign as its organizer sees them: what is there, and what comes next."""

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Count, Q

from assess.models import (
    AgreementReport,
    Assignment,
    Campaign,
    Evaluation,
    Instance,
    Judgment,
    Member,
    Pool,
    PoolEntry,
    Qrels,
    Round,
)
from assess.services.runs import LOW_COVERAGE


class Step(NamedTuple):
    """One step: the page it is taken on, whether it is done, what is there, and what to do if it is next.
    ``is_needed``: the campaign does not come to its end without it."""

    name: str
    page: str
    is_done: bool
    text: str
    action: str
    is_needed: bool = True


def steps(campaign: Campaign) -> list[Step]:
    """All steps in order."""
    pool = campaign.current_pool()
    return [*sources(campaign, pool), *judging(campaign, pool), *results(campaign)]


def next_step(found: list[Step]) -> Step | None:
    """The first step that is needed and not done."""
    return next((step for step in found if step.is_needed and not step.is_done), None)


def elsewhere(campaign: Campaign, page: str) -> Step | None:
    """The next step, unless it is taken on this very page."""
    step = next_step(steps(campaign))
    return step if step and step.page != page else None


def number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def sources(campaign: Campaign, pool: Pool | None) -> Iterator[Step]:
    """What is imported. A pool made elsewhere needs no runs."""
    topics = campaign.topics.count()
    yield Step("Topics", "topics", topics > 0, number(topics, "topic"), "Import topics")
    counts = campaign.collection.counts if campaign.collection else {}
    posts = counts.get("questions", 0) + counts.get("answers", 0)
    text = f"{number(posts, 'post')}, {number(counts.get('formulas', 0), 'formula')}"
    yield Step("Collection", "collection", bool(counts), text if counts else "none yet", "Import the collection")
    runs = list(campaign.runs.only("campaign", "team", "coverage"))
    low = sum(share is not None and share < LOW_COVERAGE for share in (run.known_share for run in runs))
    text = f"{number(len(runs), 'run')} of {number(len({run.team for run in runs}), 'team')}" if runs else "none yet"
    text += f", {low} with low coverage" if low else ""
    yield Step("Runs", "runs", bool(runs), text, "Import runs", is_needed=pool is None)


def people(campaign: Campaign, is_needed: bool) -> Step:
    """Those who can be given topics. Needed as long as some topic has nobody."""
    judges = campaign.members.filter(role__in=[Member.Role.ASSESSOR, Member.Role.EXPERT]).count()
    text = f"{judges} can judge" if judges else "no assessor yet: add members"
    return Step("Members", "members", judges > 0, text, "Add members", is_needed)


def judging(campaign: Campaign, pool: Pool | None) -> Iterator[Step]:
    """Pool to agreement. The second opinions of a dual round are welcome, not needed."""
    if not pool:
        yield Step("Pool", "pool", False, "not built", "Build the pool")
        yield people(campaign, is_needed=True)
        yield Step("Assignments", "assignments", False, "none yet", "Assign topics")
        yield Step("Judging", "progress", False, "not started", "See the progress")
        yield Step("Agreement", "agreement", False, "not computed", "Compute agreement", is_needed=False)
        return
    entries = PoolEntry.objects.filter(pool=pool).aggregate(entries=Count("pk"), topics=Count("topic", distinct=True))
    documents = Instance.objects.filter(entry__pool=pool).count()
    text = f"version {pool.version}, {number(entries['entries'], 'unit')} in {number(entries['topics'], 'topic')}"
    yield Step("Pool", "pool", bool(pool.frozen), f"{text}, {'frozen' if pool.frozen else 'open'}", "Freeze the pool")
    assigned = Assignment.objects.filter(round__pool=pool).aggregate(
        main=Count("pk", filter=Q(official=True)), dual=Count("pk", filter=Q(round__kind=Round.Kind.DUAL))
    )
    text = f"{assigned['main']} of {number(entries['topics'], 'topic')} assigned"
    text += f", {assigned['dual']} for a second opinion" if assigned["dual"] else ""
    is_assigned = assigned["main"] >= entries["topics"]
    yield people(campaign, is_needed=not is_assigned)
    yield Step("Assignments", "assignments", is_assigned, text, "Assign topics")
    judged = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True).count()
    text = f"{judged:,} of {number(documents, 'document')} judged"
    yield Step("Judging", "progress", judged >= documents, text, "See who is still judging")
    report = AgreementReport.objects.filter(pool=pool).only("created").first()
    text = f"computed {report.created:%d %b %Y}" if report else "not computed"
    yield Step("Agreement", "agreement", bool(report), text, "Compute agreement", is_needed=False)


def results(campaign: Campaign) -> Iterator[Step]:
    releases = Qrels.objects.filter(pool__campaign=campaign).count()
    yield Step("Qrels", "releases", releases > 0, number(releases, "release"), "Release qrels")
    evaluations = Evaluation.objects.filter(qrels__pool__campaign=campaign).count()
    yield Step("Results", "results", evaluations > 0, number(evaluations, "evaluation"), "Evaluate the runs")
