"""Every baseline clearly beats random orders of the very documents that it retrieves, on the labs' judgments of 2020:
over the topics whose judged documents in the small collection differ in grade."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from random import Random
from statistics import mean, stdev

import polars as pl
import pytest

from assess.ir.baselines import formulas
from assess.ir.baselines.search import ScoredDocument, rank_by_tfidf
from assess.ir.baselines.terms import words
from assess.ir.collection.html import canonical, canonical_inline, prose, quick
from assess.ir.collection.html import formulas as formulas_of
from assess.ir.common.rows import Qrel, RunLine, TopicRow
from assess.ir.formats.formula_index import IN_COMMENT, formula_frames
from assess.ir.formats.posts import iter_posts
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.topics import read_topics
from assess.ir.runs import ranking
from assess.ir.scores import measures
from assess.ir.scores.definitions import NDCG
from tests.real import data_file

LEAST, SPREADS, ORDERS = 0.05, 3, 20


def assert_beats_chance(rows: Iterable[ScoredDocument], qrels: list[Qrel]) -> None:
    lines = ranking.as_lines(RunLine(row.topic_id, row.doc_id, 0, row.score) for row in rows)
    reduced = ranking.prime(ranking.order(lines), qrels)
    topics = {qrel.topic_id for qrel in qrels}
    assert (len(topics) > 20, len(qrels) > 150) == (True, True)
    by_chance = [ndcg(shuffled(reduced, seed), qrels) for seed in range(ORDERS)]
    assert ndcg(reduced, qrels) > mean(by_chance) + max(LEAST, SPREADS * stdev(by_chance))


def ndcg(reduced: pl.DataFrame, qrels: list[Qrel]) -> float:
    scores = measures.score("run", reduced, qrels, "answers", by="rank", names=[NDCG])
    [of_run] = measures.means(measures.complete_scores("run", scores, qrels, [NDCG], "qrels"), [NDCG])
    return of_run.value


def shuffled(reduced: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The same documents in random order."""
    places = list(range(len(reduced)))
    Random(seed).shuffle(places)
    mixed = reduced.with_columns(place=pl.Series(places)).sort("topic_id", "place")
    return mixed.with_columns(rank=ranking.place_in_topic(mixed)).drop("place")


def judged(path: str, held: Mapping[str, str]) -> list[Qrel]:
    topics: defaultdict[str, list[Qrel]] = defaultdict(list)
    with data_file(path).open("rb") as source:
        for qrel in read_qrels(source, path).qrels:
            if qrel.unit_id in held:
                topics[qrel.topic_id].append(qrel)
    return [qrel for qrels in topics.values() if len({grade for *_, grade in qrels}) > 1 for qrel in qrels]


def searched(held: Mapping[str, str], qrels: Iterable[Qrel], every: int) -> list[tuple[str, str]]:
    """The judged documents, and each ``every``-th of the others."""
    needed = {qrel.unit_id for qrel in qrels}
    return [row for place, row in enumerate(held.items()) if row[0] in needed or place % every == 0]


def topics_of(task: int, qrels: Iterable[Qrel]) -> list[TopicRow]:
    path, ids = f"topics/topics.arqmath-2020-task{task}-origin.xml", {qrel.topic_id for qrel in qrels}
    with data_file(path).open("rb") as source:
        rows = [topic for topic in read_topics(source, path) if topic.topic_id in ids]
    return [topic._replace(title=canonical_inline(topic.title), body=canonical(topic.body)) for topic in rows]


@pytest.mark.parametrize("baseline", ["latex", "words", "formulas and words", "one formula"])
def test_baselines_of_answers_beat_chance(baseline: str) -> None:
    with data_file("posts/Posts.xml").open("rb") as source:
        posts = {post.post_id: post.body for post in iter_posts(source, "Posts.xml") if post.kind == "answer"}
    qrels = judged("qrels/qrels.arqmath-2020-task1.txt", posts)
    answers = [(post_id, quick(html)) for post_id, html in searched(posts, qrels, every=1000)]
    topics = topics_of(1, qrels)
    texts = {topic.topic_id: f"{topic.title} {topic.body}" for topic in topics}
    if baseline in ("latex", "words"):
        assert_beats_chance(rank_by_tfidf(texts, answers, baseline), qrels)  # type: ignore[arg-type]
        return
    latex = {topic_id: [latex for _, latex in formulas_of(html)] for topic_id, html in texts.items()}
    if baseline == "one formula":
        latex = {chosen.topic_id: [chosen.latex] for chosen in formulas.choose_formulas(topics, seed=1)}
    queries = {key: formulas.AnswerQuery(words(prose(html)), latex.get(key, [])) for key, html in texts.items()}
    assert_beats_chance(formulas.rank_answers(queries, answers, 1 if baseline == "one formula" else 0.18), qrels)


def test_the_baseline_of_formulas_beats_chance() -> None:
    with data_file("formula-index/formulas.v3.tsv").open("rb") as source:
        rows = pl.concat(formula_frames(source, "formulas.v3.tsv")).filter(~IN_COMMENT)
    index = dict(rows.select("visual_id", "latex").iter_rows())
    qrels = judged("qrels/qrels.arqmath-2020-task2-visual_ids.v3.txt", index)
    queries = {topic.topic_id: topic.latex for topic in topics_of(2, qrels)}
    assert_beats_chance(formulas.rank_formulas(queries, searched(index, qrels, every=10)), qrels)
