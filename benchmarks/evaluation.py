"""Scoring the runs of a lab from the command line: ``python -m benchmarks.evaluation`` (a minute).

53 runs of 100 topics with 1,000 documents each are scored by ``manage.py score`` and by a plain script with pytrec_eval
(`benchmarks.plain_evaluation`), in turns. The means must be equal to the fourth decimal, and the command must take at
most 1.3 times the processor time of the script, and 200 MB. Then one worker of the product scores and stores the same,
in at most 10 seconds. ``--quick`` takes one turn, under 50 seconds; the exit code is 0 only if all that holds.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import polars as pl

from benchmarks import run_files
from benchmarks.measuring import ROOT, Figures, measured, memory

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
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        peaks = [0]
        watcher = threading.Thread(target=watch, args=(process, peaks))
        watcher.start()
        printed = process.communicate()[0]
        watcher.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:4])} failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, max(peaks) / 1e6, printed)


def watch(process: subprocess.Popen[str], peaks: list[int]) -> None:
    while process.poll() is None:
        peaks.append(memory(process.pid))
        time.sleep(0.05)


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


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evaluation", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one turn, under 50 seconds")
    is_quick = parser.parse_args(arguments).quick
    count = 1 if is_quick else TURNS
    with tempfile.TemporaryDirectory(prefix="assess-evaluation-") as folder:
        work = Path(folder)
        documents = pl.DataFrame({"doc_id": np.arange(1, DOCUMENTS + 1).astype(str)})
        paths = list(map(str, run_files.write(work / "runs", documents, run_files.RUNS, "A")))
        write_qrels(work / "qrels.tsv", Path(paths[0]))
        score = [sys.executable, "manage.py", "score", "--average", "qrels", "--qrels", str(work / "qrels.tsv")]
        plain = [sys.executable, "-m", "benchmarks.plain_evaluation", str(work / "qrels.tsv")]
        turns = [(run([*score, "--run", *paths], work), run([*plain, *paths], work)) for _ in range(count)]
        options = [] if is_quick else ["--every"]
        product = measured("benchmarks.product_evaluation", "evaluate", work, *options)
    return report(turns, product)


def report(turns: list[tuple[Took, Took]], product: Figures) -> int:
    ours, plain = zip(*turns, strict=True)
    ratio = median(our.seconds / their.seconds for our, their in turns)
    megabytes = max(our.megabytes for our in ours)
    first, second = means(ours[0].printed), means(plain[0].printed)
    apart = max(abs(first[key] - second[key]) for key in second) if first.keys() == second.keys() else 1.0
    print(f"{run_files.RUNS} runs of {run_files.TOPICS} topics with {run_files.RETRIEVED:,} documents each:")
    print(f"  manage.py score: {median(our.seconds for our in ours):.1f} s of processor time, {megabytes:.0f} MB")
    plain_mb = max(their.megabytes for their in plain)
    print(f"  plain pytrec_eval: {median(their.seconds for their in plain):.1f} s, {plain_mb:.0f} MB")
    print(f"  ratio {ratio:.2f} (at most {MOST_RATIO}), memory at most {MOST_MB} MB, means apart by {apart:.4f}")
    seconds, used = product["seconds"], product["cpu"]
    print(f"  one worker: {seconds:.1f} s (at most {MOST_SECONDS}), {used:.1f} s of processor time")
    if "every" in product:
        print(f"  one worker, all {product['measures']} measures: {product['every']:.1f} s")
    holds = (ratio <= MOST_RATIO, megabytes <= MOST_MB, apart <= 0.0001, seconds <= MOST_SECONDS)
    return 0 if all(holds) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
