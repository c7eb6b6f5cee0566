"""Baselines: runs computed from the campaign's topics and collection, then imported like any run file."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

import polars as pl

from assess.ir.baselines import formulas as math
from assess.ir.baselines import search
from assess.ir.baselines.search import Bm25, ScoredDocument, Symbols, VotedAnswer, rank_by_tfidf
from assess.ir.collection.html import formulas, quick
from assess.ir.common.options import option, options_in
from assess.ir.common.rows import TopicRow, grouped
from assess.ir.formats.formula_index import IN_POST
from assess.ir.formats.posts import LinkRow
from assess.models import Campaign, Collection, Job, OnProgress, Run
from assess.services.collection import collections
from assess.services.common import parquet
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.formulas.visual_ids import current_version
from assess.services.runs import runs


class Baseline(ABC):
    """A baseline that can be made: its label, what it does, the data it uses, what must be imported first, and the name
    and pool role that a run usually gets. Its options are fields of dataclasses."""

    label: ClassVar[str]
    about: ClassVar[str]
    data: ClassVar[str] = Run.Data.BOTH
    needs: ClassVar[str] = "posts"
    name: ClassVar[str]
    role: ClassVar[str] = Run.PoolRole.ALTERNATE

    @abstractmethod
    def rank(self, campaign: Campaign, on_progress: OnProgress) -> Iterable[ScoredDocument]:
        """The documents of each topic, best first."""


@dataclass(frozen=True, kw_only=True)
class TfIdf(Baseline):
    label = "TF-IDF over answers"
    about = "Answers with words and LaTeX most similar to the question’s."
    name = "TF-IDF"

    symbols: Symbols = option(
        str,
        "latex",
        "LaTeX",
        "As words, \\int in a formula also matches “integral” in a sentence.",
        choices={"latex": "As tokens", "words": "Symbols as English words"},
    )

    def rank(self, campaign: Campaign, on_progress: OnProgress) -> Iterable[ScoredDocument]:
        return rank_by_tfidf(topic_texts(campaign), searched_texts(campaign, on_progress), self.symbols)


@dataclass(frozen=True, kw_only=True)
class TfIdfOfDocuments(Baseline):
    label = "TF-IDF over documents"
    about = "Documents whose words are most similar to the topic’s; rare terms count more."
    data = Run.Data.TEXT
    needs = "documents"
    name = "TF-IDF"

    def rank(self, campaign: Campaign, on_progress: OnProgress) -> Iterable[ScoredDocument]:
        return rank_by_tfidf(topic_texts(campaign), searched_texts(campaign, on_progress))


@dataclass(frozen=True, kw_only=True)
class Linked(Baseline):
    """The questions are those of the topic threads, and so are some of the duplicate links."""

    label = name = "Linked posts"
    about = "Answers to questions that were marked as duplicates of the topic’s, by votes."
    data = Run.Data.LINKS
    role = Run.PoolRole.PRIMARY

    def rank(self, campaign: Campaign, on_progress: OnProgress) -> Iterable[ScoredDocument]:
        on_progress(0, 0, "following links")
        questions = dict(campaign.topics.exclude(thread_id="").values_list("topic_id", "thread_id"))
        posts = collections.columns_folder(require_collection(campaign), "posts")
        thread_ids = parquet.pairs(posts, "post_id", "thread_id", questions.values())
        links = (
            link
            for collection in filter(None, (campaign.collection, campaign.topic_threads))
            for link in parquet.select(collections.columns_folder(collection, "links"), LinkRow, "kind", ["duplicate"])
        )
        threads = search.threads_of_topics(
            {topic: {thread_ids.get(post, post)} for topic, post in questions.items()}, links
        )
        columns = {"post_id": pl.String, "thread_id": pl.String, "score": pl.Int64, "kind": pl.String}
        found = parquet.frame(posts, "thread_id", set().union(*threads.values()), columns)
        answers = found.filter(pl.col("kind") == "answer").select(VotedAnswer._fields).iter_rows()
        return search.rank_by_votes(threads, map(VotedAnswer._make, answers))


@dataclass(frozen=True, kw_only=True)
class Formulas(Bm25, Baseline):
    label = "Formulas"
    about = "Visually distinct formulas that share parts with the topic's formula, ranked by BM25."
    data = Run.Data.MATH
    needs = "formulas"
    name = "Formula parts"
    role = Run.PoolRole.PRIMARY

    def rank(self, campaign: Campaign, on_progress: OnProgress) -> Iterable[ScoredDocument]:
        queries = {
            topic.topic_id: topic.latex or dict(formulas(f"{topic.title} {topic.body}")).get(topic.formula_id, "")
            for topic in topic_rows(campaign)
        }
        rows = poolable_formulas(require_collection(campaign))
        on_progress(0, 0, "looking for distinct formulas")
        first = rows.select("visual_id", "latex").unique("visual_id", keep="first", maintain_order=True).collect()
        if first.is_empty():
            raise Refused("No formula in the collection has a visual id. Compute visual ids first.")
        distinct = watched(first.iter_rows(), len(first), on_progress, "making tuples of formulas")
        ranking = math.rank_formulas(queries, distinct, self)
        wanted = pl.Series(sorted({row.doc_id for row in ranking}), dtype=pl.String)
        kept = rows.filter(pl.col("visual_id").is_in(wanted.implode())).select("visual_id", "formula_id", "post_id")
        instances = grouped((visual, (formula, post)) for visual, formula, post in kept.collect().iter_rows())
        return math.first_instances(ranking, instances)


@dataclass(frozen=True, kw_only=True)
class Answers(Bm25, Baseline):
    label = name = "Formulas and words"
    about = "Answers that share words and parts of formulas with the question, ranked by BM25."

    alpha: float = option(float, 0.18, "Weight of formulas (α)", "0: words only; 1: formulas only.", least=0, most=1)

    def rank(self, campaign: Campaign, on_progress: OnProgress) -> Iterable[ScoredDocument]:
        return math.rank_answers(topic_texts(campaign), searched_texts(campaign, on_progress), self.alpha, self)


KINDS: dict[str, type[Baseline]] = {
    "tfidf": TfIdf,
    "linked": Linked,
    "tuples": Answers,
    "formulas": Formulas,
    "documents": TfIdfOfDocuments,
}
OPTIONS = {name: option for kind in KINDS.values() for name, option in options_in(kind).items()}


NEEDS_THREADS = "Import the threads of the topics first: they tell which questions the topics are."
NEEDS = {
    "posts": ("answers", "Import the posts of the collection first: it has no answers."),
    "documents": ("documents", "Import the documents first."),
    "formulas": ("formulas", "Import the formula index of the collection first."),
}
"""For what a baseline needs: the rows that a collection counts, and what to do without any."""


def kinds_for(campaign: Campaign) -> dict[str, type[Baseline]]:
    """The baselines that fit the campaign's task."""
    return {name: KINDS[name] for name in campaign.rules.kind.baselines}


