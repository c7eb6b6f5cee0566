"""Scoring the runs of a lab from the command line: ``python -m benchmarks.evaluation`` (a minute).

53 runs of 100 topics with 1,000 documents each are scored by ``manage.py score`` and by a plain script with pytrec_eval
(`benchmarks.plain_evaluation`), in turns. The means must be equal to the fourth decimal, and the command must take at
most 1.3 times the processor time of the script, and 200 MB. Then one worker of the product scores and stores the same,
in at most 10 seconds. ``--quick`` takes one turn, under 50 seconds; the exit code is 0 only if all that holds.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import polars as pl

from benchmarks import run_files
from benchmarks.measuring import (
    Figure,
    Figures,
    environment_of,
    options_of,
    prepare_django,
    report_figures,
    run_program,
    run_step,
    silent,
)

DOCUMENTS, JUDGED, TURNS = 200_000, 450, 3
MOST_RATIO, MOST_MB, MOST_SECONDS = 1.3, 200, 10
NAMES = {"nDCG'": "ndcg", "MAP'": "map", "P'@10": "P_10", "bpref": "bpref"}


class Took(NamedTuple):
    """Processor seconds, the most memory in MB, and what was printed."""

    seconds: float
    megabytes: float
    printed: str


def run(command: list[str], work: Path) -> Took:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "ASSESS_VAR": str(work / "var")}
    printed, peak = run_program(command, environment, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak, printed)


def write_qrels(path: Path, run_path: Path) -> None:
    """Of each topic, documents that a run has retrieved and as many others, with grades as rare as in the labs."""
    rng = np.random.default_rng(1)
    rows = pl.read_csv(run_path, separator="\t", has_header=False, columns=[0, 1], infer_schema=False)
    rows = rows.rename(dict(zip(rows.columns, ("topic", "unit"), strict=True)))
    with path.open("w") as file:
        for (topic,), retrieved in rows.group_by("topic", maintain_order=True):
            units = retrieved["unit"].sample(JUDGED, seed=1)
            grades = rng.choice(4, JUDGED, p=[0.85, 0.05, 0.05, 0.05])
            file.writelines(f"{topic}\t0\t{unit}\t{grade}\n" for unit, grade in zip(units, grades, strict=True))


def means(printed: str) -> dict[tuple[str, str], float]:
    """By run and measure, from the lines of either."""
    rows = (line.split("\t") for line in printed.splitlines())
    return {(row[0], NAMES.get(row[1], row[1])): float(row[2]) for row in rows if row[1] != "measure"}


def evaluate(work: Path, *, every: bool) -> dict[str, float]:
    """Import the runs and qrels below ``work`` (not counted), then score and store them as one worker does; with
    ``every`` a second time, by all measures."""
    from django.contrib.auth.models import User

    from assess.ir.formats.qrels import read_qrels
    from assess.ir.scores.definitions import offered_measures
    from assess.models import Collection, Pool, Qrels, QrelsLine, Topic
    from assess.services.campaign import campaigns
    from assess.services.runs import runs
    from assess.services.scores import evaluation

    olga = User.objects.create(username="olga")
    collection = Collection.objects.create(name="none")
    campaign = campaigns.create_campaign(name="Lab", preset="arqmath3-task1", by=olga, collection=collection, seed=1)
    topics = [f"A.{301 + number}" for number in range(run_files.TOPICS)]
    Topic.objects.bulk_create(Topic(campaign=campaign, topic_id=each, number=int(each[2:])) for each in topics)
    paths = sorted((work / "runs").glob("*.tsv"))
    uploads = [runs.RunUpload(path, runs.RunMeta(path.name, f"team{number // 5}")) for number, path in enumerate(paths)]
    runs.import_runs(campaign, uploads, silent)
    pool = Pool.objects.create(campaign=campaign, version=1, protocol=campaign.protocol, seed=1)
    with (work / "qrels.tsv").open("rb") as source:
        lines = read_qrels(source, "qrels").qrels
    counts = {"post": {"lines": len(lines), "topics": len(topics)}}
    release = Qrels.objects.create(pool=pool, version=1, protocol=pool.protocol, counts=counts, released_by=olga)
    QrelsLine.objects.bulk_create((QrelsLine(qrels=release, unit="post", **line._asdict()) for line in lines), 1000)
    start, used = time.perf_counter(), time.process_time()
    made = evaluation.evaluate(release, "qrels", silent)
    figures = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - used, "scores": made.scores.count()}
    if not every:
        return figures
    names = [measure.name for measure in offered_measures("answers")]
    start = time.perf_counter()
    evaluation.evaluate(release, "qrels", silent, measures=names)
    return {**figures, "every": time.perf_counter() - start, "measures": len(names)}


def main(arguments: list[str]) -> int:
    parser = options_of("evaluation", __doc__, "one turn, under 50 seconds")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.work:
        prepare_django(asked.work)
        print(json.dumps(evaluate(asked.work, every=not asked.quick)))
        return 0
    with tempfile.TemporaryDirectory(prefix="assess-evaluation-") as folder:
        work = Path(folder)
        documents = pl.DataFrame({"doc_id": np.arange(1, DOCUMENTS + 1).astype(str)})
        paths = list(map(str, run_files.write(work / "runs", documents, run_files.RUNS, "A")))
        write_qrels(work / "qrels.tsv", Path(paths[0]))
        score = [sys.executable, "manage.py", "score", "--average", "qrels", "--qrels", str(work / "qrels.tsv")]
        plain = [sys.executable, "-m", "benchmarks.plain_evaluation", str(work / "qrels.tsv")]
        count = 1 if asked.quick else TURNS
        turns = [(run([*score, "--run", *paths], work), run([*plain, *paths], work)) for _ in range(count)]
        product = run_step("evaluation", environment_of(work), "--work", work, *["--quick"] * asked.quick)
    return 0 if report_figures(figures_of(turns, product)) else 1


def figures_of(turns: list[tuple[Took, Took]], product: Figures) -> Iterator[Figure]:
    ours, plain = zip(*turns, strict=True)
    first, second = means(ours[0].printed), means(plain[0].printed)
    apart = max(abs(first[key] - second[key]) for key in second) if first.keys() >= second.keys() else 1.0
    yield Figure("manage.py score: seconds of processor time", median(our.seconds for our in ours))
    yield Figure("manage.py score: MB", max(our.megabytes for our in ours), MOST_MB)
    yield Figure("plain pytrec_eval: seconds of processor time", median(their.seconds for their in plain))
    yield Figure("plain pytrec_eval: MB", max(their.megabytes for their in plain))
    yield Figure("ratio of the seconds", median(our.seconds / their.seconds for our, their in turns), MOST_RATIO)
    yield Figure("the means are apart by", apart, 0.0001)
    yield Figure("one worker of the product: seconds", product["seconds"], MOST_SECONDS)
    yield Figure("one worker of the product: seconds of processor time", product["cpu"])
    if "every" in product:
        yield Figure(f"one worker, all {product['measures']} measures: seconds", product["every"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
