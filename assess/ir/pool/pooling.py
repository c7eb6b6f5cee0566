"""Pools: which documents of which runs are judged. The same for answers, formulas and written answers."""

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
"""1/rank in units of 1/WHOLE. Sums are whole numbers, the same in any order; what is left of rounding lies below
EQUAL units, so that 1/3 + 1/6 ties with 1/2."""
DECIMALS = 12
ROUNDING = WHOLE // EQUAL // 10**DECIMALS
DOCUMENT = ["topic_id", "doc_id"]
UNIT = ["topic_id", "unit_id"]
NO_SEEDS = pl.DataFrame(schema=dict.fromkeys(DOCUMENT, pl.String))
HAS_UNIT = pl.col("unit_id") != ""


class PooledRun(NamedTuple):
    """A run as the pool sees it. ``ranking``: its columns are ``RANKING``; ``written``: its answers were written for
    the topics, all are pooled; ``baseline``: made by the organizers."""

    name: str
    role: PoolRole
    ranking: pl.DataFrame
    written: bool = False
    baseline: bool = False


class Candidate(NamedTuple):
    """A document that may be pooled, and what counts for it. ``votes``: its share in units of EQUAL/WHOLE; ``runs``:
    pooled runs that retrieved it at any rank; ``prefixes``: pooled runs that brought it into the pool; ``best``: its
    best rank in these; ``post_id``: where it stands, if that matters."""

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
    protocol's rule: those with the most votes, those brought in by the most runs (ARQMath-1), those that stand
    highest, or any; ties in an order drawn by the seed. Votes are sums of reciprocal ranks over the whole lists, not
    only the pooled parts (ARQMath-2), unless the protocol says otherwise. A run of role "none" neither pools nor
    votes. The order of the runs does not matter. ``posts`` (columns doc_id, post_id) is needed where the protocol
    takes one document of each post, ``seeded`` where it seeds from Task 1 (``seeded_by``).
    """
    found = candidates(runs, protocol, seed, seeded)
    if posts is not None:
        found = found.with_columns(
            post_id=pl.col("doc_id").replace_strict(posts["doc_id"], posts["post_id"], default="")
        )
    is_open = (pl.len().over(UNIT) > protocol.max_instances) | protocol.one_per_post
    few, many = found.filter(~is_open), found.filter(is_open)
    names = [(one.topic_id, one.doc_id) for one in chosen(map(Candidate._make, many.iter_rows()), protocol, seed)]
    picked = pl.DataFrame(names, schema=dict.fromkeys(DOCUMENT, pl.String), orient="row")
    return as_lines(pl.concat([few, many.join(picked, on=DOCUMENT, how="semi")]))


def as_lines(kept: pl.DataFrame) -> list[PoolLine]:
    """Candidates as the lines of a pool, in its order (``in_order``)."""
    rounded = (pl.col("votes") + ROUNDING // 2) // ROUNDING
    ordered = kept.with_columns(votes=rounded).sort(
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
    """The documents of the pooled prefixes, and those seeded, with their votes; the columns are those of
    ``Candidate``."""
    pooled = [run for run in runs if run.role != "none"]
    seeded = NO_SEEDS if seeded is None else seeded
    brought = [
        with_seeded(part, run.ranking, seeded) for run, part in zip(pooled, prefixes(pooled, protocol), strict=True)
    ]
    found = (
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
    counted = found.join(count_votes(voting, found), on="place", how="left").with_columns(
        pl.col("votes", "runs").fill_null(0), post_id=pl.lit("")
    )
    ready = counted.select(Candidate._fields)
    if protocol.pool_rule != "votes":
        return ready
    voted = most_voted_units(ready, protocol.pool_size, seed)
    return pl.concat([voted, ready.join(seeded, on=DOCUMENT, how="semi")]).unique(DOCUMENT)


def seeded_by(answers: pl.DataFrame, posts: pl.DataFrame) -> pl.DataFrame:
    """The documents that a pool of answers brings into the pool of formulas, whatever their rank (columns topic_id,
    doc_id): for topic B.9 the formulas that stand in the answers pooled for A.9. ``answers``: columns topic_id,
    post_id; ``posts``: where the formulas stand, columns doc_id, post_id. ARQMath-1 seeded its pools (implied by the
    overview of ARQMath-2) and tells no rule; this one is ours."""
    ours = answers.filter(pl.col("topic_id").str.starts_with("A."))
    ours = ours.with_columns(topic_id="B" + pl.col("topic_id").str.slice(1))
    return ours.join(posts.filter(pl.col("post_id") != ""), on="post_id").select(DOCUMENT).unique()


def held_posts(pairs: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """The topics and posts of a pool of answers as ``seeded_by`` takes them."""
    return pl.DataFrame(list(pairs), schema=dict.fromkeys(["topic_id", "post_id"], pl.String), orient="row")


def with_seeded(part: pl.DataFrame, ranking: pl.DataFrame, seeded: pl.DataFrame) -> pl.DataFrame:
    """What a run brings in, with the seeded documents that it retrieved below."""
    if seeded.is_empty():
        return part
    found = ranking.filter(HAS_UNIT).join(seeded, on=DOCUMENT, how="semi")
    return pl.concat([part, found.join(part, on=DOCUMENT, how="anti")])


def prefixes(runs: Sequence[PooledRun], protocol: Protocol) -> list[pl.DataFrame]:
    """The part of each ranking that is brought in, by the protocol's rule. Documents without a unit never are.

    ``depth``: each topic's list down to the first instance of the k-th different unit, for the k of the run's role,
    the whole list where there are fewer (ARQMath). ``rank_by_rank``: one rank at a time over all runs, until the
    topic has at least ``pool_size`` different units (NTCIR-10). ``votes``: all, of which the units with the most
    votes are taken.
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
    """How many different units of the run are pooled for each topic; all of a run of written answers."""
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
    """For each topic the first rank at which the runs together hold ``size`` different units; the last that there can
    be where they never do, so that their whole lists count."""
    firsts = ranked.group_by(UNIT).agg(pl.col("rank").min()).sort("topic_id", "rank")
    return firsts.group_by("topic_id").agg(last=pl.col("rank").get(size - 1, null_on_oob=True).fill_null(LIMIT))


