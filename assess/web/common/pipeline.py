"""The steps of a campaign as its organizer sees them: what is there, and what comes next."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.db.models import Count, Q

from assess.ir.campaign.presets import Protocol
from assess.models import (
    AgreementReport,
    Assignment,
    Campaign,
    Evaluation,
    Member,
    Pool,
    PoolEntry,
    Qrels,
    Round,
)
from assess.services.formulas import visual_ids
from assess.services.judging import progress
from assess.services.pool import staleness
from assess.services.results import agreement
from assess.services.runs.coverage import LOW_COVERAGE

NOTHING_COMMON = "Nothing has been graded by two assessors yet"


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
    releases = list(
        Qrels.objects.filter(pool__campaign=campaign)
        .select_related("visual_map")
        .only("created", "pool", "visual_map", "stand", "decisions")
    )
    return [*sources(campaign, pool), *judging(campaign, pool, releases), *results(campaign, pool, releases)]


def next_step(found: list[Step]) -> Step | None:
    """The first step that is needed and not done."""
    return next((step for step in found if step.is_needed and not step.is_done), None)


def elsewhere(campaign: Campaign, page: str) -> Step | None:
    """The next step, unless it is taken on this very page."""
    step = next_step(steps(campaign))
    return step if step and step.page != page else None


def number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def counts_of(rows: Mapping[str, int]) -> list[tuple[str, int]]:
    """How many rows of each kind a collection holds, with what they are called."""
    return [(kind.replace("_", " ").capitalize(), count) for kind, count in rows.items()]


def unit_word(rules: Protocol) -> str:
    """What is pooled and scored, in words."""
    if rules.task == "answers":
        return "answer"
    return "visually distinct formula" if rules.has_visual_ids else "formula"


def document_word(campaign: Campaign) -> str:
    """What is shown and judged, in words."""
    return "instance" if campaign.is_formulas else "answer"


def judged_of(campaign: Campaign, stand: progress.MainRound) -> str:
    return f"{stand.judged:,} of {number(stand.documents, document_word(campaign))} judged"


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


def judging(campaign: Campaign, pool: Pool | None, releases: list[Qrels]) -> Iterator[Step]:
    """Pool to agreement. The second opinions of a dual round are welcome, not needed; nor are, once the pool as it is
    has been released, topics that were left out of that."""
    if not pool:
        yield Step("Pool", "pool", False, "not built", "Build the pool")
        yield people(campaign, is_needed=True)
        yield Step("Assignments", "assignments", False, "none yet", "Assign topics")
        yield Step("Judging", "progress", False, "not started", "See the progress")
        yield Step("Agreement", "agreement", False, "not computed", "Compute agreement", is_needed=False)
        return
    entries = PoolEntry.objects.filter(pool=pool).aggregate(entries=Count("pk"), topics=Count("topic", distinct=True))
    size = f"{number(entries['entries'], unit_word(pool.rules))} for {number(entries['topics'], 'topic')}"
    text = f"version {pool.version}, {size}"
    yield of_pool(pool, text)
    assigned = Assignment.objects.filter(round__pool=pool).aggregate(
        main=Count("pk", filter=Q(official=True)), dual=Count("pk", filter=Q(round__kind=Round.Kind.DUAL))
    )
    text = f"{assigned['main']} of {number(entries['topics'], 'topic')} assigned"
    text += f", {assigned['dual']} for a second opinion" if assigned["dual"] else ""
    is_assigned = assigned["main"] >= entries["topics"]
    since = pool.extended or pool.frozen
    is_released = any(one.pool_id == pool.pk and since and one.created >= since for one in releases)
    yield people(campaign, is_needed=not is_assigned and not is_released)
    yield Step("Assignments", "assignments", is_assigned, text, "Assign topics", is_needed=not is_released)
    stand = progress.main_round(pool)
    is_needed = not is_released or progress.is_going_on(pool)
    text = judged_of(campaign, stand)
    yield Step("Judging", "progress", stand.is_complete, text, "See who is still judging", is_needed)
    report = AgreementReport.objects.filter(pool=pool).only("created", "pairs").first()
    yield Step("Agreement", "agreement", *computed(report), "Compute agreement", is_needed=False)


def of_pool(pool: Pool, text: str) -> Step:
    if pool.frozen:
        return Step("Pool", "pool", True, f"{text}, frozen", "See the pool")
    if reason := staleness.outdated(pool):
        return Step("Pool", "pool", False, f"{text}. Make it again: {reason}", "Make the pool again")
    return Step("Pool", "pool", False, f"{text}, open", "Freeze the pool")


def computed(report: AgreementReport | None) -> tuple[bool, str]:
    """Whether there is agreement to read, and what to say of it."""
    if report is None:
        return False, "not computed"
    if agreement.is_empty(report):
        return False, f"{NOTHING_COMMON[0].lower()}{NOTHING_COMMON[1:]}"
    return True, f"computed {report.created:%d %b %Y}"


def results(campaign: Campaign, pool: Pool | None, releases: list[Qrels]) -> Iterator[Step]:
    yield of_releases(campaign, pool, releases)
    evaluations = Evaluation.objects.filter(qrels__pool__campaign=campaign).count()
    yield Step("Results", "results", evaluations > 0, number(evaluations, "evaluation"), "Evaluate the runs")


def of_releases(campaign: Campaign, pool: Pool | None, releases: list[Qrels]) -> Step:
    """The latest release should hold all that is judged by now, under the visual ids that are in force. A pool that
    has grown since asks first for the judgments."""
    text = number(len(releases), "release")
    if not releases:
        return Step("Qrels", "releases", False, text, "Release qrels")
    latest, stand = releases[0], progress.MainRound(**releases[0].stand)
    went_on = progress.decisions(latest.pool_id) > latest.decisions
    has_grown = pool is not None and pool.extended is not None and pool.extended > latest.created
    is_current = not campaign.has_visual_ids or visual_ids.is_current(campaign.collection, latest.visual_map)
    text += "" if stand.is_complete else f", the latest made with {judged_of(campaign, stand)}"
    text += ", the pool has grown since the latest" if has_grown else ""
    text += ", judging has gone on since the latest" if went_on else ""
    text += "" if is_current else ", the latest under visual ids that have changed since"
    is_done = stand.is_complete and is_current and not went_on and not has_grown
    return Step("Qrels", "releases", is_done, text, "Release qrels", went_on or not is_current)
