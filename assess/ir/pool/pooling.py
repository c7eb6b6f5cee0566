"""Pools: which retrieved documents are judged. The same for answers, formulas and written answers."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import polars as pl

from assess.ir.campaign.presets import InstanceRule, Protocol
from assess.ir.common.rows import PoolLine, PoolRole
from assess.ir.common.tie_break import tie_break
from assess.ir.runs.ranking import LIMIT, RANKING, place_in_topic

WHOLE = 10**30
EQUAL = 10**12
SHARES = pl.Series([0, *((WHOLE + rank // 2) // rank for rank in range(1, LIMIT + 1))], dtype=pl.Int128)
"""1/rank in units of 1/WHOLE. Sums are whole numbers, the same in any order; the rounding error is below EQUAL
units, so that 1/3 + 1/6 ties with 1/2."""
DECIMALS = 12
ROUNDING = WHOLE // EQUAL // 10**DECIMALS
DOCUMENT = ["topic_id", "doc_id"]
UNIT = ["topic_id", "unit_id"]
NO_SEEDS = pl.DataFrame(schema=dict.fromkeys(DOCUMENT, pl.String))
HAS_UNIT = pl.col("unit_id") != ""


class PooledRun(NamedTuple):
    """``ranking``: its columns are ``RANKING``; ``written``: its answers were written for the topics, so all are
    pooled; ``baseline``: made by the organizers."""

    name: str
    role: PoolRole
    ranking: pl.DataFrame
    written: bool = False
    baseline: bool = False


class PoolCandidate(NamedTuple):
    """A document that may be pooled. ``votes``: in units of EQUAL/WHOLE; ``runs``: pooled runs that retrieved it at
    any rank; ``prefixes``: pooled runs that brought it in; ``best``: its best rank in these; ``post_id``: the post of
    a formula, if it matters."""

    topic_id: str
    unit_id: str
    doc_id: str
    post_id: str
    votes: int
    runs: int
    prefixes: int
    best: int


def build_pool(
    runs: Sequence[PooledRun],
    protocol: Protocol,
    seed: int,
    posts: pl.DataFrame | None = None,
    seeded: pl.DataFrame | None = None,
) -> list[PoolLine]:
    """The documents to judge, in the order of a pool.

    Each run brings in its prefix (``prefixes``). Of each unit at most ``max_instances`` documents are kept, by the
    protocol's rule: those with the most votes, those brought in by the most runs (ARQMath-1), those ranked highest,
    or random ones; ties are broken at random by the seed. Votes are sums of reciprocal ranks over the whole lists, not
    only the pooled parts (ARQMath-2), unless the protocol says otherwise. A run of role "none" is not pooled and has
    no vote. The order of the runs does not matter. ``posts`` (columns doc_id, post_id) is needed if the protocol
    takes one document of each post, ``seeded`` if it seeds from Task 1 (``seeded_by``).
    """
    documents = candidates(runs, protocol, seed, seeded)
    if posts is not None:
        documents = with_posts(documents, posts)
    is_open = (pl.len().over(UNIT) > protocol.max_instances) | protocol.one_per_post
    few, many = documents.filter(~is_open), documents.filter(is_open)
    kept = choose(map(PoolCandidate._make, many.iter_rows()), protocol, seed)
    keys = [(candidate.topic_id, candidate.doc_id) for candidate in kept]
    chosen = pl.DataFrame(keys, schema=dict.fromkeys(DOCUMENT, pl.String), orient="row")
    return as_pool_lines(pl.concat([few, many.join(chosen, on=DOCUMENT, how="semi")]))


def with_posts(documents: pl.DataFrame, posts: pl.DataFrame) -> pl.DataFrame:
    """The documents with the post of each in the column ``post_id``, empty if unknown."""
    post_id = pl.col("doc_id").replace_strict(posts["doc_id"], posts["post_id"], default="")
    return documents.with_columns(post_id=post_id)


def as_pool_lines(documents: pl.DataFrame) -> list[PoolLine]:
    """Candidates as the lines of a pool, in its order (``in_order``)."""
    rounded = (pl.col("votes") + ROUNDING // 2) // ROUNDING
    ordered = documents.with_columns(votes=rounded).sort(
        "topic_id", "votes", "unit_id", "doc_id", descending=[False, True, False, False]
    )
    rows = ordered.select("topic_id", "unit_id", "doc_id", "votes", "runs").iter_rows()
    return [PoolLine(topic, unit, doc, votes / 10**DECIMALS, runs) for topic, unit, doc, votes, runs in rows]


def in_order(lines: Iterable[PoolLine]) -> list[PoolLine]:
    """The order of a pool: by topic, then votes descending, then unit and document."""
    return sorted(lines, key=lambda line: (line.topic_id, -line.votes, line.unit_id, line.doc_id))


def candidates(
    runs: Sequence[PooledRun], protocol: Protocol, seed: int, seeded: pl.DataFrame | None = None
) -> pl.DataFrame:
    """The documents of the pooled prefixes and the seeded ones, with their votes; the columns are those of
    ``PoolCandidate``."""
    pooled = [run for run in runs if run.role != "none"]
    seeded = NO_SEEDS if seeded is None else seeded
    brought = brought_in(pooled, protocol, seeded)
    documents = (
        pl.concat([RANKING.to_frame(), *brought])
        .group_by(DOCUMENT)
        .agg(pl.col("unit_id").first(), prefixes=pl.len(), best=pl.col("rank").min())
        .sort(DOCUMENT)
        .with_row_index("place")
    )
    voting = [
        run.ranking if protocol.votes_from == "whole" else part
        for run, part in zip(pooled, brought, strict=True)
        if protocol.baselines_vote or not run.baseline
    ]
    counted = documents.join(count_votes(voting, documents), on="place", how="left").with_columns(
        pl.col("votes", "runs").fill_null(0), post_id=pl.lit("")
    )
    voted = counted.select(PoolCandidate._fields)
    if protocol.pool_rule != "votes":
        return voted
    most = most_voted_units(voted, protocol.pool_size, seed)
    return pl.concat([most, voted.join(seeded, on=DOCUMENT, how="semi")]).unique(DOCUMENT)


def brought_in(runs: Sequence[PooledRun], protocol: Protocol, seeded: pl.DataFrame) -> list[pl.DataFrame]:
    """What each run brings into the pool: its prefix, and the seeded documents that it retrieved below."""
    parts = prefixes(runs, protocol)
    return [with_seeded(part, run.ranking, seeded) for run, part in zip(runs, parts, strict=True)]


def seeded_by(answers: pl.DataFrame, posts: pl.DataFrame) -> pl.DataFrame:
    """The documents that a pool of answers brings into the pool of formulas, at any rank (columns topic_id, doc_id):
    for topic B.9 the formulas in the answers pooled for A.9. ``answers``: columns topic_id, post_id
    (``answer_posts``); ``posts``: the posts of the formulas, columns doc_id, post_id. ARQMath-1 seeded its pools
    (implied by the overview of ARQMath-2) but published no rule; this one is ours."""
    of_formulas = answers.filter(pl.col("topic_id").str.starts_with("A."))
    of_formulas = of_formulas.with_columns(topic_id="B" + pl.col("topic_id").str.slice(1))
    return of_formulas.join(posts.filter(pl.col("post_id") != ""), on="post_id").select(DOCUMENT).unique()


def answer_posts(pairs: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """The topics and posts of a pool of answers, for ``seeded_by``."""
    return pl.DataFrame(list(pairs), schema=dict.fromkeys(["topic_id", "post_id"], pl.String), orient="row")


def with_seeded(part: pl.DataFrame, ranking: pl.DataFrame, seeded: pl.DataFrame) -> pl.DataFrame:
    """What a run brings in, with the seeded documents that it retrieved below."""
    if seeded.is_empty():
        return part
    rows = ranking.filter(HAS_UNIT).join(seeded, on=DOCUMENT, how="semi")
    return pl.concat([part, rows.join(part, on=DOCUMENT, how="anti")])


def prefixes(runs: Sequence[PooledRun], protocol: Protocol) -> list[pl.DataFrame]:
    """The part of each ranking that is pooled by the protocol's rule, without documents that have no unit.

    ``depth``: each topic's list down to the first instance of the k-th different unit, with k by the run's role; the
    whole list if there are fewer (ARQMath). ``rank_by_rank``: one rank at a time over all runs, until the topic has
    at least ``pool_size`` different units (NTCIR-10). ``votes``: everything, from which the units with the most votes
    are then chosen.
    """
    if protocol.pool_rule == "depth":
        return [prefix(run.ranking, depth(run, protocol)) for run in runs]
    ranked = [run.ranking.filter(HAS_UNIT) for run in runs]
    if protocol.pool_rule == "votes":
        return ranked
    last = last_ranks(pl.concat([RANKING.to_frame(), *ranked]), protocol.pool_size)
    return [
        ranking.join(last, on="topic_id").filter(pl.col("rank") <= pl.col("last")).select(RANKING.names())
        for ranking in ranked
    ]


def depth(run: PooledRun, protocol: Protocol) -> int:
    """How many different units of the run are pooled for each topic; all for a run of written answers."""
    if run.written:
        return LIMIT
    return protocol.primary_depth if run.role == "primary" else protocol.alternate_depth


def prefix(ranking: pl.DataFrame, depth: int) -> pl.DataFrame:
    """Each topic's list down to the first instance of the ``depth``-th different unit."""
    if (ranking["unit_id"] == ranking["doc_id"]).all():
        return ranking.filter(place_in_topic(ranking) <= depth)
    is_new = pl.col("unit_id").is_first_distinct().cast(pl.UInt32)
    return ranking.filter(HAS_UNIT).filter((is_new.cum_sum() - is_new).over("topic_id") < depth)