def count_votes(rankings: Iterable[pl.DataFrame], found: pl.DataFrame) -> pl.DataFrame:
    """For the candidates that a ranking holds their votes and by how many they are retrieved; columns place, votes,
    runs."""
    retrieved = pl.concat([RANKING.to_frame(), *rankings]).lazy()
    shares = retrieved.join(found.lazy(), on=DOCUMENT).select("rank", "place").collect()
    shares = shares.with_columns(share=SHARES.gather(shares["rank"]))
    counted = shares.group_by("place").agg(votes=pl.col("share").sum(), runs=pl.len())
    return counted.with_columns(votes=(pl.col("votes") + EQUAL // 2) // EQUAL)


def most_voted_units(found: pl.DataFrame, size: int, seed: int) -> pl.DataFrame:
    """The candidates of the ``size`` units of each topic whose documents have the most votes together."""
    units = found.group_by(UNIT).agg(pl.col("votes").sum()).rows(named=True)
    units.sort(key=lambda unit: (unit["topic_id"], -unit["votes"], tie_break(seed, unit["topic_id"], unit["unit_id"])))
    kept = [
        (topic_id, unit["unit_id"])
        for topic_id, group in groupby(units, lambda unit: unit["topic_id"])
        for unit in list(group)[:size]
    ]
    wanted = pl.DataFrame(kept, schema=dict.fromkeys(UNIT, pl.String), orient="row")
    return found.join(wanted, on=UNIT, how="semi", maintain_order="left")


STRENGTH: dict[InstanceRule, Callable[[Candidate], int]] = {
    "reciprocal_rank_vote": lambda candidate: candidate.votes,
    "most_runs": lambda candidate: candidate.prefixes,
    "rank_first": lambda candidate: -candidate.best,
    "random": lambda candidate: 0,
}
"""What speaks for a document among those of its unit; the names are the protocol's instance rules."""


def chosen(found: Iterable[Candidate], protocol: Protocol, seed: int) -> Iterable[Candidate]:
    """At most ``max_instances`` documents of each unit, where the protocol says so from different posts."""
    strength = STRENGTH[protocol.instance_rule]

    def preference(candidate: Candidate) -> tuple[int, bytes]:
        return -strength(candidate), tie_break(seed, candidate.topic_id, candidate.doc_id)

    for _, group in groupby(sorted(found, key=attrgetter(*UNIT)), attrgetter(*UNIT)):
        documents = list(group)
        documents.sort(key=preference)
        if protocol.one_per_post:
            documents = first_of_each_post(documents)
        yield from documents[: protocol.max_instances]


def first_of_each_post(documents: Iterable[Candidate]) -> list[Candidate]:
    firsts: dict[str, Candidate] = {}
    for document in documents:
        firsts.setdefault(document.post_id or document.doc_id, document)
    return list(firsts.values())


def without_unit(run: PooledRun) -> int:
    """How many documents of the run have no unit and are left out of the pool."""
    return int((run.ranking["unit_id"] == "").sum())
