"""Plans of pools: computed by a job for the runs, topics and rules of a campaign, kept in the media store until one
of these changes, asked by the page for every setting of the depths."""

import json
import shutil
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from django.conf import settings
from django.db.models import Avg, Count
from django.utils import timezone

from assess.ir.campaign.presets import DEPTHS, PRESETS, UNITS, Protocol
from assess.ir.pool import planning
from assess.ir.pool.lab_seconds import lab_pace
from assess.ir.pool.planning import Contribution, Dials, Plan, TopicCost
from assess.ir.pool.pooling import PooledRun
from assess.models import Campaign, Judgment
from assess.services.campaign.campaigns import DEMO
from assess.services.common import workspace
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.pool import pools, seeding, staleness
from assess.services.runs import coverage

LAYOUT = 2
"""Grows when what is stored changes, so that older plans are made anew."""
DEEPEST = 100
LARGEST = 300
"""The last settings that are planned: of a depth, and of the units of each topic."""
UNPLANNED = (*DEPTHS, *UNITS, "guidelines")
"""The rules that change nothing in a plan."""


class Stored(NamedTuple):
    """A plan with what it was made from: ``runs`` (name, team, role and ``coverage.summary``), ``topics`` (their ids),
    the grids ``units`` and ``documents`` (by primary, then alternate setting), ``presets`` (what other protocols would
    cost) and ``made``."""

    plan: Plan
    about: dict[str, Any]


class Pace(NamedTuple):
    """Seconds a judgment takes, and where that was measured: ``here`` in this campaign, ``elsewhere`` in others of
    this installation (``judgments`` says how many), or by a ``lab``, of which ``source`` tells."""

    seconds: float
    judgments: int = 0
    where: str = "here"
    source: str = ""


class Answer(NamedTuple):
    """The pool at one setting: its topics, what its runs and teams bring in, and how far the runs overlap."""

    at: Dials
    topics: list[TopicCost]
    runs: list[Contribution]
    teams: list[Contribution]
    overlap: list[list[float | None]]


def most(rules: Protocol) -> Dials:
    """The last settings that are planned."""
    return Dials(DEEPEST, DEEPEST) if rules.sizes == DEPTHS else Dials(LARGEST)


def current(rules: Protocol) -> Dials:
    """The protocol's settings, within what is planned."""
    return Dials(*map(min, planning.dials(rules), most(rules)))


def folder(campaign: Campaign) -> Path:
    return Path(settings.MEDIA_ROOT, "plans", str(campaign.pk))


def key(campaign: Campaign) -> str:
    """What a plan depends on, as one word: runs, topics, visual ids, the pool of answers that seeds and the rules
    except for the sizes."""
    version = visual_ids.current(campaign.collection) if campaign.is_formulas else None
    sources = campaign.collection.sources.get("formulas") if campaign.collection else None
    facts = [
        LAYOUT,
        {name: value for name, value in campaign.rules.to_dict().items() if name not in UNPLANNED},
        campaign.seed,
        topic_ids(campaign),
        staleness.origin(campaign),
        [list(row) for row in campaign.runs.values_list("kind", "coverage")],
        [campaign.collection_id, sources, version and version.pk],
        [[pool.pk, pool.version] for pool in seeding.answer_pools(campaign)],
    ]
    return sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]


def topic_ids(campaign: Campaign) -> list[str]:
    return list(campaign.topics.values_list("topic_id", flat=True))


def compute(campaign: Campaign, on_progress: OnProgress) -> None:
    """Make the plan of the campaign as it is now; it takes the place of an older one. Raises Refused where runs or
    topics are missing, or change meanwhile."""
    made_for, rules = key(campaign), campaign.rules
    runs = pools.pooled_runs(campaign, on_progress)
    on_progress(0, 0, "counting units for every depth")
    places = seeding.places(campaign, rules, runs, seeding.answer_pool_of(campaign))
    plan = planning.make_plan(runs, rules, campaign.seed, most(rules).primary, *places)
    about = {
        "runs": [
            {"name": run.name, "team": run.team, "role": run.pool_role, **coverage.summary(run)}
            for run in campaign.runs.pooled()
        ],
        "topics": topic_ids(campaign),
        "units": planning.grid(plan.entries, most(rules)).tolist(),
        "documents": planning.documents_grid(plan, most(rules), rules.max_instances).tolist(),
        "presets": compared(campaign, runs, on_progress),
        "made": timezone.now().isoformat(),
    }
    if key(campaign) != made_for:
        raise Refused("Runs, topics or rules have changed while the plan was made. Make it again.")
    write(folder(campaign) / made_for, Stored(plan, about))