def unmet_need(campaign: Campaign, kind: type[Baseline]) -> str:
    """What the campaign needs first; empty if nothing is missing."""
    counted, need = NEEDS[kind.needs]
    if not campaign.topics.exists():
        return "Import the topics first."
    if not (campaign.collection and campaign.collection.counts.get(counted)):
        return need
    has_threads = kind is not Linked or campaign.topics.exclude(thread_id="").exists()
    return "" if has_threads else NEEDS_THREADS


def make_baseline_run(job: Job, on_progress: OnProgress) -> Run:
    """Rank, write the run file, import it. Raises Refused if something is missing or nothing was retrieved."""
    campaign, params = job.campaign, job.params
    kind, role = kinds_for(campaign)[params["baseline"]], params["pool_role"]
    made = kind(**params["options"])
    runs.refuse_pooled_if_frozen(campaign, [role])
    if reason := unmet_need(campaign, kind):
        raise Refused(reason)
    text = write_baseline(campaign, " ".join(params["name"].split()), made.rank(campaign, on_progress))
    record = {
        "baseline": made.label,
        "options": {name: getattr(made, name) for name in options_in(made)},
        "inputs": input_digests(campaign, made),
    }
    return runs.import_made(job, text, record, on_progress, kind=Run.Kind.BASELINE, data=made.data, pool_role=role)