def last_ranks(ranked: pl.DataFrame, size: int) -> pl.DataFrame:
    """For each topic the first rank at which the runs together have ``size`` different units; the last possible rank
    if they never do."""
    firsts = ranked.group_by(UNIT).agg(pl.col("rank").min()).sort("topic_id", "rank")
    return firsts.group_by("topic_id").agg(last=pl.col("rank").get(size - 1, null_on_oob=True).fill_null(LIMIT))


def count_votes(rankings: Iterable[pl.DataFrame], documents: pl.DataFrame) -> pl.DataFrame:
    """The votes of the documents that were retrieved, and by how many rankings; columns place, votes, runs."""
    retrieved = pl.concat([RANKING.to_frame(), *rankings]).lazy()
    shares = retrieved.join(documents.lazy(), on=DOCUMENT).select("rank", "place").collect()
    shares = shares.with_columns(share=SHARES.gather(shares["rank"]))
    counted = shares.group_by("place").agg(votes=pl.col("share").sum(), runs=pl.len())
    return counted.with_columns(votes=(pl.col("votes") + EQUAL // 2) // EQUAL)


def most_voted_units(documents: pl.DataFrame, size: int, seed: int) -> pl.DataFrame:
    """The candidates of the ``size`` units of each topic with the most votes in all."""
    units = documents.group_by(UNIT).agg(pl.col("votes").sum()).rows(named=True)
    units.sort(key=lambda unit: (unit["topic_id"], -unit["votes"], tie_break(seed, unit["topic_id"], unit["unit_id"])))
    most = [
        (topic_id, unit["unit_id"])
        for topic_id, group in groupby(units, lambda unit: unit["topic_id"])
        for unit in list(group)[:size]
    ]
    most_voted = pl.DataFrame(most, schema=dict.fromkeys(UNIT, pl.String), orient="row")
    return documents.join(most_voted, on=UNIT, how="semi", maintain_order="left")


STRENGTH: dict[InstanceRule, Callable[[PoolCandidate], int]] = {
    "reciprocal_rank_vote": lambda candidate: candidate.votes,
    "most_runs": lambda candidate: candidate.prefixes,
    "rank_first": lambda candidate: -candidate.best,
    "random": lambda candidate: 0,
}
"""How strongly each instance rule prefers a document to others of its unit."""


def choose(documents: Iterable[PoolCandidate], protocol: Protocol, seed: int) -> Iterable[PoolCandidate]:
    """At most ``max_instances`` documents of each unit, from different posts if the protocol says so."""
    strength = STRENGTH[protocol.instance_rule]

    def preference(candidate: PoolCandidate) -> tuple[int, bytes]:
        return -strength(candidate), tie_break(seed, candidate.topic_id, candidate.doc_id)

    for _, group in groupby(sorted(documents, key=attrgetter(*UNIT)), attrgetter(*UNIT)):
        of_unit = sorted(group, key=preference)
        if protocol.one_per_post:
            of_unit = first_of_each_post(of_unit)
        yield from of_unit[: protocol.max_instances]


def first_of_each_post(documents: Iterable[PoolCandidate]) -> list[PoolCandidate]:
    firsts: dict[str, PoolCandidate] = {}
    for document in documents:
        firsts.setdefault(document.post_id or document.doc_id, document)
    return list(firsts.values())


def count_without_unit(run: PooledRun) -> int:
    """How many documents of the run have no unit, so that they are not pooled."""
    return int((run.ranking["unit_id"] == "").sum())