def compared(campaign: Campaign, runs: list[PooledRun], on_progress: OnProgress) -> list[dict[str, Any]]:
    """The cost of the pool by every preset of the same task."""
    others = [preset for preset in PRESETS.values() if preset.task == campaign.rules.task]
    found = []
    for number, preset in enumerate(others):
        on_progress(number, len(others), f"comparing with {preset.preset}")
        cost = planning.cost(runs_for(campaign, preset, runs, on_progress), preset)
        found.append({"preset": preset.preset, "units": cost.units, "documents": cost.documents})
    return found


def runs_for(campaign: Campaign, preset: Protocol, runs: list[PooledRun], on_progress: OnProgress) -> list[PooledRun]:
    """The runs with the visual ids that a preset needs, where the campaign does without."""
    if (campaign.is_formulas, campaign.rules.unit, preset.unit) != (True, "document", "visual"):
        return runs
    taken = campaign.runs.pooled()
    return pools.as_pooled(campaign, preset, [(run, run.pool_role) for run in taken], on_progress)


def write(place: Path, stored: Stored) -> None:
    """Put a plan in its place, whole, and those before it away."""
    made = workspace.new_path()
    made.mkdir()
    for name, frame in stored.plan._asdict().items():
        frame.write_parquet(made / f"{name}.parquet")
    (made / "about.json").write_text(json.dumps(stored.about))
    shutil.rmtree(place.parent, ignore_errors=True)
    place.parent.mkdir(parents=True)
    made.rename(place)


def find(campaign: Campaign) -> Stored | None:
    """The plan that fits the campaign as it is; None where there is none."""
    place = folder(campaign) / key(campaign)
    if not place.is_dir():
        return None
    plan = Plan(*(pl.read_parquet(place / f"{name}.parquet") for name in Plan._fields))
    return Stored(plan, json.loads((place / "about.json").read_text()))


def is_outdated(campaign: Campaign) -> bool:
    """Whether there is a plan, but of other runs, topics or rules."""
    return folder(campaign).is_dir() and not (folder(campaign) / key(campaign)).is_dir()


def answer(campaign: Campaign, stored: Stored, at: Dials) -> Answer:
    """The pool at a setting."""
    runs = stored.about["runs"]
    names, teams = [run["name"] for run in runs], [run["team"] for run in runs]
    entries = planning.pooled_entries(stored.plan, at)
    limit = campaign.rules.max_instances
    return Answer(
        at,
        planning.by_topic(stored.plan, at, limit, entries, stored.about["topics"]),
        planning.contributions(stored.plan, at, entries, names),
        planning.contributions(stored.plan, at, entries, teams),
        planning.overlap(stored.plan, at, entries, len(runs)),
    )


ENOUGH = 20
"""From so few judgments a mean says something about the next ones."""


def pace_of(campaign: Campaign) -> Pace:
    """Seconds of attention per judgment: measured in this campaign, else in others of the same task on this
    installation, else by the lab. The judgments of the demo come with it, so they are no measurement of others."""
    timed = Judgment.objects.filter(active_ms__gt=0)
    here = timed.filter(assignment__round__pool__campaign=campaign)
    others = timed.exclude(assignment__round__pool__campaign__slug__in=DEMO)
    alike = others.filter(assignment__round__pool__campaign__protocol__task=campaign.rules.task)
    for where, found in (("here", here), ("elsewhere", alike)):
        timing = found.aggregate(mean=Avg("active_ms"), judgments=Count("pk"))
        if timing["judgments"] >= ENOUGH:
            return Pace(round(timing["mean"] / 1000, 1), timing["judgments"], where)
    lab = lab_pace(campaign.rules)
    return Pace(lab.seconds, 0, "lab", lab.source)


def sizes(rules: Protocol, at: Dials) -> dict[str, int]:
    """The fields of the protocol that stand for a setting."""
    return dict(zip(rules.sizes, at, strict=False))


def hours(documents: int, seconds: float) -> float:
    return documents * seconds / 3600


def spread(counts: Iterable[int]) -> dict[str, float]:
    """The least, the mean and the most of some numbers; 0 where there are none."""
    found = list(counts) or [0]
    return {"least": min(found), "mean": sum(found) / len(found), "most": max(found)}
