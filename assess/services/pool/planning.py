"""Plans of pools, computed by a job and kept in the media store until runs, topics or rules change."""

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
from assess.ir.pool.planning import Dials, PoolContribution, PoolPlan, TopicCost
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
"""Version of the stored format; a plan with an older one is outdated."""
DEEPEST = 100
LARGEST = 300
"""The largest planned settings: of a depth, and of the units of each topic."""
UNPLANNED = (*DEPTHS, *UNITS, "guidelines")
"""Rules on which a plan does not depend."""
MIN_JUDGMENTS = 20
"""The mean of fewer judgments says little about the next ones."""


class StoredPlan(NamedTuple):
    """A plan with its inputs and sums: ``runs`` (name, team, role and ``coverage.summary``), ``topics`` (their ids),
    the grids ``units`` and ``documents`` (by primary, then alternate setting), ``presets`` (what other protocols would
    cost) and ``made``."""

    plan: PoolPlan
    about: dict[str, Any]


class PaceEstimate(NamedTuple):
    """Seconds of a judgment, and where they were measured: ``here`` in this campaign, ``elsewhere`` in others of this
    installation (over so many ``judgments``), or in a ``lab`` (``source``)."""

    seconds: float
    judgments: int = 0
    where: str = "here"
    source: str = ""


class PlannedPool(NamedTuple):
    """The pool at one setting: its topics, the contributions of runs and teams, and the overlap of runs."""

    topics: list[TopicCost]
    runs: list[PoolContribution]
    teams: list[PoolContribution]
    overlap: list[list[float | None]]


def most(rules: Protocol) -> Dials:
    """The largest planned settings."""
    return Dials(DEEPEST, DEEPEST) if rules.sizes == DEPTHS else Dials(LARGEST)


def current(rules: Protocol) -> Dials:
    """The protocol's settings, limited to the planned ones."""
    return Dials(*map(min, planning.dials(rules), most(rules)))


def folder(campaign: Campaign) -> Path:
    return Path(settings.MEDIA_ROOT, "plans", str(campaign.pk))


def key(campaign: Campaign) -> str:
    """A hash of all that a plan depends on."""
    version = visual_ids.current(campaign.collection) if campaign.is_formulas else None
    sources = campaign.collection.sources.get("formulas") if campaign.collection else None
    facts = [
        LAYOUT,
        {name: value for name, value in campaign.rules.to_dict().items() if name not in UNPLANNED},
        campaign.seed,
        topic_ids(campaign),
        staleness.run_records(campaign),
        [list(row) for row in campaign.runs.values_list("kind", "coverage")],
        [campaign.collection_id, sources, version and version.pk],
        [[pool.pk, pool.version] for pool in seeding.answer_pools(campaign)],
    ]
    return sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]


def topic_ids(campaign: Campaign) -> list[str]:
    return list(campaign.topics.values_list("topic_id", flat=True))


def compute(campaign: Campaign, on_progress: OnProgress) -> None:
    """Make the plan of the campaign, replacing an older one. Raises Refused if runs or topics are missing or change
    meanwhile."""
    key_before, rules = key(campaign), campaign.rules
    runs = pools.pooled_runs(campaign, on_progress)
    on_progress(0, 0, "counting units for every depth")
    places = seeding.formula_places(campaign, rules, runs, seeding.answer_pool_of(campaign))
    plan = planning.make_plan(runs, rules, campaign.seed, most(rules).primary, *places)
    about = {
        "runs": [
            {"name": run.name, "team": run.team, "role": run.pool_role, **coverage.summary(run)}
            for run in campaign.runs.pooled()
        ],
        "topics": topic_ids(campaign),
        "units": planning.grid(plan.entries, most(rules)).tolist(),
        "documents": planning.documents_grid(plan, most(rules), rules.max_instances).tolist(),
        "presets": preset_costs(campaign, runs, on_progress),
        "made": timezone.now().isoformat(),
    }
    if key(campaign) != key_before:
        raise Refused("Runs, topics or rules changed while the plan was made. Make it again.")
    write(folder(campaign) / key_before, StoredPlan(plan, about))


