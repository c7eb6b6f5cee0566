"""The same runs scored in the product: a step of `benchmarks.evaluation`, in a process of its own."""

import argparse
import json
import sys
import time
from pathlib import Path

from benchmarks import run_files
from benchmarks.measuring import prepare_django, silent


def evaluate(work: Path, *, every: bool) -> dict[str, float]:
    """Import the runs and qrels below ``work`` (not counted), then score and store them as one worker does; with
    ``every`` a second time, by all measures."""
    from django.contrib.auth.models import User

    from assess.ir.formats.qrels import read_qrels
    from assess.models import Collection, Pool, Qrels, QrelsLine, Topic
    from assess.services.campaign import campaigns
    from assess.services.results import evaluation
    from assess.services.runs import runs

    olga = User.objects.create(username="olga")
    collection = Collection.objects.create(name="none")
    campaign = campaigns.create(name="Lab", preset="arqmath3-task1", by=olga, collection=collection, seed=1)
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
    names = [measure.name for measure in evaluation.offered("answers")]
    start = time.perf_counter()
    evaluation.evaluate(release, "qrels", silent, None, evaluation.ScoringOptions(names))
    return {**figures, "every": time.perf_counter() - start, "measures": len(names)}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.product_evaluation", description=__doc__)
    parser.add_argument("--step", choices=("evaluate",))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--every", action="store_true")
    options = parser.parse_args(arguments)
    prepare_django(options.work)
    print(json.dumps(evaluate(options.work, every=options.every)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
