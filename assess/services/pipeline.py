"""The steps of a campaign: which are done, and which comes next."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone
from django.utils.formats import date_format

from assess.ir.releases.release_options import REMOVED
from assess.models import AgreementReport, Assignment, Campaign, Evaluation, Judgment, Member, Pool, Qrels, Round
from assess.services.agreement import agreement
from assess.services.common.wording import number, unit_word
from assess.services.formulas import visual_ids
from assess.services.pool import freezing
from assess.services.rounds import progress
from assess.services.rounds.progress import MainRound


class Step(NamedTuple):
    """One step. ``key`` is also the name of its page; ``text`` says how far it is, ``action`` what to do if it is next.
    ``is_needed``: the campaign cannot be completed without it."""

    name: str
    key: str
    is_done: bool
    text: str
    action: str
    is_needed: bool = True


class PoolProgress(NamedTuple):
    """Of a pool that people judge: its main round, how many official assignments of topics not removed and dual
    ones there are, and the kinds of rounds in which somebody still has something to judge."""

    pool: Pool
    main: MainRound
    assigned: int
    dual: int
    going_on: set[str]

    @property
    def is_going_on(self) -> bool:
        return not self.going_on.isdisjoint(Round.OFFICIAL)


def progress_of(pool: Pool) -> PoolProgress:
    assigned = Assignment.objects.filter(round__pool=pool).aggregate(
        main=Count("pk", filter=Q(official=True, handed_over=None) & ~Q(topic__kind=REMOVED)),
        dual=Count("pk", filter=Q(round__kind=Round.Kind.DUAL)),
    )
    main, going_on = progress.main_round(pool), progress.kinds_going_on(pool)
    return PoolProgress(pool, main, assigned["main"], assigned["dual"], going_on)


def campaign_steps(campaign: Campaign, *, with_rounds: bool = False) -> Iterator[Step]:
    """All steps in order, each counted when it is asked for. ``with_rounds``: also those of the rounds beside the main
    one, which no lab needs."""
    pool = campaign.current_pool()
    yield from import_steps(campaign, needs_runs=pool is None)
    judged = progress_of(pool) if pool else None
    releases = list(
        Qrels.objects.of(campaign)
        .select_related("visual_map")
        .only("created", "pool", "visual_map", "main_round", "decisions")
    )
    yield from judging_steps(campaign, judged, releases, with_rounds) if judged else steps_without_pool(campaign)
    yield release_step(campaign, judged, releases)
    scored = Evaluation.objects.of(campaign).count()
    text = number(scored, "evaluation") if scored else "none yet"
    yield Step("Scores", "results", scored > 0, text, "Score the runs")


def next_step(steps: Iterable[Step]) -> Step | None:
    return next((step for step in steps if step.is_needed and not step.is_done), None)


def next_elsewhere(campaign: Campaign, key: str) -> Step | None:
    step = next_step(campaign_steps(campaign))
    return step if step and step.key != key else None


def judged_in_words(campaign: Campaign, main: MainRound) -> str:
    return f"{main.judged:,} of {number(main.documents, campaign.words.document)} judged"


def import_steps(campaign: Campaign, *, needs_runs: bool) -> Iterator[Step]:
    topics = campaign.topics.count()
    yield Step("Topics", "topics", topics > 0, number(topics, "topic") if topics else "none yet", "Import topics")
    counts = campaign.collection.counts if campaign.collection else {}
    posts = counts.get("questions", 0) + counts.get("answers", 0)
    text = f"{number(posts, 'post')}, {number(counts.get('formulas', 0), 'formula')}"
    if "documents" in counts:
        text = number(counts["documents"], "document")
    yield Step("Documents", "collection", bool(counts), text if counts else "none yet", "Import documents")
    runs = list(campaign.entered_runs().only("campaign", "team", "coverage"))
    low = sum(run.has_low_coverage for run in runs)
    text = f"{number(len(runs), 'run')} of {number(len({run.team for run in runs}), 'team')}" if runs else "none yet"
    text += f", {low} with low coverage" if low else ""
    yield Step("Runs", "runs", bool(runs), text, "Import runs", needs_runs)


def member_step(campaign: Campaign, is_needed: bool) -> Step:
    """Needed until every topic has an assessor."""
    judges = campaign.members.filter(role__in=[Member.Role.ASSESSOR, Member.Role.EXPERT]).count()
    awaited = 0 if judges else campaign.awaited
    text = f"{judges} can judge" if judges else "no assessors yet"
    text += f": {awaited} invited, nobody has accepted" if awaited else ""
    return Step("Members", "members", judges > 0, text, "See the members" if awaited else "Add members", is_needed)


def judging_steps(campaign: Campaign, judged: PoolProgress, releases: list[Qrels], with_rounds: bool) -> Iterator[Step]:
    """Pool to agreement. The dual round is optional; so is, once the current pool has been released and nobody judges
    any more, what is unjudged. Topics that the organizers removed need no assessor."""
    pool, kept = judged.pool, Count("topic", filter=~Q(topic__kind=REMOVED), distinct=True)
    counted = pool.entries.aggregate(units=Count("pk"), topics=kept)
    yield pool_step(pool, counted["units"], judged.main.topics)
    needed = counted["topics"] * pool.rules.assessors
    text = f"{judged.assigned} of {number(needed, 'topic' if pool.rules.assessors == 1 else 'assignment')} assigned"
    is_assigned = judged.assigned >= needed
    since = pool.extended or pool.frozen
    is_released = any(release.pool_id == pool.pk and since and release.created >= since for release in releases)
    is_needed = not is_assigned or not is_released or judged.is_going_on
    text += "" if is_assigned or not is_released else "; remove those that nobody will judge from the topic set"
    yield member_step(campaign, is_needed=not is_assigned)
    before, after = round_steps(judged) if with_rounds else ([], [])
    yield from before
    yield Step("Assignments", "assignments", is_assigned, text, "Assign topics", is_needed)
    text = judged_in_words(campaign, judged.main)
    yield Step("Progress", "progress", judged.main.is_complete, text, "See who is still judging", is_needed)
    yield from after
    yield agreement_step(AgreementReport.objects.filter(pool=pool).only("created", "pool_id", "topics").first())


def round_steps(judged: PoolProgress) -> tuple[list[Step], list[Step]]:
    """The rounds that the labs held before the main round, and those after it; none has to be held. Training is no
    longer suggested once judging has begun, nor adjudication before two people have judged the same."""
    is_judged, rules = Exists(Judgment.objects.filter(assignment__round=OuterRef("pk"))), judged.pool.rules
    held = Round.objects.filter(is_judged, pool__campaign=judged.pool.campaign_id)
    kinds = set(held.values_list("kind", flat=True))
    before, after = [], []
    has_training = bool(kinds & set(Round.PREPARATORY))
    if has_training or not judged.main.judged:
        text = "held" if has_training else "none judged yet: assessors agree more after one"
        before.append(Step("Training", "rounds", has_training, text, "Prepare a training round", is_needed=False))
    if rules.assessors == 1:
        given = f"{number(judged.dual, 'topic')} with a second assessor"
        text = given if judged.dual else "none: it measures agreement"
        is_done = judged.dual > 0 and Round.Kind.DUAL not in judged.going_on
        after.append(Step("Dual round", "rounds", is_done, text, "Open a dual round", is_needed=False))
    if judged.dual or rules.assessors > 1:
        is_held = Round.Kind.ADJUDICATION in kinds
        text = "held" if is_held else "none judged yet: an expert settles disagreements"
        after.append(Step("Adjudication", "rounds", is_held, text, "Open an adjudication", is_needed=False))
    return before, after


def steps_without_pool(campaign: Campaign) -> Iterator[Step]:
    """Pool to agreement without a pool."""
    yield Step("Pool", "pool", False, "not built", "Build the pool")
    yield member_step(campaign, is_needed=True)
    yield Step("Assignments", "assignments", False, "none yet", "Assign topics")
    yield Step("Progress", "progress", False, "not started", "See the progress")
    yield Step("Agreement", "agreement", False, "not computed", "Compute agreement", is_needed=False)


def pool_step(pool: Pool, units: int, topics: int) -> Step:
    text = f"version {pool.version}, {number(units, unit_word(pool.rules))} for {number(topics, 'topic')}"
    if pool.frozen:
        return Step("Pool", "pool", True, f"{text}, frozen", "See the pool")
    if reason := freezing.reason_to_rebuild(pool):
        return Step("Pool", "pool", False, f"{text}. Rebuild it: {reason}", "Rebuild the pool")
    return Step("Pool", "pool", False, f"{text}, open", "Freeze the pool")


def agreement_step(report: AgreementReport | None) -> Step:
    """Done if it was computed from what is judged now."""
    text, changes = "not computed", agreement.changes_since(report) if report else 0
    if report and (report.topics or changes):
        text = f"computed on {date_format(timezone.localtime(report.created), 'j M Y')}"
        text += f"; {number(changes, 'judgment')} since" if changes else ""
    elif report:
        text = agreement.NOTHING_COMMON.lower()
    is_done = report is not None and not changes and bool(report.topics)
    return Step("Agreement", "agreement", is_done, text, "Compute agreement", is_needed=False)


def release_step(campaign: Campaign, judged: PoolProgress | None, releases: list[Qrels]) -> Step:
    """Done if the latest release has all judgments of the current pool under the current visual ids, and nobody judges
    any more, so that no other will follow."""
    if not releases:
        return Step("Releases", "releases", False, "none yet", "Make a release")
    text = number(len(releases), "release")
    latest, main = releases[0], MainRound(**releases[0].main_round)
    is_behind = progress.count_decisions(latest.pool_id) > latest.decisions
    extended = judged.pool.extended if judged else None
    has_grown = extended is not None and extended > latest.created
    is_going_on = judged is not None and judged.is_going_on
    is_current = not campaign.has_visual_ids or visual_ids.is_current(campaign.collection, latest.visual_map)
    text += "" if main.is_complete else f", the latest made with {judged_in_words(campaign, main)}"
    text += ", the pool has grown since" if has_grown else ""
    text += ", with later judgments" if is_behind else ""
    text += "" if is_current else ", visual ids have changed since"
    is_done = not is_going_on and is_current and not is_behind and not has_grown
    return Step("Releases", "releases", is_done, text, "Make a release")