def write_baseline(campaign: Campaign, tag: str, rows: Iterable[ScoredDocument]) -> str:
    made_format = campaign.rules.kind.made_format
    ranks: dict[str, int] = {}
    lines = []
    for topic_id, doc_id, score, post_id in rows:
        ranks[topic_id] = rank = ranks.get(topic_id, 0) + 1
        document = {"task2": (doc_id, post_id), "trec": ("Q0", doc_id)}.get(made_format, (doc_id,))
        lines.append("\t".join((topic_id, *document, str(rank), repr(score), tag)) + "\n")
    return "".join(lines)


def input_digests(campaign: Campaign, made: Baseline) -> dict[str, str]:
    digests = {"topics": sha256("\n".join(map(card_of, topic_rows(campaign))).encode()).hexdigest()}
    collection = campaign.collection
    sources = collection.sources if collection else {}
    used = {"posts", "links", "votes"} if isinstance(made, Linked) else {made.needs}
    if isinstance(made, Formulas) and (version := current_version(collection)):
        digests["visual ids"] = f"version {version.number}"
    return digests | {source["name"]: source["sha256"] for kind, source in sources.items() if kind in used}


def topic_rows(campaign: Campaign) -> list[TopicRow]:
    return [TopicRow._make(row) for row in campaign.topics.values_list(*TopicRow._fields)]


def topic_texts(campaign: Campaign) -> dict[str, str]:
    return {topic.topic_id: f"{topic.title} {topic.body}" for topic in topic_rows(campaign)}


def card_of(topic: TopicRow) -> str:
    """What is hashed: without ``fields`` if there are none, so that digests stay those of earlier versions."""
    names = [name for name in topic._fields if name != "fields" or topic.fields]
    return f"TopicRow({', '.join(f'{name}={getattr(topic, name)!r}' for name in names)})"


STEP = 100
"""Documents between two reports of progress."""


def require_collection(campaign: Campaign) -> Collection:
    if campaign.collection is None:
        raise Refused("The campaign has no collection. Import one first.")
    return campaign.collection


def watched(
    rows: Iterable[tuple[str, str]], total: int, on_progress: OnProgress, doing: str
) -> Iterator[tuple[str, str]]:
    for number, row in enumerate(rows):
        if number % STEP == 0:
            on_progress(number, total, doing)
        yield row
    on_progress(total, total, "ranking")


def searched_texts(campaign: Campaign, on_progress: OnProgress) -> Iterator[tuple[str, str]]:
    """Id and canonical HTML of every answer, or of every document with its title."""
    collection, kind = require_collection(campaign), campaign.rules.kind.post
    parts = parquet.parts(collections.columns_folder(collection, "posts"), ["post_id", "kind", "title", "body"])
    titled = pl.col("body") if kind == "answer" else pl.concat_str("title", "body", separator=" ", ignore_nulls=True)
    rows = (
        (post_id, quick(text))
        for part in parts
        for post_id, text in part.filter(pl.col("kind") == kind).select("post_id", titled).iter_rows()
    )
    return watched(rows, collection.counts.get(f"{kind}s", 0), on_progress, f"reading {kind}s")


def poolable_formulas(collection: Collection) -> pl.LazyFrame:
    """The formulas in questions and answers that have a visual id, in the order of the index."""
    index = pl.scan_parquet(parquet.files(collections.columns_folder(collection, "formulas")))
    visual_map = visual_ids.read_map(visual_ids.current_version(collection))
    mapped = visual_ids.overlay_ids(index.select(collections.FORMULA_FIELDS), visual_map)
    return mapped.filter(pl.col("visual_id") != "", IN_POST)
