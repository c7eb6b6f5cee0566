"""The planner of a pool at the size of a lab: ``python -m benchmarks.planning [--quick]``

Prints for 53 generated runs of 100 topics x 1,000 rows the seconds that the plan takes (once, by a job) and those of
one position of the slider after it, without the page around it; ``measure_page`` takes them with it.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np
import polars as pl

from assess.ir.campaign.presets import PRESETS, Protocol
from assess.ir.pool import planning
from assess.ir.pool.planning import Dials
from assess.ir.pool.pooling import PooledRun
from assess.ir.runs.ranking import RANKING
from benchmarks import run_files
from benchmarks.measuring import Figures, silent

DEEPEST = 100
SETTINGS = (Dials(45, 20), Dials(20, 10), Dials(100, 100))
LOOK_ALIKES = 3
"""Formulas of one visual id."""


def measure_planner(runs: Sequence[PooledRun], protocol: Protocol) -> Figures:
    """Seconds for the plan with its grids (``plan``) and, the median of several settings, for an answer
    (``seconds``)."""
    start = time.perf_counter()
    plan = planning.make_plan(runs, protocol, 1, DEEPEST)
    most = Dials(DEEPEST, DEEPEST)
    planning.grid(plan.entries, most)
    planning.documents_grid(plan, most, protocol.max_instances)
    planned = time.perf_counter() - start
    topics = sorted(plan.entries["topic_id"].unique())
    names = [run.name for run in runs]
    return {"plan": planned, "seconds": median(answer(plan, at, protocol, topics, names) for at in SETTINGS)}


def answer(plan: planning.PoolPlan, at: Dials, protocol: Protocol, topics: list[str], names: list[str]) -> float:
    """The seconds for all that the page shows of one setting."""
    start = time.perf_counter()
    entries = planning.pooled_entries(plan, at)
    planning.by_topic(plan, at, protocol.max_instances, entries, topics)
    for groups in (names, [name[:-1] for name in names]):
        planning.contributions(plan, at, entries, groups)
    planning.overlap(plan, at, entries, len(names))
    return time.perf_counter() - start


def measure_page(preset: str) -> Figures:
    """The same for the stored campaign of this name, through its service and its page."""
    from django.test import Client
    from django.urls import reverse

    from assess.models import Campaign
    from assess.services.pool import planning as service

    campaign = Campaign.objects.get(name=preset)
    start = time.perf_counter()
    service.compute(campaign, silent)
    planned = time.perf_counter() - start
    client = Client(SERVER_NAME="localhost")
    client.force_login(campaign.members.select_related("user")[0].user)
    times = []
    for at in SETTINGS:
        start = time.perf_counter()
        response = client.get(reverse("pool_plan", args=[campaign.slug]), at._asdict())
        times.append(time.perf_counter() - start)
        assert response.status_code == 200
    return {"plan": planned, "seconds": median(times)}


def generated(protocol: Protocol, topics: int, number: int = 53, rows: int = 1000) -> Iterator[PooledRun]:
    """Runs that agree more at the top of their lists than below."""
    rng = np.random.default_rng(1)
    for run in range(number):
        lists = []
        for topic in range(topics):
            documents = np.unique(rng.exponential(800, 4 * rows).astype(int))
            documents = documents[np.argsort(documents + rng.normal(0, 200, len(documents)))][:rows]
            lists.append(as_ranking(f"T.{topic}", documents + 20_000 * topic, protocol))
        yield PooledRun(f"run{run:02}", run_files.role(run), pl.concat(lists))  # type: ignore[arg-type]


def as_ranking(
    topic_id: str, documents: "np.ndarray[tuple[int], np.dtype[np.int64]]", protocol: Protocol
) -> pl.DataFrame:
    units = documents // LOOK_ALIKES if protocol.task == "formulas" else documents
    columns = {"topic_id": [topic_id] * len(documents), "rank": np.arange(1, len(documents) + 1)}
    columns |= {"doc_id": documents, "unit_id": units, "score": -np.arange(len(documents))}
    return pl.DataFrame(columns).cast(RANKING)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the topics")
    topics = run_files.TOPICS // 10 if parser.parse_args().quick else run_files.TOPICS
    for name in ("arqmath3-task1", "arqmath3-task2"):
        figures = measure_planner(list(generated(PRESETS[name], topics)), PRESETS[name])
        print(f"{name:16} plan {figures['plan']:6.2f} s, one setting {figures['seconds']:5.2f} s", flush=True)


if __name__ == "__main__":
    main()
