"""What people write who know pytrec_eval: ``python -m benchmarks.plain_evaluation QRELS RUN…`` prints the means."""

import sys
from collections import defaultdict
from pathlib import Path

import pytrec_eval

qrels: dict[str, dict[str, int]] = defaultdict(dict)
with Path(sys.argv[1]).open() as lines:
    for line in lines:
        topic, _, unit, grade = line.split()
        qrels[topic][unit] = int(grade)
graded = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg"})
relevant = pytrec_eval.RelevanceEvaluator(qrels, {"map", "P.10", "bpref"}, relevance_level=2)
for path in sys.argv[2:]:
    run: dict[str, dict[str, float]] = defaultdict(dict)
    with Path(path).open() as lines:
        for line in lines:
            topic, unit, _, score, _ = line.split("\t")
            run[topic][unit] = float(score)
    judged = {
        topic: {unit: score for unit, score in units.items() if unit in qrels[topic]}
        for topic, units in run.items()
        if topic in qrels
    }
    values = [relevant.evaluate(judged), graded.evaluate(judged)]
    for name in ("ndcg", "map", "P_10", "bpref"):
        total = sum(by_topic[topic].get(name, 0.0) for by_topic in values for topic in by_topic)
        print(Path(path).stem, name, round(total / len(qrels), 4), sep="\t")
