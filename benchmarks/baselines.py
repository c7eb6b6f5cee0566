"""How far the baselines are from chance, on real posts and formulas with the labs' own judgments.

``python -m benchmarks.baselines`` prints the table of docs/baselines.md. The labs' data is looked for in ASSESS_DATA.
Each baseline is compared with random orders of the very documents that it retrieved, over the topics whose judged
documents in the small collection differ in grade: elsewhere every order is as good as any other.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from statistics import mean, stdev
from time import perf_counter
from typing import NamedTuple

import polars as pl

from assess.ir.baselines import formulas, linked, query_formula, tfidf
from assess.ir.baselines.search import ScoredDocument
from assess.ir.baselines.terms import words
from assess.ir.collection.html import canonical, canonical_inline, prose, quick
from assess.ir.collection.html import formulas as formulas_of
from assess.ir.common.rows import Qrel, RunLine, TopicRow
from assess.ir.formats.formula_index import IN_COMMENT, formula_frames
from assess.ir.formats.posts import LinkRow, iter_posts
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.topics import read_topics
from assess.ir.results import definitions, measures
from assess.ir.runs import ranking
from assess.ir.runs.fusion.lists import RankedList, stack
from assess.ir.runs.fusion.sums import Mean

DATA = Path(os.environ.get("ASSESS_DATA", Path(__file__).parents[2] / "shared/data"))
YEARS = (2020, 2021)
ORDERS = 20
TOPICS = "topics/topics.arqmath-{year}-task{task}-origin.xml"
JUDGED_ANSWERS = {
    2020: "qrels/qrels.arqmath-2020-task1.txt",
    2021: "qrels/qrels.arqmath-2021-task1-official.txt",
}
JUDGED_FORMULAS = {
    2020: "qrels/qrels.arqmath-2020-task2-visual_ids.v3.txt",
    2021: "qrels/qrels.arqmath-2021-task2-official.v3.txt",
}


class Figure(NamedTuple):
    """nDCG' of a baseline, and the mean and standard deviation of nDCG' of random orders of what it retrieved."""

    name: str
    topics: int
    judged: int
    value: float
    chance: float
    spread: float
    seconds: float

    def __str__(self) -> str:
        numbers = f"{self.value:.3f} | {self.chance:.3f} ± {self.spread:.3f}"
        return f"| {self.name} | {self.topics} | {self.judged:,} | {numbers} | {self.seconds:.0f} s |"


TFIDF, ALONE = "TF-IDF, symbols as words", "One formula alone, α = 1"
HEAD = """| baseline | topics | judged | nDCG' | nDCG' by chance | time |
|---|---|---|---|---|---|"""


def figure(name: str, qrels: list[Qrel], make: Callable[[], Iterable[ScoredDocument]]) -> Figure:
    """Make a run, measure it, and measure random orders of it."""
    start = perf_counter()
    rows = [RunLine(row.topic_id, row.doc_id, 0, row.score) for row in make()]
    seconds = perf_counter() - start
    lines = ranking.prime(ranking.order(ranking.as_lines(rows)), qrels)
    by_chance = [ndcg(shuffled(lines, seed), qrels) for seed in range(ORDERS)]
    topics = len({qrel.topic_id for qrel in qrels})
    return Figure(name, topics, len(qrels), ndcg(lines, qrels), mean(by_chance), stdev(by_chance), seconds)


def ndcg(reduced: pl.DataFrame, qrels: list[Qrel]) -> float:
    """The mean over all topics of the qrels; a topic of which nothing judged was retrieved counts 0."""
    scores = measures.by_trec_eval("run", reduced, qrels, [definitions.find(measures.NDCG)])
    (of_run,) = measures.mean(scores, {qrel.topic_id for qrel in qrels})
    return of_run.value


def shuffled(reduced: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The same documents in random order."""
    places = list(range(len(reduced)))
    Random(seed).shuffle(places)
    mixed = reduced.with_columns(place=pl.Series(places)).sort("topic_id", "place")
    return mixed.with_columns(rank=ranking.place_in_topic(mixed))


def judged(files: Iterable[Path], held: Iterable[str]) -> list[Qrel]:
    """The judgments of documents that are held, of the topics whose grades differ."""
    topics: defaultdict[str, list[Qrel]] = defaultdict(list)
    known = set(held)
    for file in files:
        with file.open("rb") as source:
            for qrel in read_qrels(source, file.name).qrels:
                if qrel.unit_id in known:
                    topics[qrel.topic_id].append(qrel)
    return [qrel for qrels in topics.values() if len({grade for _, _, grade in qrels}) > 1 for qrel in qrels]


def searched(held: Iterable[str], qrels: Iterable[Qrel], every: int) -> list[str]:
    """The judged documents, and each ``every``-th of those that are held."""
    needed = {qrel.unit_id for qrel in qrels}
    return [doc_id for place, doc_id in enumerate(held) if doc_id in needed or place % every == 0]


