"""How our visual ids compare with those of the labs, on the labs' published files: python -m benchmarks.visual_ids

Prints pairwise precision and recall, over pairs of instances: of two formulas with one visual id here, how often they
have one there, and the other way round. ``--differences N`` adds the N largest differences of each kind.
"""

import argparse
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sklearn.metrics.cluster import pair_confusion_matrix

from assess.ir.common.rows import FormulaRow
from assess.ir.formats.formula_index import iter_formulas
from assess.ir.formulas.visual_ids import key, latex_key

DATA = Path(os.environ.get("ASSESS_DATA", Path(__file__).parent / "../../shared/data"))
YEARS = ("2020", "2021")


class Clustering(NamedTuple):
    """The clusters of one rule: what it puts on each formula."""

    name: str
    ids: list[str]


def rows_of(path: str) -> list[FormulaRow]:
    with (DATA / path).open("rb") as file:
        return list(iter_formulas(file, path))


def keys_of(texts: Iterable[str]) -> dict[str, str]:
    return {text: key(text) for text in dict.fromkeys(texts)}


def topic_formulas(year: str) -> tuple[list[str], Clustering, list[Clustering]]:
    """The LaTeX of the topics' formulas; their clusters by the layout trees of the lab's MathML, which count as the
    truth; and those by LaTeX."""
    trees = {row.formula_id: row.latex for row in rows_of(f"topic-formulas/{year}_formulas_slt.tsv")}
    latex = [row for row in rows_of(f"topic-formulas/{year}_formulas_latex.tsv") if row.formula_id in trees]
    made, given = keys_of(row.latex for row in latex), keys_of(trees.values())
    sound = [row for row in latex if "ltx_ERROR" not in trees[row.formula_id]]
    texts = [row.latex for row in sound]
    truth = Clustering("trees of the lab's MathML", [given[trees[row.formula_id]] for row in sound])
    return texts, truth, [by_tree(texts, made), by_latex(texts)]


def index_formulas(rows: Sequence[FormulaRow]) -> tuple[Clustering, list[Clustering]]:
    texts = [row.latex for row in rows]
    truth = Clustering("visual ids of the lab", [row.visual_id for row in rows])
    return truth, [by_tree(texts, keys_of(texts)), by_latex(texts)]


def by_tree(texts: Sequence[str], made: Mapping[str, str]) -> Clustering:
    return Clustering("trees of the LaTeX", [made[text] for text in texts])


def by_latex(texts: Sequence[str]) -> Clustering:
    return Clustering("LaTeX without white space", [latex_key(text) for text in texts])


def precision_and_recall(truth: Sequence[str], ours: Sequence[str]) -> tuple[float, float]:
    """The share of the pairs joined by ours that the truth joins too, and of those joined by the truth that ours do."""
    (_, only_ours), (only_true, both) = pair_confusion_matrix(truth, ours)
    return both / (both + only_ours), both / (both + only_true)


def compare(title: str, truth: Clustering, ours: Sequence[Clustering]) -> None:
    print(f"\n{title}: {len(truth.ids):,} formulas, against the {truth.name}")
    for clustering in ours:
        precision, recall = precision_and_recall(truth.ids, clustering.ids)
        shares = f"precision {precision:.4f}  recall {recall:.4f}"
        print(f"  {clustering.name:26} {shares}  {len(set(clustering.ids)):6,} clusters")


def differences(texts: Sequence[str], joined: Sequence[str], apart: Sequence[str], shown: int) -> list[str]:
    """The clusters of ``joined`` that ``apart`` divides, those with the most divided pairs first."""
    parts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for text, cluster, other in zip(texts, joined, apart, strict=True):
        parts[cluster][other][text] += 1
    sizes = {cluster: [sum(part.values()) for part in clusters.values()] for cluster, clusters in parts.items()}
    pairs = {
        cluster: (sum(clusters) ** 2 - sum(size**2 for size in clusters)) // 2 for cluster, clusters in sizes.items()
    }
    worst = sorted((cluster for cluster in pairs if pairs[cluster]), key=lambda cluster: -pairs[cluster])
    lines = [f"  {sum(pairs.values()):,} pairs in {len(worst):,} clusters"]
    for cluster in worst[:shown]:
        written = " | ".join(f"{sum(part.values())} {part.most_common(1)[0][0]}" for part in parts[cluster].values())
        lines.append(f"  {pairs[cluster]:7,}  {written[:200]}")
    return lines


def report(title: str, texts: Sequence[str], truth: Clustering, ours: Sequence[Clustering], shown: int) -> None:
    compare(title, truth, ours)
    if shown:
        print(" joined by us only:", *differences(texts, ours[0].ids, truth.ids, shown), sep="\n")
        print(" joined by the lab only:", *differences(texts, truth.ids, ours[0].ids, shown), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--differences", type=int, default=0, metavar="N")
    shown = parser.parse_args().differences
    for year in YEARS:
        texts, truth, ours = topic_formulas(year)
        report(f"Topics of {year}", texts, truth, ours, shown)
    rows = rows_of("formula-index/formulas.v3.tsv")
    start = time.process_time()
    truth, ours = index_formulas(rows)
    seconds = time.process_time() - start
    report("Formula index V3", [row.latex for row in rows], truth, ours, shown)
    distinct = list({row.latex: row for row in rows}.values())
    truth, ours = index_formulas(distinct)
    report("The same, each LaTeX once", [row.latex for row in distinct], truth, ours, shown)
    different = len({row.latex for row in rows})
    print(f"\n{len(rows):,} keys ({different:,} different LaTeX) in {seconds:.1f} s of one core")


if __name__ == "__main__":
    main()