def preset_costs(campaign: Campaign, runs: list[PooledRun], on_progress: OnProgress) -> list[dict[str, Any]]:
    """The cost of the pool by every preset for the task."""
    presets = [preset for preset in PRESETS.values() if preset.task == campaign.rules.task]
    costs = []
    for number, preset in enumerate(presets):
        on_progress(number, len(presets), f"comparing with {preset.preset}")
        cost = planning.cost(runs_for(campaign, preset, runs, on_progress), preset)
        costs.append({"preset": preset.preset, **cost._asdict()})
    return costs


def runs_for(campaign: Campaign, preset: Protocol, runs: list[PooledRun], on_progress: OnProgress) -> list[PooledRun]:
    """The runs with visual ids, if the preset needs them and the campaign has none."""
    if (campaign.is_formulas, campaign.rules.unit, preset.unit) != (True, "document", "visual"):
        return runs
    return pools.as_pooled(campaign, preset, [(run, run.pool_role) for run in campaign.runs.pooled()], on_progress)


def write(path: Path, stored: StoredPlan) -> None:
    """Write a plan in one step, and remove older ones."""
    temporary = workspace.new_path()
    temporary.mkdir()
    for name, frame in stored.plan._asdict().items():
        frame.write_parquet(temporary / f"{name}.parquet")
    (temporary / "about.json").write_text(json.dumps(stored.about))
    shutil.rmtree(path.parent, ignore_errors=True)
    path.parent.mkdir(parents=True)
    temporary.rename(path)


def find(campaign: Campaign) -> StoredPlan | None:
    """The plan of the campaign, unless it is outdated."""
    path = folder(campaign) / key(campaign)
    if not path.is_dir():
        return None
    plan = PoolPlan(*(pl.read_parquet(path / f"{name}.parquet") for name in PoolPlan._fields))
    return StoredPlan(plan, json.loads((path / "about.json").read_text()))


def is_outdated(campaign: Campaign) -> bool:
    """Whether there is a plan, but for other runs, topics or rules."""
    return folder(campaign).is_dir() and not (folder(campaign) / key(campaign)).is_dir()


def planned_pool(campaign: Campaign, stored: StoredPlan, at: Dials) -> PlannedPool:
    runs = stored.about["runs"]
    names, teams = [run["name"] for run in runs], [run["team"] for run in runs]
    entries = planning.pooled_entries(stored.plan, at)
    limit = campaign.rules.max_instances
    return PlannedPool(
        planning.by_topic(stored.plan, at, limit, entries, stored.about["topics"]),
        planning.contributions(stored.plan, at, entries, names),
        planning.contributions(stored.plan, at, entries, teams),
        planning.overlap(stored.plan, at, entries, len(runs)),
    )


def estimate_pace(campaign: Campaign) -> PaceEstimate:
    """Seconds of attention per judgment: measured in this campaign, else in others with its task on this installation
    (except the demo, whose judgments are supplied), else in a lab."""
    timed = Judgment.objects.filter(active_ms__gt=0)
    here = timed.filter(assignment__round__pool__campaign=campaign)
    others = timed.exclude(assignment__round__pool__campaign__slug__in=DEMO)
    elsewhere = others.filter(assignment__round__pool__campaign__protocol__task=campaign.rules.task)
    for where, judgments in (("here", here), ("elsewhere", elsewhere)):
        timing = judgments.aggregate(mean=Avg("active_ms"), judgments=Count("pk"))
        if timing["judgments"] >= MIN_JUDGMENTS:
            return PaceEstimate(round(timing["mean"] / 1000, 1), timing["judgments"], where)
    lab = lab_pace(campaign.rules)
    return PaceEstimate(lab.seconds, 0, "lab", lab.source)


def sizes(rules: Protocol, at: Dials) -> dict[str, int]:
    """A setting as fields of the protocol."""
    return dict(zip(rules.sizes, at, strict=False))


def hours(documents: int, seconds: float) -> float:
    return documents * seconds / 3600


def spread(counts: Iterable[int]) -> dict[str, float]:
    """The minimum, mean and maximum; all 0 for no numbers."""
    numbers = list(counts) or [0]
    return {"least": min(numbers), "mean": sum(numbers) / len(numbers), "most": max(numbers)}