def topics_of(data: Path, years: Sequence[int], task: int, wanted: Iterable[Qrel]) -> list[TopicRow]:
    """The topics that are judged, in canonical HTML."""
    ids, rows = {qrel.topic_id for qrel in wanted}, []
    for year in years:
        file = data / TOPICS.format(year=year, task=task)
        with file.open("rb") as source:
            rows += [topic for topic in read_topics(source, file.name) if topic.topic_id in ids]
    return [topic._replace(title=canonical_inline(topic.title), body=canonical(topic.body)) for topic in rows]


def answer_figures(data: Path, years: Sequence[int] = YEARS, every: int = 1) -> list[Figure]:
    """The baselines of Task 1. ``every``: as in ``searched``."""
    with (data / "posts/Posts.xml").open("rb") as source:
        posts = {post.post_id: post.body for post in iter_posts(source, "Posts.xml") if post.kind == "answer"}
    qrels = judged([data / JUDGED_ANSWERS[year] for year in years], posts)
    answers = [(post_id, quick(posts[post_id])) for post_id in searched(posts, qrels, every)]
    topics = topics_of(data, years, 1, qrels)
    texts = {topic.topic_id: f"{topic.title} {topic.body}" for topic in topics}
    chosen = {topic.topic_id: [topic.latex] for topic in query_formula.choose(topics, seed=1)}
    whole = {topic_id: [latex for _, latex in formulas_of(html)] for topic_id, html in texts.items()}
    runs: dict[str, list[ScoredDocument]] = {}

    def made(name: str, run: Callable[[], list[ScoredDocument]]) -> Figure:
        return figure(name, qrels, lambda: runs.setdefault(name, run()))

    def tuples(latex: dict[str, list[str]], alpha: float) -> list[ScoredDocument]:
        asked = {key: formulas.AnswerQuery(words(prose(html)), latex.get(key, [])) for key, html in texts.items()}
        return formulas.rank_answers(asked, answers, alpha)

    return [
        made("TF-IDF, LaTeX as it stands", lambda: tfidf.rank(texts, answers, "latex")),
        made(TFIDF, lambda: tfidf.rank(texts, answers, "words")),
        made("Formulas and words, α = 0.18", lambda: tuples(whole, 0.18)),
        made("One formula and words, α = 0.5", lambda: tuples(chosen, 0.5)),
        made(ALONE, lambda: tuples(chosen, 1)),
        made("Mean of the second and the fifth", lambda: mean_of(runs[TFIDF], runs[ALONE])),
    ]


def mean_of(*runs: Iterable[ScoredDocument]) -> list[ScoredDocument]:
    lists = [[RunLine(*row[:2], rank=0, score=row.score) for row in run] for run in runs]
    ranked = [RankedList("", ranking.order(ranking.as_lines(rows))) for rows in lists]
    lines = Mean().fuse(stack(ranked)).lines.select("topic_id", "doc_id", "score")
    return [ScoredDocument(*row) for row in lines.iter_rows()]


def formula_figure(data: Path, years: Sequence[int] = YEARS, every: int = 1) -> Figure:
    """The baseline of Task 2. ``every``: as in ``searched``."""
    with (data / "formula-index/formulas.v3.tsv").open("rb") as source:
        rows = pl.concat(formula_frames(source, "formulas.v3.tsv")).filter(~IN_COMMENT)
    index = dict(rows.select("visual_id", "latex").iter_rows())
    qrels = judged([data / JUDGED_FORMULAS[year] for year in years], index)
    queries = {topic.topic_id: topic.latex for topic in topics_of(data, years, 2, qrels)}
    documents = ((unit, index[unit]) for unit in searched(index, qrels, every))
    return figure("Visually distinct formulas", qrels, lambda: formulas.rank_formulas(queries, documents))


def linked_figure(topics: int = 100, answers: int = 8) -> Figure:
    """Generated: each topic has a duplicate with some answers, whose grade tends to rise with their votes."""
    chance = Random(1)
    links, voted, qrels, number = [], [], [], 0
    for topic in range(topics):
        links.append(LinkRow(f"q{topic}", f"d{topic}", "duplicate"))
        for _ in range(answers):
            number += 1
            votes = chance.randrange(30)
            voted.append(linked.VotedAnswer(str(number), f"d{topic}", votes))
            qrels.append(Qrel(f"A.{topic}", str(number), max(0, min(3, round(votes / 10 + chance.gauss(0, 1))))))
    questions = {f"A.{topic}": [f"q{topic}"] for topic in range(topics)}
    return figure("Linked posts (generated)", qrels, lambda: linked.rank(linked.duplicates(questions, links), voted))


if __name__ == "__main__":
    print(HEAD)
    for figures in [*answer_figures(DATA), formula_figure(DATA), linked_figure()]:
        print(figures)
